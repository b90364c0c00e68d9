// Logs that count as final and that one RPC shows and another one denies (S-07): they are asked about again now and then,
// and two RPCs that agree decide. What is disputed is below the block that is final here, so that only RPCs which have that
// one have a word, whatever they call final now. All reading waits for a look, so that a look waits for nobody who was slow
// or silent the last time: what such a one says counts when it comes. One RPC can invent any number of logs, so that some
// are asked about at a time.

import { elementAt, zip } from "../../primitives/elements.ts";
import { logStanding } from "../../swap/evm-quorum.ts";
import type { EscrowEvent } from "../../swap/facts.ts";
import type { Clock, Log } from "../../follow/ports.ts";
import { Aside, AskedRpcs } from "./evm-aside.ts";
import { finalBackPoint } from "./evm-back-point.ts";
import type { EvmSource } from "./evm-chain.ts";
import { finalPoint } from "./evm-fork.ts";
import type { EvmFollowerOptions } from "./evm-options.ts";
import { type BackStep, backStep, type ReadingStep } from "./evm-reading-step.ts";
import type { DeniedLogs } from "./evm-rpc-memory.ts";
import { inTime, Patience } from "./evm-time-limit.ts";
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

/** Nobody of several is waited for any longer. */
const WAITED_MS = 5000;

/** A word counts for so long from the question on: one that came late must not speak of a dispute that comes after. */
const WORDS_COUNT_MS = 60_000;

/** Events that an RPC is asked about at a look, in turn. */
const ASKED_AT_ONCE = 500;
/** So many of them at a time: one that takes no two questions at once is long in answering, and is heard as it answers. */
const HEARD_AT_ONCE = 50;

/**
 * Where going back was tried in vain, it is not tried again for so many times as long as that took: one that denies a log
 * by receipt and then gives no blocks would else hold up all reading at each look.
 */
const BACK_PAUSE = 20;

/** What an RPC has said of an event; null: nothing, though it has answered. */
interface Word {
  readonly askedMs: number;
  readonly shown: boolean | null;
}

/** An event, and who shows and who lacks it by the words that count. */
type Judged = readonly [EscrowEvent, Witnesses];

/** A step back, the event that it is taken for, and who denies that. */
interface Back {
  readonly event: EscrowEvent;
  readonly lacks: readonly number[];
  readonly step: BackStep;
}

type DisputesOptions = Pick<EvmFollowerOptions, "firstBlock" | "rangeMs" | "disputeMs">;

/** The disputed logs. */
export class Disputes {
  readonly #deps: DisputesDependencies;
  readonly #denied: DeniedLogs;
  readonly #options: DisputesOptions;
  #lookedAtMs = Number.NEGATIVE_INFINITY;
  /** Counts the choices of an RPC to read again from. */
  #choice = 0;
  /** The last words of RPCs, by their indices and the texts of the events. */
  readonly #words = new Map<number, Map<string, Word>>();
  /** Events that were asked about of late, with their texts and when, the oldest first. */
  readonly #asked = new Map<EscrowEvent, { readonly text: string; readonly atMs: number }>();
  /** Of how many events that have their turn each RPC has spoken, the first ones. */
  readonly #spoken = new Map<number, number>();
  /** The place of the first event that has its turn, how many have it, and since when. */
  #turn = { from: 0, count: 0, sinceMs: Number.NEGATIVE_INFINITY };
  /** By the RPCs that deny logs: how often it was tried in vain to go back for one, and from when on it is tried again. */
  readonly #vain = new Map<string, { readonly count: number; readonly untilMs: number }>();
  readonly #rpcs: AskedRpcs;
  /** Whether an RPC has spoken since the words were judged. */
  #hasNews = false;
  readonly #search: Patience;
  /** The search for the block to go back to for one of them. */
  readonly #going: Aside<Back | null>;

  constructor(deps: DisputesDependencies, denied: DeniedLogs, options: DisputesOptions) {
    this.#deps = deps;
    this.#denied = denied;
    this.#options = options;
    this.#going = new Aside(deps.clock);
    this.#rpcs = new AskedRpcs(deps);
    this.#search = new Patience({ ...deps, sizers: [] }, options.rangeMs);
  }

  /** What two RPCs agree on now; null where there is nothing to do. Rejects with `EvmUnavailable`. */
  async look(): Promise<BackStep | Extract<ReadingStep, { kind: "resolve" }> | null> {
    const { ledger } = this.#deps;
    const disputes = ledger.disputes();
    if (disputes.length === 0) {
      this.#words.clear();
      this.#asked.clear();
      return null;
    }
    this.#askWhereDue(disputes);
    await this.#rpcs.heard(this.#isAlone ? null : WAITED_MS);
    if (!this.#hasNews && !this.#going.isUnderWay) return null;
    this.#hasNews = false;
    const judged = this.#judged(disputes);
    const events = judged.flatMap(([event, words]) => (this.#standingOf(words) === "shown" ? [event] : []));
    // What two show must not wait for what two deny.
    if (events.length > 0) return { kind: "resolve", events };
    return this.#backOf(
      disputes,
      judged.filter(([, words]) => this.#standingOf(words) === "gone"),
    );
  }

  /** Resolves when nobody is asked any more. */
  async settled(): Promise<void> {
    await Promise.all([this.#rpcs.settled(), this.#going.settled()]);
  }

  #askWhereDue(disputes: readonly EscrowEvent[]): void {
    const { sources, ledger, clock } = this.#deps;
    const nowMs = clock.monotonicMs();
    if (nowMs - this.#lookedAtMs < this.#options.disputeMs) return;
    this.#lookedAtMs = nowMs;
    const point = finalPoint(ledger);
    const final = point === null ? null : { height: point.number, hash: point.hash };
    const events = this.#inTurn(disputes, nowMs);
    for (const index of sources.keys()) this.#rpcs.ask(index, () => this.#ask(index, events, final));
  }

  /**
   * The events whose turn it is: the next ones, unless somebody is still at the last ones, since two have to speak of the
   * same. Whoever takes too long for his words to count is not waited for.
   */
  #inTurn(disputes: readonly EscrowEvent[], nowMs: number): readonly EscrowEvent[] {
    for (const [event, { atMs }] of this.#asked) if (nowMs - atMs > WORDS_COUNT_MS) this.#asked.delete(event);
    const { from: last, count, sinceMs } = this.#turn;
    const isOver = this.#rpcs.isIdle || nowMs - sinceMs > WORDS_COUNT_MS;
    const from = (isOver ? last + this.#spokenOf(count) : last) % disputes.length;
    if (isOver) this.#spoken.clear();
    const events = [...disputes.slice(from), ...disputes.slice(0, from)].slice(0, ASKED_AT_ONCE);
    this.#turn = { from, count: events.length, sinceMs: isOver ? nowMs : sinceMs };
    for (const event of events) {
      const text = this.#asked.get(event)?.text ?? escrowEventText(event);
      this.#asked.delete(event);
      this.#asked.set(event, { text, atMs: nowMs });
    }
    return events;
  }

  /** On how many events of the last turn, which had so many, enough RPCs have spoken; all where there are none such. */
  #spokenOf(count: number): number {
    const spoken = [...this.#spoken.values()].toSorted((one, other) => other - one);
    return spoken[this.#isAlone ? 0 : 1] ?? count;
  }

  /** One that does not answer, or whose words would not count when they come, is no witness of either kind. */
  async #ask(index: number, events: readonly EscrowEvent[], final: KnownFinal): Promise<void> {
    const { reading, clock } = this.#deps;
    const source = inTime({ ...this.#deps, sizers: [] }, index, WORDS_COUNT_MS);
    try {
      for (let at = 0; at < events.length; at += HEARD_AT_ONCE) {
        const [part, askedMs] = [events.slice(at, at + HEARD_AT_ONCE), clock.monotonicMs()];
        this.#keep(index, askedMs, zip(part, await shownBy(part, source, reading, final)));
        this.#spoken.set(index, Math.max(this.#spoken.get(index) ?? 0, at + part.length));
        this.#hasNews = true;
      }
    } finally {
      this.#hasNews = true;
    }
  }

  #keep(index: number, askedMs: number, said: readonly (readonly [EscrowEvent, boolean | null])[]): void {
    const sinceMs = this.#deps.clock.monotonicMs() - WORDS_COUNT_MS;
    const before = [...(this.#words.get(index) ?? [])].filter(([, word]) => word.askedMs >= sinceMs);
    const words = new Map(before);
    for (const [event, shown] of said) words.set(escrowEventText(event), { askedMs, shown });
    this.#words.set(index, words);
  }

  /** Those of these events that were asked about of late, with their witnesses. */
  #judged(disputes: readonly EscrowEvent[]): readonly Judged[] {
    return disputes.flatMap((event) => {
      const asked = this.#asked.get(event);
      return asked === undefined ? [] : [[event, this.#witnesses(asked.text)] as const];
    });
  }

  #witnesses(text: string): Witnesses {
    const { sources, clock } = this.#deps;
    const sinceMs = clock.monotonicMs() - WORDS_COUNT_MS;
    const saying = (word: boolean): readonly number[] =>
      [...sources.keys()].filter((index) => {
        const said = this.#words.get(index)?.get(text);
        return said !== undefined && said.askedMs >= sinceMs && said.shown === word;
      });
    return { shows: saying(true), lacks: saying(false) };
  }

  get #isAlone(): boolean {
    return this.#deps.sources.length === 1;
  }

  #standingOf({ shows, lacks }: Witnesses): ReturnType<typeof logStanding> {
    return logStanding({ shows: shows.length, lacks: lacks.length }, this.#isAlone ? 1 : 2);
  }

  /** As `#backForOne`, for a log that is still disputed when the block to go back to is found. */
  async #backOf(disputes: readonly EscrowEvent[], gone: readonly Judged[]): Promise<BackStep | null> {
    const waitMs = this.#isAlone ? this.#options.rangeMs : WAITED_MS;
    const found = await this.#going.taken(() => this.#backForOne(gone), waitMs);
    const back = found?.() ?? null;
    if (back === null || !disputes.includes(back.event)) return null;
    // Not when it was found: its block is final until it is gone back, and what is remembered of final ones is forgotten.
    if (!this.#isAlone) this.#denied.add(back.event, back.lacks);
    return back.step;
  }

  /** Back because of one of these logs, which enough RPCs deny: the first one, and another one where that was in vain. */
  async #backForOne(gone: readonly Judged[]): Promise<Back | null> {
    const { clock } = this.#deps;
    for (const [deniers, same] of Map.groupBy(gone, ([, { lacks }]) => lacks.join())) {
      const startedMs = clock.monotonicMs();
      const { count, untilMs } = this.#vain.get(deniers) ?? { count: 0, untilMs: startedMs };
      if (startedMs < untilMs) continue;
      const [event, words] = elementAt(same, count % same.length);
      const step = await this.#back(event, words);
      if (step !== null) {
        this.#vain.clear();
        return { event, lacks: words.lacks, step };
      }
      const endedMs = clock.monotonicMs();
      this.#vain.set(deniers, { count: count + 1, untilMs: endedMs + BACK_PAUSE * (endedMs - startedMs) });
    }
    return null;
  }

  /** Back because of a log, where enough RPCs deny it and agree to which block. */
  async #back(event: EscrowEvent, { lacks }: Witnesses): Promise<BackStep | null> {
    if (lacks.length < 2 && !this.#isAlone) return null;
    const { firstBlock } = this.#options;
    const { block } = event.place;
    const { finalHeight } = this.#deps.ledger.tips().evm;
    const sources = this.#deps.sources.map((_, index) => this.#search.search(index, finalHeight));
    const point = await finalBackPoint({ ...this.#deps, sources, firstBlock }, lacks, block - 1);
    if (point === null) return null;
    // Another one each time: who denies a log by receipt may not give the blocks.
    this.#choice += 1;
    const use = point.by[this.#choice % point.by.length] ?? 0;
    return backStep(point.parent, event, use, "two RPCs agree that a disputed log is not there");
  }
}

/** Logs that are told of one by one: one RPC can invent any number of them. */
const TOLD_AT_ONCE = 100;

/** Tells operators that these logs are disputed from now on. */
export function tellDisputes(log: Log, events: readonly EscrowEvent[]): void {
  for (const event of events.slice(0, TOLD_AT_ONCE)) tellDispute(log, event);
  const more = events.length - TOLD_AT_ONCE;
  if (more > 0)
    log.error(
      { alarm: "log_disputed", more },
      `ALARM: ${more} more logs of these blocks are disputed in the same way`,
    );
}

function tellDispute(log: Log, event: EscrowEvent): void {
  const { block, blockHash, logIndex, txHash } = event.place;
  const order = "orderHash" in event ? event.orderHash : null;
  log.error(
    { alarm: "log_disputed", order, block, block_hash: blockHash, tx: txHash, log_index: logIndex },
    `ALARM: one EVM RPC shows log ${logIndex} of block ${block} and another one, which has the block, does not, or at ` +
      "another time: its order waits until two RPCs agree",
  );
}
