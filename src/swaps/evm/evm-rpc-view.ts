// What one EVM RPC last said of its latest and its final block (S-05, S-07), and what it fails with. An answer counts for a
// while, and two that were asked for a poll apart are two words.

import { elementAt } from "../../primitives/elements.ts";
import { type FinalWord, lowerWord, NONE_FINAL } from "../../swap/evm-quorum.ts";
import type { Clock, Log } from "../../follow/ports.ts";
import type { EvmBlock, EvmHeads, EvmSource } from "./evm-chain.ts";
import { EvmUnavailable } from "./evm-unavailable.ts";

/** An answer counts for this long (S-07, S-62). */
export const ANSWER_COUNTS_MS = 30_000;

/** What an RPC fails with is told so long after what was told of it before: one that lies has other words at each poll. */
const TOLD_APART_MS = 60_000;

/** One answer about latest and final block. */
interface Answer {
  readonly heads: EvmHeads;
  /** Monotonic time at which it was asked for: polls are told apart by it. */
  readonly askedMs: number;
  /** Monotonic. */
  readonly answeredMs: number;
}

/** A final block; height -1: none is. */
export interface FinalBlock extends FinalWord {
  /** Unix seconds; 0 with height -1. */
  readonly time: number;
}

/** What it works with. */
interface RpcViewParts {
  readonly clock: Clock;
  readonly log: Log;
  /** EVM_POLL_MS: two answers count as two where they were asked for this long apart. */
  readonly pollMs: number;
  /** Whether the service ends, and with it its questions: then the RPC has done nothing wrong. */
  readonly isEnding: () => boolean;
}

/** One RPC as it is known. */
export class RpcView {
  readonly #source: EvmSource;
  readonly #parts: RpcViewParts;
  #last: Answer | null = null;
  /** The answer before, at least one poll older. */
  #before: Answer | null = null;
  #trouble: string | null = null;
  /** When it was last found to serve another chain, monotonic. */
  #foreignMs = Number.NEGATIVE_INFINITY;
  /** The trouble that was told last, null where it was told that it is over; and when, monotonic. */
  #told: string | null = null;
  #toldMs = Number.NEGATIVE_INFINITY;

  constructor(source: EvmSource, parts: RpcViewParts) {
    this.#source = source;
    this.#parts = parts;
  }

  /** Asks it. Where it rejects (`EvmUnavailable`) the answer before still counts until it is old. */
  async ask(): Promise<EvmHeads> {
    const { clock, log } = this.#parts;
    const askedMs = clock.monotonicMs();
    try {
      const heads = await this.#source.heads();
      this.#keep({ heads, askedMs, answeredMs: clock.monotonicMs() });
      if (this.#told !== null) log.info({ after: this.#told }, "an EVM RPC answers again");
      this.#trouble = null;
      this.#told = null;
      return heads;
    } catch (error) {
      this.#failed(error);
      throw error;
    }
  }

  /** What it said last, however long ago; null before the first answer, and of one that has another chain. */
  get heads(): EvmHeads | null {
    return this.#last?.heads ?? null;
  }

  /** When it answered last, monotonic. */
  get answeredMs(): number | null {
    return this.#last?.answeredMs ?? null;
  }

  /** Whether its last answer still counts. */
  get isFresh(): boolean {
    const { answeredMs } = this;
    return answeredMs !== null && this.#parts.clock.monotonicMs() - answeredMs <= ANSWER_COUNTS_MS;
  }

  /** Whether another chain has answered in its place within the time for which answers count. */
  get isMixed(): boolean {
    return this.#parts.clock.monotonicMs() - this.#foreignMs <= ANSWER_COUNTS_MS;
  }

  /** The final height that it said last; -1: none. */
  get finalHeight(): number {
    return wordOf(this.heads?.final ?? null).height;
  }

  /** The final block by two words of it that count; null where there are none. */
  finalTwice(): FinalBlock | null {
    const [before, last] = [this.#before, this.#last];
    if (last === null || before === null || !this.isFresh) return null;
    if (last.answeredMs - before.answeredMs > ANSWER_COUNTS_MS) return null;
    const [earlier, later] = [before.heads.final, last.heads.final];
    const word = lowerWord(wordOf(earlier), wordOf(later));
    const block = earlier?.hash === word.hash ? earlier : later;
    return { ...word, time: word.hash === null ? 0 : (block?.time ?? 0) };
  }

  /** Its block of this height; null where it has none, or does not say. */
  async blockAt(height: number): Promise<EvmBlock | null> {
    const known = this.heads?.final ?? null;
    if (known?.number === height) return known;
    try {
      return elementAt(await this.#source.blocksAt([height], true), 0);
    } catch (error) {
      this.#failed(error);
      return null;
    }
  }

  /** For people. */
  get sentence(): string {
    if (this.#trouble !== null) return this.#trouble;
    const final = this.heads?.final ?? null;
    return `${this.#source.name}: final block ${final === null ? "unknown" : `${final.number} (${final.hash})`}`;
  }

  #keep(answer: Answer): void {
    const last = this.#last;
    if (last === null || answer.askedMs - last.askedMs >= this.#parts.pollMs) {
      this.#before = last;
      this.#last = answer;
      return;
    }
    // Two answers of one poll are one: the lower of them, and its place in time is that of the first.
    const [older, newer] = [last.heads.final, answer.heads.final];
    const isLower = older === null || (newer !== null && older.number < newer.number);
    const final = isLower ? older : newer;
    this.#last = { ...answer, askedMs: last.askedMs, heads: { head: answer.heads.head, final } };
  }

  #failed(error: unknown): void {
    if (this.#parts.isEnding()) return;
    const sentence = error instanceof Error ? error.message : String(error);
    const nowMs = this.#parts.clock.monotonicMs();
    if (this.#told !== sentence && nowMs - this.#toldMs >= TOLD_APART_MS) {
      this.#parts.log.warn({}, sentence);
      this.#told = sentence;
      this.#toldMs = nowMs;
    }
    this.#trouble = sentence;
    // A URL of another chain must not count by what it said before.
    if (!(error instanceof EvmUnavailable) || error.code !== "WRONG_CHAIN") return;
    this.#last = null;
    this.#before = null;
    this.#foreignMs = nowMs;
  }
}

function wordOf(final: EvmBlock | null): FinalWord {
  return final === null ? NONE_FINAL : { height: final.number, hash: final.hash };
}
