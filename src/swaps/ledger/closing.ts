// When orders close (docs/decisions/0041): all of a bundle together, when nothing that a block, the mempool, a POST or time
// can still bring would be expected to change a row of any of them. What comes unexpected opens the bundle again: see
// recall.ts.

import type { Bytes32, Outpoint } from "../../primitives/brands.ts";
import { remember } from "../../primitives/oldest-first.ts";
import { isAskMatch } from "../../swap/terms.ts";
import type { Books } from "./books.ts";
import { type Bundle, bundleOf, MAX_PARTS, namesOf, pearlHeightOf } from "./bundles.ts";
import { bareName } from "./closed-port.ts";
import { txidOf } from "./lock-entries.ts";
import type { OrderEntry } from "./order-book.ts";

/** How long what has ended stays in memory. */
export interface ClosingBounds {
  /** Seconds between the event that ended an order and the newest blocks of both chains. */
  readonly afterS: number;
  /** PEARL blocks above the last one that matters, beyond every depth that a rule names. */
  readonly pearlBlocks: number;
  /** Milliseconds that a bundle stays after somebody has named something of it: he may be at work on it. */
  readonly heldMs: number;
}

/** Orders and parts of bundles that one call looks at, and bundles that one transaction closes. */
const LOOKED_AT_ONCE = 20_000;
const CLOSED_AT_ONCE = 50;

/** Names that are remembered as asked for; beyond it the oldest are forgotten. */
const MAX_HELD = 100_000;

/** Whether a bundle closes. */
function isClosed(books: Books, bundle: Bundle, bounds: ClosingBounds): boolean {
  const { orders, records, scripts } = books;
  for (const hash of bundle.orders) {
    const entry = orders.entries.get(hash);
    if (entry === undefined || !isOrderOver(books, entry, bounds)) return false;
  }
  for (const hashlock of bundle.hashlocks) {
    // Takes live for days at most, and their rows show what these orders did.
    if (records.takesByHashlock.has(hashlock) || !orders.byHashlock.has(hashlock)) return false;
  }
  for (const hash of bundle.orders) {
    const terms = orders.entries.get(hash)?.facts.terms;
    if (terms === undefined || (isAskMatch(terms) && records.takesByAsk.has(terms.askId))) return false;
  }
  const below = books.chains.tips.pearl.height - Math.max(...books.depths) - bounds.pearlBlocks;
  for (const script of bundle.scripts) {
    if (scripts.uncovered.has(script) || books.locks.hasDust(script)) return false;
    for (const outpoint of books.locks.byScript.of(script))
      if (!isOutputOver(books, outpoint, below)) return false;
  }
  return pearlHeightOf(books, bundle) <= below;
}

/** Whether the contract has nothing more to say of an order, and has said so for long. */
function isOrderOver({ chains, trust }: Books, { facts }: OrderEntry, { afterS }: ClosingBounds): boolean {
  const { evm, pearl } = chains.tips;
  const { closed, credited, orderHash } = facts;
  if (closed === null || credited !== null || trust.isDisputed(orderHash)) return false;
  const { block, time } = closed.place;
  return block <= evm.finalHeight && Math.min(evm.time, pearl.medianTimePast) >= time + afterS;
}

/** Whether nothing can become of an output any more: spent, or impossible, in a block at most this high. */
function isOutputOver({ locks }: Books, outpoint: Outpoint, below: number): boolean {
  const entry = locks.entries.get(outpoint);
  if (entry === undefined || locks.mempool.spends.has(outpoint)) return false;
  if (locks.mempool.present.has(txidOf(outpoint))) return false;
  if (entry.mined !== null) return entry.spend !== null && entry.spend.mined.height <= below;
  const conflict = locks.conflicts.heightOf(txidOf(outpoint));
  return conflict !== null && conflict <= below;
}

/** Goes round the orders in memory, for the bundles that are to close. */
export class ClosingRounds {
  readonly #bounds: ClosingBounds;
  #turn: Iterator<readonly [Bytes32, OrderEntry]> | null = null;
  /** Until when bundles stay that have these names, in the order in which they were asked for. */
  readonly #held = new Map<string, number>();
  /** Which the round goes through: others take their place where a commit has failed. */
  #books: Books | null = null;

  constructor(bounds: ClosingBounds) {
    this.#bounds = bounds;
  }

  /** Somebody asked for these names at this moment: what has them stays for some time, whether it was closed or not. */
  hold(names: Iterable<string>, nowMs: number): void {
    for (const name of names) remember(this.#held, bareName(name), nowMs + this.#bounds.heldMs, MAX_HELD);
  }

  /** A hashlock of each bundle that closes now, of some orders: from one call to the next it goes round all of them. */
  next(books: Books, nowMs: number): readonly Bytes32[] {
    for (const [name, untilMs] of this.#held) {
      if (untilMs > nowMs) break;
      this.#held.delete(name);
    }
    if (books !== this.#books) this.#turn = null;
    this.#books = books;
    const turn = this.#turn ?? books.orders.entries[Symbol.iterator]();
    this.#turn = turn;
    const found: Bytes32[] = [];
    const seen = new Set<Bytes32>();
    for (let looked = 0; looked < LOOKED_AT_ONCE && found.length < CLOSED_AT_ONCE; looked += 1) {
      const next = turn.next();
      if (next.done === true) {
        this.#turn = null;
        break;
      }
      const [hash, entry] = next.value;
      if (seen.has(hash) || !isOrderOver(books, entry, this.#bounds)) continue;
      const { hashlock } = entry.facts.terms;
      const bundle = bundleOf(books, hashlock);
      looked += bundle?.parts ?? MAX_PARTS;
      if (bundle === null) continue;
      for (const order of bundle.orders) seen.add(order);
      if (isClosed(books, bundle, this.#bounds) && !this.#isHeld(books, bundle)) found.push(hashlock);
    }
    return found;
  }

  #isHeld(books: Books, bundle: Bundle): boolean {
    if (this.#held.size === 0) return false;
    for (const name of namesOf(books, bundle)) if (this.#held.has(bareName(name))) return true;
    return false;
  }
}
