// Brings back what has closed, before a change touches it: what a change names, and how stored facts become entries
// of the books again. Asked for too much, it does no harm; what is missing would be a wrong answer.

import type { Bytes32, Txid } from "../../primitives/brands.ts";
import { isAskMatch } from "../../swap/terms.ts";
import type { EscrowEvent, PearlBlockFact, Sighting } from "../../swap/facts.ts";
import { LOADING } from "./book-change.ts";
import type { Books, Draft } from "./books.ts";
import type { LedgerChange } from "./change-text.ts";
import { CLOSED, UNREVEALED } from "./closed-book.ts";
import { closedAbove, type ClosedQuestion, type StoredBundle } from "./closed-port.ts";
import { countedOrders } from "./closed-rows.ts";
import { ASK, EVENT } from "./fact-kinds.ts";
import { Interner } from "./fact-fields.ts";
import { loadFact } from "./ledger-loading.ts";
import { txidOf } from "./lock-entries.ts";
import type { EvmChange, MempoolLocks, PearlChange, RecordWrites } from "./ports.ts";

/** What is to be asked of the store for this change to be made. */
export function touchedBy(books: Books, change: LedgerChange): readonly ClosedQuestion[] {
  if (change.kind === "open") return change.questions;
  const names = new Set(namesIn(books, change));
  return names.size === 0 ? [] : [{ kind: "named", names: [...names] }];
}

/** Whose bundles must be back before this change, piece by piece; null where it undoes nothing. */
export function undoneBy({ depths }: Books, change: LedgerChange): ClosedQuestion | null {
  if (change.kind === "evm") {
    const { rewind } = change.step;
    return rewind === null ? null : closedAbove("evm", rewind.toHeight);
  }
  if (change.kind !== "pearl" || change.step.rewindTo === null) return null;
  // A lower tip makes blocks of PEARL shallow again: rows count up to the greatest depth.
  return closedAbove("pearl", change.step.rewindTo - Math.max(...depths));
}

function* namesIn(books: Books, change: LedgerChange): Generator<string> {
  switch (change.kind) {
    case "evm":
      yield* ofEvm(change.step);
      return;
    case "pearl":
      yield* ofPearl(change.step);
      return;
    case "mempool":
      yield* ofSightings(change.sightings);
      yield* ofPicture(books, change.locks);
      for (const { hashlock } of change.secrets) yield hashlock;
      return;
    case "records":
      yield* ofRecords(change.writes);
      return;
    case "open":
    case "time":
    case "alarms":
    case "ends":
    case "close":
      return;
  }
}

function* ofEvm({ events, judged }: EvmChange): Generator<string> {
  for (const event of [...events, ...(judged?.events ?? [])]) yield* ofEvent(event);
}

function* ofEvent(event: EscrowEvent): Generator<string> {
  if ("orderHash" in event) yield event.orderHash;
  if (event.kind !== "OrderLocked") return;
  yield event.terms.hashlock;
  if (isAskMatch(event.terms)) yield event.terms.askId;
}

function* ofPearl({ facts, sightings, secrets, leftOut, reached }: PearlChange): Generator<string> {
  for (const fact of facts) yield* ofFact(fact);
  yield* ofSightings(sightings);
  for (const { hashlock } of secrets) yield hashlock;
  for (const [script] of leftOut) yield script;
  if (reached?.kind === "scripts") yield* reached.scripts;
}

function* ofFact(fact: PearlBlockFact): Generator<string> {
  yield fact.txid;
  if (fact.kind === "output") {
    yield fact.script;
    return;
  }
  yield fact.outpoint;
  if (fact.kind === "spend") yield txidOf(fact.outpoint);
}

function* ofSightings(sightings: readonly Sighting[]): Generator<string> {
  const seen = new Set<Txid>();
  for (const { txid, script, inputs } of sightings) {
    yield script;
    // All outputs of a transaction have its inputs: once is enough.
    if (seen.has(txid)) continue;
    seen.add(txid);
    yield txid;
    yield* inputs;
  }
}

/** The picture is whole each time: what is in memory needs no look. */
function* ofPicture({ locks }: Books, { present, spends }: MempoolLocks): Generator<string> {
  for (const txid of present) if (!locks.isHere(txid)) yield txid;
  for (const outpoint of spends.keys()) if (!locks.isHere(outpoint)) yield txidOf(outpoint);
}

function* ofRecords(writes: RecordWrites): Generator<string> {
  for (const { dealHash, terms } of writes.takes ?? []) {
    yield dealHash;
    yield terms.hashlock;
    yield terms.askId;
  }
  for (const { askId } of writes.asks ?? []) yield askId;
  for (const { orderHash } of [...(writes.addresses ?? []), ...(writes.origins ?? [])]) yield orderHash;
}

/** Puts stored bundles into books. */
function loadBundles(books: Books, bundles: readonly StoredBundle[]): void {
  const interner = new Interner();
  for (const { facts } of bundles) {
    for (const fact of facts) {
      // Its block is final, which the book of doubts need not be told.
      if (fact.kind === EVENT.name) books.applyEvent(EVENT.read(fact, interner), LOADING);
      else loadFact(fact, interner, books);
    }
  }
}

/** Whether the orders of a bundle are in these books: it has come back, or has not left yet. */
function isHere({ orders }: Books, bundle: StoredBundle): boolean {
  return namedIn(bundle).orders.some((hash) => orders.entries.has(hash));
}

/** Puts closed bundles back into the books of a draft, to stay. */
export function openBundles(draft: Draft, bundles: readonly StoredBundle[]): void {
  if (bundles.length === 0) return;
  const { books } = draft;
  for (const one of bundles) {
    loadBundles(books, [one]);
    const { orders, asks } = namedIn(one);
    books.closed.count(countedOrders(books, orders), asks.length, -1);
    for (const hash of orders) {
      const hashlock = books.orders.entries.get(hash)?.facts.terms.hashlock;
      if (hashlock === undefined || !books.closed.unrevealed.has(hashlock)) continue;
      books.closed.unrevealed.delete(hashlock, hashlock);
      draft.forget(UNREVEALED, hashlock);
    }
    draft.open.push(one);
    for (const order of orders) draft.moved.orders.add(order);
    for (const ask of asks) draft.moved.asks.add(ask);
  }
  draft.store(CLOSED, books.closed.turnVersion());
}

/** The orders and asks that a bundle holds. */
function namedIn({ facts }: StoredBundle): {
  readonly orders: readonly Bytes32[];
  readonly asks: readonly Bytes32[];
} {
  const interner = new Interner();
  const orders = facts.flatMap((fact) => {
    const event = fact.kind === EVENT.name ? EVENT.read(fact, interner) : null;
    return event?.kind === "OrderLocked" ? [event.orderHash] : [];
  });
  const asks = facts.flatMap((fact) => (fact.kind === ASK.name ? [ASK.read(fact, interner).askId] : []));
  return { orders, asks };
}

/** Books that show bundles as well; those themselves where there are none. */
export function withBundles(books: Books, bundles: readonly StoredBundle[]): Books {
  const absent = bundles.filter((one) => !isHere(books, one));
  if (absent.length === 0) return books;
  const shown = books.over();
  loadBundles(shown, absent);
  return shown;
}
