// Decides when a port answers wrongly, and how: in episodes in which its calls fail, are stale or lie. They are short:
// S-03's margins are for outages of half an hour, claims included.

import type { Random } from "../../random.ts";

/** What an answer can be instead of right. */
export type Fault = "error" | "stale" | "lie";

/** Faults of one port; at rest until an episode begins. */
export class FaultSource {
  readonly #chance: Random;
  #probability = 0;
  #kinds: readonly Fault[] = [];
  /** World time at which the episode ends. */
  #until = 0;
  /** How many calls were answered wrongly, by kind. */
  readonly met = new Map<Fault, number>();

  constructor(chance: Random) {
    this.#chance = chance;
  }

  /** Begins an episode. */
  begin(until: number): void {
    this.#until = until;
    this.#probability = this.#chance.pick([0.1, 0.4, 1]);
    this.#kinds = this.#chance.pick<readonly Fault[]>([
      ["error"],
      ["stale"],
      ["lie"],
      ["error", "stale", "lie"],
    ]);
  }

  /** Ends it. */
  end(): void {
    this.#until = 0;
  }

  /** The fault of a call now, or null. */
  draw(now: number): Fault | null {
    if (now >= this.#until || !this.#chance.is(this.#probability)) return null;
    const fault = this.#chance.pick(this.#kinds);
    this.met.set(fault, (this.met.get(fault) ?? 0) + 1);
    return fault;
  }
}
