// Can the EVM side be acted upon? What the RPCs last said of their heads and final blocks, whether enough of them
// answer and agree (S-05), and whether a final block was ever replaced.

import type { Clock, Log } from "../ports.ts";
import type { EvmHeads, EvmSource } from "./evm-chain.ts";
import { EvmUnavailable } from "./evm-unavailable.ts";
import type { EvmStanding } from "./ports.ts";

/** An RPC counts as available for this long after an answer (S-62). */
const ANSWER_COUNTS_MS = 30_000;

interface View {
  heads: EvmHeads | null;
  answeredAtMonotonicMs: number | null;
  /** Whether it named the same hash as the first RPC at the lower of their final heights; null: not compared. */
  agrees: boolean | null;
  trouble: string | null;
}

/** What the watch works with. */
export interface StandingParts {
  readonly sources: readonly EvmSource[];
  readonly clock: Clock;
  readonly log: Log;
}

/** Keeps what the RPCs say. */
export class EvmStandingWatch {
  readonly #parts: StandingParts;
  readonly #views: readonly View[];
  #finalReplaced = false;
  #wasAgreed = true;
  /** The head as `standing` tells it, and since when it is this one. */
  #seen: { readonly number: number; readonly time: number; readonly sinceMs: number } | null = null;

  constructor(parts: StandingParts) {
    this.#parts = parts;
    this.#views = parts.sources.map(() => ({
      heads: null,
      answeredAtMonotonicMs: null,
      agrees: null,
      trouble: null,
    }));
  }

  /** The RPC of that index has answered. */
  saw(index: number, heads: EvmHeads): void {
    const view = this.#views[index];
    if (view === undefined) return;
    view.heads = heads;
    view.answeredAtMonotonicMs = this.#parts.clock.monotonicMs();
    if (view.trouble !== null) this.#parts.log.info({ after: view.trouble }, "an EVM RPC answers again");
    view.trouble = null;
    const { headHeight: number, headTime: time } = this.standing();
    if (number === this.#seen?.number && time === this.#seen.time) return;
    this.#seen = { number, time, sinceMs: view.answeredAtMonotonicMs };
  }

  /** A final block has left the chain: stays so until the service is started again. */
  finalWasReplaced(): void {
    this.#finalReplaced = true;
  }

  /** Whether an RPC other than the given one is ahead of it by this many seconds of block time. */
  isBehind(index: number, bySeconds: number): boolean {
    const own = this.#views[index]?.heads?.head.time ?? 0;
    return this.#views.some(
      (view, i) => i !== index && this.#isFresh(view) && (view.heads?.head.time ?? 0) > own + bySeconds,
    );
  }

  /** The standing now. */
  standing(): EvmStanding {
    let head = { number: -1, time: 0 };
    let answeredAtMonotonicMs: number | null = null;
    for (const view of this.#views) {
      if (view.heads === null || view.answeredAtMonotonicMs === null) continue;
      answeredAtMonotonicMs = Math.max(answeredAtMonotonicMs ?? 0, view.answeredAtMonotonicMs);
      if (this.#isFresh(view) && view.heads.head.number > head.number) head = view.heads.head;
    }
    // With no fresh answer the last known head is better than none: its age is told by `answeredAtMonotonicMs`.
    if (head.number < 0) head = this.#newestHead() ?? head;
    return {
      headHeight: head.number,
      headTime: head.time,
      answeredAtMonotonicMs,
      headChangedAtMonotonicMs: this.#seen?.sinceMs ?? null,
      agreed: this.#isAgreed(),
      finalReplaced: this.#finalReplaced,
    };
  }

  /** With several RPCs: asks all of them again and again, until the signal aborts. Never rejects. */
  async run(intervalMs: number, signal: AbortSignal): Promise<void> {
    if (this.#parts.sources.length < 2) return;
    while (!signal.aborted) {
      await this.look();
      await this.#parts.clock.sleep(intervalMs, signal);
    }
  }

  /** Asks every RPC once and compares them. Never rejects. */
  async look(): Promise<void> {
    await Promise.all(this.#parts.sources.map((source, i) => this.#lookAt(source, i)));
    await this.#compare();
    const agreed = this.#isAgreed();
    if (agreed !== this.#wasAgreed) {
      if (agreed) this.#parts.log.info({}, "the EVM RPCs agree");
      else this.#parts.log.error({ rpcs: this.#sentences() }, "the EVM RPCs do not agree: new actions stop");
    }
    this.#wasAgreed = agreed;
  }

  async #lookAt(source: EvmSource, index: number): Promise<void> {
    try {
      this.saw(index, await source.heads());
    } catch (error) {
      this.#failed(index, error);
    }
  }

  /** Everybody against the first that answers: at the lower of both final heights, where both must know the block. */
  async #compare(): Promise<void> {
    const first = this.#views.findIndex((view) => this.#isFresh(view));
    const source = this.#parts.sources[first];
    const view = this.#views[first];
    if (source === undefined || view === undefined) return;
    view.agrees = true;
    const others = this.#views.map((_, i) => i).filter((i) => i !== first);
    await Promise.all(others.map((i) => this.#compareWith(source, view, i)));
  }

  async #compareWith(source: EvmSource, view: View, index: number): Promise<void> {
    const other = this.#parts.sources[index];
    const otherView = this.#views[index];
    if (other === undefined || otherView === undefined || !this.#isFresh(otherView)) return;
    // Where nothing is final yet, the first block of all still tells two chains apart.
    const height = Math.max(0, Math.min(view.heads?.final?.number ?? 0, otherView.heads?.final?.number ?? 0));
    try {
      const [[own], [theirs]] = await Promise.all([source.blocksAt([height]), other.blocksAt([height])]);
      if (own === null || own === undefined || theirs === null || theirs === undefined)
        otherView.agrees = null;
      else otherView.agrees = own.hash === theirs.hash;
    } catch (error) {
      otherView.agrees = null;
      this.#failed(index, error);
    }
  }

  #failed(index: number, error: unknown): void {
    const view = this.#views[index];
    if (view === undefined) return;
    const sentence = error instanceof Error ? error.message : String(error);
    if (view.trouble !== sentence) this.#parts.log.warn({}, sentence);
    view.trouble = sentence;
    // A URL of another chain must not count by what it said before.
    if (error instanceof EvmUnavailable && error.code === "WRONG_CHAIN") view.answeredAtMonotonicMs = null;
  }

  #isFresh(view: View): boolean {
    return (
      view.answeredAtMonotonicMs !== null &&
      this.#parts.clock.monotonicMs() - view.answeredAtMonotonicMs <= ANSWER_COUNTS_MS
    );
  }

  #isAgreed(): boolean {
    const fresh = this.#views.filter((view) => this.#isFresh(view));
    if (this.#views.length === 1) return fresh.length === 1;
    // One that contradicts stops everything: which of them lies cannot be told.
    return (
      fresh.filter(({ agrees }) => agrees === true).length >= 2 &&
      fresh.every(({ agrees }) => agrees !== false)
    );
  }

  #newestHead(): { readonly number: number; readonly time: number } | null {
    const known = this.#views.flatMap(({ heads }) => (heads === null ? [] : [heads.head]));
    return known.toSorted((a, b) => b.number - a.number)[0] ?? null;
  }

  #sentences(): readonly string[] {
    return this.#views.map(({ heads, agrees, trouble }, i) => {
      const name = this.#parts.sources[i]?.name ?? "";
      if (trouble !== null) return trouble;
      return `${name}: final block ${heads?.final?.number ?? "unknown"}${agrees === false ? ", another one" : ""}`;
    });
  }
}
