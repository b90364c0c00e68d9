// How long one of several EVM RPCs may take to show the logs of a range in a second reading. One that is too slow is
// asked for fewer blocks, and a single block cannot be less: anybody can fill one with more logs than providers show in time.

import type { Compared } from "./evm-compare-range.ts";

/** Logs that it has to show, or deny, in the time that a range of blocks may take. */
const SHOWN_IN_TIME = 5_000;
/** Of a single block at least so many, where it was too slow before. */
const SHOWN_AT_LEAST = 50;
/** Of the time that a range of blocks may take, so much is the most for that. */
const MOST_TIMES = 8;

/** The times that RPCs are given. */
export class Patience {
  readonly #rangeMs: number;
  /** The single block that was asked about last, and how often each RPC was, by their indices. */
  #block = -1;
  readonly #tries = new Map<number, number>();

  /** `rangeMs`: one RPC of several may take so long for a range. */
  constructor(rangeMs: number) {
    this.#rangeMs = rangeMs;
  }

  /** Milliseconds for the RPC of this index to show the events of a range: for a single block twice as many at each try. */
  mostMs(index: number, { end, blocks, events }: Pick<Compared, "end" | "blocks" | "events">): number {
    const times = Math.ceil(events.length / SHOWN_IN_TIME);
    if (blocks > 1) return this.#rangeMs * times;
    if (end.number !== this.#block) this.#tries.clear();
    this.#block = end.number;
    const tries = this.#tries.get(index) ?? 0;
    this.#tries.set(index, tries + 1);
    const needed = Math.min(MOST_TIMES, Math.ceil(events.length / SHOWN_AT_LEAST));
    return this.#rangeMs * Math.max(times, Math.min(2 ** tries, needed));
  }
}
