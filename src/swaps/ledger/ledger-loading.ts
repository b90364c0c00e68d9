// Restores the ledger's memory at start: every stored fact in the order of its first insertion.

import { type Depths, settleWaiting } from "./affected-rows.ts";
import { LOADING } from "./book-change.ts";
import type { Books } from "./books.ts";
import { FactFields, Interner } from "./fact-fields.ts";
import {
  readAddresses,
  readAlarm,
  readAsk,
  readBlockFact,
  readEvent,
  readOrigin,
  readScript,
  readShower,
  readSighting,
  readTake,
  readTip,
} from "./fact-reading.ts";
import type { StoredFact, SwapStore } from "./ports.ts";

/**
 * Fills empty books from the store, with the orders that wait for confirmations of these numbers. Returns whether a change was being told when the process ended. @throws where a fact
 * is damaged or of no known kind.
 */
export async function loadBooks(store: SwapStore, books: Books, depths: Depths): Promise<boolean> {
  let isUntold = false;
  const interner = new Interner();
  await store.load((facts) => {
    for (const fact of facts) {
      const fields = FactFields.of(fact, interner);
      if (fact.kind === "untold") isUntold = true;
      else if (!loadChainFact(fact, fields, books)) loadRecord(fact, fields, books);
    }
  });
  books.trust.settle(books.chains.tips.evm.finalHeight);
  for (const chain of ["evm", "pearl"] as const)
    books.chains.remember(chain, null, await store.checkpoints(chain));
  settleWaiting(books, depths, books.orders.entries.keys());
  return isUntold;
}

function loadChainFact(
  fact: StoredFact,
  fields: FactFields,
  { chains, scripts, orders, locks, secrets, trust }: Books,
): boolean {
  switch (fact.kind) {
    case "tip":
      chains.move(readTip(fields), LOADING);
      return true;
    case "event": {
      const event = readEvent(fields);
      orders.apply(event, LOADING);
      trust.add(event);
      return true;
    }
    case "dispute":
      trust.dispute(readEvent(fields), LOADING);
      return true;
    case "alarm":
      trust.raise(readAlarm(fields), LOADING);
      return true;
    case "script":
      scripts.put(readScript(fields), LOADING);
      return true;
    case "badkey":
      scripts.loadBadKey(fields.keyBytes32());
      return true;
    case "output":
    case "spend":
    case "inputSpend":
      locks.apply(readBlockFact(fact.kind, fields), LOADING, () => true, nothing);
      return true;
    case "inputs":
      locks.know(fields.keyTxid(), fields.outpoints("inputs"), LOADING, nothing);
      return true;
    case "sighting":
      locks.sight(readSighting(fields), LOADING, nothing);
      return true;
    case "secret":
      secrets.load(fields.bytes32("hashlock"), fields.bytes32("secret"), readShower(fields.inner("shower")));
      return true;
    default:
      return false;
  }
}

function loadRecord(fact: StoredFact, fields: FactFields, { records }: Books): void {
  switch (fact.kind) {
    case "ask":
      return records.putAsk(readAsk(fields), LOADING);
    case "take":
      return records.putTake(readTake(fields), LOADING);
    case "address":
      return records.putAddresses(readAddresses(fields), LOADING);
    case "origin":
      return records.putOrigin(readOrigin(fields), LOADING);
    default:
      throw new Error(`swap ledger: the stored fact ${fact.key} has the unknown kind ${fact.kind}`);
  }
}

function nothing(): void {
  // Nobody is told while facts are loaded.
}
