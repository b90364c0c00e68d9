// Remembers which RPC has failed at a second reading (S-08), so that the others are asked before it: its failure may
// have taken a minute, and must not slow every reading while it answers about its tags.

import type { Clock } from "../../follow/ports.ts";

/** For this long an RPC that has failed is asked last. */
const ASKED_LAST_MS = 600_000;

/** When each RPC last failed. */
export class FailedReadings {
  readonly #clock: Clock;
  readonly #failedAtMs = new Map<number, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The RPC of that index has failed now. */
  add(index: number): void {
    this.#failedAtMs.set(index, this.#clock.monotonicMs());
  }

  /** The same RPCs, those that have failed of late behind the others. */
  last(indices: readonly number[]): readonly number[] {
    const sinceMs = this.#clock.monotonicMs() - ASKED_LAST_MS;
    const hasFailed = (index: number): boolean => (this.#failedAtMs.get(index) ?? -Infinity) > sinceMs;
    return [...indices.filter((index) => !hasFailed(index)), ...indices.filter(hasFailed)];
  }
}
