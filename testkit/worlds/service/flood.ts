// Finds out whoever asks on and on without a pause: the clock of the simulation stands still while he does.

import type { VirtualClock } from "../../doubles/clock.ts";

/** A story has some hundred blocks of each chain: nobody has so many questions in one moment. */
const MOST_AT_ONCE = 3000;

/** Counts the questions to one node or RPC. */
export class Flood {
  readonly #clock: VirtualClock;
  readonly #onFlood: () => void;
  /** Questions since the clock has moved. */
  #atOnce = { count: 0, ms: 0 };

  constructor(clock: VirtualClock, onFlood: () => void) {
    this.#clock = clock;
    this.#onFlood = onFlood;
  }

  /** Lets one question through; one too many is never answered, so that the test is not taken along. */
  async pass(): Promise<void> {
    const ms = this.#clock.monotonicMs();
    this.#atOnce = { count: this.#atOnce.ms === ms ? this.#atOnce.count + 1 : 1, ms };
    if (this.#atOnce.count <= MOST_AT_ONCE) return;
    this.#onFlood();
    await new Promise(() => undefined);
  }
}
