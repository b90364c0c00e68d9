// Paces going back for a log (S-08). One RPC of two can show another log at each second reading, and the blocks that are not
// final would be read again without an end, from the honest one too, which counts what it is asked. Nothing is lost by a
// pause but time to finality, which such an RPC withholds as it is.

import { retryMs } from "../../follow/chain-follower.ts";
import type { Clock } from "../../follow/ports.ts";

/** After so long without going back, going back begins anew. */
const BEGINS_ANEW_MS = 600_000;

/** The pauses. */
interface Pauses {
  /** The pause after the second time; it doubles with each one. */
  readonly firstMs: number;
  readonly longestMs: number;
}

/** How often it was gone back of late. */
export class StepsBack {
  readonly #clock: Clock;
  readonly #pauses: Pauses;
  #count = 0;
  #lastMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, pauses: Pauses) {
    this.#clock = clock;
    this.#pauses = pauses;
  }

  /** All above a block was read again because of a log. */
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
