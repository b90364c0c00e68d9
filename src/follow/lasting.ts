// How long something has been so without a break: what lasts is told or acted on, what comes and goes is not.

import type { Clock } from "./ports.ts";

/** Something that is so or is not, by the monotonic clock. At first it is not. */
export class Lasting {
  readonly #clock: Pick<Clock, "monotonicMs">;
  #sinceMs: number | null = null;

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  /** It is so now, or is not: then nothing counts that was before. */
  set(isSo: boolean): void {
    if (isSo) this.#sinceMs ??= this.#clock.monotonicMs();
    else this.#sinceMs = null;
  }

  /** Whether it is so and has been for this long. 0: whether it is so. */
  hasLasted(ms: number): boolean {
    return this.#sinceMs !== null && this.#clock.monotonicMs() - this.#sinceMs >= ms;
  }
}
