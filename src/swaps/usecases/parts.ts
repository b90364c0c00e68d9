// What do the use cases of swaps work with? Everything is handed in by `main`.

import type { EvmAddress } from "../../primitives/brands.ts";
import type { VerifySchnorr, WindowHashEnds } from "../../primitives/hashing.ts";
import type { SwapCrypto } from "../../swap/crypto.ts";
import type { EscrowDigests } from "../../swap/eip712.ts";
import type { SwapRules } from "../../swap/subject.ts";
import type { Clock, Log } from "../../follow/ports.ts";
import type { EvmStatus } from "../../follow/serving.ts";
import type { EvmStanding, LedgerReads } from "../ledger/ports.ts";
import type { SwapReadiness } from "../readiness.ts";
import type { AskIndex } from "./ask-index.ts";
import type { AskRechecks } from "./ask-recheck.ts";
import type { BalanceLookups } from "./balance-lookups.ts";
import type { KeyedLock } from "./keyed-lock.ts";
import type { LockHints } from "./lock-hints.ts";
import type { LimitedLookups } from "./lookups.ts";
import type { PublicValues } from "./public-values.ts";
import type { SignatureJudge } from "./signature-judge.ts";

/** Settings of the use cases. Amounts are raw units of USDC. */
export interface SwapLimits {
  /** `ASK_MIN_USDC`. */
  readonly askMinUsdc: bigint;
  readonly takeTtlS: number;
  /** `ASK_MAX`. */
  readonly askMax: number;
  readonly requirePearlProof: boolean;
}

/** The contract as H-44 shows it; what it does not tell by its logs is asked once at start (S-26). */
export interface EscrowFacts {
  readonly firstBlock: number;
  /** Least order, raw units of USDC. */
  readonly minUsdc: bigint;
  readonly usdc: EvmAddress;
  readonly abi: readonly unknown[];
}

/** The least that an ask may ask for, raw units of USDC (S-32): the setting's minimum, or the contract's if greater. */
export function leastAskUsdc(
  { askMinUsdc }: Pick<SwapLimits, "askMinUsdc">,
  { minUsdc }: Pick<EscrowFacts, "minUsdc">,
): bigint {
  return askMinUsdc > minUsdc ? askMinUsdc : minUsdc;
}

/** All parts. */
export interface SwapParts {
  readonly ledger: LedgerReads;
  readonly readiness: SwapReadiness;
  readonly rules: SwapRules;
  readonly limits: SwapLimits;
  /** Null until an RPC has told what stands at the contract's address. */
  readonly escrow: () => EscrowFacts | null;
  readonly crypto: SwapCrypto;
  readonly verifySchnorr: VerifySchnorr;
  readonly digests: EscrowDigests;
  readonly signatures: SignatureJudge;
  readonly lookups: LimitedLookups;
  /** For S-66. */
  readonly publicValues: PublicValues;
  readonly hashWindows: WindowHashEnds;
  readonly balances: BalanceLookups;
  readonly asks: AskIndex;
  readonly rechecks: AskRechecks;
  readonly hints: LockHints;
  /** Asks the PEARL watch to read a main-chain block again for watched scripts (S-53). */
  readonly readBlockSoon: (height: number) => void;
  /**
   * Keys: `asks` for judging and writing asks, `deal:<hash>` for takes. Nobody asks an outside source while he holds
   * `asks`.
   */
  readonly locks: KeyedLock;
  readonly evmStanding: () => EvmStanding;
  readonly evmStatus: () => EvmStatus;
  readonly clock: Clock;
  readonly log: Log;
}
