// Rows and stats look on the wire as the rules say (H-40, S-41, S-55, S-65).

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { EvmAddress } from "../../src/primitives/brands.ts";
import { AskRowSchema, BidRowSchema, DealRowSchema } from "../../src/http/schemas/swaps.ts";
import { askRow, bidRow, dealRow } from "../../src/swap/rows.ts";
import { orderStanding, swapStats } from "../../src/swap/stats.ts";
import {
  ASK_RECORD,
  ASK_ID,
  BID_TERMS,
  BUYER,
  evmPlaceAt,
  FOREIGN_SECRET,
  HASH,
  hex32Of,
  context,
  order,
  output,
  RULES,
  spentBy,
  subject,
  T_P,
  TAKE,
  TERMS,
} from "./rules-subjects.ts";

const claimed = (time: number) => {
  const facts = order("claimed");
  const closed = facts.closed === null ? null : { ...facts.closed, place: { ...evmPlaceAt(930), time } };
  return subject({ order: { ...facts, closed } });
};

const priced = (usdcAmount: bigint, pearlAmountSat: bigint) =>
  askRow(
    { ...ASK_RECORD, terms: { ...ASK_RECORD.terms, usdcAmount, pearlAmountSat } },
    "ASK_OPEN",
    null,
    null,
  ).price_usdc;

describe("S-65: stats", () => {
  test("counts orders, not takes; the last day by OrderClaimed's block", () => {
    const at = context();
    const day = at.tips.evm.time - 86_400;
    const all = [
      subject({ order: null, take: TAKE }),
      subject({ order: order("locked", {}, BID_TERMS) }),
      claimed(day),
      claimed(day + 1),
    ];
    const standings = all.flatMap((one) => orderStanding(one, at, RULES) ?? []);
    const stats = swapStats(
      standings,
      { ASK_TAKEN: 1, ASK_CANCELLED: 0, ASK_PAUSED: 0, ASK_OPEN: 2 },
      at.tips.evm.time,
      {
        bids: { SETTLED: 0, USDC_REFUNDED: 0, BID_CANCELLED: 0 },
        deals: { SETTLED: 0, USDC_REFUNDED: 0 },
        asks: 0,
        usdc: 0n,
        sat: 0n,
        lastDay: [],
      },
    );
    assert.equal(stats.settled_count, 2);
    assert.equal(stats.settled_usdc_volume, "4000000000");
    assert.equal(stats.settled_pearl_volume_sat, "1000000");
    assert.equal(stats.settled_pearl_volume_pearl, "0.01000000");
    assert.deepEqual(stats.last_24h, {
      settled_count: 1,
      settled_usdc_volume: "2000000000",
      settled_pearl_volume_sat: "500000",
      settled_pearl_volume_pearl: "0.00500000",
    });
    assert.deepEqual(stats.bids_by_status, {
      SETTLED: 2,
      USDC_REFUNDED: 0,
      BID_CANCELLED: 0,
      BID_ACCEPTED: 0,
      BID_OPEN: 1,
      BID_CREATED: 0,
    });
    assert.equal(
      Object.values(stats.deals_by_status).reduce((a, b) => a + b, 0),
      2,
    );
    assert.deepEqual(stats.asks_by_status, { ASK_TAKEN: 1, ASK_CANCELLED: 0, ASK_PAUSED: 0, ASK_OPEN: 2 });
  });
});

describe("H-40, S-55: rows", () => {
  test("a row has the fields that its schema describes, and no others: a field without one would not be served", () => {
    const rows = [
      [dealRow(subject({}), context(), RULES), DealRowSchema],
      [bidRow(subject({ order: order("locked", {}, BID_TERMS) }), context(), RULES), BidRowSchema],
      // What only the answer to a cancel has (S-33).
      [{ ...askRow(ASK_RECORD, "ASK_OPEN", null, null), binding_on_chain: false }, AskRowSchema],
    ] as const;
    for (const [row, schema] of rows) {
      assert.ok(row !== null);
      assert.deepEqual(Object.keys(row).toSorted(), Object.keys(schema.properties).toSorted());
    }
  });

  test("a row is plain JSON", () => {
    const given = subject({ secret: FOREIGN_SECRET, outputs: [output(1, { spend: spentBy("claim", 1) })] });
    for (const row of [dealRow(given, context(), RULES), bidRow(given, context(), RULES)]) {
      assert.deepEqual(JSON.parse(JSON.stringify(row)), row);
    }
  });

  test("what the facts name, and null where there is no value", () => {
    const row = bidRow(subject({ order: order("locked", {}, BID_TERMS) }), context(), RULES);
    assert.ok(row !== null);
    assert.deepEqual(
      [row.ask_id, row.seller_evm, row.seller_pearl_pubkey, row.pearl_lock_address, row.expected_script_hex],
      [null, null, null, null, null],
    );
    assert.deepEqual([row.order_hash, row.deal_hash, row.pearl_amount], [HASH, HASH, row.pearl_amount_sat]);
    assert.equal(row.evm_bid_txid, evmPlaceAt(900).txHash);
    assert.equal(row.created_at, evmPlaceAt(900).time);
    const accepted = bidRow(subject({ order: order("accepted", {}, BID_TERMS) }), context(), RULES);
    assert.equal(accepted?.seller_evm, ASK_RECORD.terms.seller);
    assert.equal(accepted?.seller_pearl_pubkey, ASK_RECORD.terms.sellerPearlKey);
  });

  test("S-55: the claim's txid is the lock's, else the first output's that has one", () => {
    const dustClaimed = output(2, { amountSat: 1n, spend: spentBy("claim", 1) });
    const row = dealRow(subject({ outputs: [output(1), dustClaimed] }), context(), RULES);
    assert.equal(row?.pearl_lock_txid, hex32Of(1));
    assert.equal(row?.pearl_claim_txid, hex32Of(0xc1));
    assert.equal(row?.pearl_refund_txid, null);
  });

  test("S-41: lock_call in every answer while unfunded, null once the order is indexed", () => {
    const take = { take: TAKE, ask: { record: ASK_RECORD, status: "ASK_OPEN" as const } };
    const row = dealRow(subject({ ...take, order: null }), context(), RULES);
    assert.equal(row?.lock_call?.chain_id, 31337);
    assert.equal(row?.lock_call?.function, "lockWithAsk");
    assert.equal(row?.lock_call?.seller_signature, ASK_RECORD.signature);
    assert.deepEqual(row?.lock_call?.terms, {
      buyer: BUYER,
      seller: TERMS.seller,
      hashlock: TERMS.hashlock,
      usdcAmount: "2000000000",
      pearlAmountSat: "500000",
      buyerPearlKey: TERMS.buyerPearlKey,
      sellerPearlKey: TERMS.sellerPearlKey,
      pearlRefundTime: "1800000000",
      evmRefundTime: "1800021600",
      feeBps: "200",
      feeRecipient: TERMS.feeRecipient,
      askId: ASK_ID,
      nonce: "0",
    });
    assert.equal(row?.lock_call?.ask.expiry, String(ASK_RECORD.terms.expiry));
    assert.equal(row?.lock_call?.ask.nonce, "3");
    assert.equal(dealRow(subject(take), context(), RULES)?.lock_call, null);
  });

  test("an ask: price with 6 digits, funded where taken or cancelled", () => {
    assert.equal(priced(250_000_000n, 500_000_000_000n), "0.050000");
    assert.equal(priced(1_000_000n, 300_000_000n), "0.333333");
    assert.equal(priced(12_345_678n, 100_000_000n), "12.345678");
    const unfunded = { ...ASK_RECORD, funded: false };
    const funded = (status: "ASK_TAKEN" | "ASK_CANCELLED" | "ASK_PAUSED") =>
      askRow(unfunded, status, null, null).funded;
    assert.deepEqual(
      [funded("ASK_TAKEN"), funded("ASK_CANCELLED"), funded("ASK_PAUSED")],
      [true, true, false],
    );
    const row = askRow(ASK_RECORD, "ASK_TAKEN", HASH, null);
    assert.equal(row.balance_checked_at, ASK_RECORD.balanceCheckedAt);
    // The balance of an ask that has ended is that of its own time, whenever its address was looked at for others.
    for (const status of ["ASK_TAKEN", "ASK_CANCELLED"] as const)
      assert.equal(askRow(ASK_RECORD, status, null, T_P).balance_checked_at, ASK_RECORD.balanceCheckedAt);
    for (const status of ["ASK_OPEN", "ASK_PAUSED"] as const)
      assert.equal(askRow(ASK_RECORD, status, null, T_P).balance_checked_at, T_P);
    assert.equal(
      askRow({ ...ASK_RECORD, balanceCheckedAt: null }, "ASK_OPEN", null, null).balance_checked_at,
      null,
    );
    assert.deepEqual([row.deal_hash, row.nonce, row.pearl_balance_sat], [HASH, "3", "900000"]);
    assert.equal(row.seller_evm, ASK_RECORD.terms.seller satisfies EvmAddress);
  });
});
