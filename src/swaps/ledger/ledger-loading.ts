// Restores the ledger's memory at start: every stored fact in the order of its first insertion.

import type { ChainTips } from "../../swap/facts.ts";
import { LOADING } from "./draft.ts";
import type { StoredTip } from "./fact-codec.ts";
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
import type { Books } from "./subjects.ts";

/** What the store holds beside facts and records. */
interface LoadedState {
  readonly tips: readonly StoredTip[];
  /** Whether a change was being told when the process ended. */
  readonly isUntold: boolean;
}

/** Fills empty books from the store. @throws where a fact is damaged or of no known kind. */
export async function loadBooks(store: SwapStore, books: Books): Promise<LoadedState> {
  const tips: StoredTip[] = [];
  let isUntold = false;
  const interner = new Interner();
  await store.load((facts) => {
    for (const fact of facts) {
      const fields = FactFields.of(fact, interner);
      if (fact.kind === "tip") tips.push(readTip(fields));
      else if (fact.kind === "untold") isUntold = true;
      else if (!loadChainFact(fact, fields, books)) loadRecord(fact, fields, books);
    }
  });
  for (const tip of tips) if (tip.chain === "evm") books.trust.settle(tip.finalHeight, LOADING);
  return { tips, isUntold };
}

function loadChainFact(
  fact: StoredFact,
  fields: FactFields,
  { scripts, orders, locks, secrets, trust }: Books,
): boolean {
  switch (fact.kind) {
    case "event": {
      const event = readEvent(fields);
      orders.apply(event, LOADING);
      trust.add(event, LOADING);
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
      secrets.load(
        fields.bytes32("hashlock"),
        fields.bytes32("secret"),
        readShower(fields.inner("shower")),
        LOADING,
      );
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

/** The tips as the store has them. `need`: as in `ChainTips`. */
export function tipsOf(stored: readonly StoredTip[], need: number | null): ChainTips {
  let evm = { height: -1, time: 0, finalHeight: -1, need };
  let pearl = { height: -1, time: 0, medianTimePast: 0 };
  for (const tip of stored) {
    const { height, time } = tip;
    if (tip.chain === "evm") evm = { height, time, finalHeight: tip.finalHeight, need };
    else pearl = { height, time, medianTimePast: tip.medianTimePast };
  }
  return { evm, pearl };
}
