// Tells a waiting loop that something happened. It is a latch: a call while nobody waits is not lost.

import type { Clock } from "./ports.ts";

/** Why a wait ended: one value for all, since making an exception for each call costs more than the wait itself. */
const CALLED = "called";

/** Lets one loop wait for a call or for time to pass. */
export class Wake {
  readonly #clock: Clock;
  #called = false;
  #waiting: AbortController | null = null;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Ends the present wait, or the next one if nobody waits now. */
  call(): void {
    this.#called = true;
    this.#waiting?.abort(CALLED);
  }

  /** Resolves when called, after `ms` at the latest, or when the signal aborts. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (!this.#called && !signal.aborted) {
      const waiting = new AbortController();
      this.#waiting = waiting;
      const onAbort = (): void => waiting.abort(CALLED);
      signal.addEventListener("abort", onAbort, { once: true });
      await this.#clock.sleep(ms, waiting.signal);
      signal.removeEventListener("abort", onAbort);
      this.#waiting = null;
    }
    this.#called = false;
  }
}
