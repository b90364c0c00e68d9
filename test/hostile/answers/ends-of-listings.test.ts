// In the rows of listings that ended in every way, all that has no meaning for that end is empty, and indexed blocks
// are counted from a start height above 1 (H-32, H-37, P-70).

import assert from "node:assert/strict";
import { test } from "node:test";
import { listingHistoryRow } from "../../../src/http/rows/market.ts";
import { statsRow } from "../../../src/http/rows/tokens.ts";
import { testRules } from "../../../testkit/builders/core-index/index.ts";
import { closed, FEES_ADDRESS, listingRow, stateAt } from "../../http/rows.ts";

const RULES = testRules("simnet", FEES_ADDRESS);

test("H-32: only a fill has a fill_txid, a buyer and payments; only the other ends give units back", () => {
  for (const kind of ["filled", "cancelled", "invalid_spent"] as const) {
    const close = closed(kind, 9);
    const row = listingHistoryRow(
      { listing: listingRow("aa", 3, { close }), lifecycle: kind, dec: "2" },
      RULES,
    );
    const filled = kind === "filled";
    assert.equal(row.close_kind, kind);
    assert.equal(row.lifecycle_state, kind);
    assert.equal(row.action_required, null);
    assert.equal(row.closed_txid, close.txid);
    assert.equal(row.fill_txid, filled ? close.txid : null);
    assert.equal(row.buyer, filled ? close.buyer : null);
    assert.equal(row.paid_seller_sat, filled ? "39600" : null);
    assert.equal(row.paid_fee_sat, filled ? "400" : null);
    assert.equal(row.refunded_amount, filled ? null : "30");
  }
});

test("H-37: blocks are counted from the start height", () => {
  const stats = { distinctHolders: 0, listsExpiredOpen: 0 };
  const cases = [
    [100, 1, 100],
    [100, 100, 1],
    [99, 100, 0],
    [-1, 1, 0],
    [150, 101, 50],
  ] as const;
  for (const [height, startHeight, blocks] of cases) {
    const row = statsRow(stateAt(height), stats, { ...RULES, startHeight });
    assert.equal(row.blocks_indexed, blocks, `height ${height}, start ${startHeight}`);
  }
});
