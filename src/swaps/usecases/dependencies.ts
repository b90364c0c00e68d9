// What the use cases of swaps share: everything that is handed in where they are put together (`start-swaps.ts`), the row
// of an ask, why nothing new may begin, and jobs that run one after the other by key.

import type { Clock, Log } from "../../follow/ports.ts";
import type { EvmAddress } from "../../primitives/brands.ts";
import type { VerifySchnorr, WindowHashEnds } from "../../primitives/hashing.ts";
import type { SwapCrypto } from "../../swap/crypto.ts";
import type { Unready } from "../../swap/judge-take.ts";
import type { EscrowDigests } from "../../swap/eip712.ts";
import type { AskRecord } from "../../swap/records.ts";
import { askRow, type AskRow } from "../../swap/rows.ts";
import type { SwapRules, EvaluationContext } from "../../swap/subject.ts";
import type { LedgerReads } from "../ledger/ledger.ts";
import type { EvmStanding } from "../standings.ts";
import type { StateReads } from "../ledger/state-reads.ts";
import type { SwapReadiness } from "../readiness.ts";
import type { AskIndex } from "./ask-index.ts";
import type { BalanceLookups } from "./balance-lookups.ts";
import type { LockHints } from "./lock-hints.ts";
import type { LimitedLookups } from "./lookups.ts";
import type { Asker } from "./question-lanes.ts";
import type { PublicValues } from "./secret-guard.ts";
import type { SignatureJudge } from "./signature-judge.ts";

/** Settings of the use cases. Amounts are raw units of USDC. */
interface SwapLimits {
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
export interface SwapDependencies {
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
  /** Looks an address's balance up and judges the asks on it; whoever calls holds no lock. */
  readonly rechecks: { look(address: string, asker: Asker): Promise<void> };
  readonly hints: LockHints;
  /**
   * Keys: `asks` for judging and writing asks, `deal:<hash>` for takes. Nobody asks an outside source while he holds
   * `asks`.
   */
  readonly locks: KeyedLock;
  readonly evmStanding: () => EvmStanding;
  readonly clock: Clock;
  readonly log: Log;
}

/** The row of H-40. */
export function rowOfAsk(
  ledger: StateReads,
  record: AskRecord,
  when: Pick<EvaluationContext, "expiryNow">,
): AskRow {
  const seenAt = ledger.balanceSeenAt(record.terms.sellerPearlAddress);
  return askRow(record, ledger.askStatus(record, when), ledger.orderOfAsk(record.askId), seenAt);
}

/** Why no ask ("both") or take ("deals") may begin now, in the two codes that they know; null where they may. */
export function unreadyOf({ readiness }: SwapDependencies, sides: "both" | "deals"): Unready {
  const notReady = readiness.check(sides);
  if (notReady === null) return null;
  const details = Object.fromEntries(
    Object.entries(notReady.details).map(([name, value]) => [
      name,
      typeof value === "number" ? value : String(value),
    ]),
  );
  if (notReady.code === "EVM_RPC_UNAVAILABLE") return { code: "EVM_RPC_UNAVAILABLE", details };
  const reason = notReady.code === "PEARL_NODE_UNAVAILABLE" ? { reason: notReady.code } : {};
  return { code: "INDEXER_NOT_SYNCED", details: { ...details, ...reason } };
}

/** Runs jobs, serially per key. */
export class KeyedLock {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Resolves or rejects as `job` does, which begins when every earlier job of the key has ended. */
  async run<Value>(key: string, job: () => Promise<Value>): Promise<Value> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const mine = before.then(job, job);
    const ended = mine.then(
      () => undefined,
      () => undefined,
    );
    this.#last.set(key, ended);
    try {
      return await mine;
    } finally {
      if (this.#last.get(key) === ended) this.#last.delete(key);
    }
  }
}
