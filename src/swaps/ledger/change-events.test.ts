// Row snapshots held against each other in every direction, those included that no order of facts makes: only a bug
// would, and that is what the alarm is for.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { alarmLog, ledgerParts, START } from "../../../testkit/builders/swap-ledger/ledger-facts.ts";
import {
  accepted,
  claimed,
  evm,
  locked,
  ORDER,
  pearl,
} from "../../../testkit/builders/swap-ledger/ledger-scene.ts";
import { swapCrypto } from "../../adapters/system/swap-crypto.ts";
import type { EscrowEvent } from "../../swap/facts.ts";
import type { EvaluationContext } from "../../swap/subject.ts";
import { ChangeEvents, type RowSnapshot } from "./change-events.ts";
import { Books, Draft } from "./books.ts";
import { LedgerChanges } from "./ledger-changes.ts";
import { Subjects } from "./subjects.ts";

/** Books in which the order `a` went through these events, one per block from 10 on, and rows of them. */
function after(...events: readonly EscrowEvent[]) {
  const log = alarmLog();
  const parts = ledgerParts(log);
  const { crypto } = parts;
  const draft = new Draft(new Books({ crypto, evmConfirmations: null }));
  const { books } = draft;
  const changes = new LedgerChanges(draft);
  changes.pearl(pearl(100));
  changes.evm(evm(9));
  changes.evm(evm(20, events, { finalHeight: 20 }));
  const rows = { orders: [...draft.orders.keys()], asks: [...draft.asks.keys()] };
  const { tips } = books.chains;
  const context: EvaluationContext = { tips, now: START + 300, isReady: true, witnesses: null };
  const telling = new ChangeEvents(new Subjects(swapCrypto), parts);
  const between = (before: RowSnapshot, now: RowSnapshot, explained = false) => {
    draft.isExplained = explained;
    return telling.between(before, now, draft, { books, context }).map(({ type }) => type);
  };
  return {
    alarms: log.alarms,
    snapshot: (changed: Partial<EvaluationContext> = {}) =>
      telling.snapshot(rows, { books, context: { ...context, ...changed } }),
    between,
  };
}

const LOCKED = after(locked("a", 10)).snapshot();
const ACCEPTED = after(locked("a", 10), accepted("a", 11)).snapshot();
const SETTLED = after(locked("a", 10), accepted("a", 11), claimed("a", 12)).snapshot();

describe("S-51: a way that no status goes", () => {
  test("back from the end is an alarm for the deal and for its bid, with both statuses", () => {
    const { between, alarms } = after(locked("a", 10), accepted("a", 11));
    assert.deepEqual(between(SETTLED, ACCEPTED), ["bid", "deal"]);
    assert.equal(alarms.length, 2);
    const told = alarms.map((line) => JSON.parse(line.slice(line.indexOf("{"))));
    assert.deepEqual(told, [
      { type: "bid", hash: ORDER, from: "SETTLED", to: "BID_ACCEPTED" },
      { type: "deal", hash: ORDER, from: "SETTLED", to: "USDC_LOCKED" },
    ]);
  });

  test("is told, but no alarm, where a reorganisation explains it", () => {
    const { between, alarms } = after(locked("a", 10), accepted("a", 11));
    assert.deepEqual(between(SETTLED, ACCEPTED, true), ["bid", "deal"]);
    assert.deepEqual(alarms, []);
  });

  test("is none forwards, nor where a row appears", () => {
    const { between, alarms } = after(locked("a", 10), accepted("a", 11), claimed("a", 12));
    assert.deepEqual(between(LOCKED, ACCEPTED), ["bid", "deal"]);
    assert.deepEqual(between(ACCEPTED, SETTLED), ["bid", "deal"]);
    assert.deepEqual(between({ orders: new Map(), asks: new Map() }, SETTLED), ["bid", "deal"]);
    assert.deepEqual(alarms, []);
  });
});

describe("S-54: an index that falls behind", () => {
  test("alone sends no event, neither when it begins nor when it ends", () => {
    const { snapshot, between } = after(locked("a", 10));
    assert.deepEqual(between(snapshot({ isReady: true }), snapshot({ isReady: false })), []);
    assert.deepEqual(between(snapshot({ isReady: false }), snapshot({ isReady: true })), []);
  });
});
