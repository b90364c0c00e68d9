// Only what the rules allow may be posted, and only with settings that they allow: profiles (S-02, S-03), asks (S-32,
// S-34) and takes (S-40, S-41).

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Bytes32, EvmAddress } from "../../src/primitives/brands.ts";
import { fundedFlags, fundingNeed, type FundingAsk } from "../../src/swap/funding.ts";
import { judgeAskBalance, judgeAskSignatures, judgeAskTerms, judgeNewAsk } from "../../src/swap/judge-ask.ts";
import { judgeTake, planTake } from "../../src/swap/judge-take.ts";
import type { TakeLookups, TakeRequest, TakeState } from "../../src/swap/judge-take.ts";
import {
  DEFAULT_PROFILES,
  marginInForce,
  parseProfiles,
  profileFaults,
  type ProfileSettings,
} from "../../src/swap/profiles.ts";
import {
  ASK_RECORD,
  BUYER,
  BUYER_ADDRESS,
  HASH,
  hex32Of,
  context,
  RULES,
  SELLER,
  SELLER_ADDRESS,
  T_E,
  T_P,
  TERMS,
} from "./rules-subjects.ts";

const HOUR = 3600;

const entry = (name: string, more = {}) => ({
  name,
  k: 2,
  reveal_margin_s: 60,
  lock_margin_s: 400,
  take_min_s: 9000,
  ...more,
});

const ask = (n: number, amount: bigint, more: Partial<FundingAsk> = {}, createdAt = n): FundingAsk => ({
  record: {
    ...ASK_RECORD,
    askId: `0x${hex32Of(n)}` as Bytes32,
    createdAt,
    terms: { ...ASK_RECORD.terms, pearlAmountSat: amount },
  },
  status: "ASK_OPEN",
  isLockAwaited: false,
  ...more,
});

const judgeBoth = (isValid: boolean, ...given: ["absent" | "valid" | "invalid", boolean]) => {
  const judged = judgeAskSignatures(isValid ? "0x" : null, ...given);
  return judged.ok ? undefined : judged.error.code;
};

describe("S-02, S-03: profiles and the margin", () => {
  const good: ProfileSettings = {
    network: "mainnet",
    profiles: DEFAULT_PROFILES,
    swapMarginS: 6 * HOUR,
    takeTtlS: 1200,
  };
  const { large } = DEFAULT_PROFILES;
  const withLarge = (more: object, network = "mainnet"): ProfileSettings => ({
    ...good,
    network,
    profiles: { ...DEFAULT_PROFILES, large: { ...large, ...more } },
  });

  test("the defaults are the table of S-03, and pass", () => {
    assert.deepEqual(DEFAULT_PROFILES, {
      large: { name: "large", k: 13, revealMarginS: 6000, lockMarginS: 11580, takeMinS: 18000 },
      small: { name: "small", k: 6, revealMarginS: 4500, lockMarginS: 8220, takeMinS: 14400 },
    });
    assert.deepEqual(profileFaults(good), []);
  });

  test("the margin: at least 6 h, on simnet and regtest as configured, nowhere below 4 h", () => {
    assert.equal(marginInForce("mainnet", 4 * HOUR), 6 * HOUR);
    assert.equal(marginInForce("testnet2", 7 * HOUR), 7 * HOUR);
    assert.equal(marginInForce("simnet", 4 * HOUR), 4 * HOUR);
    assert.equal(profileFaults({ ...good, network: "simnet", swapMarginS: 4 * HOUR }).length, 0);
    for (const network of ["mainnet", "simnet"]) {
      assert.equal(profileFaults({ ...good, network, swapMarginS: 4 * HOUR - 1 }).length, 1);
    }
  });

  test("values may be raised everywhere, lowered on simnet and regtest alone", () => {
    assert.deepEqual(profileFaults(withLarge({ k: 20, takeMinS: 40_000 })), []);
    for (const field of ["k", "revealMarginS", "lockMarginS", "takeMinS"] as const) {
      const lowered = { [field]: large[field] - 1 };
      assert.equal(profileFaults(withLarge(lowered)).length, 1, field);
      assert.deepEqual(profileFaults(withLarge(lowered, "regtest")), [], field);
    }
  });

  const play = (more: object) => profileFaults(withLarge(more, "simnet")).length;

  test("start-up refuses what leaves no room", () => {
    const low = { k: 1, revealMarginS: 60, lockMarginS: 360 };
    assert.equal(play({ ...low, takeMinS: 2 * HOUR + 1200 + 600 }), 0);
    assert.equal(play({ ...low, takeMinS: 2 * HOUR + 1200 + 599 }), 1);
    assert.equal(play({ ...low, lockMarginS: 20_000, takeMinS: 20_000 + 1200 + 1200 }), 0);
    assert.equal(play({ ...low, lockMarginS: 20_000, takeMinS: 20_000 + 1200 + 1199 }), 1);
    assert.equal(play({ ...low, lockMarginS: 359, takeMinS: 18_000 }), 1);
  });

  test("SWAP_PROFILES is read strictly", () => {
    const parsed = parseProfiles(JSON.stringify([entry("small"), entry("large", { k: 3 })]));
    assert.ok(parsed.ok);
    assert.deepEqual(parsed.value.large, {
      name: "large",
      k: 3,
      revealMarginS: 60,
      lockMarginS: 400,
      takeMinS: 9000,
    });
    assert.equal(parsed.value.small.k, 2);
    const bad: readonly unknown[] = [
      "x",
      {},
      [entry("small")],
      [entry("small"), entry("small")],
      [entry("small"), entry("large"), entry("large")],
      [entry("small"), entry("huge")],
      [entry("small"), entry("large", { k: 1.5 })],
      [entry("small"), entry("large", { k: "13" })],
      [entry("small"), entry("large", { lock_margin_s: -1 })],
      [entry("small"), entry("large", { k: 0 })],
      [entry("small"), null],
    ];
    for (const value of bad)
      assert.equal(parseProfiles(JSON.stringify(value)).ok, false, JSON.stringify(value));
    assert.equal(parseProfiles("[{").ok, false);
  });
});

describe("S-34: which asks a balance pays for", () => {
  const group = [
    ask(4, 10n),
    ask(1, 50n),
    ask(2, 40n, { status: "ASK_PAUSED" }),
    ask(3, 30n, { status: "ASK_TAKEN", isLockAwaited: true }),
    ask(5, 500n, { status: "ASK_TAKEN" }),
    ask(6, 500n, { status: "ASK_CANCELLED" }),
  ];
  const flags = (balance: bigint): string =>
    [...fundedFlags(group, balance)]
      .map(([id, isFunded]) => `${Number(id)}${isFunded ? "+" : "-"}`)
      .join(" ");

  test("oldest first while the running sum is at most the balance", () => {
    assert.equal(flags(130n), "1+ 2+ 3+ 4+");
    assert.equal(flags(129n), "1+ 2+ 3+ 4-");
    assert.equal(flags(119n), "1+ 2+ 3- 4-");
    assert.equal(flags(50n), "1+ 2- 3- 4-");
    assert.equal(flags(49n), "1- 2- 3- 4-");
  });

  test("at equal age by ask id", () => {
    const same = fundedFlags([ask(9, 10n, {}, 1), ask(8, 10n, {}, 1)], 10n);
    assert.deepEqual([...same.values()], [true, false]);
    assert.equal([...same.keys()][0], `0x${hex32Of(8)}`);
  });

  const of = (n: number, amount: bigint, seller: EvmAddress, isProven: boolean): FundingAsk => {
    const made = ask(n, amount);
    const terms = { ...made.record.terms, seller };
    return { ...made, record: { ...made.record, terms, pearlKeyProven: isProven } };
  };
  const stranger = `0x${"57".repeat(20)}` as EvmAddress;

  test("unproven asks count together, whoever their seller_evm is", () => {
    const both = [of(1, 60n, SELLER, false), of(2, 50n, stranger, false)];
    assert.deepEqual([...fundedFlags(both, 109n).values()], [true, false]);
    assert.deepEqual([...fundedFlags(both, 110n).values()], [true, true]);
    assert.equal(fundingNeed(of(3, 5n, BUYER, false).record, both), 115n);
  });

  test("a proven ask stands before older unproven ones, and is no part of another seller_evm's sum", () => {
    const all = [of(1, 60n, stranger, false), of(2, 50n, SELLER, true), of(3, 70n, BUYER, true)];
    const flagsAt = (balance: bigint) => Object.fromEntries(fundedFlags(all, balance));
    const [first, second, third] = all.map(({ record }) => record.askId as string);
    assert.ok(first !== undefined && second !== undefined && third !== undefined);
    assert.deepEqual(flagsAt(70n), { [first]: false, [second]: true, [third]: true });
    assert.deepEqual(flagsAt(69n), { [first]: false, [second]: true, [third]: false });
    assert.deepEqual(flagsAt(179n)[first], false);
    assert.deepEqual(flagsAt(180n)[first], true);
    assert.equal(fundingNeed(of(4, 5n, SELLER, true).record, all), 55n);
    assert.equal(fundingNeed(of(4, 5n, SELLER, false).record, all), 185n);
  });

  test("S-32: a new ask needs the others' sum and its own", () => {
    const { record } = ask(7, 20n);
    assert.equal(judgeAskBalance(record, group, 150n), null);
    assert.deepEqual(judgeAskBalance(record, group, 149n), {
      code: "ASK_INSUFFICIENT_SELLER_BALANCE",
      details: { needed_sat: "150", balance_sat: "149", proven_possible: false },
    });
    assert.equal(judgeAskBalance(record, group, null)?.code, "BALANCE_UNAVAILABLE");
  });
});

describe("S-32: POST asks, the first reason of its list", () => {
  const { terms } = ASK_RECORD;
  const now = terms.expiry - 1;
  const unready = { code: "INDEXER_NOT_SYNCED" as const, details: {} };
  const full = { all: 100_000, unproven: 10_000 };
  const worst = {
    now: terms.expiry,
    minNonce: 4n,
    isTaken: true,
    ofSeller: 50,
    isProven: false,
    kept: full,
    askMax: 100_000,
    unready,
  };

  test("minimum before the key's address", () => {
    const judge = (min: bigint, fits: boolean) => judgeAskTerms(terms, min, RULES, () => fits)?.code;
    assert.equal(judge(terms.usdcAmount + 1n, false), "ASK_BELOW_MIN_USDC");
    assert.equal(judge(terms.usdcAmount, false), "ASK_SELLER_PEARL_PUBKEY_MISMATCH");
    assert.equal(judge(terms.usdcAmount, true), undefined);
  });

  test("signature before proof", () => {
    assert.equal(judgeBoth(false, "invalid", true), "ASK_SELLER_SIGNATURE_INVALID");
    assert.equal(judgeBoth(true, "invalid", false), "ASK_PEARL_PROOF_INVALID");
    assert.equal(judgeBoth(true, "absent", true), "ASK_PEARL_PROOF_INVALID");
    assert.equal(judgeBoth(true, "absent", false), undefined);
    assert.equal(judgeBoth(true, "valid", true), undefined);
  });

  test("expiry, revoked nonce, taken, limit, not synced, in this order", () => {
    assert.equal(judgeNewAsk(terms, worst)?.code, "INVALID_REQUEST");
    assert.equal(typeof judgeNewAsk(terms, worst)?.details["expiry"], "string");
    assert.equal(judgeNewAsk(terms, { ...worst, now })?.code, "ASK_NONCE_REVOKED");
    assert.equal(judgeNewAsk(terms, { ...worst, now, minNonce: 3n })?.code, "ASK_TAKEN");
    const free = { ...worst, now, minNonce: 3n, isTaken: false };
    assert.equal(judgeNewAsk(terms, free)?.code, "ASK_LIMIT_REACHED");
    const fits = { ...free, ofSeller: 49, kept: { all: 99_999, unproven: 9_999 } };
    assert.equal(judgeNewAsk(terms, fits)?.code, "INDEXER_NOT_SYNCED");
    assert.equal(judgeNewAsk(terms, { ...fits, unready: null }), null);
  });

  test("50 of a seller, ASK_MAX in all, 10,000 without a proof: each alone, and what a proof would help", () => {
    const free = { ...worst, now, minNonce: 3n, isTaken: false, ofSeller: 0, unready: null };
    const fits = { ...free, kept: { all: 99_999, unproven: 9_999 } };
    const details = (more: Partial<typeof worst>) => judgeNewAsk(terms, { ...fits, ...more })?.details;
    assert.equal(details({}), undefined);
    assert.deepEqual(details({ ofSeller: 50 }), { limit: "seller", max: 50, proven_possible: false });
    assert.deepEqual(details({ kept: { all: 100_000, unproven: 0 } }), {
      limit: "all",
      max: 100_000,
      proven_possible: false,
    });
    const many = { all: 99_999, unproven: 10_000 };
    assert.deepEqual(details({ kept: many }), { limit: "unproven", max: 10_000, proven_possible: true });
    assert.equal(details({ kept: many, isProven: true }), undefined);
    assert.deepEqual(details({ askMax: 7, isProven: true })?.["limit"], "all");
  });

  test("expiry in (now, now + 30 d]", () => {
    const fine = {
      ...worst,
      minNonce: 0n,
      isTaken: false,
      ofSeller: 0,
      kept: { all: 0, unproven: 0 },
      unready: null,
    };
    const life = 30 * 86_400;
    assert.equal(judgeNewAsk(terms, { ...fine, now: terms.expiry - life }), null);
    assert.equal(judgeNewAsk(terms, { ...fine, now: terms.expiry - life - 1 })?.code, "INVALID_REQUEST");
  });
});

describe("S-40, S-41: taking", () => {
  const request: TakeRequest = {
    buyerEvm: BUYER,
    buyerPearlAddress: BUYER_ADDRESS,
    buyerPearlKey: TERMS.buyerPearlKey,
    hashlock: TERMS.hashlock,
    pearlRefundTime: T_P,
    evmRefundTime: T_E,
    evmOrderHash: null,
    feeBps: null,
    feeRecipient: null,
    nonce: null,
    sellerPearlKey: null,
    sellerPearlAddress: null,
  };
  const lookups: TakeLookups = {
    keyFits: () => true,
    hashOf: () => HASH,
    isIndexed: () => false,
  };
  const elsewhere = `0x${hex32Of(1)}` as Bytes32;

  test("the terms are the ask's and the request's", () => {
    const planned = planTake(ASK_RECORD, request, lookups);
    assert.ok(planned.ok);
    assert.deepEqual(planned.value, { ask: ASK_RECORD, hash: HASH, terms: TERMS });
    const numbered = planTake(ASK_RECORD, { ...request, nonce: 7n }, lookups);
    assert.equal(numbered.ok && numbered.value.terms.nonce, 7n);
  });

  const code = (more: Partial<TakeRequest>, asked: Partial<TakeLookups> = {}) => {
    const planned = planTake(ASK_RECORD, { ...request, ...more }, { ...lookups, ...asked });
    return planned.ok ? "fits" : planned.error.code;
  };

  test("ask, shape, buyer's key, seller's key, named order, in this order", () => {
    const bad = {
      buyerEvm: ASK_RECORD.terms.seller,
      sellerPearlKey: elsewhere,
      evmOrderHash: elsewhere,
    };
    const misfit = { keyFits: () => false };
    const absent = planTake(null, { ...request, ...bad }, { ...lookups, ...misfit });
    assert.equal(!absent.ok && absent.error.code, "ASK_NOT_FOUND");
    assert.equal(code(bad, misfit), "INVALID_REQUEST");
    assert.equal(code({ ...bad, buyerEvm: BUYER }, misfit), "ASK_BUYER_PEARL_PUBKEY_MISMATCH");
    assert.equal(code({ ...bad, buyerEvm: BUYER }), "ASK_SELLER_PEARL_PUBKEY_MISMATCH");
    assert.equal(code({ evmOrderHash: elsewhere }), "CANONICAL_DEAL_NOT_FOUND");
  });

  test("each condition alone", () => {
    assert.equal(code({ feeBps: 201 }), "INVALID_REQUEST");
    assert.equal(code({ feeRecipient: BUYER }), "INVALID_REQUEST");
    assert.equal(code({ feeBps: 200, feeRecipient: ASK_RECORD.terms.feeRecipient }), "fits");
    // S-14: equal keys of both parties.
    assert.equal(code({ buyerPearlKey: ASK_RECORD.terms.sellerPearlKey }), "ASK_BUYER_PEARL_PUBKEY_MISMATCH");
    assert.equal(code({ sellerPearlAddress: BUYER_ADDRESS }), "ASK_SELLER_PEARL_PUBKEY_MISMATCH");
    assert.equal(
      code({ sellerPearlAddress: SELLER_ADDRESS, sellerPearlKey: ASK_RECORD.terms.sellerPearlKey }),
      "fits",
    );
    assert.equal(code({ evmOrderHash: HASH }), "CANONICAL_DEAL_NOT_FOUND");
    assert.equal(code({ evmOrderHash: HASH }, { isIndexed: () => true }), "fits");
    assert.equal(code({ evmOrderHash: elsewhere }, { isIndexed: () => true }), "CANONICAL_DEAL_NOT_FOUND");
  });

  test("status, hashlock, times, sync, in this order", () => {
    const unready = { code: "EVM_RPC_UNAVAILABLE" as const, details: {} };
    const now = T_P - 5 * HOUR;
    const worst: TakeState = {
      status: "ASK_TAKEN",
      isPreimageKnown: true,
      isHashlockUsed: true,
      context: context({ now: now + 1 }),
      evmHeadTime: now,
      unready,
    };
    const judge = (more: Partial<TakeState>, terms = TERMS) => judgeTake(terms, { ...worst, ...more }, RULES);
    assert.deepEqual(judge({}), { code: "ASK_PAUSED", details: { status: "ASK_TAKEN" } });
    assert.equal(judge({ status: "ASK_OPEN" })?.code, "HASHLOCK_REUSED");
    assert.equal(judge({ status: "ASK_OPEN", isPreimageKnown: false })?.code, "HASHLOCK_REUSED");
    const fresh = { status: "ASK_OPEN", isPreimageKnown: false, isHashlockUsed: false } as const;
    assert.equal(judge({ ...fresh, isPreimageKnown: true })?.code, "HASHLOCK_REUSED");
    const late = { ...TERMS, evmRefundTime: T_P - 1 };
    const bound = (more: Partial<TakeState>, terms = TERMS) => judge({ ...fresh, ...more }, terms);
    assert.deepEqual(bound({}, late), {
      code: "TIMELOCK_INVALID",
      details: { bound: "pearl_min", needed: T_P + 1 },
    });
    const inTime = { context: context({ now }) };
    assert.deepEqual(bound({ ...inTime, evmHeadTime: T_E - 72 * HOUR - 1 }), {
      code: "TIMELOCK_INVALID",
      details: { bound: "evm_max", needed: T_E - 1 },
    });
    const close = { ...TERMS, evmRefundTime: T_E - 1 };
    assert.deepEqual(bound(inTime, close)?.details, { bound: "margin", needed: T_E });
    assert.equal(bound({ ...inTime, evmHeadTime: T_E - 72 * HOUR })?.code, "EVM_RPC_UNAVAILABLE");
    assert.equal(bound({ ...inTime, unready: null }), null);
  });

  test("the small profile has its own least time", () => {
    const small = { ...TERMS, usdcAmount: 1_000_000_000n };
    const state: TakeState = {
      status: "ASK_OPEN",
      isPreimageKnown: false,
      isHashlockUsed: false,
      context: context({ now: T_P - 4 * HOUR }),
      evmHeadTime: T_P - 4 * HOUR,
      unready: null,
    };
    assert.equal(judgeTake(small, state, RULES), null);
    assert.equal(judgeTake(TERMS, state, RULES)?.details["bound"], "pearl_min");
  });
});
