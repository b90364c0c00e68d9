// Work that is waited for a while, and then goes on by itself until somebody asks for what it has come to: one RPC of
// several may be long in what it is asked, and all reading would wait.

import type { Clock } from "../../follow/ports.ts";

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
