// All lock outputs of one script (S-15). Anybody may pay to a script ten thousand times, and every row of its orders asks
// the same few things of all of its outputs, at every read. So they stand in runs, the greatest amounts first, and each
// run knows once and for all what rows ask of it: a read costs some steps per run, whoever paid how often. A change makes
// another collection, which shares the runs that are not changed; nothing here is ever changed in itself.

import { firstIndex } from "../primitives/elements.ts";
import type { ChainTips, HtlcOutput } from "./facts.ts";
import { isDeep } from "./finality.ts";
import { compareOutputs, isRefundedInBlock } from "./lock-choice.ts";

/** Outputs of a run that is made; one that has grown to twice as many becomes two. */
const RUN = 128;
/** Runs that a collection may have beyond those that its outputs would fill: some may have become short. */
const SPARE_RUNS = 16;
/** Outputs that rows, and actions, show. */
const MAX_SHOWN = 20;

/** What is asked of outputs together. Each "first" is in the order in which rows show them, null where there is none. */
interface Sum {
  /** In a block, and no coinbase. */
  readonly mined: HtlcOutput | null;
  readonly coinbase: HtlcOutput | null;
  /** In the mempool now. */
  readonly waiting: HtlcOutput | null;
  /** In a block, and not spent by the refund leaf in one. */
  readonly standing: HtlcOutput | null;
  /** Spent by that leaf, in a block or the mempool now, of those that are possible whatever becomes of the tip. */
  readonly claim: HtlcOutput | null;
  readonly refund: HtlcOutput | null;
  /** Whether any is spent by the claim leaf. */
  readonly hasClaim: boolean;
  /** When this height is deep nothing of them can be claimed any more: infinite where that is never. */
  readonly goneWith: number;
}

const NOTHING: Sum = {
  mined: null,
  coinbase: null,
  waiting: null,
  standing: null,
  claim: null,
  refund: null,
  hasClaim: false,
  goneWith: Number.NEGATIVE_INFINITY,
};

/** Greatest amounts first; of equal ones in the order of rows. */
function compareAmounts(one: HtlcOutput, other: HtlcOutput): number {
  if (one.amountSat !== other.amountSat) return one.amountSat > other.amountSat ? -1 : 1;
  return compareOutputs(one, other);
}

/** With this height deep an output that is in no block is impossible (S-15); infinite where no depth decides that. */
function impossibleWith({ mined, inMempool, coinbase, conflictHeight }: HtlcOutput): number {
  // What the mempool holds now can be mined whatever else is recorded: the safe side of a contradiction.
  if (mined !== null || inMempool) return Number.POSITIVE_INFINITY;
  if (coinbase) return Number.NEGATIVE_INFINITY;
  return conflictHeight ?? Number.POSITIVE_INFINITY;
}

/**
 * Whether an output that is in no block can never come back (S-15): an input of its transaction is spent by another
 * transaction 13 blocks deep, or it is an orphaned coinbase's.
 */
export function isImpossible(output: HtlcOutput, tips: ChainTips): boolean {
  return isDeep(tips, impossibleWith(output));
}

/** *Pending* (S-15): seen, in no block, and still possible; eviction from the mempool does not end it. */
export function isPending(output: HtlcOutput, tips: ChainTips): boolean {
  return output.mined === null && !isImpossible(output, tips);
}

function sumOf(output: HtlcOutput): Sum {
  const { mined, coinbase, inMempool, spend } = output;
  const lostWith = impossibleWith(output);
  const isSure = lostWith === Number.POSITIVE_INFINITY;
  const isRefunded = isRefundedInBlock(output);
  const backWith = isRefunded ? spend?.mined?.height : undefined;
  return {
    mined: mined !== null && !coinbase ? output : null,
    coinbase: mined !== null && coinbase ? output : null,
    waiting: mined === null && inMempool ? output : null,
    standing: mined !== null && !isRefunded ? output : null,
    claim: isSure && spend?.path === "claim" ? output : null,
    refund: isSure && spend?.path === "refund" ? output : null,
    hasClaim: spend?.path === "claim",
    goneWith: Math.min(lostWith, backWith ?? Number.POSITIVE_INFINITY),
  };
}

function firstOf(one: HtlcOutput | null, other: HtlcOutput | null): HtlcOutput | null {
  if (one === null || other === null) return one ?? other;
  return compareOutputs(one, other) <= 0 ? one : other;
}

function added(one: Sum, other: Sum): Sum {
  return {
    mined: firstOf(one.mined, other.mined),
    coinbase: firstOf(one.coinbase, other.coinbase),
    waiting: firstOf(one.waiting, other.waiting),
    standing: firstOf(one.standing, other.standing),
    claim: firstOf(one.claim, other.claim),
    refund: firstOf(one.refund, other.refund),
    hasClaim: one.hasClaim || other.hasClaim,
    goneWith: Math.max(one.goneWith, other.goneWith),
  };
}

/** Heights of blocks that rows count confirmations of an output, its spend and its conflict from. */
export function* heightsOf({ mined, spend, conflictHeight }: HtlcOutput): Generator<number> {
  if (mined !== null) yield mined.height;
  if (spend !== null && spend.mined !== null) yield spend.mined.height;
  if (mined === null && conflictHeight !== null) yield conflictHeight;
}

/** Some outputs that follow each other, with what is asked of them; worked out when it is asked first. */
class Run {
  /** At least one, in the order of `compareAmounts`. */
  readonly outputs: readonly HtlcOutput[];
  #sum: Sum | null = null;
  #losable: readonly HtlcOutput[] | null = null;
  #heights: readonly number[] | null = null;

  constructor(outputs: readonly HtlcOutput[]) {
    this.outputs = outputs;
  }

  get sum(): Sum {
    this.#sum ??= this.outputs.map(sumOf).reduce(added);
    return this.#sum;
  }

  /** Those that are impossible with a tip that is high enough, in the order in which they become so. */
  get losable(): readonly HtlcOutput[] {
    this.#losable ??= this.outputs
      .filter((output) => impossibleWith(output) < Number.POSITIVE_INFINITY)
      .toSorted((one, other) => impossibleWith(one) - impossibleWith(other) || 0);
    return this.#losable;
  }

  /** Those of `heightsOf` of all, each once. */
  get heights(): readonly number[] {
    this.#heights ??= [...new Set(this.outputs.flatMap((output) => [...heightsOf(output)]))];
    return this.#heights;
  }

  /** Number of those that are impossible. */
  lost(tips: ChainTips): number {
    return firstIndex(this.losable, (output) => !isImpossible(output, tips));
  }

  /** Number of those of at least this amount: they stand first. */
  atLeast(amountSat: bigint): number {
    return firstIndex(this.outputs, (output) => output.amountSat < amountSat);
  }
}

function runsOf(sorted: readonly HtlcOutput[]): readonly Run[] {
  const runs: Run[] = [];
  for (let at = 0; at < sorted.length; at += RUN) runs.push(new Run(sorted.slice(at, at + RUN)));
  return runs;
}

/** What became of an output: null where it was not, or is no longer, one of the script. */
export interface OutputChange {
  readonly before: HtlcOutput | null;
  readonly after: HtlcOutput | null;
}

/** The outputs of a script in one state of both chains and the mempool. */
export class LockOutputs implements Iterable<HtlcOutput> {
  /** None. */
  static readonly NONE = new LockOutputs([], 0);

  readonly size: number;
  readonly #runs: readonly Run[];
  #split: { readonly amountSat: bigint; readonly full: Sum; readonly small: Sum } | null = null;
  #heights: ReadonlySet<number> | null = null;

  private constructor(runs: readonly Run[], size: number) {
    this.#runs = runs;
    this.size = size;
  }

  /** These outputs, given in any order. */
  static of(outputs: readonly HtlcOutput[]): LockOutputs {
    if (outputs.length === 0) return LockOutputs.NONE;
    return new LockOutputs(runsOf(outputs.toSorted(compareAmounts)), outputs.length);
  }

  /** In no order that means anything. */
  *[Symbol.iterator](): Iterator<HtlcOutput> {
    for (const { outputs } of this.#runs) yield* outputs;
  }

  /** The same outputs after these changes. Costs as much as some runs for each. */
  changed(changes: Iterable<OutputChange>): LockOutputs {
    const runs = [...this.#runs];
    let { size } = this;
    for (const { before, after } of changes) {
      if (before !== null && take(runs, before)) size -= 1;
      if (after === null) continue;
      put(runs, after);
      size += 1;
    }
    // Where most outputs of many runs are gone, the runs would cost more than what is left in them.
    if (runs.length > (2 * size) / RUN + SPARE_RUNS)
      return LockOutputs.of(runs.flatMap(({ outputs }) => outputs));
    return size === 0 ? LockOutputs.NONE : new LockOutputs(runs, size);
  }

  /** What is asked of those of at least this amount, and of the others. */
  #by(amountSat: bigint): { readonly full: Sum; readonly small: Sum } {
    if (this.#split?.amountSat === amountSat) return this.#split;
    let [full, small] = [NOTHING, NOTHING];
    for (const run of this.#runs) {
      const count = run.atLeast(amountSat);
      if (count === run.outputs.length) full = added(full, run.sum);
      else if (count === 0) small = added(small, run.sum);
      else {
        full = added(full, new Run(run.outputs.slice(0, count)).sum);
        small = added(small, new Run(run.outputs.slice(count)).sum);
      }
    }
    this.#split = { amountSat, full, small };
    return this.#split;
  }

  /** *The lock* (S-15), or null where no lock output is mined or in the mempool now. `amountSat`: pearl_amount_sat. */
  lock(amountSat: bigint): HtlcOutput | null {
    const { full, small } = this.#by(amountSat);
    const others = firstOf(full.coinbase, firstOf(small.mined, small.coinbase));
    return full.mined ?? full.waiting ?? others ?? small.waiting;
  }

  /** Whether one of at least this amount is mined or in the mempool now. */
  hasFull(amountSat: bigint): boolean {
    const { mined, coinbase, waiting } = this.#by(amountSat).full;
    return mined !== null || coinbase !== null || waiting !== null;
  }

  /** Of the mined ones of at least this amount the first that no refund in a block has spent. */
  firstStanding(amountSat: bigint): HtlcOutput | null {
    return this.#by(amountSat).full.standing;
  }

  /** Whether one of at least this amount is mined. */
  hasFullMined(amountSat: bigint): boolean {
    const { mined, coinbase } = this.#by(amountSat).full;
    return mined !== null || coinbase !== null;
  }

  /** Whether one of at least this amount is spent by the claim leaf, in a block or the mempool now. */
  isFullClaimed(amountSat: bigint): boolean {
    return this.#by(amountSat).full.hasClaim;
  }

  /** Whether one is in a block. */
  get hasMined(): boolean {
    return this.#runs.some(({ sum }) => sum.mined !== null || sum.coinbase !== null);
  }

  /** Whether one is spent by the claim leaf, in a block or the mempool now. */
  get hasClaim(): boolean {
    return this.#runs.some(({ sum }) => sum.hasClaim);
  }

  /** Whether every one is back with the seller 13 deep, or impossible. */
  isGone(tips: ChainTips): boolean {
    return this.#runs.every(({ sum }) => isDeep(tips, sum.goneWith));
  }

  /** Number of those that are not impossible. */
  shownTotal(tips: ChainTips): number {
    return this.#runs.reduce((total, run) => total - run.lost(tips), this.size);
  }

  /**
   * The outputs that rows and actions show, in their order: all that are not impossible, or the 20 of the greatest
   * amounts with the lock among them; of equal amounts the first. `amountSat`: pearl_amount_sat.
   */
  shown(amountSat: bigint, tips: ChainTips): readonly HtlcOutput[] {
    const greatest: HtlcOutput[] = [];
    for (const output of this.#possible(tips)) {
      greatest.push(output);
      if (greatest.length === MAX_SHOWN) break;
    }
    const lock = this.lock(amountSat);
    if (lock !== null && !greatest.includes(lock)) greatest[greatest.length - 1] = lock;
    return greatest.toSorted(compareOutputs);
  }

  /** Those that are not impossible, the greatest amounts first; of equal ones in the order of rows. */
  *#possible(tips: ChainTips): Generator<HtlcOutput> {
    for (const run of this.#runs) {
      const lost = run.lost(tips);
      if (lost === run.outputs.length) continue;
      for (const output of run.outputs) if (lost === 0 || !isImpossible(output, tips)) yield output;
    }
  }

  /** The first one by the order of rows that this leaf has spent, in a block or the mempool now; impossible ones not. */
  firstSpentBy(path: "claim" | "refund", tips: ChainTips): HtlcOutput | null {
    let first: HtlcOutput | null = null;
    for (const { sum, losable } of this.#runs) {
      first = firstOf(first, sum[path]);
      for (const output of losable)
        if (output.spend?.path === path && !isImpossible(output, tips)) first = firstOf(first, output);
    }
    return first;
  }

  /** Those of `heightsOf` of all. */
  get heights(): ReadonlySet<number> {
    if (this.#heights !== null) return this.#heights;
    this.#heights = new Set(this.#runs.flatMap(({ heights }) => heights));
    return this.#heights;
  }

  /** As an array, for whoever writes a subject down. */
  toJSON(): readonly HtlcOutput[] {
    return [...this];
  }
}

/** Index of the run in which an output stands or would. */
function runFor(runs: readonly Run[], output: HtlcOutput): number {
  const at = firstIndex(runs, ({ outputs }) => {
    const last = outputs.at(-1);
    return last === undefined || compareAmounts(last, output) >= 0;
  });
  return Math.min(at, runs.length - 1);
}

/** Takes an output out that stands where this one would; whether there was one. */
function take(runs: Run[], output: HtlcOutput): boolean {
  const index = runFor(runs, output);
  const outputs = runs[index]?.outputs ?? [];
  const at = firstIndex(outputs, (one) => compareAmounts(one, output) >= 0);
  const found = outputs[at];
  if (found === undefined || compareAmounts(found, output) !== 0) return false;
  runs.splice(index, 1, ...(outputs.length === 1 ? [] : [new Run(outputs.toSpliced(at, 1))]));
  return true;
}

function put(runs: Run[], output: HtlcOutput): void {
  const index = Math.max(0, runFor(runs, output));
  const outputs = runs[index]?.outputs ?? [];
  const at = firstIndex(outputs, (one) => compareAmounts(one, output) >= 0);
  const next = outputs.toSpliced(at, 0, output);
  const isLong = next.length >= 2 * RUN;
  runs.splice(index, 1, ...(isLong ? runsOf(next) : [new Run(next)]));
}
