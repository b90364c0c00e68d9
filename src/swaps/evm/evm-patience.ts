// How long one of several EVM RPCs may take for the receipts of a range: those that show its logs, or those by which a
// block is read whose logs it refuses. One that is too slow is asked for fewer blocks, and a single block cannot be less:
// anybody can fill one with more logs than providers show in time.

import type { EvmSource } from "./evm-chain.ts";
import { inTime, MOST_TIMES, type TimedSources } from "./evm-time-limit.ts";

/** Logs or transactions that it has to show, or deny, in the time that a range of blocks may take. */
const SHOWN_IN_TIME = 5_000;
/** Of a single block at least so many, where it was too slow before. */
const SHOWN_AT_LEAST = 50;

/** What it is asked about. */
interface PatientQuestion {
  readonly end: { readonly number: number };
  /** How many there are up to the end. */
  readonly blocks: number;
  /** Logs or transactions. */
  readonly count: number;
}

/** The times that RPCs are given. */
export class Patience {
  readonly #timed: TimedSources;
  readonly #rangeMs: number;
  /** The single block that was asked about last, and how often each RPC was, by their indices. */
  #block = -1;
  readonly #tries = new Map<number, number>();

  /** `rangeMs`: one RPC of several may take so long for a range. */
  constructor(timed: TimedSources, rangeMs: number) {
    this.#timed = timed;
    this.#rangeMs = rangeMs;
  }

  /** The RPC of this index with the time that it is given: for a single block twice as much at each try. */
  source(index: number, { end, blocks, count }: PatientQuestion): EvmSource {
    const times = Math.ceil(count / SHOWN_IN_TIME);
    const most = blocks > 1 ? times : Math.max(times, this.#timesOfTry(index, end.number, count));
    return inTime(this.#timed, index, this.#rangeMs * most, blocks);
  }

  #timesOfTry(index: number, block: number, count: number): number {
    if (block !== this.#block) this.#tries.clear();
    this.#block = block;
    const tries = this.#tries.get(index) ?? 0;
    this.#tries.set(index, tries + 1);
    return Math.min(2 ** tries, MOST_TIMES, Math.ceil(count / SHOWN_AT_LEAST));
  }
}
