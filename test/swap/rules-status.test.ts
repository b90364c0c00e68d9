// Statuses, legs and the lock, case by case from the text of S-15, S-33, S-50, S-51, S-52 and S-05.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { askStatus, bidStatus, dealStatus, type DealStatus } from "../../src/swap/statuses.ts";
import type { HtlcOutput } from "../../src/swap/facts.ts";
import { evmLeg, pearlLeg, dealExists, termsError } from "../../src/swap/order-state.ts";
import { lockOutputRow } from "../../src/swap/lock-choice.ts";
import { isImpossible, isPending, LockOutputs } from "../../src/swap/lock-outputs.ts";
import { dealRow, bidRow } from "../../src/swap/rows.ts";
import type { SwapSubject } from "../../src/swap/subject.ts";
import {
  ASK_RECORD,
  BID_TERMS,
  FOREIGN_SECRET,
  FULL,
  HASH,
  hex32Of,
  context,
  order,
  outpointNo,
  output,
  PEARL_TIP,
  pearlPlaceAt,
  RULES,
  secret,
  spentBy,
  subject,
  T_E,
  T_P,
  TAKE,
  TERMS,
  tips,
  confirmed,
  IN_MEMPOOL,
  EVICTED,
} from "./rules-subjects.ts";
import type { Txid } from "../../src/primitives/brands.ts";

const SMALL = { ...TERMS, usdcAmount: 1_000_000_000n };

const conflicted = (depth: number) => output(1, { ...EVICTED, conflictHeight: PEARL_TIP - depth + 1 });
const finalAt = (final: number) => context({ tips: tips({ need: 5, final }) });

describe("S-51: deal status", () => {
  const cases: readonly [string, DealStatus, SwapSubject][] = [
    ["a take alone", "DEAL_OPEN", subject({ order: null, take: TAKE })],
    [
      "locked block not final",
      "DEAL_OPEN",
      subject({ order: order("accepted", { locked: 951, accepted: 951 }) }),
    ],
    ["accept not final", "DEAL_OPEN", subject({ order: order("accepted", { accepted: 951 }) })],
    ["both final", "USDC_LOCKED", subject({ order: order("accepted", { accepted: 950 }) })],
    [
      "lock mined, accept not final",
      "DEAL_OPEN",
      subject({ order: order("accepted", { accepted: 951 }), outputs: [output(1)] }),
    ],
    ["lock in the mempool", "LOCK_SUBMITTED", subject({ outputs: [output(1, IN_MEMPOOL)] })],
    ["only an evicted lock", "USDC_LOCKED", subject({ outputs: [output(1, EVICTED)] })],
    ["dust in a block", "LOCK_SUBMITTED", subject({ outputs: [output(1, { amountSat: FULL - 1n })] })],
    ["K - 1 confirmations", "LOCK_SUBMITTED", subject({ outputs: [output(1, confirmed(12))] })],
    ["K confirmations", "PEARL_LOCKED", subject({ outputs: [output(1, confirmed(13))] })],
    [
      "small deal, K - 1",
      "LOCK_SUBMITTED",
      subject({ order: order("accepted", {}, SMALL), outputs: [output(1, confirmed(5))] }),
    ],
    [
      "small deal, K",
      "PEARL_LOCKED",
      subject({ order: order("accepted", {}, SMALL), outputs: [output(1, confirmed(6))] }),
    ],
    ["a coinbase", "LOCK_SUBMITTED", subject({ outputs: [output(1, { coinbase: true })] })],
    [
      "more than the amount is full",
      "PEARL_LOCKED",
      subject({ outputs: [output(1, { amountSat: FULL + 1n })] }),
    ],
    [
      "a refund in the mempool changes nothing",
      "PEARL_LOCKED",
      subject({ outputs: [output(1, { spend: spentBy("refund", 0) })] }),
    ],
    [
      "a claim in a block without its secret",
      "LOCK_SUBMITTED",
      subject({ outputs: [output(1, { spend: spentBy("claim", 1) })] }),
    ],
    [
      "refunded in a block",
      "PEARL_REFUNDED",
      subject({ outputs: [output(1, { spend: spentBy("refund", 1) })] }),
    ],
    [
      "refunded, a second full one stands",
      "PEARL_LOCKED",
      subject({ outputs: [output(1, { spend: spentBy("refund", 1) }), output(2)] }),
    ],
    [
      "refunded, dust stands",
      "PEARL_REFUNDED",
      subject({ outputs: [output(1, { spend: spentBy("refund", 1) }), output(2, { amountSat: 1n })] }),
    ],
    [
      "refunded, though not final",
      "PEARL_REFUNDED",
      subject({
        order: order("accepted", { accepted: 1000 }),
        outputs: [output(1, { spend: spentBy("refund", 1) })],
      }),
    ],
    [
      "secret known before PEARL_REFUNDED",
      "USDC_CLAIMABLE",
      subject({ outputs: [output(1, { spend: spentBy("refund", 1) })], secret: FOREIGN_SECRET }),
    ],
    [
      "secret known, not final",
      "USDC_CLAIMABLE",
      subject({ order: order("accepted", { accepted: 1000 }), secret: FOREIGN_SECRET }),
    ],
    [
      "refunded in the escrow, secret known",
      "USDC_REFUNDED",
      subject({ order: order("refunded"), secret: FOREIGN_SECRET }),
    ],
    ["claimed, not final", "SETTLED", subject({ order: order("claimed", { closed: 1000 }) })],
  ];
  for (const [name, status, given] of cases) {
    test(`${name}: ${status}`, () => {
      assert.equal(dealStatus(given, context(), RULES), status);
      // No clock and no lag enters.
      assert.equal(dealStatus(given, context({ now: T_E + 1, isReady: false }), RULES), status);
    });
  }

  test("S-08: with a number of confirmations, too, the final height decides and not the depth", () => {
    const given = subject({ order: order("accepted", { accepted: 996 }) });
    assert.equal(dealStatus(given, finalAt(996), RULES), "USDC_LOCKED");
    assert.equal(dealStatus(given, finalAt(995), RULES), "DEAL_OPEN");
  });
});

describe("S-52: bid status, and which rows exist (S-50)", () => {
  const cases = [
    ["locked", 951, "BID_CREATED"],
    ["locked", 950, "BID_OPEN"],
    ["accepted", 951, "BID_ACCEPTED"],
    ["cancelled", 951, "BID_CANCELLED"],
    ["refunded", 951, "USDC_REFUNDED"],
    ["refunded-unaccepted", 951, "USDC_REFUNDED"],
    ["claimed", 951, "SETTLED"],
  ] as const;
  for (const [state, block, status] of cases) {
    test(`${state} in block ${block}: ${status}`, () => {
      assert.equal(bidStatus(order(state, { locked: block }), tips()), status);
    });
  }

  test("a deal exists for a take, an ask's order and an accepted bid; an order is always a bid", () => {
    const bid = subject({ order: order("locked", {}, BID_TERMS) });
    assert.equal(dealExists(bid), false);
    assert.equal(dealRow(bid, context(), RULES), null);
    assert.equal(bidRow(bid, context(), RULES)?.status, "BID_OPEN");
    assert.equal(dealExists(subject({ order: order("accepted", {}, BID_TERMS) })), true);
    const take = subject({ order: null, take: TAKE });
    assert.equal(dealRow(take, context(), RULES)?.status, "DEAL_OPEN");
    assert.equal(bidRow(take, context(), RULES), null);
  });
});

describe("S-50: terms_error, the first that holds", () => {
  const late = { ...TERMS, evmRefundTime: T_E - 1 };
  test("a bad key before the margin before the hashlock", () => {
    const all = { order: order("accepted", {}, late), keysValid: false, secret: FOREIGN_SECRET };
    assert.equal(termsError(subject(all), RULES), "PUBKEY_INVALID");
    assert.equal(termsError(subject({ ...all, keysValid: true }), RULES), "TIMELOCK_MARGIN_TOO_SMALL");
    const inTime = { ...all, keysValid: true, order: order("accepted") };
    assert.equal(termsError(subject(inTime), RULES), "HASHLOCK_REUSED");
    assert.equal(termsError(subject({ order: order("accepted") }), RULES), null);
  });

  test("a secret that the order's own claim or its lock output showed is no reuse", () => {
    const claim = secret({ by: "claim", orderHash: HASH, txHash: HASH });
    assert.equal(termsError(subject({ secret: claim }), RULES), null);
    const spend = secret({ by: "spend", outpoint: outpointNo(1), txid: hex32Of(9) as Txid, script: null });
    assert.equal(termsError(subject({ secret: spend }), RULES), "HASHLOCK_REUSED");
    assert.equal(termsError(subject({ secret: spend, outputs: [output(1)] }), RULES), null);
  });

  test("a copy of the hashlock alone never counts", () => {
    assert.equal(termsError(subject({ hashlockUsedByBuyer: true }), RULES), null);
  });
});

describe("S-15: the lock and the other outputs", () => {
  const early = output(1, { mined: pearlPlaceAt(400, 7) });
  const sameBlock = output(2, { mined: pearlPlaceAt(400, 3) });
  const dust = output(3, { mined: pearlPlaceAt(390), amountSat: FULL - 1n });
  const coinbase = output(4, { mined: pearlPlaceAt(380), coinbase: true });
  const inMempool = output(5, IN_MEMPOOL);
  const dustInMempool = output(6, { ...IN_MEMPOOL, amountSat: 1n });
  const spent = output(7, { mined: pearlPlaceAt(370), spend: spentBy("claim", 2) });
  const evicted = output(8, EVICTED);

  test("each of the four kinds wins where the former are absent", () => {
    const falling = [sameBlock, early, spent, inMempool, coinbase, dust, dustInMempool];
    for (const [i, expected] of falling.entries()) {
      const left = falling.slice(i);
      assert.equal(LockOutputs.of(left).lock(FULL)?.txid, expected.txid);
      assert.equal(LockOutputs.of(left.toReversed()).lock(FULL)?.txid, expected.txid);
    }
    assert.equal(LockOutputs.of([evicted]).lock(FULL), null);
  });

  test("in the mempool the lowest txid, then the lowest vout", () => {
    const second = { ...inMempool, vout: 1 };
    assert.equal(LockOutputs.of([second, output(9, IN_MEMPOOL), inMempool]).lock(FULL), inMempool);
  });

  test("rows: mined ones in their order, then the others by txid and vout, impossible ones not", () => {
    const gone = output(10, { ...EVICTED, conflictHeight: PEARL_TIP - 12 });
    const orphanedCoinbase = output(11, { ...EVICTED, coinbase: true });
    const all = [evicted, gone, spent, orphanedCoinbase, dust, inMempool, early, sameBlock, coinbase];
    assert.deepEqual(
      LockOutputs.of(all)
        .shown(FULL, tips())
        .map((o) => o.txid),
      [coinbase, dust, sameBlock, early, spent, inMempool, evicted].map((o) => o.txid),
    );
    assert.deepEqual(LockOutputs.of([gone]).shown(FULL, tips()), []);
    assert.equal(LockOutputs.of([gone, evicted]).shownTotal(tips()), 1);
  });

  test("pending until a conflict is 13 deep; an orphaned coinbase is impossible at once", () => {
    assert.deepEqual(
      [isPending(conflicted(12), tips()), isImpossible(conflicted(12), tips())],
      [true, false],
    );
    assert.deepEqual(
      [isPending(conflicted(13), tips()), isImpossible(conflicted(13), tips())],
      [false, true],
    );
    assert.equal(isImpossible(output(1, { ...EVICTED, coinbase: true }), tips()), true);
    assert.equal(isPending(output(1), tips()), false);
  });

  test("a row's heights are null in the mempool, its spend is null without one", () => {
    assert.deepEqual(lockOutputRow(inMempool), {
      txid: hex32Of(5),
      vout: 0,
      amount_sat: "500000",
      height: null,
      spend_txid: null,
      spend_path: null,
      spend_height: null,
    });
    const { spend_txid, spend_path, spend_height } = lockOutputRow(
      output(1, { spend: spentBy("refund", 0) }),
    );
    assert.deepEqual([spend_txid, spend_path, spend_height], [hex32Of(0xf1), "refund", null]);
    assert.equal(lockOutputRow(spent).spend_height, PEARL_TIP - 1);
  });
});

describe("S-51: both legs", () => {
  test("evm_leg: final is the block of the event that led there, for accepted both blocks", () => {
    assert.deepEqual(evmLeg(null, tips()), { state: "none", final: false });
    assert.deepEqual(evmLeg(order("locked", { locked: 950 }), tips()), { state: "locked", final: true });
    const accepted = order("accepted", { locked: 950, accepted: 951 });
    assert.deepEqual(evmLeg(accepted, tips()), { state: "accepted", final: false });
    assert.deepEqual(evmLeg(order("accepted", { accepted: 950 }), tips()).final, true);
    for (const state of ["claimed", "refunded", "cancelled"] as const) {
      assert.deepEqual(evmLeg(order(state, { closed: 951 }), tips()), { state, final: false });
      assert.deepEqual(evmLeg(order(state, { closed: 950 }), tips()), { state, final: true });
    }
  });

  const legs: readonly [string, HtlcOutput | null, number][] = [
    ["none", null, 0],
    ["mempool", output(1, IN_MEMPOOL), 0],
    ["confirmed", output(1, confirmed(3)), 3],
    ["claim_seen", output(1, { ...confirmed(3), spend: spentBy("claim", 0) }), 3],
    ["claim_seen", output(1, { ...IN_MEMPOOL, spend: spentBy("claim", 0) }), 0],
    ["claimed", output(1, { ...confirmed(3), spend: spentBy("claim", 1) }), 3],
    ["refund_seen", output(1, { ...confirmed(3), spend: spentBy("refund", 0) }), 3],
    ["refunded", output(1, { ...confirmed(3), spend: spentBy("refund", 2) }), 3],
  ];
  for (const [state, lock, confirmations] of legs) {
    test(`pearl_leg ${state} with ${confirmations}`, () => {
      assert.deepEqual(pearlLeg(lock, tips()), { state, confirmations });
    });
  }
});

describe("S-33: ask status, the first that holds", () => {
  const facts = {
    takenBy: null,
    minNonce: 3n,
    fee: { feeBps: 200, feeRecipient: ASK_RECORD.terms.feeRecipient },
  };
  const at = context({ now: ASK_RECORD.terms.expiry - 1 });

  test("taken before cancelled before paused before open", () => {
    const worst = { ...ASK_RECORD, cancelledBySignature: true, pausedBySignature: true };
    assert.equal(askStatus(worst, { ...facts, takenBy: HASH }, at), "ASK_TAKEN");
    assert.equal(askStatus(worst, facts, at), "ASK_CANCELLED");
    assert.equal(askStatus({ ...worst, cancelledBySignature: false }, facts, at), "ASK_PAUSED");
    assert.equal(askStatus(ASK_RECORD, facts, at), "ASK_OPEN");
  });

  test("cancelled by a revoked nonce, and at its expiry", () => {
    assert.equal(askStatus(ASK_RECORD, { ...facts, minNonce: 4n }, at), "ASK_CANCELLED");
    assert.equal(askStatus(ASK_RECORD, facts, context({ now: ASK_RECORD.terms.expiry })), "ASK_CANCELLED");
  });

  test("S-05: nothing dies while the EVM index is not synced", () => {
    const held = context({ now: ASK_RECORD.terms.expiry + 5, expiryNow: ASK_RECORD.terms.expiry - 1 });
    assert.equal(askStatus(ASK_RECORD, facts, held), "ASK_OPEN");
  });

  const paused = [
    ["by signature", { ...ASK_RECORD, pausedBySignature: true }, facts],
    ["not funded", { ...ASK_RECORD, funded: false }, facts],
    ["an ERC-1271 signature that is no longer valid", { ...ASK_RECORD, signatureValid: false }, facts],
    ["outdated fee", ASK_RECORD, { ...facts, fee: { ...facts.fee, feeBps: 201 } }],
    [
      "outdated recipient",
      ASK_RECORD,
      { ...facts, fee: { ...facts.fee, feeRecipient: ASK_RECORD.terms.seller } },
    ],
    ["no fee known", ASK_RECORD, { ...facts, fee: null }],
  ] as const;
  for (const [name, record, given] of paused) {
    test(`paused: ${name}`, () => assert.equal(askStatus(record, given, at), "ASK_PAUSED"));
  }
});

describe("times of rows", () => {
  test("S-54: deadlines are the terms' and the profile's", () => {
    const row = dealRow(subject({ take: TAKE }), context(), RULES);
    assert.deepEqual(row?.deadlines, {
      take_expires_at: TAKE.expiresAt,
      accept_bid_by: null,
      lock_pearl_by: T_P - 193 * 60,
      claim_pearl_by: T_P - 100 * 60,
      pearl_refund_time: T_P,
      evm_refund_time: T_E,
    });
    const bid = bidRow(subject({ order: order("locked", {}, BID_TERMS) }), context(), RULES);
    assert.equal(bid?.deadlines.accept_bid_by, T_P - 193 * 60 - 30 * 60);
    const smallBid = order("locked", {}, { ...BID_TERMS, usdcAmount: 1_000_000_000n });
    const small = bidRow(subject({ order: smallBid }), context(), RULES);
    assert.equal(small?.deadlines.accept_bid_by, T_P - 167 * 60);
    assert.equal(small?.deadlines.take_expires_at, null);
  });

  test("S-54: confirmations of the later of both events", () => {
    const given = subject({
      order: order("accepted", { locked: 940, accepted: 951 }),
      outputs: [output(1)],
    });
    assert.deepEqual(dealRow(given, context(), RULES)?.confirmations, {
      evm: { have: 50, need: null, final: false },
      pearl: { have: 20, need: 13 },
    });
  });

  test("S-42: a take is expired from its last second on, and never once its order is indexed", () => {
    const take = subject({ order: null, take: TAKE });
    assert.equal(dealRow(take, context({ now: TAKE.expiresAt - 1 }), RULES)?.expired, false);
    assert.equal(dealRow(take, context({ now: TAKE.expiresAt }), RULES)?.expired, true);
    assert.equal(dealRow(subject({ take: TAKE }), context({ now: TAKE.expiresAt }), RULES)?.expired, false);
  });
});
