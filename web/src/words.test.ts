// What a status says to people. A status knows no clock, no lag and no second node (S-51), so its words permit nothing:
// what may be done until when is said by the next actions alone.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ACTION_WORDS,
  ASK_WORDS,
  bidWords,
  BUYING_CAUTION,
  dealWords,
  LISTING_WORDS,
  reasonWords,
} from "./words.ts";

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
    const { sentence } = dealWords({ status, expired: false });
    assert.match(sentence, /only while that is among what is to be done/, status);
    assert.doesNotMatch(sentence, /\bmay\b|awaited/, status);
  }
});

test("S-51: a lock that is seen is called neither locked nor merely young: it may be too small", () => {
  const { sentence } = dealWords({ status: "LOCK_SUBMITTED", expired: false });
  assert.match(sentence, /too small/);
});

test("S-33: an ask that is cancelled or paused here is not said to be out of the contract's reach", () => {
  for (const status of ["ASK_PAUSED", "ASK_CANCELLED"] as const)
    assert.match(ASK_WORDS[status].sentence, /not offered here/, status);
});

test("P-65: an expired listing is said to be buyable until its output is spent, and expiry closes none", () => {
  assert.match(LISTING_WORDS.expired_open.sentence, /can still be bought/);
  assert.doesNotMatch(reasonWords("LISTING_CLOSED"), /expir/);
});

test("P-66, P-60: who buys is told of depth and of places", () => {
  assert.match(BUYING_CAUTION, /13 blocks/);
  assert.match(BUYING_CAUTION, /keep their places/);
});

test("P-60: what was too little is what the seller is to receive, which is less than the price", () => {
  assert.doesNotMatch(reasonWords("SELLER_UNDERPAID"), /price/);
});

test("S-51: an order that is settled is not said to have given the buyer anything", () => {
  const settled = { status: "SETTLED", terms_error: null, deadlines: NO_DEADLINES } as const;
  assert.equal(bidWords(settled, 0).sentence, dealWords({ status: "SETTLED", expired: false }).sentence);
});

test("S-54: what only a client knows of a step stands beside it", () => {
  assert.match(ACTION_WORDS.lock_pearl.caution ?? "", /spends an input of each earlier one/);
  assert.match(ACTION_WORDS.refund_cooperative.caution ?? "", /can still be mined/);
  assert.match(ACTION_WORDS.claim_pearl.caution ?? "", /verify-lock/, "S-60");
  assert.match(ACTION_WORDS.lock_usdc.caution ?? "", /hashlock, key, amounts and times/, "S-41");
  assert.match(ACTION_WORDS.lock_usdc.caution ?? "", /no way back before the USDC refund time/, "S-21");
});
