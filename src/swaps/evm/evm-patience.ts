// How long one of several EVM RPCs may take for the receipts of a range: those that show its logs, or those by which a
// block is read whose logs it refuses. One that is too slow is asked for fewer blocks, and a single block cannot be less:
// anybody can fill one with more logs than providers show in time.

import type { EvmBlock, EvmSource } from "./evm-chain.ts";
import { inTime, type TimedSources } from "./evm-time-limit.ts";
import { MAX_CHECKPOINTS } from "../ledger/ports.ts";

/** Logs or transactions that it has to show, or deny, in the time that a range of blocks may take. */
const SHOWN_IN_TIME = 5_000;
/** Of a single block at least so many, where it was too slow before. */
const SHOWN_AT_LEAST = 50;
/** Of the time that a range of blocks may take, so much is the most for that. */
const MOST_TIMES = 8;

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
  source(index: number, question: PatientQuestion): EvmSource {
    return this.#source(index, question, Math.ceil(question.count / SHOWN_IN_TIME));
  }

  /**
   * The RPC of this index with the time that it is given for the receipts of all transactions of a block. How many these are
   * is its own word alone: it is given no more at the first try for that.
   */
  byReceipts(index: number): (block: EvmBlock) => EvmSource {
    return (end) => this.#source(index, { end, blocks: 1, count: end.transactions.length }, 1);
  }

  /**
   * The RPC of this index with the time that it is given to say which of our blocks it has: twice as much at each try, as long
   * as nothing more has become final. Our newest block may be another one at each try.
   */
  search(index: number, finalHeight: number): EvmSource {
    return this.source(index, { end: { number: finalHeight }, blocks: 1, count: MAX_CHECKPOINTS });
  }

  /** `times`: what it is given at the first try, as far as that is not too much. */
  #source(index: number, { end, blocks, count }: PatientQuestion, times: number): EvmSource {
    const most = blocks > 1 ? times : Math.max(times, this.#timesOfTry(index, end.number, count));
    return inTime(this.#timed, index, this.#rangeMs * Math.min(most, MOST_TIMES), blocks);
  }

  #timesOfTry(index: number, block: number, count: number): number {
    if (block !== this.#block) this.#tries.clear();
    this.#block = block;
    const tries = this.#tries.get(index) ?? 0;
    this.#tries.set(index, tries + 1);
    return Math.min(2 ** tries, MOST_TIMES, Math.ceil(count / SHOWN_AT_LEAST));
  }
}

/** What a reading is patient with, each by itself. */
export interface Patiences {
  /** Showing the logs of a range. */
  readonly shown: Patience;
  /** Reading a block by receipts. */
  readonly read: Patience;
  /** Finding the place where a chain has left ours: no range becomes smaller by that. */
  readonly search: Patience;
}

/** New ones. `rangeMs`: one RPC of several may take so long for a range. */
export function patiencesOf({ sources, sizers, clock }: TimedSources, rangeMs: number): Patiences {
  const timed = { sources, sizers, clock };
  return {
    shown: new Patience(timed, rangeMs),
    read: new Patience(timed, rangeMs),
    search: new Patience({ ...timed, sizers: [] }, rangeMs),
  };
}
