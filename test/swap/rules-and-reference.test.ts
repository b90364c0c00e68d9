// The rules and the second model, which was written from the text and shares no line with them, agree on random subjects:
// on each field of a row that is computed from facts, and on each verdict.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "../../testkit/properties.ts";
import type { Outpoint, ScriptHex, Txid } from "../../src/primitives/brands.ts";
import type { SwapSubject } from "../../src/swap/subject.ts";
import { dealStatus } from "../../src/swap/statuses.ts";
import { dealExists } from "../../src/swap/order-state.ts";
import { bidRow, dealRow } from "../../src/swap/rows.ts";
import { verifyEvmRefund, verifyRefund } from "../../src/swap/verify-settlement.ts";
import { chooseLock, verifyLock, type NamedOutpoint } from "../../src/swap/verify-lock.ts";
import * as reference from "../../testkit/oracles/swap/index.ts";
import { anyMoment, anySubject } from "./random-subjects.ts";
import {
  FULL,
  hex32Of,
  knownOf,
  namedRefund,
  PEARL_TIP,
  plainSubject,
  plainWorld,
  RULES,
  SCRIPT,
} from "./rules-subjects.ts";

const RUNS = { numRuns: Number(process.env["STRAND_SWAP_RUNS"] ?? 4000), seed: 20_261_122 };

const FIELDS = [
  "terms_error",
  "evm_leg",
  "evm_credit",
  "pearl_leg",
  "pearl_lock_outputs",
  "pearl_claim_txid",
  "pearl_refund_txid",
  "pearl_release_verified",
  "pearl_release_verify_error",
  "next_actions",
  "deadlines",
  "confirmations",
  "expired",
  "created_at",
] as const;

const asked: fc.Arbitrary<NamedOutpoint | null> = fc.option(
  fc.record({ txid: fc.constantFrom(1, 2, 3, 0xd1).map((n) => hex32Of(n) as Txid), vout: fc.nat(2) }),
);

const foundTransaction = fc.option(
  fc.record({
    outputs: fc.array(
      fc.record({
        amountSat: fc.constantFrom(FULL - 1n, FULL),
        script: fc.constantFrom(SCRIPT, `5120${"99".repeat(32)}` as ScriptHex),
      }),
      { maxLength: 3 },
    ),
    inputs: fc.array(fc.constantFrom(...[1, 2, 3].map((n) => `${hex32Of(n)}:0` as Outpoint)), {
      maxLength: 2,
    }),
    coinbase: fc.integer({ min: 0, max: 5 }).map((i) => i === 0),
    height: fc.option(fc.integer({ min: PEARL_TIP - 20, max: PEARL_TIP + 1 })),
  }),
);

function plainFound(found: { readonly outputs: readonly object[] } | null): reference.PlainFound | null {
  const text = JSON.stringify(found, (_key, part: unknown) =>
    typeof part === "bigint" ? part.toString() : part,
  );
  return JSON.parse(text) as reference.PlainFound | null;
}

function nameOf(point: NamedOutpoint | null): string | null {
  return point === null ? null : `${point.txid}:${point.vout}`;
}

describe("the rules and the second model", () => {
  test("agree on every computed field of rows (S-15, S-50 to S-55, S-61)", () => {
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(anySubject, anyMoment, (subject, context) => {
        const expected = reference.project(plainSubject(subject), plainWorld(context, RULES));
        assert.equal(dealExists(subject), expected["deal_exists"]);
        assert.equal(dealStatus(subject, context, RULES), expected["deal_status"]);
        const bid = bidRow(subject, context, RULES);
        assert.equal(bid?.status ?? null, expected["bid_status"]);
        const row = bid ?? dealRow(subject, context, RULES);
        assert.ok(row !== null);
        for (const field of FIELDS) assert.deepEqual(row[field], expected[field], field);
        const lock = row.pearl_lock_txid === null ? null : `${row.pearl_lock_txid}:${row.pearl_lock_vout}`;
        assert.equal(lock, expected["lock"]);
        count(seen, `deal ${String(expected["deal_status"])}`);
        for (const action of row.next_actions) count(seen, `${action.action} ${action.optional}`);
        count(seen, `release ${row.pearl_release_verify_error}`);
      }),
      RUNS,
    );
    // 8 statuses, 13 rows of the table, 5 faults of a release and none.
    assert.equal(seen.size, 8 + 13 + 6, [...seen.keys()].join(", "));
  });

  test("agree on every computed field of rows of orders with a disputed event (S-07)", () => {
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(anySubject, anyMoment, (undisputed, context) => {
        fc.pre(undisputed.order !== null);
        const subject = { ...undisputed, order: { ...undisputed.order, disputed: true } };
        const expected = reference.project(plainSubject(subject), plainWorld(context, RULES));
        const row = bidRow(subject, context, RULES);
        assert.ok(row !== null);
        for (const field of FIELDS) assert.deepEqual(row[field], expected[field], field);
        const end = subject.order.closed?.kind ?? "open";
        for (const { action } of row.next_actions) count(seen, `${action} ${end}`);
      }),
      { ...RUNS, numRuns: RUNS.numRuns / 4 },
    );
    for (const wanted of ["claim_usdc claimed", "claim_usdc refunded", "refund_usdc cancelled"])
      assert.ok(seen.has(wanted), wanted);
  });

  test("agree on every verdict (S-60, S-61)", () => {
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(
        anySubject,
        anyMoment,
        asked,
        asked,
        foundTransaction,
        (subject, context, named, hint, found) => {
          const words = new reference.Words(plainSubject(subject), plainWorld(context, RULES));
          const lookUp = (): reference.PlainFound | null => plainFound(found);
          const choice = chooseLock(subject, named, hint, knownOf(subject));
          const lock = verifyLock(subject, context, RULES, choice, choice?.from === "node" ? found : null);
          const outpoints = { named: nameOf(named), hint: nameOf(hint) };
          assert.equal(lock.reason, reference.verifyLock(words, outpoints, lookUp));
          for (const txid of [null, ...spendersOf(subject), hex32Of(0xdd) as Txid]) {
            const refundNamed = txid === null ? null : namedRefund(subject, txid, found);
            const refund = verifyRefund(subject, context, RULES, refundNamed);
            assert.equal(refund.reason, reference.verifyRefund(words, txid, lookUp), `refund ${txid}`);
            count(seen, `refund ${refund.reason}`);
          }
          const evm = verifyEvmRefund(subject, context, RULES);
          assert.equal(evm.reason, reference.verifyEvmRefund(words));
          assert.equal(evm.details.credited, reference.isCredited(words));
          count(seen, `lock ${lock.reason}`);
          count(seen, `evm ${evm.reason}`);
          assert.equal(lock.verified, lock.reason === null);
        },
      ),
      RUNS,
    );
    assert.equal(seen.size, 18 + 6 + 6, [...seen.keys()].toSorted().join(", "));
  });
});

function spendersOf(subject: SwapSubject): Txid[] {
  return [...subject.outputs].flatMap(({ spend }) => (spend === null ? [] : [spend.txid]));
}

function count(seen: Map<string, number>, key: string): void {
  seen.set(key, (seen.get(key) ?? 0) + 1);
}
