// Whether the EVM RPC that is followed brings the index nearer to the chain's head. One that answers everything, each time
// late or for a single block, never fails, and the index would stay behind the others for as long as it likes.

import type { Clock } from "../../follow/ports.ts";

/** How fast it has to be. */
interface PaceBounds {
  /** Seconds of block time that the index may be behind the head at any pace. */
  readonly nearS: number;
  /** In so much time it has to come nearer by as much. */
  readonly periodMs: number;
}

/** The pace of one RPC after the other. */
export class Pace {
  readonly #clock: Clock;
  readonly #bounds: PaceBounds;
  /** How far it was behind at the last moment at which it was fast enough; null where it was near. */
  #behind: { readonly lagS: number; readonly atMs: number } | null = null;

  constructor(clock: Clock, bounds: PaceBounds) {
    this.#clock = clock;
    this.#bounds = bounds;
  }

  /** Another RPC is followed from now on. */
  beginsAnew(): void {
    this.#behind = null;
  }

  /** Whether it is too slow, now that the index is so many seconds of block time behind the head. */
  isTooSlow(lagS: number): boolean {
    const { nearS, periodMs } = this.#bounds;
    const atMs = this.#clock.monotonicMs();
    if (lagS <= nearS) this.#behind = null;
    else if (this.#behind === null || this.#behind.lagS - lagS >= periodMs / 1000)
      this.#behind = { lagS, atMs };
    return this.#behind !== null && atMs - this.#behind.atMs >= periodMs;
  }
}
