// Work that is waited for a while, and then goes on by itself until somebody asks for what it has come to: one RPC of
// several may be long in what it is asked, and all reading would wait.

import type { Clock } from "../../follow/ports.ts";
import type { ReadingStep } from "./evm-reading-step.ts";
import { EvmUnavailable } from "./evm-unavailable.ts";
import { wordsUntil } from "./evm-words.ts";

/** Whether the work is over within so many milliseconds; rejects as the work does until then. */
export async function isOverWithin(
  ms: number,
  work: Promise<unknown>,
  clock: Pick<Clock, "sleep">,
): Promise<boolean> {
  const over = new AbortController();
  try {
    return await Promise.race([work.then(() => true), clock.sleep(ms, over.signal).then(() => false)]);
  } finally {
    over.abort();
  }
}

/** A piece of work. */
interface Work<Outcome> {
  /** Resolves when it is over, whatever it came to. */
  readonly end: Promise<void>;
  /** Null until it is over: what it has come to, or throws what it was rejected with. */
  outcome: (() => Outcome) | null;
  /** Whether it was not waited for any longer. */
  isLeft: boolean;
}

/** One piece of work after the other. */
export class Aside<Outcome> {
  readonly #clock: Pick<Clock, "sleep">;
  readonly #over: () => void;
  #work: Work<Outcome> | null = null;

  /** `over` is called when work is over that was not waited for. */
  constructor(clock: Pick<Clock, "sleep">, over: () => void = () => undefined) {
    this.#clock = clock;
    this.#over = over;
  }

  /** Whether there is some of which nobody has asked what it has come to. */
  get isUnderWay(): boolean {
    return this.#work !== null;
  }

  /**
   * What the present work has come to, which then is the present one no longer; of that which is begun, where there is none,
   * and waited for so long. Null: it is not over. What is returned throws what the work was rejected with.
   */
  async taken(begin: () => Promise<Outcome>, waitMs: number): Promise<(() => Outcome) | null> {
    const work = this.#work ?? (await this.#begun(begin, waitMs));
    if (work.outcome === null) {
      work.isLeft = true;
      return null;
    }
    this.#work = null;
    return work.outcome;
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    await this.#work?.end;
  }

  async #begun(begin: () => Promise<Outcome>, waitMs: number): Promise<Work<Outcome>> {
    const over = (outcome: () => Outcome): void => {
      work.outcome = outcome;
      if (work.isLeft) this.#over();
    };
    const end = begin().then(
      (value) => over(() => value),
      (error: unknown) =>
        over(() => {
          throw error;
        }),
    );
    const work: Work<Outcome> = { end, outcome: null, isLeft: false };
    this.#work = work;
    await isOverWithin(waitMs, end, this.#clock);
    return work;
  }
}

/** Who looks. */
interface LookingOnce {
  /** A look. Never called before the last one is over. */
  next(active: number): Promise<ReadingStep>;
  /** Whether blocks that the last look was about have been undone since it began. */
  readonly isOutdated: boolean;
}

/** What a look comes to, or that it says nothing: blocks that it was about have been undone since it began. */
type AsideStep = ReadingStep | { readonly kind: "outdated" };

/**
 * Looks at the second reading, which do not keep the first one waiting (S-08), one after the other. One RPC of several may be
 * long in it, for minutes where a single block is full: new blocks are read meanwhile, and what the look comes to counts when it
 * is over, unless blocks that it was about have been undone by then.
 */
export class ReadingAside {
  readonly #reading: LookingOnce;
  readonly #look: Aside<ReadingStep>;

  /** `over` is called when a look is over that was not waited for. */
  constructor(reading: LookingOnce, clock: Pick<Clock, "sleep">, over: () => void) {
    this.#reading = reading;
    this.#look = new Aside(clock, over);
  }

  /** What the present look comes to; of a new one, which is waited for so long, where there is none. Rejects as a look does. */
  async next(active: number, waitMs: number): Promise<AsideStep> {
    const step = await this.#look.taken(() => this.#reading.next(active), waitMs);
    if (step === null) return { kind: "waiting" };
    // What it has found, or what it has stumbled over, is of blocks that are gone.
    return this.#reading.isOutdated ? { kind: "outdated" } : step();
  }

  /** Resolves when no look is under way. */
  settled(): Promise<void> {
    return this.#look.settled();
  }
}

/** An RPC that took longer than this is not waited for the next time. */
const LATE_MS = 1000;

/**
 * Questions to RPCs, of each one at a time, whose words are noted when they come. All reading waits for them, so that of several
 * one that was slow or silent the last time is not waited for.
 */
export class AskedRpcs {
  readonly #isAlone: boolean;
  readonly #clock: Clock;
  readonly #asking = new Map<number, Promise<void>>();
  readonly #late = new Set<number>();
  #bug: { readonly error: unknown } | null = null;

  constructor({ sources, clock }: { readonly sources: readonly unknown[]; readonly clock: Clock }) {
    this.#isAlone = sources.length === 1;
    this.#clock = clock;
  }

  /** Whether nobody is being asked. */
  get isIdle(): boolean {
    return this.#asking.size === 0;
  }

  /** Puts the question to the RPC of this index, unless it is at one. What it rejects with is a bug, if no `EvmUnavailable`. */
  ask(index: number, question: () => Promise<void>): void {
    if (!this.#asking.has(index)) this.#asking.set(index, this.#answered(index, question));
  }

  /**
   * Resolves when those who are waited for have answered, or it is enough, or after so long (null: however long it takes): who
   * has not answered by then is late, since one may be quick at one question and hang at the next. Rejects with a bug.
   */
  async heard(mostMs: number | null, isEnough: () => boolean = () => false): Promise<void> {
    const waited = [...this.#asking].filter(([index]) => !this.#late.has(index));
    const answers = waited.map(([, asking]) => asking);
    const words = wordsUntil(answers, () => this.#bug !== null || isEnough());
    if (mostMs === null) await words;
    else if (waited.length > 0 && !(await isOverWithin(mostMs, words, this.#clock)))
      for (const [index] of waited) if (this.#asking.has(index)) this.#late.add(index);
    const bug = this.#bug;
    this.#bug = null;
    if (bug !== null) throw bug.error;
  }

  /** Resolves when nobody is asked any more. */
  async settled(): Promise<void> {
    await Promise.all(this.#asking.values());
  }

  /** Never rejects. */
  async #answered(index: number, question: () => Promise<void>): Promise<void> {
    const begunMs = this.#clock.monotonicMs();
    let isLate = false;
    try {
      await question();
    } catch (error) {
      isLate = true;
      if (!(error instanceof EvmUnavailable)) this.#bug = { error };
    }
    isLate ||= this.#clock.monotonicMs() - begunMs > LATE_MS;
    if (isLate && !this.#isAlone) this.#late.add(index);
    else this.#late.delete(index);
    this.#asking.delete(index);
  }
}
