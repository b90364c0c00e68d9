// When orders close, and what closes with them (docs/decisions/0041). Orders with one hashlock share its secret, scripts and
// takes; orders whose scripts one transaction pays, or whose lock transactions need the same coin, share what becomes of
// it. So they close together, as a bundle, when nothing that a block, the mempool, a POST or time can still bring would be
// expected to change a row of any of them. What comes unexpected opens the bundle again: see recall.ts.

import type { Bytes32, Outpoint, ScriptHex, Txid } from "../../primitives/brands.ts";
import { isAskMatch } from "../../swap/terms.ts";
import type { Depths } from "./affected-rows.ts";
import type { Books } from "./books.ts";
import { txidOf } from "./lock-entries.ts";
import type { OrderEntry } from "./order-book.ts";

/** How long what has ended stays in memory. */
export interface ClosingBounds {
  /** Seconds between the event that ended an order and the newest blocks of both chains. */
  readonly afterS: number;
  /** PEARL blocks above the last one that matters, beyond every depth that a rule names. */
  readonly pearlBlocks: number;
  /** Milliseconds that an order stays after it was opened: somebody may be at work on it. */
  readonly heldMs: number;
}

/** Orders that close together, with what belongs to them. */
export interface Bundle {
  readonly hashlocks: ReadonlySet<Bytes32>;
  readonly orders: ReadonlySet<Bytes32>;
  readonly scripts: ReadonlySet<ScriptHex>;
  /** Transactions with lock outputs. */
  readonly transactions: ReadonlySet<Txid>;
  /** Ids of the posted asks that the orders carry. */
  readonly asks: ReadonlySet<Bytes32>;
}

/** Orders that one round looks at, and bundles that one transaction closes. */
const LOOKED_AT_ONCE = 2_000;
const CLOSED_AT_ONCE = 200;

/** Parts of a bundle above which it stays in memory: who makes one pays for each part on a chain. */
const MAX_PARTS = 200;

/** The bundle of the orders with this hashlock; null where it is too large to close. */
export function bundleOf(books: Books, hashlock: Bytes32): Bundle | null {
  const { orders, locks, scripts: all, records } = books;
  const hashlocks = new Set([hashlock]);
  const [own, scripts, transactions, asks] = [
    new Set<Bytes32>(),
    new Set<ScriptHex>(),
    new Set<Txid>(),
    new Set<Bytes32>(),
  ];
  // What is added is visited as well.
  for (const one of hashlocks) {
    for (const order of orders.byHashlock.of(one)) own.add(order);
    for (const script of all.byHashlock.of(one)) {
      scripts.add(script);
      if (locks.byScript.count(script) > MAX_PARTS) return null;
      for (const txid of linked(books, script)) {
        transactions.add(txid);
        for (const paid of locks.scriptsMadeBy(txid)) {
          const entry = all.entries.get(paid);
          if (entry !== undefined) hashlocks.add(entry.hashlock);
        }
      }
    }
    if (own.size + scripts.size + transactions.size > MAX_PARTS) return null;
  }
  for (const order of own) {
    const terms = orders.entries.get(order)?.facts.terms;
    if (terms !== undefined && isAskMatch(terms) && records.asks.has(terms.askId)) asks.add(terms.askId);
  }
  return { hashlocks, orders: own, scripts, transactions, asks };
}

/** Transactions with an output of this script, and those that need a coin of one of them. */
function* linked({ locks }: Books, script: ScriptHex): Generator<Txid> {
  for (const outpoint of locks.byScript.of(script)) {
    const txid = txidOf(outpoint);
    yield txid;
    for (const input of locks.conflicts.inputsOf(txid)) yield* locks.conflicts.byInput.of(input);
  }
}

/** Whether a bundle closes. */
function isClosed(books: Books, bundle: Bundle, depths: Depths, bounds: ClosingBounds): boolean {
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
  const below = books.chains.tips.pearl.height - Math.max(...depths) - bounds.pearlBlocks;
  for (const script of bundle.scripts) {
    if (scripts.entries.get(script)?.covered !== true || books.locks.hasDust(script)) return false;
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
  if (entry.mined !== null) return entry.spend !== null && entry.spend.place.height <= below;
  const conflict = locks.conflicts.heightOf(txidOf(outpoint));
  return conflict !== null && conflict <= below;
}

/** Highest PEARL block that a fact of the bundle is of; -1 where none. */
export function pearlHeightOf({ locks }: Books, { scripts, transactions }: Bundle): number {
  let highest = -1;
  for (const script of scripts) {
    for (const outpoint of locks.byScript.of(script)) {
      const entry = locks.entries.get(outpoint);
      highest = Math.max(highest, entry?.mined?.height ?? -1, entry?.spend?.place.height ?? -1);
    }
  }
  for (const txid of transactions)
    for (const height of locks.conflicts.heightsOfInputs(txid)) highest = Math.max(highest, height);
  return highest;
}

/** Highest EVM block that a fact of the bundle is of. */
export function evmHeightOf({ orders }: Books, bundle: Bundle): number {
  let highest = -1;
  for (const hash of bundle.orders) {
    const facts = orders.entries.get(hash)?.facts;
    highest = Math.max(highest, facts?.locked.block ?? -1, facts?.closed?.place.block ?? -1);
  }
  return highest;
}

/** Goes round the orders in memory, for the bundles that are to close. */
export class ClosingRounds {
  readonly #depths: Depths;
  readonly #bounds: ClosingBounds;
  #turn: Iterator<readonly [Bytes32, OrderEntry]> | null = null;
  /** Until when orders stay, in the order of their opening. */
  readonly #held = new Map<Bytes32, number>();
  /** Which the round goes through: others take their place where a commit has failed. */
  #books: Books | null = null;

  constructor(depths: Depths, bounds: ClosingBounds) {
    this.#depths = depths;
    this.#bounds = bounds;
  }

  /** These orders were opened at this moment. */
  hold(orders: Iterable<Bytes32>, nowMs: number): void {
    for (const order of orders) {
      this.#held.delete(order);
      this.#held.set(order, nowMs + this.#bounds.heldMs);
    }
  }

  /** A hashlock of each bundle that closes now, of some orders: from one call to the next it goes round all of them. */
  next(books: Books, nowMs: number): readonly Bytes32[] {
    for (const [hash, untilMs] of this.#held) {
      if (untilMs > nowMs) break;
      this.#held.delete(hash);
    }
    if (books !== this.#books) this.#turn = null;
    this.#books = books;
    const turn = this.#turn ?? books.orders.entries[Symbol.iterator]();
    this.#turn = turn;
    const found: Bytes32[] = [];
    const taken = new Set<Bytes32>();
    for (let looked = 0; looked < LOOKED_AT_ONCE && found.length < CLOSED_AT_ONCE; looked += 1) {
      const next = turn.next();
      if (next.done === true) {
        this.#turn = null;
        break;
      }
      const [hash, entry] = next.value;
      if (taken.has(hash) || this.#held.has(hash) || !isOrderOver(books, entry, this.#bounds)) continue;
      const { hashlock } = entry.facts.terms;
      const bundle = bundleOf(books, hashlock);
      if (bundle !== null && [...bundle.orders].some((order) => this.#held.has(order))) continue;
      if (bundle === null || !isClosed(books, bundle, this.#depths, this.#bounds)) continue;
      found.push(hashlock);
      for (const order of bundle.orders) taken.add(order);
    }
    return found;
  }
}

/** Takes a bundle out of the books. Its facts stay where they are stored. */
export function leave(books: Books, bundle: Bundle): void {
  for (const hash of bundle.orders) {
    books.orders.leave(hash);
    books.records.addresses.delete(hash);
    books.records.origins.delete(hash);
    books.waiting.delete(hash);
  }
  for (const script of bundle.scripts) {
    books.locks.leave(script);
    books.scripts.leave(script);
  }
  for (const ask of bundle.asks) books.records.leaveAsk(ask);
  for (const hashlock of bundle.hashlocks) books.secrets.entries.delete(hashlock);
}
