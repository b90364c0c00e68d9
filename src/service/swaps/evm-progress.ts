// How far is the EVM index, and is it getting on (H-20)?

import type { Condition } from "../conditions.ts";
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

/** What is wrong with the EVM side now (H-20). */
export function evmConditions(status: EvmStatus, standing: EvmStanding): readonly Condition[] {
  const conditions: Condition[] = [];
  if (status.indexingStatus === "stalled") {
    const where = `its index is at ${status.indexedHeight}, the RPCs were last seen at ${status.height}`;
    const advice = "The log says which RPC fails and why; check EVM_RPC_URLS.";
    const sentence = `The EVM side does not get on (${where}), so swaps stand still. ${advice}`;
    conditions.push({ code: "EVM_STALLED", sentence });
  }
  if (standing.finalReplaced) {
    const sentence =
      "An EVM block that was final was replaced: no new swap action is offered. Find out which RPC is right first.";
    conditions.push({ code: "EVM_FINAL_BLOCK_REPLACED", sentence });
  }
  return conditions;
}
