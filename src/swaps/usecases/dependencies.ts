// What the use cases of swaps share: everything that `main` hands in, the row of an ask, jobs that run one after the
// other by key, and hints about lock outputs that nobody has seen yet (S-60), which live in memory only, bind nothing
// and are in no row.

import type { Clock, Log } from "../../follow/ports.ts";
import type { EvmStatus } from "../../follow/serving.ts";
import type { EvmAddress, Bytes32, ScriptHex, Txid } from "../../primitives/brands.ts";
import type { VerifySchnorr, WindowHashEnds } from "../../primitives/hashing.ts";
import type { SwapCrypto } from "../../swap/crypto.ts";
import type { EscrowDigests } from "../../swap/eip712.ts";
import type { AskRecord, LockHint } from "../../swap/records.ts";
import { askRow, type AskRow } from "../../swap/rows.ts";
import type { SwapRules, EvaluationContext } from "../../swap/subject.ts";
import type { LedgerReads } from "../ledger/ports.ts";
import type { EvmStanding } from "../standings.ts";
import type { StateReads } from "../ledger/state-reads.ts";
import type { SwapReadiness } from "../readiness.ts";
import type { AskIndex } from "./ask-index.ts";
import type { BalanceLookups } from "./balance-lookups.ts";
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
  readonly evmStatus: () => EvmStatus;
  readonly clock: Clock;
  readonly log: Log;
}

/** The row of H-40. */
export function rowOfAsk(
  ledger: StateReads,
  record: AskRecord,
  when: Pick<EvaluationContext, "now" | "expiryNow">,
): AskRow {
  const seenAt = ledger.balanceSeenAt(record.terms.sellerPearlAddress);
  return askRow(record, ledger.askStatus(record, when), ledger.orderOfAsk(record.askId), seenAt);
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

const HINT_TTL_S = 30 * 60;
const MAX_HINTS = 4;

/**
 * The unseen outpoints of deals: at most 4 per deal, 30 min each, the fifth drops the oldest; and how far back blocks
 * were read for them.
 */
export class LockHints {
  readonly #hints = new Map<Bytes32, readonly LockHint[]>();
  /** From which height blocks were last read again for a lock script, and when: in the order of time. */
  readonly #readAgain = new Map<ScriptHex, { readonly height: number; readonly at: number }>();

  /** Keeps a hint; the same outpoint again becomes the newest. `now` in unix seconds. */
  add(orderHash: Bytes32, txid: Txid, vout: number, now: number): void {
    const others = this.live(orderHash, now).filter((hint) => hint.txid !== txid || hint.vout !== vout);
    const hint: LockHint = { orderHash, txid, vout, givenAt: now };
    this.#hints.delete(orderHash);
    this.#hints.set(orderHash, [...others, hint].slice(-MAX_HINTS));
    this.#sweep(now);
  }

  /** Live hints, oldest first. */
  live(orderHash: Bytes32, now: number): readonly LockHint[] {
    return (this.#hints.get(orderHash) ?? []).filter((hint) => now - hint.givenAt < HINT_TTL_S);
  }

  /** The newest live hint, or null. */
  newest(orderHash: Bytes32, now: number): LockHint | null {
    return this.live(orderHash, now).at(-1) ?? null;
  }

  /**
   * Whether blocks from this height on are to be read again for the script; notes that they are. Not so where that
   * was done within 30 min: what they show is known or was turned away, and a hint costs nothing.
   */
  isReadingDue(script: ScriptHex, height: number, now: number): boolean {
    for (const [earlier, { at }] of this.#readAgain) {
      if (now - at < HINT_TTL_S) break;
      this.#readAgain.delete(earlier);
    }
    const last = this.#readAgain.get(script);
    if (last !== undefined && height >= last.height) return false;
    this.#readAgain.delete(script);
    this.#readAgain.set(script, { height, at: now });
    return true;
  }

  /** The reading that was noted last for the script cannot be: it stays due. */
  forgetReading(script: ScriptHex): void {
    this.#readAgain.delete(script);
  }

  /** Deals stand in the order of their newest hint: dead ones are at the front. */
  #sweep(now: number): void {
    for (const orderHash of this.#hints.keys()) {
      if (this.live(orderHash, now).length > 0) return;
      this.#hints.delete(orderHash);
    }
  }
}
