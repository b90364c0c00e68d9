// Logs that count as final and that one RPC shows and another one denies (S-07): they are asked about again now and then,
// and two RPCs that agree decide. What is disputed is below the block that is final here, so that only RPCs which have that
// one have a word, whatever they call final now. All reading waits for a look, so that a look waits for nobody who was slow
// or silent the last time: what such a one says counts when it comes.

import { zip } from "../../primitives/elements.ts";
import { logStanding } from "../../swap/evm-quorum.ts";
import type { EscrowEvent } from "../../swap/facts.ts";
import type { Clock } from "../../follow/ports.ts";
import { finalBackPoint } from "./evm-back-point.ts";
import { type EvmSource, ofRpc } from "./evm-chain.ts";
import { finalPoint } from "./evm-fork.ts";
import { type BackStep, backStep, type ReadingStep } from "./evm-reading-step.ts";
import type { DeniedLogs } from "./evm-rpc-memory.ts";
import { EvmUnavailable } from "./evm-unavailable.ts";
import {
  escrowEventText,
  type KnownFinal,
  type LogReading,
  shownBy,
  type Witnesses,
} from "./evm-witnesses.ts";
import type { EvmLedger } from "../ledger/ports.ts";

/** What they are asked about with. */
interface DisputesDependencies {
  readonly sources: readonly EvmSource[];
  readonly reading: LogReading;
  readonly ledger: Pick<EvmLedger, "tips" | "checkpoints" | "disputes">;
  readonly clock: Clock;
}

/** An RPC that took longer than this is not waited for the next time. */
const LATE_MS = 1000;

/** A word counts for so long from the question on: one that came late must not speak of a dispute that comes after. */
const WORDS_COUNT_MS = 60_000;

/** What an RPC has said of events, by their texts; null: nothing, though it has answered. */
interface Words {
  readonly askedMs: number;
  readonly shown: ReadonlyMap<string, boolean | null>;
}

/** Settings. */
interface DisputesOptions {
  readonly firstBlock: number;
  /** Time between two looks. */
  readonly disputeMs: number;
}

/** The disputed logs. */
export class Disputes {
  readonly #deps: DisputesDependencies;
  readonly #denied: DeniedLogs;
  readonly #options: DisputesOptions;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  /** Counts the choices of an RPC to read again from. */
  #turn = 0;
  /** The last words of RPCs, by their indices. */
  readonly #words = new Map<number, Words>();
  readonly #asking = new Map<number, Promise<void>>();
  /** RPCs that were slow or silent the last time. */
  readonly #late = new Set<number>();
  /** Whether an RPC has spoken since the words were judged. */
  #hasNews = false;
  #bug: { readonly error: unknown } | null = null;

  constructor(deps: DisputesDependencies, denied: DeniedLogs, options: DisputesOptions) {
    this.#deps = deps;
    this.#denied = denied;
    this.#options = options;
  }

  /** What two RPCs agree on now; null where there is nothing to do. Rejects with `EvmUnavailable`. */
  async look(): Promise<BackStep | Extract<ReadingStep, { kind: "resolve" }> | null> {
    const { ledger } = this.#deps;
    const disputes = ledger.disputes();
    if (disputes.length === 0) {
      this.#words.clear();
      return null;
    }
    this.#askWhereDue(disputes);
    const waited = [...this.#asking].filter(([index]) => this.#isAlone || !this.#late.has(index));
    await Promise.all(waited.map(([, asking]) => asking));
    const bug = this.#bug;
    this.#bug = null;
    if (bug !== null) throw bug.error;
    if (!this.#hasNews) return null;
    this.#hasNews = false;
    const judged = disputes.map((event) => [event, this.#witnesses(event)] as const);
    const events = judged.flatMap(([event, words]) => (this.#standingOf(words) === "shown" ? [event] : []));
    // What two show must not wait for what two deny.
    if (events.length > 0) return { kind: "resolve", events };
    for (const [event, words] of judged) {
      const back = this.#standingOf(words) === "gone" ? await this.#back(event, words) : null;
      if (back !== null) return back;
    }
    return null;
  }

  /** Resolves when nobody is asked any more. */
  async settled(): Promise<void> {
    await Promise.all(this.#asking.values());
  }

  #askWhereDue(disputes: readonly EscrowEvent[]): void {
    const { sources, ledger, clock } = this.#deps;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#lookedAtMs < this.#options.disputeMs) return;
    this.#lookedAtMs = nowMs;
    const point = finalPoint(ledger);
    const final = point === null ? null : { height: point.number, hash: point.hash };
    for (const index of sources.keys())
      if (!this.#asking.has(index)) this.#asking.set(index, this.#ask(index, disputes, final));
  }

  /** Never rejects. One that does not answer is no witness of either kind. */
  async #ask(index: number, events: readonly EscrowEvent[], final: KnownFinal): Promise<void> {
    const { sources, reading, clock } = this.#deps;
    const begunMs = clock.monotonicMs();
    try {
      const shown = await shownBy(events, ofRpc(sources, index), reading, final);
      const words = zip(events, shown).map(([event, word]) => [escrowEventText(event), word] as const);
      this.#words.set(index, { askedMs: begunMs, shown: new Map(words) });
      if (clock.monotonicMs() - begunMs > LATE_MS) this.#late.add(index);
      else this.#late.delete(index);
    } catch (error) {
      this.#words.delete(index);
      this.#late.add(index);
      if (!(error instanceof EvmUnavailable)) this.#bug = { error };
    }
    this.#hasNews = true;
    this.#asking.delete(index);
  }

  #witnesses(event: EscrowEvent): Witnesses {
    const text = escrowEventText(event);
    const { sources, clock } = this.#deps;
    const sinceMs = clock.monotonicMs() - WORDS_COUNT_MS;
    const saying = (word: boolean): readonly number[] =>
      [...sources.keys()].filter((index) => {
        const words = this.#words.get(index);
        return words !== undefined && words.askedMs >= sinceMs && words.shown.get(text) === word;
      });
    return { shows: saying(true), lacks: saying(false) };
  }

  get #isAlone(): boolean {
    return this.#deps.sources.length === 1;
  }

  #standingOf({ shows, lacks }: Witnesses): ReturnType<typeof logStanding> {
    return logStanding({ shows: shows.length, lacks: lacks.length }, this.#isAlone ? 1 : 2);
  }

  /** Back because of a log, where enough RPCs deny it and agree to which block. */
  async #back(event: EscrowEvent, { lacks }: Witnesses): Promise<BackStep | null> {
    if (lacks.length < 2 && !this.#isAlone) return null;
    const { firstBlock } = this.#options;
    const point = await finalBackPoint({ ...this.#deps, firstBlock }, lacks, event.place.block - 1);
    if (point === null) return null;
    if (!this.#isAlone) this.#denied.add(event, lacks);
    // Another one each time: who denies a log by receipt may not give the blocks.
    this.#turn += 1;
    const use = point.by[this.#turn % point.by.length] ?? 0;
    return backStep(point.parent, event, use, "two RPCs agree that a disputed log is not there");
  }
}
