// What a status says to people. A status knows no clock, no lag and no second node (S-51), so its words permit nothing:
// what may be done until when is said by the next actions alone.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ACTION_WORDS,
  afterRefusal,
  askWords,
  bidWords,
  BUYING_CAUTION,
  dealWords,
  LISTING_WORDS,
  offeredUntil,
  operationWords,
  reasonWords,
} from "./words.ts";

const NOTHING = { evm_leg: { state: "accepted", final: true }, evm_credit: null, expired: false } as const;
const NO_DEADLINES = {
  take_expires_at: null,
  accept_bid_by: null,
  lock_pearl_by: 100,
  claim_pearl_by: 200,
  pearl_refund_time: 300,
  evm_refund_time: 400,
};

test("S-51: the words of a status tell nobody to lock PEARL or to show a secret, however late it is", () => {
  for (const status of ["USDC_LOCKED", "PEARL_LOCKED"] as const) {
    const { sentence } = dealWords({ ...NOTHING, status });
    assert.match(sentence, /only while that is among what is to be done, and not too late/, status);
    assert.doesNotMatch(sentence, /\bmay\b|awaited/, status);
  }
});

test("S-51: a lock that is seen is called neither locked nor merely young: it may be too small", () => {
  const { sentence } = dealWords({ ...NOTHING, status: "LOCK_SUBMITTED" });
  assert.match(sentence, /too small/);
});

test("S-33: an ask that is cancelled or paused here is said to be within the contract's reach until it expires", () => {
  for (const status of ["ASK_PAUSED", "ASK_CANCELLED"] as const) {
    const { sentence } = askWords({ status, expiry: 100 }, 99);
    assert.match(sentence, /not offered here/, status);
    assert.match(sentence, /can still take it in the contract until it expires/, status);
  }
});

test("S-05: an ask is told as expired from its expiry on, whatever an old row says; a taken one stays taken", () => {
  for (const status of ["ASK_OPEN", "ASK_PAUSED", "ASK_CANCELLED"] as const)
    assert.equal(askWords({ status, expiry: 100 }, 100).label, "expired", status);
  assert.equal(askWords({ status: "ASK_OPEN", expiry: 100 }, 99).label, "open");
  assert.equal(askWords({ status: "ASK_TAKEN", expiry: 100 }, 100).label, "taken");
});

test("S-21: a bid that names its seller is not offered to others", () => {
  const deadlines = { ...NO_DEADLINES, accept_bid_by: 50 };
  const bid = { ...NOTHING, status: "BID_OPEN", terms_error: null, deadlines } as const;
  assert.match(bidWords({ ...bid, seller_evm: null }, 1).sentence, /A seller can accept/);
  assert.match(
    bidWords({ ...bid, seller_evm: `0x${"ab".repeat(20)}` }, 1).sentence,
    /Only the seller whom it names/,
  );
});

test("P-65: an expired listing is said to be buyable until its output is spent, and expiry closes none", () => {
  assert.match(LISTING_WORDS.expired_open.sentence, /can still be bought/);
  assert.doesNotMatch(reasonWords("LISTING_CLOSED"), /expir/);
});

test("P-65: a listing with an expiry says how many blocks it is offered for, while they are known and left", () => {
  assert.equal(offeredUntil(null, 5), "it is sold or taken back");
  assert.equal(offeredUntil("120", 100), "block 120, in 20 blocks");
  assert.equal(offeredUntil("101", 100), "block 101, in 1 block");
  for (const tip of [null, 120, 121]) assert.equal(offeredUntil("120", tip), "block 120");
});

test("P-24: an operation that the protocol does not know is not called like one that it knows", () => {
  assert.equal(operationWords("mint"), "Mint");
  for (const op of ["Mint", "Buy", "valid"]) assert.equal(operationWords(op), `“${op}”`);
});

test("P-60, P-63: whoever is refused a purchase is told that what the transaction paid is paid", () => {
  assert.match(afterRefusal("send"), /received no units.*paid all the same/);
  assert.match(afterRefusal("transfer"), /moved no units/);
});

test("P-15, P-60, P-66: who buys is told of depth, of places, and whose address it has to be", () => {
  assert.match(BUYING_CAUTION, /for whose own key your wallet signs/);
  assert.match(BUYING_CAUTION, /13 blocks/);
  assert.match(BUYING_CAUTION, /keep their places/);
});

test("P-60: what was too little is what the seller is to receive, which is less than the price", () => {
  assert.doesNotMatch(reasonWords("SELLER_UNDERPAID"), /price/);
});

const claimed = (final: boolean) => ({ ...NOTHING, evm_leg: { state: "claimed", final } }) as const;

test("S-51: an order that is settled is not said to have given the buyer anything", () => {
  const settled = {
    ...claimed(true),
    status: "SETTLED",
    terms_error: null,
    seller_evm: null,
    deadlines: NO_DEADLINES,
  } as const;
  assert.equal(bidWords(settled, 0).sentence, dealWords(settled).sentence);
  assert.match(dealWords(settled).sentence, /could take/);
});

test("S-51: an end whose block is not final is not called one, neither of a deal nor of a bid", () => {
  const over = dealWords({ ...claimed(true), status: "SETTLED" });
  const young = dealWords({ ...claimed(false), status: "SETTLED" });
  assert.deepEqual([over.label, over.tone], ["settled", "good"]);
  assert.deepEqual([young.label, young.tone], ["settled, not final", "busy"]);
  assert.match(young.sentence, /can still be replaced/);
  const bid = { ...claimed(false), terms_error: null, seller_evm: null, deadlines: NO_DEADLINES };
  for (const status of ["SETTLED", "USDC_REFUNDED", "BID_CANCELLED"] as const)
    assert.match(bidWords({ ...bid, status }, 0).label, /, not final$/, status);
  assert.equal(bidWords({ ...bid, status: "BID_ACCEPTED" }, 0).label, "accepted");
});

test("S-23: nobody is said to have USDC that the token refused to pay out", () => {
  const evm_credit = { account: `0x${"ab".repeat(20)}`, amount: "5" } as const;
  for (const status of ["SETTLED", "USDC_REFUNDED"] as const)
    assert.match(dealWords({ ...claimed(true), evm_credit, status }).sentence, /the escrow owes/i, status);
});

test("S-54: what only a client knows of a step stands beside it", () => {
  assert.match(ACTION_WORDS.lock_pearl.caution ?? "", /spends an input of each earlier one/);
  assert.match(ACTION_WORDS.lock_pearl.caution ?? "", /smaller ones are not added up/, "S-15");
  for (const action of ["accept_bid", "lock_pearl"] as const)
    assert.match(ACTION_WORDS[action].caution ?? "", /terms that your wallet has from the contract/, action);
  assert.match(ACTION_WORDS.refund_cooperative.caution ?? "", /can still be mined/);
  assert.match(ACTION_WORDS.claim_pearl.caution ?? "", /verify-lock/, "S-60");
  assert.match(ACTION_WORDS.lock_usdc.caution ?? "", /hashlock, key, amounts and times/, "S-41");
  assert.match(ACTION_WORDS.lock_usdc.caution ?? "", /no way back before the USDC refund time/, "S-21");
});
