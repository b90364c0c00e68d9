// Bounds on what questions to the outside cost, which strangers can cause at will: so many are asked at once, so many
// wait for a lane and not for long, and beyond these a question has no answer.

import type { Clock } from "../../follow/ports.ts";

/** Who asks: a round of re-checks, or a request of somebody. */
export type Asker = "round" | "request";

/** How much is asked at once, and what waits for it. */
export interface LaneBounds {
  readonly atOnce: number;
  /** Questions that may wait for a lane. */
  readonly waiting: number;
  /** What has waited so long is not asked any more: a source that hangs must not hold the whole queue in turn. */
  readonly patienceMs: number;
}

/** What requests may ask of one source. */
export const REQUEST_LANES: LaneBounds = { atOnce: 4, waiting: 64, patienceMs: 5000 };

/** Lanes for questions, and the queue before them. */
export class QuestionLanes {
  readonly #bounds: LaneBounds;
  readonly #clock: Clock;
  readonly #waiting: (() => void)[] = [];
  #inFlight = 0;

  constructor(bounds: LaneBounds, clock: Clock) {
    this.#bounds = bounds;
    this.#clock = clock;
  }

  /** The answer when a lane is free; null where none will be soon, and where nobody answers. Never rejects. */
  async ask<Value>(question: () => Promise<Value>): Promise<Value | null> {
    // Whoever ends hands its place on, so that nobody who comes in between takes it.
    if (this.#inFlight < this.#bounds.atOnce) this.#inFlight += 1;
    else if (this.#waiting.length >= this.#bounds.waiting) return null;
    else if (!(await this.#turn())) return null;
    try {
      return await question();
    } catch {
      return null;
    } finally {
      this.#handOn();
    }
  }

  /** Waits for a place; false, with the place handed on, where it came too late. */
  async #turn(): Promise<boolean> {
    const fromMs = this.#clock.monotonicMs();
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (this.#clock.monotonicMs() - fromMs < this.#bounds.patienceMs) return true;
    this.#handOn();
    return false;
  }

  #handOn(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#inFlight -= 1;
    else next();
  }
}

/** The answer to a question that is under way, or to a new one. `ask` never rejects. */
export function shared<Key, Value>(
  underWay: Map<Key, Promise<Value>>,
  key: Key,
  ask: () => Promise<Value>,
): Promise<Value> {
  const known = underWay.get(key);
  if (known !== undefined) return known;
  const answer = ask().finally(() => underWay.delete(key));
  underWay.set(key, answer);
  return answer;
}
