// Subjects for tests of the swap rules: one builder with plain defaults, and the same as plain JSON for the second model.

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
  JudgedOrder,
  PearlPlace,
  PreimageFact,
  SpendPath,
} from "../../src/swap/facts.ts";
import { outpointOf } from "../../src/swap/lock-choice.ts";
import { LockOutputs } from "../../src/swap/lock-outputs.ts";
import { DEFAULT_PROFILES } from "../../src/swap/profiles.ts";
import type { AskRecord, TakeRecord } from "../../src/swap/records.ts";
import type { EvaluationContext, SwapRules, SwapSubject } from "../../src/swap/subject.ts";
import { ZERO_ADDRESS, ZERO_BYTES32, type Terms } from "../../src/swap/terms.ts";
import type { KnownOutput } from "../../src/swap/verify-lock.ts";
import type { NamedRefund } from "../../src/swap/verify-settlement.ts";
import type { PlainSubject, PlainWorld } from "../../testkit/oracles/swap/index.ts";
import { syncedAt } from "../../testkit/builders/swap-ledger/ledger-facts.ts";

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
export const BUYER_SCRIPT = `5120${BUYER_KEY}` as ScriptHex;
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

/** An order in a state; "accepted" and what follows it has both events. */
export function order(
  state: "locked" | "accepted" | "claimed" | "refunded" | "cancelled" | "refunded-unaccepted",
  blocks: { locked?: number; accepted?: number; closed?: number } = {},
  terms: Terms = TERMS,
): JudgedOrder {
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
    disputed: false,
    isEndUnshown: false,
  };
}

/** The refused payout of a closed order: to the seller where it was claimed, else to the buyer. */
export function credited(of: JudgedOrder, isWithdrawn: boolean): JudgedOrder["credited"] {
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

/** An output in a block that has so many confirmations. */
export function confirmed(confirmations: number): Partial<HtlcOutput> {
  return { mined: pearlPlaceAt(PEARL_TIP - confirmations + 1) };
}

/** An output in no block. */
export const IN_MEMPOOL = { mined: null, inMempool: true } as const;
export const EVICTED = { mined: null, inMempool: false } as const;

/** A spend with this many confirmations; 0 = in the mempool now. */
export function spentBy(path: SpendPath, confirmations: number): NonNullable<HtlcOutput["spend"]> {
  return {
    txid: hex32Of(path === "claim" ? 0xc1 : 0xf1) as Txid,
    path,
    mined: confirmations === 0 ? null : pearlPlaceAt(PEARL_TIP - confirmations + 1),
    outputScripts: [BUYER_SCRIPT],
  };
}

/** What a subject has instead of the defaults. */
export type Given = Partial<Omit<SwapSubject, "outputs">> & { readonly outputs?: readonly HtlcOutput[] };

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
  const { now = T_P - 4 * 3600 } = more;
  return { ...syncedAt(tips(), now), ...more };
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

/** What the index knows of this order's own outputs, as the service finds it by outpoint. */
export function knownOf({ outputs, script }: SwapSubject): KnownOutput {
  return (point) => {
    const found = [...outputs].find(({ txid, vout }) => txid === point.txid && vout === point.vout);
    return found === undefined ? null : { output: found, script: script ?? SCRIPT };
  };
}

/**
 * The transaction as the service finds it: by the outputs that the facts say it spends, else by its inputs as the node
 * gives them, `found` null where the node has none.
 */
export function namedRefund(
  { outputs }: SwapSubject,
  txid: Txid,
  found: { readonly inputs: readonly Outpoint[] } | null,
): NamedRefund {
  const spent = [...outputs].filter(({ spend }) => spend?.txid === txid);
  if (spent.length > 0 || found === null) return { txid, spends: spent.length > 0 ? spent : null };
  return { txid, spends: [...outputs].filter((one) => found.inputs.includes(outpointOf(one))) };
}
