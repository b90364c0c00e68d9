// Restores the ledger's memory: every stored fact in the order of its first insertion.

import { type Depths, settleWaiting } from "./affected-rows.ts";
import { LOADING } from "./book-change.ts";
import type { Books } from "./books.ts";
import { CLOSED, UNREVEALED } from "./closed-book.ts";
import { type FactKind, Interner } from "./fact-fields.ts";
import {
  ADDRESSES,
  ALARM,
  ASK,
  BAD_KEY,
  BLOCK_FACTS,
  DISPUTE,
  EVENT,
  INPUTS,
  ORIGIN,
  REREAD,
  SCRIPT,
  SECRET,
  SHOWN_ENDS,
  SEEN_LOCK,
  SEEN_SPEND,
  SIGHTING,
  TAKE,
  TIP,
  UNTOLD,
} from "./fact-kinds.ts";
import type { StoredFact } from "./closed-port.ts";
import { FIRST_BLOCK } from "./first-block.ts";
import type { SwapStore } from "./ports.ts";

type Loader = (fact: StoredFact, interner: Interner, books: Books) => void;

/**
 * Fills empty books from the store, with the orders that wait for confirmations of these numbers. Returns whether a change
 * was being told when the process ended. @throws where a fact is damaged or of no known kind.
 */
export async function loadBooks(store: SwapStore, books: Books, depths: Depths): Promise<boolean> {
  let isUntold = false;
  const interner = new Interner();
  await store.load((facts) => {
    for (const fact of facts) {
      isUntold ||= fact.kind === UNTOLD.name;
      loadFact(fact, interner, books);
    }
  });
  const { finalHeight } = books.chains.tips.evm;
  books.trust.settle(finalHeight);
  books.chains.remember("evm", null, await store.checkpoints("evm"), finalHeight);
  books.chains.remember("pearl", null, await store.checkpoints("pearl"), -1);
  settleWaiting(books, depths, books.orders.entries.keys());
  return isUntold;
}

/** Puts a stored fact into books. @throws where it is damaged or of no known kind. */
export function loadFact(fact: StoredFact, interner: Interner, books: Books): void {
  loaderOf(fact)(fact, interner, books);
}

const LOADERS: ReadonlyMap<string, Loader> = new Map([
  loads(EVENT, (event, books) => {
    books.applyEvent(event, LOADING);
    books.trust.add(event);
  }),
  loads(DISPUTE, (event, { trust }) => trust.dispute(event, LOADING)),
  loads(ALARM, (alarm, { trust }) => trust.raise(alarm, LOADING)),
  loads(SHOWN_ENDS, (ends, { trust }) => trust.show(ends, LOADING)),
  loads(TIP, (tip, { chains }) => chains.move(tip, LOADING)),
  loads(REREAD, (note, { chains }) => chains.loadReread(note)),
  loads(SCRIPT, (script, { scripts }) => scripts.put(script, LOADING)),
  loads(BAD_KEY, (key, { scripts }) => scripts.loadBadKey(key)),
  ...Object.values(BLOCK_FACTS).map((kind) =>
    loads(kind, (fact, { locks }) => void locks.apply(fact, LOADING, () => true, tellNobody)),
  ),
  loads(INPUTS, ({ txid, inputs }, { locks }) => locks.know(txid, inputs, LOADING, tellNobody)),
  loads(SIGHTING, (sighting, { locks }) => locks.sight(sighting, LOADING, tellNobody)),
  loads(SEEN_LOCK, (txid, { locks }) => locks.picture.loadLock(txid)),
  loads(SEEN_SPEND, ({ outpoint, ...spend }, { locks }) => locks.picture.loadSpend(outpoint, spend)),
  loads(SECRET, ({ hashlock, secret, shower }, { secrets }) => secrets.load(hashlock, secret, shower)),
  loads(ASK, (ask, { records }) => records.putAsk(ask, LOADING)),
  loads(TAKE, (take, { records }) => records.putTake(take, LOADING)),
  loads(ADDRESSES, (addresses, { records }) => records.putAddresses(addresses, LOADING)),
  loads(ORIGIN, (origin, { records }) => records.putOrigin(origin, LOADING)),
  loads(UNTOLD, () => undefined),
  loads(FIRST_BLOCK, () => undefined),
  loads(CLOSED, (state, { closed }) => closed.load(state)),
  loads(UNREVEALED, (hashlock, { closed }) => closed.unrevealed.add(hashlock, hashlock)),
]);

function loads<Value>(kind: FactKind<Value>, load: (value: Value, books: Books) => void): [string, Loader] {
  return [kind.name, (fact, interner, books) => load(kind.read(fact, interner), books)];
}

function loaderOf({ kind, key }: StoredFact): Loader {
  const loader = LOADERS.get(kind);
  if (loader === undefined) {
    throw new Error(`swap ledger: the stored fact ${key} has the unknown kind ${kind}`);
  }
  return loader;
}

function tellNobody(): void {
  // Nobody is told while facts are loaded.
}
