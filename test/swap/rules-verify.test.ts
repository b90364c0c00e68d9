// Every reason code of S-60 and S-61 in its place: a subject that has a fault and all later ones answers the first;
// mending the faults one by one walks through the list to "verified".

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { addressOfKey } from "../../src/primitives/address.ts";
import type { Outpoint, ScriptHex, Txid } from "../../src/primitives/brands.ts";
import type { HtlcOutput } from "../../src/swap/facts.ts";
import {
  EVM_REFUND_REASONS,
  isRetryable,
  LOCK_REASONS,
  NO_VERDICT_REASONS,
  REFUND_REASONS,
  RELEASE_REASONS,
} from "../../src/swap/reasons.ts";
import { judgeRelease, verifyEvmRefund, verifyRefund } from "../../src/swap/verify-settlement.ts";
import { profileOf, type EvaluationContext, type SwapSubject } from "../../src/swap/subject.ts";
import { chooseLock, verifyLock } from "../../src/swap/verify-lock.ts";
import type { FoundLockTransaction, NamedOutpoint } from "../../src/swap/verify-lock.ts";
import {
  BUYER_ADDRESS,
  FOREIGN_SECRET,
  FULL,
  hex32Of,
  context,
  knownOf,
  namedRefund,
  order,
  outpointNo,
  output,
  PEARL_TIP,
  RULES,
  SCRIPT,
  spentBy,
  subject,
  T_E,
  T_P,
  TERMS,
  tips,
  confirmed,
  IN_MEMPOOL,
} from "./rules-subjects.ts";

/** What the node gives of a transaction. */
type FoundInputs = NonNullable<Parameters<typeof namedRefund>[2]>;

const M = 100 * 60;
const FOREIGN = `5120${"99".repeat(32)}` as ScriptHex;
const NAMED: NamedOutpoint = { txid: hex32Of(1) as Txid, vout: 1 };

function lock(
  given: SwapSubject,
  at: EvaluationContext,
  named: NamedOutpoint | null = null,
  found: FoundLockTransaction | null = null,
  hint: NamedOutpoint | null = null,
) {
  return verifyLock(given, at, RULES, chooseLock(given, named, hint, knownOf(given)), found);
}

/** Margin too small, and now one second too late for revealing. */
const LATE_TERMS = { ...TERMS, evmRefundTime: T_E - 1 };
const LATE = context({ now: T_P - M + 1 });

function refund(given: SwapSubject, of: Txid | null, found: FoundInputs | null = null) {
  return verifyRefund(given, context(), RULES, of === null ? null : namedRefund(given, of, found));
}

const spent = (path: "claim" | "refund", confirmations: number): SwapSubject =>
  subject({ outputs: [output(1, { spend: spentBy(path, confirmations) })] });

const spends = (...inputs: Outpoint[]): FoundInputs => ({ inputs });

const claimed = (confirmations: number, more = {}): HtlcOutput =>
  output(1, { spend: { ...spentBy("claim", confirmations), ...more } });

describe("S-60: verify-lock answers the first reason of its list", () => {
  type Step = readonly [
    reason: string | null,
    subject: SwapSubject,
    at: EvaluationContext,
    named: NamedOutpoint | null,
    found: FoundLockTransaction | null,
  ];
  const notFinal = { locked: 951, accepted: 951, closed: 951 };
  const badOutput = { outputs: [{ amountSat: 1n, script: FOREIGN }], coinbase: true, height: null };
  const bad = { keysValid: false, secret: FOREIGN_SECRET };
  const live = { order: order("accepted", {}, LATE_TERMS), secret: FOREIGN_SECRET };
  const known = (more: Partial<HtlcOutput>): SwapSubject =>
    subject({ ...live, outputs: [output(1, { vout: 1, ...more })] });
  const two = (second: Partial<{ amountSat: bigint; script: ScriptHex }>, coinbase = false) => ({
    outputs: [...badOutput.outputs, { amountSat: 1n, script: FOREIGN, ...second }],
    coinbase,
    height: null,
  });
  const steps: readonly Step[] = [
    ["EVM_ESCROW_NOT_FOUND", subject({ ...bad, order: null, terms: LATE_TERMS }), LATE, null, null],
    [
      "EVM_ESCROW_CLOSED",
      subject({ ...bad, order: order("refunded-unaccepted", notFinal, LATE_TERMS) }),
      LATE,
      null,
      null,
    ],
    [
      "EVM_ESCROW_CANCELLABLE",
      subject({ ...bad, order: order("locked", notFinal, LATE_TERMS) }),
      LATE,
      null,
      null,
    ],
    [
      "EVM_ESCROW_UNFINALIZED",
      subject({ ...bad, order: order("accepted", notFinal, LATE_TERMS) }),
      LATE,
      null,
      null,
    ],
    ["PUBKEY_INVALID", subject({ ...live, keysValid: false }), LATE, null, null],
    ["LOCK_NOT_SUBMITTED", subject(live), LATE, null, null],
    ["LOCK_TX_NOT_FOUND", subject(live), LATE, NAMED, null],
    ["LOCK_VOUT_OUT_OF_RANGE", subject(live), LATE, NAMED, badOutput],
    ["LOCK_IS_COINBASE", subject(live), LATE, NAMED, two({}, true)],
    ["TAPROOT_COMMITMENT_MISMATCH", subject(live), LATE, NAMED, two({})],
    ["LOCK_AMOUNT_TOO_LOW", subject(live), LATE, NAMED, two({ script: SCRIPT, amountSat: FULL - 1n })],
    ["LOCK_OUTPUT_SPENT", known({ ...IN_MEMPOOL, spend: spentBy("claim", 0) }), LATE, NAMED, null],
    ["LOCK_UNCONFIRMED", known(IN_MEMPOOL), LATE, NAMED, null],
    ["LOCK_CONFIRMATIONS_INSUFFICIENT", known(confirmed(12)), LATE, NAMED, null],
    ["REFUND_TIME_TOO_CLOSE", known(confirmed(13)), LATE, NAMED, null],
    ["TIMELOCK_MARGIN_TOO_SMALL", known(confirmed(13)), context({ now: T_P - M }), NAMED, null],
    [null, subject({ outputs: [output(1, confirmed(13))] }), context({ now: T_P - M }), null, null],
  ];

  test("the steps are the whole list, in its order", () => {
    assert.deepEqual(
      steps.map(([reason]) => reason),
      [...LOCK_REASONS, null],
    );
  });
  for (const [reason, given, at, named, found] of steps) {
    test(reason ?? "verified", () => {
      const verdict = lock(given, at, named, found);
      assert.equal(verdict.reason, reason);
      assert.equal(verdict.verified, reason === null);
    });
  }

  const more: readonly Step[] = [
    ["EVM_ESCROW_CLOSED", subject({ order: order("claimed") }), LATE, null, null],
    ["EVM_ESCROW_CLOSED", subject({ order: order("cancelled") }), LATE, null, null],
    ["LOCK_OUTPUT_SPENT", known({ spend: spentBy("refund", 1) }), LATE, NAMED, null],
    ["LOCK_IS_COINBASE", known({ coinbase: true }), LATE, NAMED, null],
    ["LOCK_AMOUNT_TOO_LOW", known({ amountSat: FULL - 1n }), LATE, NAMED, null],
    ["LOCK_TX_NOT_FOUND", known({ mined: null }), LATE, NAMED, null],
    ["LOCK_CONFIRMATIONS_INSUFFICIENT", known(confirmed(1)), LATE, NAMED, null],
    // Our script in a block that the index has not read: what spends it is unknown, so it never verifies.
    [
      "LOCK_UNCONFIRMED",
      subject(),
      context({ now: T_P - M }),
      NAMED,
      { ...two({ script: SCRIPT, amountSat: FULL }), height: PEARL_TIP - 50 },
    ],
  ];
  for (const [i, [reason, given, at, named, found]] of more.entries()) {
    test(`${reason} (${i})`, () => assert.equal(lock(given, at, named, found).reason, reason));
  }
});

describe("S-60: which outpoint verify-lock judges", () => {
  const hint: NamedOutpoint = { txid: hex32Of(8) as Txid, vout: 3 };
  test("the body's, else the lock, else the hint, else none", () => {
    const given = subject({ outputs: [output(1), output(2, { amountSat: 1n })] });
    const dust = { txid: hex32Of(2) as Txid, vout: 0 };
    const known = knownOf(given);
    const ofDust = { from: "facts", output: output(2, { amountSat: 1n }), script: SCRIPT };
    assert.deepEqual(chooseLock(given, dust, hint, known), ofDust);
    assert.deepEqual(chooseLock(given, NAMED, hint, known), { from: "node", outpoint: NAMED });
    assert.deepEqual(chooseLock(given, null, hint, known), { from: "facts", output: output(1) });
    assert.deepEqual(chooseLock(subject(), null, hint, known), { from: "node", outpoint: hint });
    assert.equal(chooseLock(subject(), null, null, known), null);
  });
});

describe("S-60: details", () => {
  test("of a verified lock, with at most 60 s and never past T_p - M", () => {
    const given = subject({ outputs: [output(1)] });
    const address = addressOfKey("77".repeat(32), "rprl");
    const at = context({ now: T_P - M - 61 });
    assert.deepEqual(lock(given, at).details, {
      claim_script_present: true,
      refund_script_present: true,
      internal_key_nums: true,
      expected_script_hex: SCRIPT,
      actual_script_hex: SCRIPT,
      expected_address: address,
      actual_address: address,
      expected_amount_sat: "500000",
      actual_amount_sat: "500000",
      confirmations_have: 20,
      confirmations_need: 13,
      secret_public: false,
      valid_until: T_P - M - 1,
      retryable: false,
    });
    assert.equal(lock(given, context({ now: T_P - M - 60 })).details.valid_until, T_P - M);
    assert.equal(lock(given, context({ now: T_P - M - 5 })).details.valid_until, T_P - M);
  });

  test("a verdict is good for 60 s of the service's clock, however far a block's time is ahead of it", () => {
    const given = subject({ outputs: [output(1)] });
    const at = context({ now: T_P - M - 900, clock: T_P - M - 1800 });
    assert.equal(lock(given, at).details.valid_until, T_P - M - 1740);
    assert.equal(lock(given, { ...at, now: T_P - M }).details.valid_until, T_P - M - 1740);
  });

  test("of a foreign script: what was expected and what is there", () => {
    const found = { outputs: [{ amountSat: 7n, script: FOREIGN }], coinbase: false, height: PEARL_TIP };
    const { details, reason } = lock(subject(), context(), { ...NAMED, vout: 0 }, found);
    assert.equal(reason, "TAPROOT_COMMITMENT_MISMATCH");
    assert.equal(details.claim_script_present, false);
    assert.equal(details.internal_key_nums, false);
    assert.equal(details.actual_script_hex, FOREIGN);
    assert.equal(details.actual_address, addressOfKey("99".repeat(32), "rprl"));
    assert.equal(details.actual_amount_sat, "7");
    assert.equal(details.confirmations_have, 1);
    assert.equal(details.valid_until, null);
  });

  test("a script of another kind has no address; what is unknown is null", () => {
    const script = `6a20${"00".repeat(32)}` as ScriptHex;
    const found = { outputs: [{ amountSat: 7n, script }], coinbase: false, height: null };
    assert.equal(lock(subject(), context(), { ...NAMED, vout: 0 }, found).details.actual_address, null);
    const { details } = lock(subject({ order: null, keysValid: false }), context());
    assert.equal(details.expected_script_hex, null);
    assert.equal(details.expected_address, null);
    assert.equal(details.actual_amount_sat, null);
    assert.equal(details.confirmations_have, 0);
  });

  test("closed orders say how", () => {
    for (const state of ["claimed", "refunded", "cancelled"] as const) {
      assert.equal(lock(subject({ order: order(state) }), context()).details.state, state);
    }
    assert.equal("state" in lock(subject(), context()).details, false);
  });

  test("secret_public", () => {
    const given = subject({ outputs: [output(1)], secret: FOREIGN_SECRET });
    assert.equal(lock(given, context()).details.secret_public, true);
  });
});

describe("S-61: verify-refund", () => {
  const txid = hex32Of(0xf1) as Txid;
  const other = hex32Of(0xdd) as Txid;
  const claimTxid = hex32Of(0xc1) as Txid;

  const cases: readonly [string | null, SwapSubject, Txid | null, FoundInputs | null][] = [
    ["REFUND_NOT_FOUND", subject({ order: null }), txid, null],
    ["REFUND_NOT_FOUND", subject({ order: null }), null, null],
    ["REFUND_NOT_FOUND", subject(), null, null],
    ["REFUND_NOT_FOUND", subject({ outputs: [output(1)] }), null, null],
    ["REFUND_TX_NOT_FOUND", spent("claim", 0), other, null],
    ["REFUND_DOES_NOT_SPEND_LOCK", spent("claim", 0), other, spends(outpointNo(9), outpointNo(1, 1))],
    ["REFUND_IS_CLAIM_PATH", spent("claim", 0), null, null],
    ["REFUND_IS_CLAIM_PATH", spent("claim", 0), claimTxid, null],
    ["REFUND_UNCONFIRMED", spent("refund", 0), null, null],
    ["REFUND_UNCONFIRMED", spent("refund", 12), txid, null],
    [null, spent("refund", 13), txid, null],
    [null, spent("refund", 13), null, null],
    // Seen by the node, not by the index yet.
    ["REFUND_UNCONFIRMED", subject({ outputs: [output(1)] }), other, spends(outpointNo(9), outpointNo(1))],
  ];
  for (const [i, [reason, given, of, found]] of cases.entries()) {
    test(`${reason ?? "verified"} (${i})`, () => assert.equal(refund(given, of, found).reason, reason));
  }

  test("of several full ones without a txid, the first that the refund leaf has not spent", () => {
    const back = output(1, { spend: spentBy("refund", 13) });
    const open = output(2);
    assert.equal(refund(subject({ outputs: [back, open] }), null).reason, "REFUND_NOT_FOUND");
    const dust = output(3, { amountSat: 1n });
    assert.equal(refund(subject({ outputs: [back, dust] }), null).reason, null);
  });

  test("the refund of dust proves nothing while a full output is there", () => {
    const dust = output(3, { amountSat: 1n, spend: spentBy("refund", 13) });
    assert.equal(refund(subject({ outputs: [dust, output(1)] }), txid).reason, "REFUND_DOES_NOT_SPEND_LOCK");
    assert.equal(refund(subject({ outputs: [dust] }), txid).reason, null);
  });

  test("details: confirmations are the spend's, the output is the lock", () => {
    const { details } = refund(spent("refund", 5), null);
    assert.deepEqual([details.confirmations_have, details.confirmations_need], [5, 13]);
    assert.deepEqual([details.actual_amount_sat, details.internal_key_nums], ["500000", true]);
    assert.deepEqual([details.retryable, details.valid_until], [true, null]);
  });

  test("every reason is in a case", () => {
    assert.deepEqual(new Set(cases.map(([reason]) => reason)), new Set([...REFUND_REASONS, null]));
  });
});

describe("S-61: verify-evm-refund", () => {
  const cases = [
    ["EVM_REFUND_NOT_FOUND", null],
    ["EVM_ALREADY_CLAIMED", order("claimed")],
    ["EVM_ORDER_CANCELLED", order("cancelled")],
    ["EVM_ESCROW_STILL_LOCKED", order("accepted")],
    ["EVM_REFUND_UNFINALIZED", order("refunded", { closed: 951 })],
    [null, order("refunded", { closed: 950 })],
  ] as const;
  for (const [reason, facts] of cases) {
    test(reason ?? "verified", () => {
      assert.equal(verifyEvmRefund(subject({ order: facts }), context(), RULES).reason, reason);
    });
  }
  test("a bid that is only locked is still locked; confirmations are the closing event's", () => {
    const locked = verifyEvmRefund(subject({ order: order("locked") }), context(), RULES);
    assert.equal(locked.reason, "EVM_ESCROW_STILL_LOCKED");
    assert.equal(locked.details.confirmations_have, 0);
    const at = context({ tips: tips({ need: 7 }) });
    const refunded = verifyEvmRefund(subject({ order: order("refunded", { closed: 995 }) }), at, RULES);
    assert.deepEqual([refunded.reason, refunded.details.confirmations_have], ["EVM_REFUND_UNFINALIZED", 6]);
    assert.equal(refunded.details.confirmations_need, 7);
    assert.deepEqual(
      [...EVM_REFUND_REASONS, null],
      cases.map(([reason]) => reason),
    );
  });
});

describe("S-61: release", () => {
  const elsewhere = { outputScripts: [FOREIGN] };
  const known = { secret: FOREIGN_SECRET, buyerPearlAddress: BUYER_ADDRESS, isBuyerAddressFromTake: true };
  const noTake = { ...known, isBuyerAddressFromTake: false };
  const cases: readonly [string | null, boolean | null, SwapSubject][] = [
    [null, null, subject()],
    [null, null, subject({ outputs: [output(1, IN_MEMPOOL)] })],
    ["RELEASE_NOT_FOUND", false, subject({ outputs: [output(1)] })],
    // A spend in the mempool is one: of 0 confirmations, and judged by where it goes.
    ["RELEASE_UNCONFIRMED", false, subject({ ...known, outputs: [claimed(0)] })],
    ["RELEASE_DESTINATION_MISMATCH", false, subject({ ...known, outputs: [claimed(0, elsewhere)] })],
    ["RELEASE_IS_REFUND_PATH", false, subject({ outputs: [output(1, { spend: spentBy("refund", 1) })] })],
    ["SECRET_NOT_FOUND", false, subject({ ...known, secret: null, outputs: [claimed(1, elsewhere)] })],
    ["RELEASE_DESTINATION_MISMATCH", false, subject({ ...known, outputs: [claimed(1, elsewhere)] })],
    ["RELEASE_UNCONFIRMED", false, subject({ ...known, outputs: [claimed(12)] })],
    [null, true, subject({ ...known, outputs: [claimed(13)] })],
    // Where no take gave an address, any that the buyer's key fits will do, and no other: not one by accept-lock.
    [null, true, subject({ ...noTake, outputs: [claimed(13)] })],
    [null, true, subject({ ...noTake, buyerPearlAddress: null, outputs: [claimed(13)] })],
    ["RELEASE_DESTINATION_MISMATCH", false, subject({ ...noTake, outputs: [claimed(13, elsewhere)] })],
    [null, true, subject({ ...noTake, buyerScripts: [SCRIPT, FOREIGN], outputs: [claimed(13, elsewhere)] })],
    [
      "RELEASE_DESTINATION_MISMATCH",
      false,
      subject({ ...known, buyerScripts: [FOREIGN], outputs: [claimed(13, elsewhere)] }),
    ],
  ];
  for (const [i, [reason, verified, given]] of cases.entries()) {
    test(`${reason ?? String(verified)} (${i})`, () => {
      const profile = profileOf(RULES, given.terms.usdcAmount);
      assert.deepEqual(judgeRelease(given, profile, tips()), { verified, reason });
    });
  }
  test("every reason is in a case", () => {
    const found = cases.flatMap(([reason]) => (reason === null ? [] : [reason]));
    assert.deepEqual([...new Set(found)].toSorted(), [...RELEASE_REASONS].toSorted());
  });
});

describe("S-62: retryable", () => {
  test("exactly the codes of the list", () => {
    const all = [...NO_VERDICT_REASONS, ...LOCK_REASONS, ...REFUND_REASONS, ...EVM_REFUND_REASONS];
    assert.deepEqual(all.filter(isRetryable), [
      "PEARL_NODE_UNAVAILABLE",
      "EVM_RPC_UNAVAILABLE",
      "INDEXER_NOT_SYNCED",
      "EVM_ESCROW_NOT_FOUND",
      "EVM_ESCROW_CANCELLABLE",
      "EVM_ESCROW_UNFINALIZED",
      "LOCK_NOT_SUBMITTED",
      "LOCK_TX_NOT_FOUND",
      "LOCK_UNCONFIRMED",
      "LOCK_CONFIRMATIONS_INSUFFICIENT",
      "REFUND_TX_NOT_FOUND",
      "REFUND_NOT_FOUND",
      "REFUND_UNCONFIRMED",
      "EVM_REFUND_NOT_FOUND",
      "EVM_ESCROW_STILL_LOCKED",
      "EVM_REFUND_UNFINALIZED",
    ]);
  });
});
