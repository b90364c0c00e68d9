// Finds the rows that a change may make different. Three things change rows: a fact, from whose ask, hashlock, script or
// seller the way leads to the orders, takes and asks that show something of it; a block, since a tip that moves makes
// others final and confirmations pass the numbers that rules name (S-03, S-15, S-54); and a moment, in which asks and
// takes die. Orders with nothing left to wait for are not looked at when a tip moves.
//
// Unfunded takes cost nothing and bind nothing, and anybody may post a thousand of them on somebody else's ask or
// hashlock. So the event of an ask speaks for its takes too, and a hashlock tells of its oldest takes alone: else one
// POST would be told as often as strangers like, and each re-check would empty the log of everybody's events.

import type { Bytes32, EvmAddress, ScriptHex } from "../../primitives/brands.ts";
import type { ChainTips, EscrowEvent } from "../../swap/facts.ts";
import type { Terms } from "../../swap/terms.ts";
import type { BookChange, CausingBlock } from "./book-change.ts";
import type { Books, Draft } from "./books.ts";
import type { FactKind } from "./fact-fields.ts";
import type { OrderEntry } from "./order-book.ts";

/** Unfunded takes that are told when their hashlock is used or its secret becomes public: the oldest. */
const TAKES_TOLD = 16;

/** Marks in a draft what one block, or none, makes different. */
export class AffectedRows implements BookChange {
  readonly isLoading = false;
  readonly #books: Books;
  readonly #draft: Draft;
  readonly #cause: CausingBlock | null;

  constructor(draft: Draft, cause: CausingBlock | null) {
    this.#books = draft.books;
    this.#draft = draft;
    this.#cause = cause;
  }

  store<Value>(kind: FactKind<Value>, value: Value): void {
    this.#draft.store(kind, value);
  }

  forget<Value>(kind: FactKind<Value>, key: string): void {
    this.#draft.forget(kind, key);
  }

  touch(order: Bytes32): void {
    this.#draft.touch(order, this.#cause);
  }

  touchAsk(ask: Bytes32): void {
    this.#draft.touchAsk(ask, this.#cause);
  }

  /** An order with these terms came, changed or went. */
  order(hash: Bytes32, terms: Terms): void {
    this.touch(hash);
    this.ask(terms.askId);
    // Takes of the same buyer must choose another hashlock.
    this.#takesOf(terms.hashlock);
  }

  /** An ask changed its status or its record. Rows of orders show nothing of it that could change. */
  ask(id: Bytes32): void {
    if (this.#books.records.asks.has(id)) this.touchAsk(id);
  }

  /** A secret became public. */
  hashlock(hashlock: Bytes32): void {
    for (const order of this.#books.orders.byHashlock.of(hashlock)) this.touch(order);
    this.#takesOf(hashlock);
  }

  #takesOf(hashlock: Bytes32): void {
    let told = 0;
    for (const take of this.#books.records.takesByHashlock.of(hashlock)) {
      if (told === TAKES_TOLD) return;
      told += 1;
      this.touch(take);
    }
  }

  /**
   * A transaction may pay a script two thousand times, and a thousand orders may share it: they are gone through once for
   * each block that does it. No change that shows outputs has orders of its own.
   */
  touchScript(script: ScriptHex): void {
    const [height, { toldScripts }] = [this.#cause?.height ?? -1, this.#draft];
    if ((toldScripts.get(script) ?? -2) >= height) return;
    toldScripts.set(script, height);
    for (const order of this.#books.orders.byScript.of(script)) this.touch(order);
  }

  /** A seller revoked asks, or that was undone. */
  asksOf(seller: EvmAddress): void {
    for (const id of this.#books.records.asksBySeller.of(seller)) this.ask(id);
  }

  /** The fee changed: every ask with another one is paused. */
  allAsks(): void {
    for (const id of this.#books.records.asks.keys()) this.ask(id);
  }

  /** What an event of the escrow changes, once it is applied; `asksOf` tells of a revocation. */
  event(event: Exclude<EscrowEvent, { kind: "AsksRevoked" }>): void {
    switch (event.kind) {
      case "FeeSet":
        return this.allAsks();
      case "OrderLocked":
        return this.order(event.orderHash, event.terms);
      case "OrderAccepted":
      case "OrderCancelled":
      case "OrderClaimed":
      case "OrderRefunded":
        return this.touch(event.orderHash);
      case "PayoutCredited":
      case "CreditWithdrawn":
        // The book of orders marks the orders themselves: it knows whose credits a withdrawal ended.
        return;
      case "FeesWithdrawn":
        return;
      case "Paused":
      case "Unpaused":
        // As where an index is not synced: what may be done changes, and no event tells it (S-54).
        return;
    }
  }

  /** Time has passed from a moment to a later one: asks and takes die. */
  moment(was: number, now: number): void {
    for (const id of this.#books.records.asksEnding(was, now)) this.ask(id);
    for (const hash of this.#books.records.takesEnding(was, now)) this.touch(hash);
  }

  /** The tips were these before the change, by the block of the new one: orders whose blocks cross a bound are others. */
  tips(before: ChainTips): void {
    const { chains, orders, waiting } = this.#books;
    const after = chains.tips;
    const isEvmSame = before.evm.finalHeight === after.evm.finalHeight;
    if (isEvmSame && before.pearl.height === after.pearl.height) return;
    // A lower tip makes blocks shallow again that no order was waiting for.
    const isLower = after.pearl.height < before.pearl.height;
    for (const hash of (isLower ? orders.entries : waiting).keys()) {
      const entry = orders.entries.get(hash);
      if (entry === undefined || !crosses(this.#books, entry, before)) continue;
      this.touch(hash);
    }
  }

  /** Which orders wait from now on, when all that the change touches is touched. */
  settle(before: ChainTips): void {
    const { chains, orders, waiting } = this.#books;
    settleWaiting(this.#books, waiting.keys());
    const isLower = chains.tips.pearl.height < before.pearl.height;
    settleWaiting(this.#books, (isLower ? orders.entries : this.#draft.orders).keys());
  }
}

/** Keeps of these orders those that wait for a tip to move among the waiting ones, and no others. */
export function settleWaiting(books: Books, hashes: Iterable<Bytes32>): void {
  for (const hash of hashes) {
    const entry = books.orders.entries.get(hash);
    const isWaiting = entry !== undefined && waits(books, entry);
    if (isWaiting === books.waiting.has(hash)) continue;
    if (isWaiting) books.waiting.set(hash, true);
    else books.waiting.delete(hash);
  }
}

function waits(books: Books, entry: OrderEntry): boolean {
  const { evm, pearl } = books.chains.tips;
  for (const block of evmHeights(entry)) if (block > evm.finalHeight) return true;
  for (const height of pearlHeights(books, entry)) {
    const depth = pearl.height - height + 1;
    if (books.depths.some((needed) => depth < needed)) return true;
  }
  return false;
}

function crosses(books: Books, entry: OrderEntry, before: ChainTips): boolean {
  const after = books.chains.tips;
  for (const block of evmHeights(entry)) {
    if (block > before.evm.finalHeight !== block > after.evm.finalHeight) return true;
  }
  for (const height of pearlHeights(books, entry)) {
    const [was, is] = [before.pearl.height - height + 1, after.pearl.height - height + 1];
    if (books.depths.some((needed) => was >= needed !== is >= needed)) return true;
  }
  return false;
}

function evmHeights({ facts }: OrderEntry): readonly number[] {
  const { locked, accepted, closed } = facts;
  return [locked.block, accepted?.place.block ?? locked.block, closed?.place.block ?? locked.block];
}

function pearlHeights({ locks }: Books, { script }: OrderEntry): Iterable<number> {
  return script === null ? [] : locks.heightsOf(script);
}
