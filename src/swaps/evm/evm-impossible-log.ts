// What follows from a log that the escrow cannot have made (S-08). It is a fault of the RPC that gave it, so the others
// are asked. Where all of them give it, a log before it may have been missed: then all that is not final is read again
// from each. Where they all give it even then, or nothing is left that is not final, the index stands still.

import type { Log } from "../../follow/ports.ts";

/** How far the index is, and up to where what it has is final. */
interface IndexedTo {
  readonly height: number;
  readonly finalHeight: number;
}

/** A log that stands in the way, and what the RPCs made of it. */
interface Question {
  readonly sentence: string;
  /** RPCs that have given it. */
  readonly by: ReadonlySet<number>;
  /** RPCs that were asked since, whatever came of it. */
  readonly asked: ReadonlySet<number>;
  /** Whether they were asked for everything above the final height, or only for what comes next. */
  readonly isFromFinal: boolean;
}

/** Remembers which RPCs gave the log, and what is to be read next. */
export class ImpossibleLogs {
  readonly #rpcs: readonly string[];
  readonly #log: Log;
  #question: Question | null = null;
  #stopped: string | null = null;

  /** `rpcs`: the names of all RPCs, in the order of their places. */
  constructor(rpcs: readonly string[], log: Log) {
    this.#rpcs = rpcs;
    this.#log = log;
  }

  /** Why the index stands still, null where it does not. */
  get stopped(): string | null {
    return this.#stopped;
  }

  /** Whether such a log stands in the way. */
  get isOpen(): boolean {
    return this.#question !== null;
  }

  /** Whether all that is not final is to be read again. */
  get isFromFinal(): boolean {
    return this.#question?.isFromFinal === true;
  }

  /** The reading went on past the log, or before it. */
  passed(): void {
    this.#question = null;
    this.#stopped = null;
  }

  /** The RPC at this place gave such a log. */
  givenBy(index: number, sentence: string, indexed: IndexedTo): void {
    const known = this.#question ?? { by: new Set<number>(), asked: new Set<number>(), isFromFinal: false };
    this.#answered({ ...known, sentence, by: new Set([...known.by, index]) }, index, indexed);
  }

  /** The RPC at this place gave nothing that leads past the log. It must not keep the others from being read again. */
  gotNowhere(index: number, indexed: IndexedTo): void {
    if (this.#question !== null) this.#answered(this.#question, index, indexed);
  }

  #answered(question: Question, index: number, { height, finalHeight }: IndexedTo): void {
    const { sentence, by, isFromFinal } = question;
    const asked = new Set([...question.asked, index]);
    if (asked.size < this.#rpcs.length) {
      this.#question = { ...question, asked };
      return;
    }
    const isAll = by.size === this.#rpcs.length;
    if (isAll && (isFromFinal || finalHeight >= height)) {
      this.#question = null;
      this.#standStill(sentence);
    } else {
      this.#question = { sentence, by: new Set(), asked: new Set(), isFromFinal: finalHeight < height };
    }
  }

  #standStill(sentence: string): void {
    if (this.#stopped === sentence) return;
    this.#stopped = sentence;
    this.#log.error(
      { alarm: "impossible_log", rpcs: this.#rpcs },
      `ALARM: every EVM RPC gives a log that the escrow cannot have made, and the index stands still: ${sentence}`,
    );
  }
}
