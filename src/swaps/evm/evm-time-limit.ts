// How long one of several EVM RPCs may take: to bring a range of blocks, or to say what it has of the logs in one; to show the
// logs of a block that is full; to bring the index nearer to the chain's head. Each of its answers has a time limit, and one
// that uses it up with every answer, refusing several questions at once, or with headers that make it be asked for each block
// by itself, would hold the reading for hours, while the others go on. Nothing is believed or refused by it: the next one is
// asked. The only RPC is given all the time.

import type { Bytes32 } from "../../primitives/brands.ts";
import type { Clock } from "../../follow/ports.ts";
import { isOverWithin } from "./evm-aside.ts";
import { type EvmBlock, type EvmReceipt, type EvmSource, heldCounter, ofRpc } from "./evm-chain.ts";
import type { RangeSizer } from "./evm-range.ts";
import { EvmUnavailable } from "./evm-unavailable.ts";
import { MAX_CHECKPOINTS } from "../ledger/ports.ts";

/** What the RPCs are asked with. */
export interface TimedSources {
  readonly sources: readonly EvmSource[];
  readonly sizers: readonly RangeSizer[];
  readonly clock: Clock;
}

/** Blocks or receipts that it is asked for at a time: what it does not answer goes on to be asked for when its time is up. */
const ASKED_AT_ONCE = 400;

/**
 * The RPC of that index, which rejects with `EvmUnavailable` TIMEOUT whatever is asked of it once it has been waited for so
 * long, and is asked for half as many blocks the next time: an honest one may be slow. The only one is given all the time.
 * `blocks`: those of the range that it is asked about; null where it brings one, which its logs make known.
 */
export function inTime(
  { sources, sizers, clock }: TimedSources,
  index: number,
  mostMs: number,
  blocks: number | null = null,
): EvmSource {
  let asked = blocks;
  const source = ofRpc(sources, index);
  if (sources.length === 1) return source;
  let [waitedMs, waiting, sinceMs] = [0, 0, 0];
  let isLate = false;
  const late = (): EvmUnavailable => {
    const sizer = sizers[index];
    // By its logs the size has grown for the next range: what is too much is what it was asked for.
    if (!isLate) sizer?.failed(asked ?? sizer.size);
    isLate = true;
    const sentence = `${source.name} has taken more than ${mostMs} ms for one range of blocks; another one is asked`;
    return new EvmUnavailable("TIMEOUT", sentence);
  };
  const leftMs = (): number => mostMs - waitedMs - (waiting > 0 ? clock.monotonicMs() - sinceMs : 0);
  const timed = <Argument extends readonly unknown[], Answer>(
    ask: (...given: Argument) => Promise<Answer>,
  ): ((...given: Argument) => Promise<Answer>) => {
    return async (...given) => {
      if (leftMs() < 0) throw late();
      if (waiting === 0) sinceMs = clock.monotonicMs();
      waiting += 1;
      try {
        // One question is about hundreds of blocks, each of which it may answer by itself.
        const asking = ask(...given);
        if (!(await isOverWithin(Math.max(1, leftMs()), asking, clock))) throw late();
        return await asking;
      } finally {
        waiting -= 1;
        if (waiting === 0) waitedMs += clock.monotonicMs() - sinceMs;
      }
    };
  };
  return {
    name: source.name,
    heads: timed(() => source.heads()),
    blocksAt: inParts(
      source,
      timed((numbers: readonly number[]) => source.blocksAt(numbers)),
    ),
    blocksByHash: inParts(
      source,
      timed((hashes: readonly Bytes32[]) => source.blocksByHash(hashes)),
    ),
    logs: timed((from: number, to: number) => {
      asked = to - from + 1;
      return source.logs(from, to);
    }),
    logsOfBlock: timed((hash: Bytes32) => source.logsOfBlock(hash)),
    receipts: inParts(
      source,
      timed((txHashes: readonly Bytes32[]) => source.receipts(txHashes)),
    ),
  };
}

/** The same question about a part of these at a time, of which no more is held together than of one question. */
function inParts<Item, Answer extends EvmBlock | EvmReceipt>(
  source: Pick<EvmSource, "name">,
  ask: (part: readonly Item[]) => Promise<readonly (Answer | null)[]>,
): (items: readonly Item[]) => Promise<readonly (Answer | null)[]> {
  return async (items) => {
    const answers: (Answer | null)[] = [];
    const hold = heldCounter(source);
    for (let at = 0; at < items.length; at += ASKED_AT_ONCE) {
      for (const answer of await ask(items.slice(at, at + ASKED_AT_ONCE))) {
        if (answer !== null) hold(answer);
        answers.push(answer);
      }
    }
    return answers;
  };
}

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

/** What an RPC is patiently waited for: it has tries of its own for each. */
type Wanted = "shown" | "receipts" | "search";

/**
 * The times that RPCs are given in one reading for the receipts of a range: those that show its logs, or those by which
 * a block is read whose logs it refuses. One that is too slow is asked for fewer blocks, and a single block cannot be less:
 * anybody can fill one with more logs than providers show in time.
 */
export class Patience {
  readonly #timed: TimedSources;
  readonly #rangeMs: number;
  /** The single block that each RPC was asked about last, and how often. */
  readonly #tries = new Map<string, { readonly block: number; readonly count: number }>();

  /** `rangeMs`: one RPC of several may take so long for a range. */
  constructor({ sources, sizers, clock }: TimedSources, rangeMs: number) {
    this.#timed = { sources, sizers, clock };
    this.#rangeMs = rangeMs;
  }

  /** The RPC of this index with the time that it is given to show logs: for a single block twice as much at each try. */
  shown(index: number, question: PatientQuestion): EvmSource {
    return this.#source("shown", index, question, Math.ceil(question.count / SHOWN_IN_TIME));
  }

  /**
   * The RPC of this index with the time that it is given for the receipts of all transactions of a block. How many these are
   * is its own word alone: it is given no more at the first try for that.
   */
  byReceipts(index: number): (block: EvmBlock) => EvmSource {
    return (end) => this.#source("receipts", index, { end, blocks: 1, count: end.transactions.length }, 1);
  }

  /**
   * The RPC of this index with the time that it is given to say which of our blocks it has: twice as much at each try, as long
   * as nothing more has become final. Our newest block may be another one at each try.
   */
  search(index: number, finalHeight: number): EvmSource {
    return this.#source(
      "search",
      index,
      { end: { number: finalHeight }, blocks: 1, count: MAX_CHECKPOINTS },
      1,
    );
  }

  /** `times`: what it is given at the first try, as far as that is not too much. */
  #source(wanted: Wanted, index: number, { end, blocks, count }: PatientQuestion, times: number): EvmSource {
    const most =
      blocks > 1 ? times : Math.max(times, this.#timesOfTry(`${wanted}:${index}`, end.number, count));
    // No range is smaller where it is known which blocks an RPC has.
    const timed = wanted === "search" ? { ...this.#timed, sizers: [] } : this.#timed;
    return inTime(timed, index, this.#rangeMs * Math.min(most, MOST_TIMES), blocks);
  }

  #timesOfTry(asked: string, block: number, count: number): number {
    const last = this.#tries.get(asked);
    const tries = last?.block === block ? last.count : 0;
    this.#tries.set(asked, { block, count: tries + 1 });
    return Math.min(2 ** tries, MOST_TIMES, Math.ceil(count / SHOWN_AT_LEAST));
  }
}

/** How fast an RPC that is followed has to be. */
interface PaceBounds {
  /** Seconds of block time that the index may be behind the head at any pace. */
  readonly nearS: number;
  /** In so much time it has to come nearer by as much. */
  readonly periodMs: number;
}

/**
 * Whether the RPC that is followed, one after the other, brings the index nearer to the chain's head. One that answers
 * everything, each time late or for a single block, never fails, and the index would stay behind the others for as long as it
 * likes.
 */
export class Pace {
  readonly #clock: Clock;
  readonly #bounds: PaceBounds;
  /** How far it was behind at the last moment at which it was fast enough; null where it was near. */
  #behind: { readonly lagS: number; readonly atMs: number } | null = null;

  constructor(clock: Clock, bounds: PaceBounds) {
    this.#clock = clock;
    this.#bounds = bounds;
  }

  /** Another RPC is followed from now on. */
  beginsAnew(): void {
    this.#behind = null;
  }

  /** Whether it is too slow, now that the index is so many seconds of block time behind the head. */
  isTooSlow(lagS: number): boolean {
    const { nearS, periodMs } = this.#bounds;
    const atMs = this.#clock.monotonicMs();
    if (lagS <= nearS) this.#behind = null;
    else if (this.#behind === null || this.#behind.lagS - lagS >= periodMs / 1000)
      this.#behind = { lagS, atMs };
    return this.#behind !== null && atMs - this.#behind.atMs >= periodMs;
  }
}
