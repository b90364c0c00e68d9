// Clocks whose time a test owns. `handClock` stands where its test sets it, and waiting costs nothing; `VirtualClock`
// stands still while anything can go on, and then jumps to the next sleeper. Who wants real time takes the adapter's.

import type { Clock } from "../../src/follow/ports.ts";

/** A clock with hands that the test moves; a sleep is over at once. */
export function handClock(nowMs: () => number, monotonicMs: () => number = nowMs): Clock {
  return { nowMs, monotonicMs, sleep: () => Promise.resolve() };
}

interface Sleeper {
  readonly at: number;
  readonly order: number;
  readonly wake: () => void;
}

/** A clock that only `advance` moves. */
export class VirtualClock implements Clock {
  #now = 1_800_000_000_000;
  /** How far the hands of the wall clock are from the time that passes. */
  skewMs = 0;
  #order = 0;
  #sleepers: Sleeper[] = [];

  nowMs(): number {
    return this.#now + this.skewMs;
  }

  monotonicMs(): number {
    return this.#now;
  }

  /** When the next sleeper wakes, by the monotonic clock; null where nobody sleeps. */
  get nextAt(): number | null {
    return this.#sleepers.reduce<number | null>(
      (first, { at }) => (first === null || at < first ? at : first),
      null,
    );
  }

  /** Moves on without waking anybody, as a machine does that was suspended. */
  leap(ms: number): void {
    this.#now += ms;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      this.#order += 1;
      const wake = (): void => {
        this.#sleepers = this.#sleepers.filter((one) => one !== sleeper);
        signal?.removeEventListener("abort", wake);
        resolve();
      };
      const sleeper: Sleeper = { at: this.#now + ms, order: this.#order, wake };
      this.#sleepers.push(sleeper);
      signal?.addEventListener("abort", wake, { once: true });
    });
  }

  /** Jumps to the next sleeper and wakes it; false where nobody sleeps. */
  advance(): boolean {
    const [next] = this.#sleepers.toSorted((a, b) => a.at - b.at || a.order - b.order);
    if (next === undefined) return false;
    this.#now = Math.max(this.#now, next.at);
    next.wake();
    return true;
  }

  /** Forgets all sleepers, as a crash does. */
  forget(): void {
    this.#sleepers = [];
  }
}

/** Lets everything that can go on without time go on; a store with a thread of its own is waited for while busy. */
export async function settle(isBusy: () => boolean = () => false): Promise<void> {
  // A turn of the event loop comes only after all microtasks, however many follow from one another.
  do await new Promise((resolve) => setImmediate(resolve));
  while (isBusy());
}
