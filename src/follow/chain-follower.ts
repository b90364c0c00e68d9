// The one loop in which a chain is followed: a round looks at the head and reads on or goes back, then the next look is
// waited for. The index, the PEARL watch and the EVM follower run in it; what differs between them is what a round reads
// and writes. A failure ends its round and nothing else: the next round starts from what is durable.

import type { Clock } from "./ports.ts";
import { Wake } from "./wake.ts";

/** What a round came to. */
export type RoundEnd =
  /** The chain moved: look at its head again at once. */
  | "again"
  /** There is nothing more to read. */
  | "idle"
  /** There is more to read, and something has to be known first. */
  | "waiting";

/** The pause after a round that failed. */
export interface RetryPause {
  readonly ms: number;
  /** The first part of the pause, which no wake-up ends. */
  readonly firmMs: number;
}

/** One chain as the loop sees it. */
export interface ChainRounds {
  /** One look at the head, and what follows from it. Rejects where it fails. */
  round(signal: AbortSignal): Promise<RoundEnd>;
  /** The pause after a round of this length that left nothing to be done at once, in milliseconds. */
  pauseMs(roundMs: number): number;
  /** A round has ended well. */
  recovered(): void;
  /** So many rounds in a row have failed, the last one with this error: tells it, and says when to try again. */
  failed(error: unknown, failures: number): RetryPause;
}

/** Follows one chain; see the file header. */
export class ChainFollower {
  readonly #clock: Clock;
  readonly #rounds: ChainRounds;
  readonly #wake: Wake;

  constructor(clock: Clock, rounds: ChainRounds) {
    this.#clock = clock;
    this.#rounds = rounds;
    this.#wake = new Wake(clock);
  }

  /** Begins the next round at once, or right after the present one. */
  wake(): void {
    this.#wake.call();
  }

  /** Follows until the signal aborts, or, with `until` "tip", until a round is idle. Nothing is thrown. */
  async run(signal: AbortSignal, until: "aborted" | "tip"): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      const startedMs = this.#clock.monotonicMs();
      try {
        const end = await this.#rounds.round(signal);
        // A round that was cut short shows nothing: what troubled it stands.
        if (signal.aborted) return;
        failures = 0;
        this.#rounds.recovered();
        if (end === "again") continue;
        if (end === "idle" && until === "tip") return;
        const roundMs = this.#clock.monotonicMs() - startedMs;
        await this.#wake.wait(this.#rounds.pauseMs(roundMs), signal);
      } catch (error) {
        if (signal.aborted) return;
        failures += 1;
        const { ms, firmMs } = this.#rounds.failed(error, failures);
        await this.#clock.sleep(firmMs, signal);
        if (ms > firmMs) await this.#wake.wait(ms - firmMs, signal);
      }
    }
  }
}

/** The pause after so many failures: it doubles from one to the next, up to `maxMs`. */
export function retryMs(failures: number, minMs: number, maxMs: number): number {
  return Math.min(maxMs, minMs * 2 ** Math.min(failures, 20));
}
