// Corners of the rules that the larger tests pass by; each was found by a deliberate break that stayed green
// (docs/mutation.md).

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { nextActions } from "../../src/swap/next-actions.ts";
import { askRow } from "../../src/swap/rows.ts";
import { acceptBy } from "../../src/swap/deadlines.ts";
import { isImpossible, isPending } from "../../src/swap/lock-outputs.ts";
import { ASK_EDGES, isLegalEdge } from "../../src/swap/statuses.ts";
import {
  ASK_RECORD,
  context,
  output,
  PEARL_TIP,
  RULES,
  subject,
  T_P,
  TERMS,
  tips,
} from "./rules-subjects.ts";

const by = (lockMarginS: number) => acceptBy(TERMS, { ...RULES.large, lockMarginS });

describe("S-54: accept_bid by", () => {
  test("never later than 2 h 10 min before T_p, also where a lowered profile has a small L", () => {
    assert.equal(by(100 * 60 - 1), T_P - 130 * 60);
    assert.equal(by(100 * 60), T_P - 130 * 60);
    assert.equal(by(100 * 60 + 1), T_P - 130 * 60 - 1);
  });
});

describe("S-54: before all of the mempool was read since the start", () => {
  test("a lock may wait in it unseen: nobody is told to lock, or to give the USDC back", () => {
    const [before, after] = [context({ isMempoolRead: false }), context()].map((at) =>
      nextActions(subject(), at, RULES).map(({ action }) => action),
    );
    assert.deepEqual(before, ["refund_usdc"]);
    assert.deepEqual(after, ["lock_pearl", "refund_cooperative", "refund_usdc"]);
  });
});

describe("S-15: what the mempool holds now", () => {
  test("is possible, whatever conflict is recorded 13 deep", () => {
    const conflicted = output(1, { mined: null, inMempool: true, conflictHeight: PEARL_TIP - 12 });
    assert.equal(isImpossible(conflicted, tips()), false);
    assert.equal(isPending(conflicted, tips()), true);
    assert.equal(isImpossible({ ...conflicted, inMempool: false }, tips()), true);
  });
});

describe("H-40: the price of an ask", () => {
  test("is exact in its last digit for large amounts", () => {
    const terms = { ...ASK_RECORD.terms, usdcAmount: 123_456_789_012_345_678n, pearlAmountSat: 100_000_000n };
    assert.equal(askRow({ ...ASK_RECORD, terms }, "ASK_OPEN", null, null).price_usdc, "123456789012.345678");
  });
});

describe("S-33: edges of an ask", () => {
  test("a cancel binds the API alone, so the contract may still take a cancelled ask; nothing else follows it", () => {
    assert.equal(isLegalEdge(ASK_EDGES, "ASK_CANCELLED", "ASK_TAKEN"), true);
    assert.equal(isLegalEdge(ASK_EDGES, "ASK_CANCELLED", "ASK_OPEN"), false);
    assert.equal(isLegalEdge(ASK_EDGES, "ASK_TAKEN", "ASK_OPEN"), false);
  });
});
