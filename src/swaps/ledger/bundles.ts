// Orders that close together (docs/decisions/0041): which they are, the names by which a store finds them, and how they
// leave the books. Orders with one hashlock share its secret, scripts and takes; orders whose scripts one transaction pays,
// or whose lock transactions need the same coin, share what becomes of it.

import type { Bytes32, ScriptHex, Txid } from "../../primitives/brands.ts";
import { isAskMatch } from "../../swap/terms.ts";
import type { Books } from "./books.ts";
import type { ClosedMove } from "./closed-port.ts";
import { txidOf } from "./lock-entries.ts";
import { transactionsOf } from "./order-book.ts";

/** Orders that close together, with what belongs to them. */
export interface Bundle {
  readonly hashlocks: ReadonlySet<Bytes32>;
  readonly orders: ReadonlySet<Bytes32>;
  readonly scripts: ReadonlySet<ScriptHex>;
  /** Transactions with lock outputs. */
  readonly transactions: ReadonlySet<Txid>;
  /** Ids of the posted asks that the orders carry. */
  readonly asks: ReadonlySet<Bytes32>;
  /** What a look at the bundle costs: its orders and scripts, and the inputs and outputs of its transactions. */
  readonly parts: number;
}

/**
 * Parts of a bundle above which it stays in memory. Whoever asks for a page makes the service read the bundles of a
 * hundred deals between two turns of its loop, so this bounds what that costs; who makes a larger one pays for each part
 * on a chain.
 */
export const MAX_PARTS = 64;
/** A transaction's inputs are one fact, however many they are: so many cost as much as an output. */
const INPUTS_PER_PART = 8;

/** The bundle of the orders with this hashlock; null where it is too large to close. It costs some hundred looks at most. */
export function bundleOf(books: Books, hashlock: Bytes32): Bundle | null {
  const { orders, records } = books;
  const found = {
    hashlocks: new Set([hashlock]),
    orders: new Set<Bytes32>(),
    scripts: new Set<ScriptHex>(),
    transactions: new Set<Txid>(),
  };
  let parts = 0;
  // What is added is visited as well.
  for (const one of found.hashlocks) {
    for (const _ of partsOf(books, one, found)) {
      parts += 1;
      if (parts > MAX_PARTS) return null;
    }
  }
  const asks = new Set<Bytes32>();
  for (const order of found.orders) {
    const terms = orders.entries.get(order)?.facts.terms;
    if (terms !== undefined && isAskMatch(terms) && records.asks.has(terms.askId)) asks.add(terms.askId);
  }
  return { ...found, asks, parts };
}

/** What was found of a bundle so far. */
interface Found {
  readonly hashlocks: Set<Bytes32>;
  readonly orders: Set<Bytes32>;
  readonly scripts: Set<ScriptHex>;
  readonly transactions: Set<Txid>;
}

/** Finds what hangs on a hashlock, a part at a time: an order, script, output or input of it. */
function* partsOf(books: Books, hashlock: Bytes32, found: Found): Generator<void> {
  for (const order of books.orders.byHashlock.of(hashlock)) yield void found.orders.add(order);
  for (const script of books.scripts.byHashlock.of(hashlock)) {
    yield void found.scripts.add(script);
    for (const outpoint of books.locks.byScript.of(script)) {
      yield;
      yield* partsOfTransaction(books, txidOf(outpoint), found);
    }
  }
}

/** The inputs of a transaction with those of whoever needs the same coins, and the hashlocks of what they pay. */
function* partsOfTransaction(books: Books, txid: Txid, found: Found): Generator<void> {
  if (found.transactions.has(txid)) return;
  found.transactions.add(txid);
  const { locks, scripts } = books;
  for (const paid of locks.scriptsMadeBy(txid)) {
    const entry = scripts.entries.get(paid);
    if (entry !== undefined) found.hashlocks.add(entry.hashlock);
    yield;
  }
  for (const [at, input] of locks.conflicts.inputsOf(txid).entries()) {
    if (at % INPUTS_PER_PART === 0) yield;
    for (const rival of locks.conflicts.byInput.of(input)) yield* partsOfTransaction(books, rival, found);
  }
}

/** Highest PEARL block that a fact of the bundle is of; -1 where none. */
export function pearlHeightOf({ locks }: Books, { scripts, transactions }: Bundle): number {
  let highest = -1;
  for (const script of scripts) {
    for (const outpoint of locks.byScript.of(script)) {
      const entry = locks.entries.get(outpoint);
      highest = Math.max(highest, entry?.mined?.height ?? -1, entry?.spend?.mined.height ?? -1);
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

/** The names by which a bundle is found (`ClosedBundle.names`); some more than once. */
export function* namesOf({ orders, locks }: Books, bundle: Bundle): Generator<string> {
  for (const hash of bundle.orders) {
    const terms = orders.entries.get(hash)?.facts.terms;
    if (terms === undefined) continue;
    yield hash;
    yield terms.hashlock;
    if (isAskMatch(terms)) yield terms.askId;
  }
  yield* bundle.hashlocks;
  for (const script of bundle.scripts) {
    yield script;
    for (const outpoint of locks.byScript.of(script)) {
      const spend = locks.entries.get(outpoint)?.spend ?? null;
      // No step, so no move either; and by neither leaf nobody can spend a lock, so it names no bundle but this one.
      if (spend?.path === "other") yield spend.txid;
    }
  }
  for (const txid of bundle.transactions) {
    yield txid;
    yield* locks.conflicts.inputsOf(txid);
  }
}

/** What moved the orders of a bundle: a row of `swapTransactions` each; some more than once. */
export function* movesOf({ orders, locks }: Books, bundle: Bundle): Generator<ClosedMove> {
  for (const order of bundle.orders) {
    const entry = orders.entries.get(order);
    if (entry === undefined) continue;
    for (const transaction of transactionsOf(entry.facts)) yield { order, transaction };
    if (entry.script === null) continue;
    for (const outpoint of locks.byScript.of(entry.script)) {
      const { mined, spend } = locks.entries.get(outpoint) ?? { mined: null, spend: null };
      if (mined !== null) yield { order, transaction: txidOf(outpoint) };
      if (spend !== null && spend.path !== "other") yield { order, transaction: spend.txid };
    }
  }
}
