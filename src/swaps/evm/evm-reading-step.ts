// What the readings of the EVM chain work with, what a look at the second one comes to, and how often that may be to go back
// (S-08).

import { retryMs } from "../../follow/chain-follower.ts";
import type { Clock, Log } from "../../follow/ports.ts";
import type { SwapCrypto } from "../../swap/crypto.ts";
import type { EscrowEvent } from "../../swap/facts.ts";
import type { EvmSource } from "./evm-chain.ts";
import type { RangeSizer } from "./evm-range.ts";
import type { EvmPoint } from "./evm-read-range.ts";
import type { EvmRpcQuorum } from "./evm-rpc-quorum.ts";
import type { LogReading } from "./evm-witnesses.ts";
import type { EvmLedger } from "../ledger/ports.ts";

/** What both readings work with. */
export interface SecondReadingDependencies {
  /** Whose answers are possible in themselves (`checkedSource`). */
  readonly sources: readonly EvmSource[];
  /** What one RPC refuses, another may give. */
  readonly sizers: readonly RangeSizer[];
  readonly reading: LogReading;
  readonly ledger: EvmLedger;
  readonly standing: EvmRpcQuorum;
  readonly crypto: Pick<SwapCrypto, "sha256">;
  readonly clock: Clock;
  readonly log: Log;
}

/** What is to be done next. */
export type ReadingStep =
  /** Blocks up to this one are final but for the disputed events. */
  | { readonly kind: "raise"; readonly final: EvmPoint; readonly disputed: readonly EscrowEvent[] }
  /** Two RPCs show these events that were disputed. */
  | { readonly kind: "resolve"; readonly events: readonly EscrowEvent[] }
  /**
   * All above the block (null: all) is to be read again, from the RPC `use`; with `isBranch` because the blocks
   * themselves are others.
   */
  | {
      readonly kind: "back";
      readonly parent: EvmPoint | null;
      readonly use: number;
      readonly isBranch: boolean;
      readonly why: string;
    }
  /** A part was done; there is more. */
  | { readonly kind: "more" }
  /** Only time or other answers bring it further. */
  | { readonly kind: "waiting" }
  /** All that can be final is. */
  | { readonly kind: "done" };

/** A step back. */
export type BackStep = Extract<ReadingStep, { kind: "back" }>;

/** Back to the parent (null: before all) because of this event, to read again from the RPC `use`. */
export function backStep(
  parent: EvmPoint | null,
  { place }: EscrowEvent,
  use: number,
  why: string,
): BackStep {
  const where = `log ${place.logIndex} of block ${place.block}`;
  const sentence = `EVM: ${why} (${where}): read again from block ${place.block - 1} on`;
  return { kind: "back", parent, use, isBranch: false, why: sentence };
}

/** After so long without going back, going back begins anew. */
const BEGINS_ANEW_MS = 600_000;

/** The pauses between two times at which it is gone back. */
interface Pauses {
  /** The pause after the second time; it doubles with each one. */
  readonly firstMs: number;
  readonly longestMs: number;
}

/**
 * How often it was gone back of late. One RPC of two can show another log, or another branch, at each second reading, and the
 * blocks that are not final would be undone and read again without an end, from the honest one too, which counts what it is
 * asked. Nothing is lost by a pause but time to finality, which such an RPC withholds as it is.
 */
export class StepsBack {
  readonly #clock: Clock;
  readonly #pauses: Pauses;
  #count = 0;
  #lastMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, pauses: Pauses) {
    this.#clock = clock;
    this.#pauses = pauses;
  }

  /** All above a block was read again because of a second reading. */
  taken(): void {
    const nowMs = this.#clock.monotonicMs();
    this.#count = nowMs - this.#lastMs > BEGINS_ANEW_MS ? 1 : this.#count + 1;
    this.#lastMs = nowMs;
  }

  /** Whether second readings wait: the first time is followed by one at once, as an RPC that was late with a log needs it. */
  get isTooSoon(): boolean {
    if (this.#count < 2) return false;
    const { firstMs, longestMs } = this.#pauses;
    return this.#clock.monotonicMs() - this.#lastMs < retryMs(this.#count - 2, firstMs, longestMs);
  }
}
