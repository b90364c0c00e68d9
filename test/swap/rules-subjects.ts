// Subjects for tests of the swap rules: one builder with plain defaults, the same as plain JSON for the second model,
// and random ones whose numbers crowd around the bounds of the rules.

import * as fc from "../../testkit/properties.ts";
import { addressOfKey } from "../../src/primitives/address.ts";
import type {
  BlockHash,
  Bytes32,
  EvmAddress,
  Outpoint,
  PearlAddress,
  ScriptHex,
  Txid,
} from "../../src/primitives/brands.ts";
import type {
  EvmPlace,
  HtlcOutput,
  OrderFacts,
  PearlPlace,
  PreimageFact,
  SpendPath,
} from "../../src/swap/facts.ts";
import { LockOutputs } from "../../src/swap/lock-outputs.ts";
import { DEFAULT_PROFILES } from "../../src/swap/profiles.ts";
import type { AskRecord, TakeRecord } from "../../src/swap/records.ts";
import type { EvaluationContext, SwapRules, SwapSubject } from "../../src/swap/subject.ts";
import { ZERO_ADDRESS, ZERO_BYTES32, type Terms } from "../../src/swap/terms.ts";
import type { PlainSubject, PlainWorld } from "../../testkit/oracles/swap/index.ts";

export const T_P = 1_800_000_000;
export const T_E = T_P + 6 * 3600;
export const FULL = 500_000n;
const EVM_TIP = 1000;
export const PEARL_TIP = 500;
export const BUYER = `0x${"b1".repeat(20)}` as EvmAddress;
export const SELLER = `0x${"5e".repeat(20)}` as EvmAddress;
export const HASH = `0x${"0d".repeat(32)}` as Bytes32;
export const ASK_ID = `0x${"a5".repeat(32)}` as Bytes32;
export const SCRIPT = `5120${"77".repeat(32)}` as ScriptHex;
const BUYER_KEY = "21".repeat(32);
const BUYER_SCRIPT = `5120${BUYER_KEY}` as ScriptHex;
export const BUYER_ADDRESS: PearlAddress = addressOfKey(BUYER_KEY, "rprl");
export const SELLER_ADDRESS: PearlAddress = addressOfKey("22".repeat(32), "rprl");

export const RULES: SwapRules = {
  ...DEFAULT_PROFILES,
  smallDealUsdc: 1_000_000_000n,
  deltaS: 6 * 3600,
  hrp: "rprl",
  chainId: 31337,
  escrow: `0x${"e5".repeat(20)}`,
};

export const hex32Of = (byte: number): string => byte.toString(16).padStart(64, "0");

export function evmPlaceAt(block: number): EvmPlace {
  return {
    block,
    blockHash: `0x${hex32Of(block)}` as Bytes32,
    time: T_P - 40_000 + block,
    txHash: `0x${hex32Of(block + 70_000)}` as Bytes32,
    logIndex: 0,
  };
}

export function pearlPlaceAt(height: number, txIndex = 1): PearlPlace {
  return { height, blockHash: hex32Of(height) as BlockHash, time: T_P - 50_000 + height, txIndex };
}

export const TERMS: Terms = {
  buyer: BUYER,
  seller: SELLER,
  hashlock: `0x${"aa".repeat(32)}` as Bytes32,
  // Large: K = 13, M = 100 min, L = 193 min.
  usdcAmount: 2_000_000_000n,
  pearlAmountSat: FULL,
  buyerPearlKey: `0x${BUYER_KEY}` as Bytes32,
  sellerPearlKey: `0x${"22".repeat(32)}` as Bytes32,
  pearlRefundTime: T_P,
  evmRefundTime: T_E,
  feeBps: 200,
  feeRecipient: `0x${"fe".repeat(20)}` as EvmAddress,
  askId: ASK_ID,
  nonce: 0n,
};

export const BID_TERMS: Terms = {
  ...TERMS,
  seller: ZERO_ADDRESS,
  sellerPearlKey: ZERO_BYTES32,
  askId: ZERO_BYTES32,
};

export const ASK_RECORD: AskRecord = {
  askId: ASK_ID,
  terms: {
    seller: SELLER,
    sellerPearlAddress: SELLER_ADDRESS,
    sellerPearlKey: TERMS.sellerPearlKey,
    pearlAmountSat: FULL,
    usdcAmount: TERMS.usdcAmount,
    expiry: T_P - 10_000,
    feeBps: 200,
    feeRecipient: TERMS.feeRecipient,
    nonce: 3n,
  },
  signature: `0x${"5f".repeat(65)}`,
  settlementMode: null,
  sellerPostSource: null,
  pearlKeyProven: false,
  createdAt: T_P - 60_000,
  updatedAt: T_P - 50_000,
  pausedBySignature: false,
  cancelledBySignature: false,
  lastAction: null,
  signatureValid: true,
  funded: true,
  pearlBalanceSat: 900_000n,
  balanceCheckedAt: T_P - 50_000,
};

export const TAKE: TakeRecord = {
  dealHash: HASH,
  terms: TERMS,
  buyerPearlAddress: BUYER_ADDRESS,
  createdAt: T_P - 21_200,
  expiresAt: T_P - 20_000,
  isAddressReplaceable: false,
};

/** OrderFacts in a state; "accepted" and what follows it has both events. */
export function order(
  state: "locked" | "accepted" | "claimed" | "refunded" | "cancelled" | "refunded-unaccepted",
  blocks: { locked?: number; accepted?: number; closed?: number } = {},
  terms: Terms = TERMS,
): OrderFacts {
  const isAccepted = state === "accepted" || state === "claimed" || state === "refunded";
  const place = evmPlaceAt(blocks.closed ?? 930);
  const closed =
    state === "claimed"
      ? { kind: "claimed" as const, place, secret: SECRET_VALUE, sellerNet: 1n, fee: 0n }
      : state === "cancelled"
        ? { kind: "cancelled" as const, place }
        : state === "refunded" || state === "refunded-unaccepted"
          ? { kind: "refunded" as const, place, amount: terms.usdcAmount }
          : null;
  return {
    orderHash: HASH,
    terms,
    locked: evmPlaceAt(blocks.locked ?? 900),
    accepted: isAccepted
      ? {
          place: evmPlaceAt(blocks.accepted ?? 910),
          seller: SELLER,
          sellerPearlKey: TERMS.sellerPearlKey,
        }
      : null,
    closed,
    credited: null,
  };
}

/** The refused payout of a closed order: to the seller where it was claimed, else to the buyer. */
export function credited(of: OrderFacts, isWithdrawn: boolean): OrderFacts["credited"] {
  const account = of.closed?.kind === "claimed" ? SELLER : BUYER;
  const withdrawn = isWithdrawn ? evmPlaceAt(980) : null;
  return { place: evmPlaceAt(930), account, amount: of.terms.usdcAmount, withdrawn };
}

const SECRET_VALUE = `0x${"53".repeat(32)}` as Bytes32;

export function secret(...shownBy: PreimageFact["shownBy"]): PreimageFact {
  return { hashlock: TERMS.hashlock, secret: SECRET_VALUE, shownBy };
}

/** Shown by another order's claim: no own shower. */
export const FOREIGN_SECRET = secret({
  by: "claim",
  orderHash: `0x${"77".repeat(32)}` as Bytes32,
  txHash: HASH,
});

export function outpointNo(n: number, vout = 0): Outpoint {
  return `${hex32Of(n)}:${vout}` as Outpoint;
}

/** A lock output, number `n`: unspent, of the full amount, 20 confirmations. */
export function output(n: number, more: Partial<HtlcOutput> = {}): HtlcOutput {
  return {
    txid: hex32Of(n) as Txid,
    vout: 0,
    amountSat: FULL,
    coinbase: false,
    mined: pearlPlaceAt(PEARL_TIP - 19),
    inMempool: false,
    conflictHeight: null,
    spend: null,
    ...more,
  };
}

/** A spend with this many confirmations; 0 = in the mempool now. */
export function spentBy(path: SpendPath, confirmations: number): NonNullable<HtlcOutput["spend"]> {
  return {
    txid: hex32Of(path === "claim" ? 0xc1 : 0xf1) as Txid,
    path,
    mined: confirmations === 0 ? null : pearlPlaceAt(PEARL_TIP - confirmations + 1),
    outputScripts: [BUYER_SCRIPT],
  };
}

type Given = Partial<Omit<SwapSubject, "outputs">> & { readonly outputs?: readonly HtlcOutput[] };

/** By default: an accepted, final order made by lockWithAsk, no lock output, secret unknown. */
export function subject(more: Given = {}): SwapSubject {
  const orderFacts = more.order === undefined ? order("accepted") : more.order;
  const terms = more.terms ?? orderFacts?.terms ?? TERMS;
  const hasKeys = orderFacts === null || orderFacts.accepted !== null;
  return {
    hash: HASH,
    terms,
    take: null,
    ask: null,
    script: hasKeys && more.keysValid !== false ? SCRIPT : null,
    keysValid: true,
    secret: null,
    isCovered: true,
    hashlockUsedByBuyer: false,
    isEscrowPaused: false,
    buyerPearlAddress: null,
    isBuyerAddressFromTake: false,
    buyerScripts: [BUYER_SCRIPT],
    sellerPearlAddress: null,
    origin: null,
    ...more,
    order: orderFacts,
    outputs: LockOutputs.of(more.outputs ?? []),
  };
}

/** Now is four hours before T_p by default; block 950 is the last final one. */
export function context(more: Partial<EvaluationContext> = {}): EvaluationContext {
  return { tips: tips(), now: T_P - 4 * 3600, isReady: true, witnesses: null, ...more };
}

export function tips(more: { final?: number; need?: number | null; evm?: number; pearl?: number } = {}) {
  return {
    evm: {
      height: more.evm ?? EVM_TIP,
      time: T_P - 4 * 3600,
      finalHeight: more.final ?? 950,
      need: more.need ?? null,
    },
    pearl: { height: more.pearl ?? PEARL_TIP, time: T_P - 4 * 3600, medianTimePast: T_P - 5 * 3600 },
  };
}

/** The subject as the second model reads it. */
export function plainSubject(value: SwapSubject): PlainSubject {
  const { buyerPearlAddress, isBuyerAddressFromTake } = value;
  const plain: object = JSON.parse(jsonOf(value));
  const isGiven = isBuyerAddressFromTake && buyerPearlAddress !== null;
  return { ...plain, takeScript: isGiven ? BUYER_SCRIPT : null } as PlainSubject;
}

/** EvaluationContext and rules as the second model reads them. */
export function plainWorld(at: EvaluationContext, rules: SwapRules): PlainWorld {
  return JSON.parse(jsonOf({ ...at, ...rules })) as PlainWorld;
}

function jsonOf(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => (typeof part === "bigint" ? part.toString() : part));
}

const confirmationsAround = fc.constantFrom(1, 2, 5, 6, 7, 11, 12, 13, 14, 30);
const blockAround = fc.constantFrom(900, 949, 950, 951, 996, 997, 1000);
const minedAround = confirmationsAround.map((count) => pearlPlaceAt(PEARL_TIP - count + 1));

const spendAround: fc.Arbitrary<HtlcOutput["spend"]> = fc.option(
  fc.record({
    txid: fc.constantFrom(0xc1, 0xc2, 0xf1).map((n) => hex32Of(n) as Txid),
    path: fc.constantFrom("claim" as const, "refund" as const, "other" as const),
    mined: fc.option(minedAround),
    outputScripts: fc.constantFrom<readonly ScriptHex[]>([BUYER_SCRIPT], [SCRIPT]),
  }),
);

const outputAround = (n: number): fc.Arbitrary<HtlcOutput> =>
  fc
    .record({
      txid: fc.constant(hex32Of(n) as Txid),
      vout: fc.nat(2),
      amountSat: fc.constantFrom(10_000n, FULL - 1n, FULL, FULL, FULL + 1n),
      coinbase: fc.integer({ min: 0, max: 9 }).map((i) => i === 0),
      mined: fc.option(
        fc.tuple(minedAround, fc.constantFrom(n, n + 10)).map(([place, txIndex]) => ({ ...place, txIndex })),
        { freq: 3 },
      ),
      inMempool: fc.boolean(),
      conflictHeight: fc.option(fc.constantFrom(...[11, 12, 13, 14].map((c) => PEARL_TIP - c + 1))),
      spend: spendAround,
    })
    // What cannot be: a coinbase, a mined or a conflicting output in the mempool; a spend of one that is nowhere.
    .map((made) => {
      const inMempool =
        made.inMempool && made.mined === null && !made.coinbase && made.conflictHeight === null;
      const isHere = inMempool || made.mined !== null;
      const minedSpend = made.mined === null ? null : (made.spend?.mined ?? null);
      const spend = isHere && made.spend !== null ? { ...made.spend, mined: minedSpend } : null;
      return { ...made, inMempool, spend };
    });

const outputsAround = fc
  .uniqueArray(fc.integer({ min: 1, max: 9 }), { maxLength: 4 })
  .chain((ids) => fc.tuple(...ids.map(outputAround)));

const secretAround: fc.Arbitrary<PreimageFact | null> = fc.option(
  fc.constantFrom(
    FOREIGN_SECRET,
    secret({ by: "claim", orderHash: HASH, txHash: HASH }),
    secret({ by: "spend", outpoint: outpointNo(1), txid: hex32Of(0xc1) as Txid }),
    secret({ by: "spend", outpoint: outpointNo(99), txid: hex32Of(0xc1) as Txid }),
  ),
  { freq: 2 },
);

const orderAround: fc.Arbitrary<OrderFacts | null> = fc
  .record({
    state: fc.constantFrom(
      null,
      "locked" as const,
      null,
      "accepted" as const,
      "accepted" as const,
      "accepted" as const,
      "accepted" as const,
      "claimed" as const,
      "refunded" as const,
      "cancelled" as const,
      "refunded-unaccepted" as const,
    ),
    blocks: fc.record({ locked: blockAround, later: blockAround, closed: blockAround }),
    isBid: fc.boolean(),
    named: fc.boolean(),
    usdcAmount: fc.constantFrom(1n, 1_000_000_000n, 1_000_000_001n),
    shift: fc.constantFrom(-1, 0, 0, 0, 1),
    credit: fc.constantFrom("none", "none", "owed", "withdrawn"),
  })
  .map(({ state, blocks, isBid, named, usdcAmount, shift, credit }) => {
    if (state === null) return null;
    const base = isBid ? { ...BID_TERMS, ...(named ? { seller: SELLER } : {}) } : TERMS;
    const terms = { ...base, usdcAmount, evmRefundTime: T_E + shift };
    const { locked, later, closed } = blocks;
    const made = order(state, { locked, accepted: Math.max(locked, later), closed }, terms);
    if (made.closed === null || credit === "none") return made;
    return { ...made, credited: credited(made, credit === "withdrawn") };
  });

/** Random subjects that facts could make. The escrow is paused where there is an address: no action depends on both. */
export const anySubject: fc.Arbitrary<SwapSubject> = fc
  .record({
    order: orderAround,
    outputs: outputsAround,
    secret: secretAround,
    keysValid: fc.integer({ min: 0, max: 7 }).map((i) => i !== 0),
    withTake: fc.boolean(),
    ask: fc.constantFrom("ASK_OPEN" as const, "ASK_PAUSED" as const, null),
    hashlockUsedByBuyer: fc.boolean(),
    address: fc.boolean(),
  })
  .map((made) => {
    const hasScript = made.order !== null && made.order.accepted !== null && made.keysValid;
    return subject({
      order: made.order,
      outputs: hasScript ? made.outputs : [],
      secret: made.secret,
      keysValid: made.keysValid,
      take: made.order === null || made.withTake ? TAKE : null,
      ask: made.ask === null ? null : { record: ASK_RECORD, status: made.ask },
      hashlockUsedByBuyer: made.hashlockUsedByBuyer,
      isEscrowPaused: made.address,
      buyerPearlAddress: made.address ? BUYER_ADDRESS : null,
    });
  });

/** Random moments around the bounds of `anySubject`. */
export const anyMoment: fc.Arbitrary<EvaluationContext> = fc
  .record({
    now: fc
      .tuple(fc.constantFrom(TAKE.expiresAt, T_P - 6000, T_P - 4500, T_P), fc.constantFrom(-1, 0, 1))
      .map(([at, shift]) => at + shift),
    isReady: fc.boolean(),
    need: fc.constantFrom(null, null, 4, 5),
    final: fc.constantFrom(949, 950, 951, 1000),
    witnesses: fc.option(
      fc.array(
        fc.record({
          sharedHeight: fc.constantFrom(-1, PEARL_TIP - 13, PEARL_TIP - 12, PEARL_TIP - 5, PEARL_TIP),
          tipHeight: fc.constantFrom(PEARL_TIP - 2, PEARL_TIP - 1, PEARL_TIP),
        }),
        { maxLength: 2 },
      ),
      { freq: 2 },
    ),
  })
  .map(({ need, final, ...more }) => context({ ...more, tips: tips({ need, final }) }));
