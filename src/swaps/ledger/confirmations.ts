// Tracks the orders whose rows change because a tip moves: those with a block that becomes final, or whose
// confirmations pass a number that a rule names (S-03, S-15, S-54). Orders with nothing left to wait for are not looked
// at. Also the checkpoints: the newest applied blocks of a chain, for finding the common block after a reorganisation.

import type { Bytes32 } from "../../primitives/brands.ts";
import type { ChainTips } from "../../swap/facts.ts";
import { DEEP } from "../../swap/finality.ts";
import type { SwapRules } from "../../swap/subject.ts";
import type { LockBook } from "./lock-book.ts";
import type { OrderBook, OrderEntry } from "./order-book.ts";
import type { ChainCheckpoint } from "./ports.ts";

/** Orders that still depend on the tips. */
export class ConfirmationTracker {
  readonly #orders: OrderBook;
  readonly #locks: LockBook;
  readonly #depths: readonly number[];
  readonly #open = new Set<Bytes32>();

  constructor(orders: OrderBook, locks: LockBook, rules: Pick<SwapRules, "large" | "small">) {
    this.#orders = orders;
    this.#locks = locks;
    this.#depths = [...new Set([rules.large.k, rules.small.k, DEEP])];
  }

  /** Orders that are looked at when a tip moves. */
  get size(): number {
    return this.#open.size;
  }

  /** Orders whose rows change between these tips, other facts being equal. */
  *changed(before: ChainTips, after: ChainTips): Generator<Bytes32> {
    const isEvmSame = before.evm.finalHeight === after.evm.finalHeight;
    if (isEvmSame && before.pearl.height === after.pearl.height) return;
    // A lower tip makes blocks shallow again that nobody waited for any more.
    const isLower = after.pearl.height < before.pearl.height;
    for (const hash of isLower ? this.#orders.entries.keys() : this.#open) {
      const entry = this.#orders.entries.get(hash);
      if (entry !== undefined && this.#crosses(entry, before, after)) yield hash;
    }
  }

  /** Looks again at orders that have changed, and at those that wait; at all of them where `all`. */
  settle(tips: ChainTips, touched: Iterable<Bytes32>, all: boolean): void {
    for (const hash of this.#open) this.#settleOne(hash, tips);
    for (const hash of all ? this.#orders.entries.keys() : touched) this.#settleOne(hash, tips);
  }

  #settleOne(hash: Bytes32, tips: ChainTips): void {
    const entry = this.#orders.entries.get(hash);
    if (entry !== undefined && this.#waits(entry, tips)) this.#open.add(hash);
    else this.#open.delete(hash);
  }

  #waits(entry: OrderEntry, tips: ChainTips): boolean {
    for (const block of evmHeights(entry)) if (block > tips.evm.finalHeight) return true;
    for (const height of this.#pearlHeights(entry)) {
      const depth = tips.pearl.height - height + 1;
      if (this.#depths.some((needed) => depth < needed)) return true;
    }
    return false;
  }

  #crosses(entry: OrderEntry, before: ChainTips, after: ChainTips): boolean {
    for (const block of evmHeights(entry)) {
      if (block > before.evm.finalHeight !== block > after.evm.finalHeight) return true;
    }
    for (const height of this.#pearlHeights(entry)) {
      const [was, is] = [before.pearl.height - height + 1, after.pearl.height - height + 1];
      if (this.#depths.some((needed) => was >= needed !== is >= needed)) return true;
    }
    return false;
  }

  #pearlHeights(entry: OrderEntry): Iterable<number> {
    return entry.script === null ? [] : this.#locks.heightsOf(entry.script);
  }
}

function evmHeights({ facts }: OrderEntry): readonly number[] {
  const { locked, accepted, closed } = facts;
  return [locked.block, accepted?.place.block ?? locked.block, closed?.place.block ?? locked.block];
}

/** At least as many are kept as any reorganisation that is survived is deep. */
const MAX_CHECKPOINTS = 2_000;

/** The remembered blocks of one chain. */
export class CheckpointList {
  /** Highest first. */
  #list: readonly ChainCheckpoint[];

  /** `list`: highest first. */
  constructor(list: readonly ChainCheckpoint[]) {
    this.#list = list;
  }

  /** Highest first. */
  get all(): readonly ChainCheckpoint[] {
    return this.#list;
  }

  /** Forgets those above `rewindTo`, where that is not null, and adds others. */
  advance(rewindTo: number | null, added: readonly ChainCheckpoint[]): void {
    if (rewindTo === null && added.length === 0) return;
    const byHeight = new Map(
      this.#list
        .filter(({ height }) => rewindTo === null || height <= rewindTo)
        .map((one) => [one.height, one]),
    );
    for (const one of added) byHeight.set(one.height, one);
    this.#list = [...byHeight.values()].toSorted((a, b) => b.height - a.height).slice(0, MAX_CHECKPOINTS);
  }
}
