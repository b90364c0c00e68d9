// Makes what two chains could say about swaps: facts with chosen numbers, for tests of the ledger. Nothing here is
// signed or mined, only shaped like it.

import { createHash } from "node:crypto";
import { swapCrypto } from "../../../src/adapters/system/swap-crypto.ts";
import type {
  BlockHash,
  Bytes32,
  EvmAddress,
  Outpoint,
  PearlAddress,
  Txid,
} from "../../../src/primitives/brands.ts";
import type { Clock, Log } from "../../../src/follow/ports.ts";
import type { SwapLedgerDependencies } from "../../../src/swaps/ledger/ledger-commits.ts";
import type { EvmJudgement } from "../../../src/swaps/ledger/ports.ts";
import type {
  ChainTips,
  EscrowEvent,
  EvmPlace,
  OutputSpend,
  PearlPlace,
  PreimageShower,
  SpendPath,
} from "../../../src/swap/facts.ts";
import { DEFAULT_PROFILES } from "../../../src/swap/profiles.ts";
import type { AskRecord, TakeRecord } from "../../../src/swap/records.ts";
import type { EvaluationContext, SwapRules } from "../../../src/swap/subject.ts";
import { type Terms, ZERO_ADDRESS, ZERO_BYTES32 } from "../../../src/swap/terms.ts";
import { handClock } from "../../doubles/clock.ts";
import { errorLog } from "../../doubles/log.ts";

/** Unix time of block 0 of both chains. */
export const START = 1_800_000_000;

/** 32 bytes that belong to a name. */
function hex32(name: string): string {
  return createHash("sha256").update(name).digest("hex");
}

/** The same in the EVM's form. */
export function bytes32(name: string): Bytes32 {
  return `0x${hex32(name)}` as Bytes32;
}

/** An EVM address that belongs to a name. */
export function evmAddress(name: string): EvmAddress {
  return `0x${hex32(name).slice(0, 40)}` as EvmAddress;
}

/** A transaction id that belongs to a name. */
export function txid(name: string): Txid {
  return hex32(`tx ${name}`) as Txid;
}

/** An output of that transaction. */
export function outpoint(name: string, vout: number): Outpoint {
  return `${txid(name)}:${vout}` as Outpoint;
}

/** A secret and its hashlock. */
export function secretOf(name: string): { readonly secret: Bytes32; readonly hashlock: Bytes32 } {
  const secret = bytes32(`secret ${name}`);
  const hash = createHash("sha256")
    .update(Buffer.from(secret.slice(2), "hex"))
    .digest("hex");
  return { secret, hashlock: `0x${hash}` as Bytes32 };
}

/** X coordinates of points: hashes that happen to be one, found by counting. */
export function pointKey(name: string): Bytes32 {
  for (let count = 0; ; count += 1) {
    const key = bytes32(`${name} ${count}`);
    if (swapCrypto.isPoint(Buffer.from(key.slice(2), "hex"))) return key;
  }
}

/** The place of a log in a block of a branch. */
export function evmPlace(block: number, logIndex = 0, branch = "main"): EvmPlace {
  return {
    block,
    blockHash: bytes32(`evm ${branch} ${block}`),
    time: START + 12 * block,
    txHash: bytes32(`evm tx ${branch} ${block} ${logIndex}`),
    logIndex,
  };
}

/** The place of a transaction in a block of a branch. */
export function pearlPlace(height: number, txIndex = 1, branch = "main"): PearlPlace {
  return {
    height,
    blockHash: hex32(`pearl ${branch} ${height}`) as BlockHash,
    time: START + 194 * height,
    txIndex,
  };
}

/** Terms of an order. `askId` null: an open bid. */
export function terms(name: string, changes: Partial<Terms> = {}): Terms {
  return {
    buyer: evmAddress(`buyer ${name}`),
    seller: ZERO_ADDRESS,
    hashlock: secretOf(name).hashlock,
    usdcAmount: 250_000_000n,
    pearlAmountSat: 500_000_000_000n,
    buyerPearlKey: pointKey(`buyer key ${name}`),
    sellerPearlKey: ZERO_BYTES32,
    pearlRefundTime: START + 5 * 3600,
    evmRefundTime: START + 12 * 3600,
    feeBps: 200,
    feeRecipient: evmAddress("fees"),
    askId: ZERO_BYTES32,
    nonce: 0n,
    ...changes,
  };
}

/** A posted ask. */
export function ask(name: string, changes: Partial<AskRecord> = {}): AskRecord {
  return {
    askId: bytes32(`ask ${name}`),
    terms: {
      seller: evmAddress(`seller ${name}`),
      sellerPearlAddress: `rprl1seller${name}`,
      sellerPearlKey: pointKey(`seller key ${name}`),
      pearlAmountSat: 500_000_000_000n,
      usdcAmount: 250_000_000n,
      expiry: START + 86_400,
      feeBps: 200,
      feeRecipient: evmAddress("fees"),
      nonce: 3n,
    },
    signature: `0x${"1".repeat(130)}`,
    settlementMode: null,
    sellerPostSource: null,
    pearlKeyProven: false,
    createdAt: START,
    updatedAt: START,
    pausedBySignature: false,
    cancelledBySignature: false,
    lastAction: null,
    signatureValid: true,
    funded: true,
    pearlBalanceSat: 600_000_000_000n,
    balanceCheckedAt: START,
    ...changes,
  };
}

/** A take of an ask. */
export function take(name: string, of: AskRecord, createdAt: number): TakeRecord {
  return {
    dealHash: bytes32(`order ${name}`),
    terms: terms(name, {
      seller: of.terms.seller,
      sellerPearlKey: of.terms.sellerPearlKey,
      askId: of.askId,
    }),
    buyerPearlAddress: `rprl1buyer${name}` as PearlAddress,
    createdAt,
    expiresAt: createdAt + 1200,
    isAddressReplaceable: false,
  };
}

/** Settings of tests, for an escrow at this address. */
export function testSwapRules(escrow: EvmAddress): SwapRules {
  return {
    ...DEFAULT_PROFILES,
    smallDealUsdc: 1_000_000_000n,
    deltaS: 21_600,
    hrp: "rprl",
    chainId: 31_337,
    escrow,
  };
}

/** A log that keeps its alarms. */
export function alarmLog(): Log & { readonly alarms: string[] } {
  const alarms: string[] = [];
  return { alarms, ...errorLog(alarms) };
}

/** A moment at which nothing is held back. */
export function syncedAt(tips: ChainTips, now: number): EvaluationContext {
  return { tips, now, expiryNow: now, clock: now, isReady: true, isMempoolRead: true, witnesses: null };
}

/** The same at *now* of S-05 by this clock. */
export function syncedBy(clock: Pick<Clock, "nowMs">): (tips: ChainTips) => EvaluationContext {
  return (tips) => {
    const nowS = Math.floor(clock.nowMs() / 1000);
    const now = Math.max(nowS, tips.evm.time, tips.pearl.medianTimePast);
    return { ...syncedAt(tips, now), clock: nowS };
  };
}

/** Everything but the store, with a clock that stands still. */
export function ledgerParts(
  log: Log,
  nowS: () => number = () => START,
): Omit<SwapLedgerDependencies, "store"> {
  const clock = handClock(
    () => nowS() * 1000,
    () => 0,
  );
  return {
    identity: { network: "simnet", chainId: 31_337, escrow: evmAddress("escrow") },
    crypto: swapCrypto,
    rules: testSwapRules(evmAddress("escrow")),
    clock,
    log,
    evmConfirmations: null,
    takeMax: 100_000,
    contextOf: syncedBy(clock),
  };
}

/** Blocks up to this one are final, but for these events. */
export function raised(finalHeight: number, events: readonly EscrowEvent[] = []): EvmJudgement {
  return { kind: "raise", finalHeight, events };
}

/** How the transaction of a name spent an output; what it pays is not known. */
export function spentBy(name: string, path: SpendPath = "claim"): OutputSpend {
  return { txid: txid(name), path, outputScripts: null };
}

/** That it showed the secret of this output's hashlock. */
export function shownBy(name: string, output: Outpoint): PreimageShower {
  return { by: "spend", outpoint: output, txid: txid(name), script: null };
}
