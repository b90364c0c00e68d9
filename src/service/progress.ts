// How far is the index, and is it getting on (H-20)? Written by the follower, read by HTTP at any time.

import type { Condition } from "./conditions.ts";
import type { Clock } from "./ports.ts";
import type { IndexStatus } from "./serving.ts";

/** Settings of the judgement. */
export interface ProgressOptions {
  /** Lag up to which the index counts as synced, in blocks. */
  readonly syncedLag: number;
  /** Milliseconds without a new block, though the node has more, after which the index counts as stalled. */
  readonly stallMs: number;
}

/** H-20: synced up to a lag of 1; a minute without progress is a stall. */
export const PROGRESS_DEFAULTS: ProgressOptions = { syncedLag: 1, stallMs: 60_000 };

/** The index's progress against its node. */
export class IndexProgress {
  readonly #clock: Clock;
  readonly #options: ProgressOptions;
  #nodeHeight = -1;
  #indexedHeight = -1;
  #trouble: string | null = null;
  #movedAtMs: number;

  constructor(clock: Clock, options: ProgressOptions = PROGRESS_DEFAULTS) {
    this.#clock = clock;
    this.#options = options;
    this.#movedAtMs = clock.monotonicMs();
  }

  /** The node has answered with its height. */
  nodeAt(height: number): void {
    // Time spent waiting for a node that had nothing new is no lack of progress.
    if (this.#nodeHeight <= this.#indexedHeight) this.#movedAtMs = this.#clock.monotonicMs();
    this.#nodeHeight = height;
  }

  /** The store's tip is now at this height; -1 where it has none. */
  indexedAt(height: number): void {
    this.#indexedHeight = height;
    this.#movedAtMs = this.#clock.monotonicMs();
  }

  /** Something keeps the index from going on; the sentence is for the log and for tests. */
  troubled(sentence: string): void {
    this.#trouble = sentence;
  }

  /** A round has ended well. */
  untroubled(): void {
    this.#trouble = null;
  }

  /** What keeps the index from going on, or null. */
  get trouble(): string | null {
    return this.#trouble;
  }

  /** The state for `/health`. */
  status(): IndexStatus {
    const lag = Math.max(0, this.#nodeHeight - this.#indexedHeight);
    const isStuck = lag > 0 && this.#clock.monotonicMs() - this.#movedAtMs > this.#options.stallMs;
    const isSynced = this.#nodeHeight >= 0 && lag <= this.#options.syncedLag;
    return {
      nodeHeight: this.#nodeHeight,
      indexedHeight: this.#indexedHeight,
      lag,
      indexingStatus: this.#trouble !== null || isStuck ? "stalled" : isSynced ? "synced" : "syncing",
      evm: null,
    };
  }

  /** What is wrong now (H-20). */
  conditions(): readonly Condition[] {
    const { indexingStatus, nodeHeight, indexedHeight } = this.status();
    if (indexingStatus !== "stalled") return [];
    const where = `the index is at ${indexedHeight}, the node was last seen at ${nodeHeight}`;
    return [
      {
        code: "PEARL_STALLED",
        sentence: `The index does not get on (${where}). The last error line of the log says why; check that the node runs and answers.`,
      },
    ];
  }
}
