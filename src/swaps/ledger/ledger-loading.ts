// Restores the ledger's memory: every stored fact in the order of its first insertion.

import type { PearlBlockFact } from "../../swap/facts.ts";
import { settleWaiting } from "./affected-rows.ts";
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
import type { LastingKind, ShownKind, StoredFact } from "./closed-port.ts";
import { FIRST_BLOCK } from "./first-block.ts";
import type { SwapStore } from "./ports.ts";

type Loader = (fact: StoredFact, interner: Interner, books: Books) => void;

/**
 * Fills empty books from the store. Returns whether a change was being told when the process ended. @throws where a fact is damaged or of no known kind.
 */
export async function loadBooks(store: SwapStore, books: Books): Promise<boolean> {
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
  settleWaiting(books, books.orders.entries.keys());
  return isUntold;
}

/** Puts a stored fact into books. @throws where it is damaged or of no known kind. */
export function loadFact(fact: StoredFact, interner: Interner, books: Books): void {
  loaderOf(fact)(fact, interner, books);
}

/** Every kind of fact has its loader here. */
const LOADERS: Readonly<Record<ShownKind | LastingKind, Loader>> = {
  event: loads(EVENT, (event, books) => {
    books.applyEvent(event, LOADING);
    books.trust.add(event);
  }),
  dispute: loads(DISPUTE, (event, { trust }) => trust.dispute(event, LOADING)),
  alarm: loads(ALARM, (alarm, { trust }) => trust.raise(alarm, LOADING)),
  ends: loads(SHOWN_ENDS, (ends, { trust }) => trust.show(ends, LOADING)),
  tip: loads(TIP, (tip, { chains }) => chains.move(tip, LOADING)),
  reread: loads(REREAD, (note, { chains }) => chains.loadReread(note)),
  script: loads(SCRIPT, (script, { scripts }) => scripts.put(script, LOADING)),
  badkey: loads(BAD_KEY, (key, { scripts }) => scripts.loadBadKey(key)),
  output: loads(BLOCK_FACTS.output, loadBlockFact),
  spend: loads(BLOCK_FACTS.spend, loadBlockFact),
  inputSpend: loads(BLOCK_FACTS.inputSpend, loadBlockFact),
  inputs: loads(INPUTS, ({ txid, inputs }, { locks }) => locks.know(txid, inputs, LOADING)),
  sighting: loads(SIGHTING, (sighting, { locks }) => locks.sight(sighting, LOADING)),
  seenlock: loads(SEEN_LOCK, (txid, { locks }) => locks.picture.loadLock(txid)),
  seenspend: loads(SEEN_SPEND, ({ outpoint, ...spend }, { locks }) =>
    locks.picture.loadSpend(outpoint, spend),
  ),
  secret: loads(SECRET, ({ hashlock, secret, shower }, { secrets }) =>
    secrets.load(hashlock, secret, shower),
  ),
  ask: loads(ASK, (ask, { records }) => records.putAsk(ask, LOADING)),
  take: loads(TAKE, (take, { records }) => records.putTake(take, LOADING)),
  address: loads(ADDRESSES, (addresses, { records }) => records.putAddresses(addresses, LOADING)),
  origin: loads(ORIGIN, (origin, { records }) => records.putOrigin(origin, LOADING)),
  untold: loads(UNTOLD, () => undefined),
  firstblock: loads(FIRST_BLOCK, () => undefined),
  closed: loads(CLOSED, (state, { closed }) => closed.load(state)),
  unrevealed: loads(UNREVEALED, (hashlock, { closed }) => closed.unrevealed.add(hashlock, hashlock)),
};

function loads<Value>(kind: FactKind<Value>, load: (value: Value, books: Books) => void): Loader {
  return (fact, interner, books) => load(kind.read(fact, interner), books);
}

function loadBlockFact(fact: PearlBlockFact, { locks }: Books): void {
  locks.apply(fact, LOADING, () => true);
}

function loaderOf({ kind, key }: StoredFact): Loader {
  const loaders: Readonly<Record<string, Loader>> = LOADERS;
  const loader = Object.hasOwn(loaders, kind) ? loaders[kind] : undefined;
  if (loader === undefined) {
    throw new Error(`swap ledger: the stored fact ${key} has the unknown kind ${kind}`);
  }
  return loader;
}
