// How far is the EVM index, and is it getting on (H-20)?

import type { Clock } from "../ports.ts";
import type { EvmStatus } from "../serving.ts";
import type { EvmStanding } from "./ports.ts";

/** Settings of the judgement. */
export interface EvmProgressOptions {
  /** Seconds of block time behind the head up to which the index counts as synced (S-05). */
  readonly syncedLagS: number;
  /** Milliseconds without progress, though there is more to read, after which it counts as stalled. */
  readonly stallMs: number;
}

/** Progress of the EVM index. */
export class EvmProgress {
  readonly #clock: Clock;
  readonly #options: EvmProgressOptions;
  #trouble: string | null = null;
  #movedAtMs: number;

  constructor(clock: Clock, options: EvmProgressOptions) {
    this.#clock = clock;
    this.#options = options;
    this.#movedAtMs = clock.monotonicMs();
  }

  /** Something was written. */
  moved(): void {
    this.#movedAtMs = this.#clock.monotonicMs();
  }

  /** Something keeps the index from going on. */
  troubled(sentence: string): void {
    this.#trouble = sentence;
  }

  /** A round has ended well. */
  untroubled(): void {
    this.#trouble = null;
  }

  /** The state for `/health`. `tip`: the ledger's. */
  status(standing: EvmStanding, tip: { readonly height: number; readonly time: number }): EvmStatus {
    const { headHeight, headTime } = standing;
    const lag = Math.max(0, headHeight - tip.height);
    // Time spent waiting for a chain that had nothing new is no lack of progress.
    if (lag === 0) this.moved();
    const isStuck = lag > 0 && this.#clock.monotonicMs() - this.#movedAtMs > this.#options.stallMs;
    const isSynced = headHeight >= 0 && tip.height >= 0 && headTime - tip.time <= this.#options.syncedLagS;
    return {
      height: headHeight,
      indexedHeight: tip.height,
      lag,
      indexingStatus: this.#trouble !== null || isStuck ? "stalled" : isSynced ? "synced" : "syncing",
    };
  }
}
