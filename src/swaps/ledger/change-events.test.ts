// Row snapshots held against each other in every direction, those included that no order of facts makes: only a bug
// would, and that is what the alarm is for.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  alarmLog,
  ask,
  ledgerParts,
  START,
  syncedAt,
} from "../../../testkit/builders/swap-ledger/ledger-facts.ts";
import {
  accepted,
  claimed,
  evm,
  locked,
  lockSighting,
  minedLock,
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
async function after(...events: readonly EscrowEvent[]) {
  return staged(events, {});
}

/** The same, with an ask beside it, and with the order's PEARL in block 101, where wanted. */
async function staged(events: readonly EscrowEvent[], { isOffered = false, isPaid = false }) {
  const log = alarmLog();
  const parts = ledgerParts(log);
  const draft = new Draft(new Books(parts));
  const { books } = draft;
  const changes = new LedgerChanges(draft, parts);
  changes.pearl(pearl(100));
  await changes.evm(evm(9));
  await changes.evm(evm(20, events, { finalHeight: 20 }));
  if (isOffered) changes.records({ asks: [ask("offer")] });
  const subjects = new Subjects(swapCrypto);
  const script = subjects.of(books, ORDER, { expiryNow: START })?.script;
  if (script !== undefined && script !== null) {
    const paid = isPaid ? [minedLock(lockSighting(script), 101)] : [];
    changes.pearl(pearl(101, paid, { covered: [script] }));
  }
  const rows = { orders: [...draft.orders.keys()], asks: [...draft.asks.keys()] };
  const { tips } = books.chains;
  const context = syncedAt(tips, START + 300);
  const telling = new ChangeEvents(subjects, parts);
  const between = (before: RowSnapshot, now: RowSnapshot, explained = false) => {
    draft.isExplained = explained;
    return telling.between(before, now, draft, { books, context }).map(({ type }) => type);
  };
  return {
    alarms: log.alarms,
    tips,
    snapshot: (changed: Partial<EvaluationContext> = {}) =>
      telling.snapshot(rows, { books, context: { ...context, ...changed } }),
    between,
  };
}

const LOCKED = after(locked("a", 10)).then(({ snapshot }) => snapshot());
const ACCEPTED = after(locked("a", 10), accepted("a", 11)).then(({ snapshot }) => snapshot());
const SETTLED = after(locked("a", 10), accepted("a", 11), claimed("a", 12)).then(({ snapshot }) =>
  snapshot(),
);

describe("S-51: a way that no status goes", () => {
  test("back from the end is an alarm for the deal and for its bid, with both statuses", async () => {
    const { between, alarms } = await after(locked("a", 10), accepted("a", 11));
    assert.deepEqual(between(await SETTLED, await ACCEPTED), ["bid", "deal"]);
    assert.equal(alarms.length, 2);
    const told = alarms.map((line) => JSON.parse(line.slice(line.indexOf("{"))));
    assert.deepEqual(told, [
      { type: "bid", hash: ORDER, from: "SETTLED", to: "BID_ACCEPTED" },
      { type: "deal", hash: ORDER, from: "SETTLED", to: "USDC_LOCKED" },
    ]);
  });

  test("is told, but no alarm, where a reorganisation explains it", async () => {
    const { between, alarms } = await after(locked("a", 10), accepted("a", 11));
    assert.deepEqual(between(await SETTLED, await ACCEPTED, true), ["bid", "deal"]);
    assert.deepEqual(alarms, []);
  });

  test("is none forwards, nor where a row appears", async () => {
    const { between, alarms } = await after(locked("a", 10), accepted("a", 11), claimed("a", 12));
    assert.deepEqual(between(await LOCKED, await ACCEPTED), ["bid", "deal"]);
    assert.deepEqual(between(await ACCEPTED, await SETTLED), ["bid", "deal"]);
    assert.deepEqual(between({ orders: new Map(), asks: new Map() }, await SETTLED), ["bid", "deal"]);
    assert.deepEqual(alarms, []);
  });
});

describe("S-54: an index that falls behind", () => {
  test("alone sends no event, neither when it begins nor when it ends; a mempool that is not read yet neither", async () => {
    const { snapshot, between } = await after(locked("a", 10), accepted("a", 11));
    assert.deepEqual(between(snapshot({ isMempoolRead: false }), snapshot({ isMempoolRead: true })), []);
    assert.deepEqual(between(snapshot({ isReady: true }), snapshot({ isReady: false })), []);
    assert.deepEqual(between(snapshot({ isReady: false }), snapshot({ isReady: true })), []);
  });
});

const STAGES = {
  "a bid": staged([locked("a", 10)], { isOffered: true }),
  "an accepted bid": staged([locked("a", 10), accepted("a", 11)], { isOffered: true }),
  "a deal with its PEARL": staged([locked("a", 10), accepted("a", 11)], {
    isOffered: true,
    isPaid: true,
  }),
  "a settled deal": staged([locked("a", 10), accepted("a", 11), claimed("a", 12)], {
    isOffered: true,
    isPaid: true,
  }),
};

describe("S-54: fields that grow with the tip", () => {
  /** Blocks that come on both chains, one after the other, and the most of them at which a row may change. */
  const [BLOCKS, CHANGES] = [60, 2];
  for (const [name, stage] of Object.entries(STAGES)) {
    test(`send no event by themselves: ${name} and an ask while ${BLOCKS} blocks come`, async () => {
      const { tips, snapshot, between } = await stage;
      const snapshots = Array.from({ length: BLOCKS + 1 }, (_, more) => {
        const height = tips.evm.height + more;
        const evmTip = { ...tips.evm, height, time: tips.evm.time + more, finalHeight: height };
        const pearlTip = { ...tips.pearl, height: tips.pearl.height + more, time: tips.pearl.time + more };
        return snapshot({ tips: { evm: evmTip, pearl: pearlTip } });
      });
      const told = snapshots.slice(1).map((now, index) => {
        const before = snapshots[index];
        return before === undefined ? [] : between(before, now);
      });
      assert.ok(snapshots[0]?.orders.size === 1 && snapshots[0].asks.size === 1, "rows to look at");
      const changes = told.filter((types) => types.length > 0).length;
      assert.ok(
        changes <= CHANGES,
        `${changes} of ${BLOCKS} blocks change a row: which field counts blocks?`,
      );
    });
  }
});
