// A subject is all that is known about one order or take, and the input of every projection: facts assembled per order,
// records that go with it, the settings, and the context of the evaluation. Made by the service's ledger, read by pure
// rules.

import type { Bytes32, PearlAddress, ScriptHex } from "../primitives/brands.ts";
import type { ChainTips, ChainWitness, JudgedOrder, PreimageFact } from "./facts.ts";
import type { LockOutputs } from "./lock-outputs.ts";
import type { AskRecord, OriginRecord, TakeRecord } from "./records.ts";
import type { Terms } from "./terms.ts";

/** Ask statuses of the interface (part 3). */
export type AskStatus = "ASK_OPEN" | "ASK_TAKEN" | "ASK_PAUSED" | "ASK_CANCELLED";

/** Everything known about one order (S-50), or about a take whose order is not indexed. */
export interface SwapSubject {
  /** Order hash and deal hash: one name on both sides (S-41). */
  readonly hash: Bytes32;
  /** The order's terms, else the take's. */
  readonly terms: Terms;
  /** Null while no order with this hash is indexed. */
  readonly order: JudgedOrder | null;
  /** The take with this hash, also a dead one while it is kept; null where none. */
  readonly take: TakeRecord | null;
  /** The ask named by the terms, where it was posted here. */
  readonly ask: { readonly record: AskRecord; readonly status: AskStatus } | null;
  /**
   * The lock script of the present keys (S-10); null without both keys or where one is no point (S-12).
   */
  readonly script: ScriptHex | null;
  /** Whether every key that the order has is a point; a bid before acceptance has the buyer's alone. */
  readonly keysValid: boolean;
  /**
   * Whether blocks and mempool are read for that script as far back as S-53 says: before, outputs may be missing, so that
   * no verdict is given and no marked action offered (S-62). True where there is no script to read for.
   */
  readonly isCovered: boolean;
  /** Every output kept of that script of at least `DUST_SAT` (S-15). None for an unfunded take. */
  readonly outputs: LockOutputs;
  /** The secret of the hashlock, once public (S-13). */
  readonly secret: PreimageFact | null;
  /** Whether another indexed order of the same buyer has the same hashlock. */
  readonly hashlockUsedByBuyer: boolean;
  /** Whether the escrow's owner has paused it: then `lockWithAsk` and `accept` revert, and nothing else does (S-21). */
  readonly isEscrowPaused: boolean;
  readonly buyerPearlAddress: PearlAddress | null;
  /**
   * Whether the buyer's address is that of a take which came before its order: then it is the one where the PEARL must
   * go (S-55, S-61).
   */
  readonly isBuyerAddressFromTake: boolean;
  /** Scripts of the addresses that the buyer's key fits (S-14); a release without a take pays one of them. */
  readonly buyerScripts: readonly ScriptHex[];
  readonly sellerPearlAddress: PearlAddress | null;
  readonly origin: OriginRecord | null;
}

/** One row of S-03. Seconds; k in confirmations. */
export interface SwapProfile {
  readonly name: "large" | "small";
  readonly k: number;
  readonly revealMarginS: number;
  readonly lockMarginS: number;
  readonly takeMinS: number;
}

/** What the configuration says about swaps, as far as rules need it. */
export interface SwapRules {
  readonly large: SwapProfile;
  readonly small: SwapProfile;
  /** Deals of at most this many raw units are small. */
  readonly smallDealUsdc: bigint;
  /** The margin between the refund times in force (S-02), seconds. */
  readonly deltaS: number;
  /** Human-readable part of the network's addresses. */
  readonly hrp: string;
  readonly chainId: number;
  /** The escrow contract, 0x lower case. */
  readonly escrow: string;
}

/** What subjects are evaluated with: both tips, *now*, and what may be offered. */
export interface EvaluationContext {
  readonly tips: ChainTips;
  /** *now* of S-05, unix seconds. */
  readonly now: number;
  /**
   * *now* as of the last moment at which the EVM index was synced: what expiries and deadlines are compared with,
   * since nothing dies while it is not (S-05).
   */
  readonly expiryNow: number;
  /**
   * The service's own clock, which *now* is never behind: how long a verdict is good is counted from it, since a wallet
   * compares that with a clock like it and not with the times of blocks.
   */
  readonly clock: number;
  /**
   * Whether actions marked with a degree sign may be offered: both indexes synced (S-05), the pace of S-02 held, the
   * EVM RPCs agree.
   */
  readonly isReady: boolean;
  /**
   * Whether all of the mempool was read since the start, and the blocks before it: before, a lock that was sent meanwhile may be
   * in them unseen, so that nobody is told to lock, or that nothing is left to claim.
   */
  readonly isMempoolRead: boolean;
  /** The PEARL nodes beside the followed one that answer; null where none is configured (S-09). */
  readonly witnesses: readonly ChainWitness[] | null;
}

/** The profile of a deal of this size (S-03). */
export function profileOf(rules: SwapRules, usdcAmount: bigint): SwapProfile {
  return usdcAmount <= rules.smallDealUsdc ? rules.small : rules.large;
}

/** Whether something with this `expiry` or `deadline` is dead (S-05): at now >= it, as far as things may die. */
export function isDead({ expiryNow }: Pick<EvaluationContext, "expiryNow">, deadline: number): boolean {
  return expiryNow >= deadline;
}
