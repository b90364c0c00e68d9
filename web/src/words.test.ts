// What a status says to people. A status knows no clock, no lag and no second node (S-51), so its words permit nothing:
// what may be done until when is said by the next actions alone.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ASK_WORDS, dealWords } from "./words.ts";

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
