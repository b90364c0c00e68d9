// The second reading of every block (S-08), and what it makes final (S-07). Blocks at or below the final height in force
// are read again, by another RPC where there is one, and compared with what is indexed. Only what two readings agree
// on becomes final; what they disagree on is read again from its parent block, or waits with an alarm. Who read what is
// known for the life of the process: after a restart both readings of what is not final are made anew.

import { type LogStanding, logStanding } from "../../swap/evm-quorum.ts";
import type { EscrowEvent } from "../../swap/facts.ts";
import { type EvmBlock, type EvmSource, ofRpc } from "./evm-chain.ts";
import { backPoint } from "./evm-back-point.ts";
import {
  compareRange,
  type Compared,
  type Elsewhere,
  isEndShown,
  shownEvents,
  unshown,
} from "./evm-compare-range.ts";
import { Disputes, tellDisputes } from "./evm-disputes.ts";
import { type FirstReading, FirstReadings } from "./evm-first-readings.ts";
import { newestShared } from "./evm-fork.ts";
import type { EvmFollowerOptions } from "./evm-options.ts";
import {
  type BackStep,
  backStep,
  type ReadingStep,
  type SecondReadingDependencies,
} from "./evm-reading-step.ts";
import { DeniedLogs, FailedReadings, RefusedLogs } from "./evm-rpc-memory.ts";
import type { FinalInForce } from "./evm-rpc-quorum.ts";
import { inTime, Patience } from "./evm-time-limit.ts";
import { EvmUnavailable, type ImpossibleLog, invented, silent } from "./evm-unavailable.ts";
import { UnsharedLead } from "./evm-unshared-lead.ts";
import {
  type Doubts,
  doubtsOf,
  eachWitnessed,
  HeardRpcs,
  type KnownFinal,
  shownBy,
  type Witnesses,
} from "./evm-witnesses.ts";
import { eventKey } from "../ledger/fact-kinds.ts";
import type { EvmChange } from "../ledger/ports.ts";

type SecondReadingOptions = Pick<
  EvmFollowerOptions,
  "firstBlock" | "rereadMs" | "rangeMs" | "shrunkMs" | "disputeMs"
>;

/** Different troubles that are logged, and remembered, until a reading comes to something: one RPC of two can make up any number. */
const LOGGED_TROUBLES = 50;

/** Reads again; see the file header. */
export class SecondReading {
  readonly #deps: SecondReadingDependencies;
  readonly #options: SecondReadingOptions;
  /** Who has read what for the first time. */
  readonly first = new FirstReadings();
  readonly #anchorOf = (height: number) => this.first.anchorOf(height, this.#deps.ledger);
  /** Events that a first reading made anew did not show, or not in a block of their time. */
  readonly #suspects = new Set<string>();
  readonly #refused: RefusedLogs;
  readonly #denied = new DeniedLogs();
  readonly #disputes: Disputes;
  readonly #lead: UnsharedLead;
  /** Counts the choices of an RPC to read again from. */
  #turn = 0;
  /** The final height when something was last read again. */
  #finalSeen = -1;
  /** The last block that the present look is about, and down to where blocks were undone since it began. */
  #look = { upTo: -1, undoneTo: Number.POSITIVE_INFINITY };
  #troubles = new Set<string>();
  readonly #failed: FailedReadings;
  readonly #patience: Patience;

  constructor(deps: SecondReadingDependencies, options: SecondReadingOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#refused = new RefusedLogs({ ...deps, sha256: deps.crypto.sha256 });
    this.#failed = new FailedReadings(deps.clock);
    this.#patience = new Patience(deps, options.rangeMs);
    this.#disputes = new Disputes(deps, this.#denied, options);
    this.#lead = new UnsharedLead(deps, options.shrunkMs);
  }

  /** The RPC has read these blocks for the first time, and they are indexed. `headers`: where all were read. */
  firstRead(from: number, to: number, source: number, headers: readonly EvmBlock[] | null): void {
    // Alone it may be read again only some time after each reading.
    this.first.add({ from, to, source, atMs: this.#deps.clock.monotonicMs() }, this.#isAlone);
    const { standing } = this.#deps;
    // What is not final to the RPC itself is new to it, though others may call it final.
    const finalHeight = Math.min(standing.final()?.height ?? -1, standing.ownFinalHeight(source));
    this.first.keepHeaders(headers ?? [], finalHeight);
  }

  /** All above this block was undone. */
  rewound(to: number): void {
    this.first.rewound(to);
    this.#look.undoneTo = Math.min(this.#look.undoneTo, to);
    // What was refused after other final blocks may be true after these.
    if (to < this.#finalSeen) this.#refused.clear();
  }

  /** The ledger has refused this change of the RPC because of a log that is impossible after what is before it (S-08). */
  async refused(source: number, log: ImpossibleLog, { rewind, events }: EvmChange): Promise<void> {
    await this.#refused.add(source, log, rewind?.toHeight ?? this.#deps.ledger.tips().evm.height, events);
  }

  /** Whether blocks that the last look was about have been undone since it began: what it comes to says nothing then. */
  get isOutdated(): boolean {
    return this.#look.undoneTo < this.#look.upTo;
  }

  /** What is to be done next. Does not reject for what an RPC answers: then another one is asked, or it waits. */
  async next(active: number): Promise<ReadingStep> {
    this.#look = { upTo: -1, undoneTo: Number.POSITIVE_INFINITY };
    const final = this.#deps.standing.final();
    if (final === null) return { kind: "waiting" };
    const { height, finalHeight } = this.#deps.ledger.tips().evm;
    this.#finalSeen = finalHeight;
    const target = Math.min(final.height, height);
    const from = Math.max(finalHeight + 1, this.#options.firstBlock);
    this.first.forgetBelow(from);
    this.#denied.forgetBelow(from);
    for (const key of this.#suspects) if (Number(key.split(":")[0]) < from) this.#suspects.delete(key);
    this.#look.upTo = target;
    if (target < from) return { kind: "done" };
    const span = this.first.at(from);
    if (span === undefined || this.#isEarly(span, target)) return this.#readAnew(active, from, target, final);
    const to = this.first.endOf(from, (one) => this.#isReadable(one, span) && !this.#isEarly(one, target));
    if (to === null) return { kind: "waiting" };
    const others = this.#isAlone ? [0] : this.#indices(active).filter((index) => index !== span.source);
    for (const index of others) {
      const known = this.#deps.standing.finalFor(index, final);
      const limit = Math.min(to, target, known.height);
      if (limit < from) continue;
      const step = await this.#tried(() => this.#readAgain(index, span, from, limit, known), index);
      if (step !== null) return step;
    }
    return { kind: "waiting" };
  }

  get #isAlone(): boolean {
    return this.#deps.sources.length === 1;
  }

  /** RPCs that answer, beginning with the one that is followed; those that have failed of late come last. */
  #indices(active: number): readonly number[] {
    const { sources, standing } = this.#deps;
    const all = sources.map((_, i) => (active + i) % sources.length);
    return this.#failed.last(all.filter((index) => standing.answers(index)));
  }

  /** Whether a block of this first reading, up to the target, has to be read for the first time anew. */
  #isEarly({ from, to }: FirstReading, target: number): boolean {
    return !this.#isAlone && this.first.isEarly(from, Math.min(to, target));
  }

  /** Whether blocks of this first reading may be read for the second time now, together with those of `span`. */
  #isReadable(one: FirstReading, span: FirstReading): boolean {
    if (!this.#isAlone) return one.source === span.source;
    return one.atMs <= this.#deps.clock.monotonicMs() - this.#options.rereadMs;
  }

  /** `index`: the RPC that is read from, where it is one. */
  async #tried<Step extends ReadingStep>(
    read: () => Promise<Step | null>,
    index: number | null,
  ): Promise<Step | null> {
    const startedMs = this.#deps.clock.monotonicMs();
    try {
      const step = await read();
      if (index !== null) this.#failed.answered(index, startedMs);
      if (step !== null) this.#troubles.clear();
      return step;
    } catch (error) {
      if (!(error instanceof EvmUnavailable)) throw error;
      if (index !== null) this.#failed.add(index);
      const { message } = error;
      if (!this.#troubles.has(message) && this.#troubles.size < LOGGED_TROUBLES) {
        this.#deps.log.warn({ code: error.code }, `second reading: ${message}`);
        this.#troubles.add(message);
      }
      return null;
    }
  }

  /**
   * A first reading made anew: of what an earlier process has indexed, and, with several RPCs, of blocks that were read
   * before they were final. Otherwise a log would be lost by an honest RPC that was late with it then, together with
   * another one that withholds it.
   */
  async #readAnew(active: number, from: number, target: number, final: FinalInForce): Promise<ReadingStep> {
    const limit = Math.min(target, this.first.gapEnd(from));
    for (const index of this.#indices(active)) {
      const step = await this.#tried(async () => {
        const compared = await this.#compare(index, from, limit, final);
        if (compared === null || "kind" in compared) return compared;
        const back = await this.#judgeExtra(index, compared, final);
        if (back !== null) return back;
        // Whoever reads anew takes the place of the one that has given the times: else that one would confirm its own.
        const source = ofRpc(this.#timed(compared), index);
        const suspects = await unshown(compared, source);
        // Others may have read what stands there now.
        if (this.isOutdated) return { kind: "more" };
        for (const key of suspects) this.#suspects.add(key);
        const atMs = this.#deps.clock.monotonicMs();
        this.first.replace({ from, to: compared.end.number, source: index, atMs });
        return { kind: "more" };
      }, index);
      if (step !== null) return step;
    }
    return { kind: "waiting" };
  }

  /** Null where this RPC cannot speak of these blocks. */
  async #readAgain(
    index: number,
    span: FirstReading,
    from: number,
    limit: number,
    final: FinalInForce,
  ): Promise<ReadingStep | null> {
    const compared = await this.#compare(index, from, limit, final);
    if (compared === null || "kind" in compared) return compared;
    const back = await this.#judgeExtra(index, compared, final);
    if (back !== null) return back;
    const disputed: EscrowEvent[] = [];
    const heard = new HeardRpcs();
    const doubtful = this.#doubtful(index, compared, final);
    for await (const [event, words] of this.#witnesses(doubtful, span, final, this.#timed(compared))) {
      const [{ lacks }, standing] = [words, this.#standingOf(words)];
      // One that there was no time to hear of all reads them at its turn: they are not disputed for that.
      const isCutShort = heard.lacksOne(words, span.source);
      if (standing === "unknown" || (standing === "disputed" && isCutShort)) return null;
      // Not from the RPC that has shown it: one that denies by receipt what its ranges show would show it for ever.
      const use = this.#nextOf(lacks.filter((one) => one !== span.source)) ?? index;
      if (standing === "gone") return this.#without(event, lacks, use, "a log that was indexed is gone");
      if (standing === "disputed") disputed.push(event);
    }
    const others = this.#indices(index).filter((one) => one !== index);
    const timed = this.#timed(compared);
    const sources = others.map((one) => this.#failed.noting(one, ofRpc(timed, one)));
    if (!(await isEndShown(compared, final, sources)) && !this.#isAlone) return null;
    tellDisputes(this.#deps.log, disputed);
    return { kind: "raise", final: compared.end, disputed };
  }

  /** Indexed events that this second reading alone does not settle, asked for as they are taken. */
  async *#doubtful(index: number, compared: Compared, final: KnownFinal): AsyncGenerator<Doubts, void, void> {
    const [{ events }, source] = [compared, ofRpc(this.#deps.sources, index)];
    if (this.#isAlone) {
      const keys = new Set([...(await unshown(compared, source)), ...this.#suspects]);
      yield { events: events.filter((event) => keys.has(eventKey(event))), known: null };
      return;
    }
    const timed = this.#patience.shown(index, { ...compared, count: events.length });
    const ask = (part: readonly EscrowEvent[]) => shownBy(part, timed, this.#deps.reading, final);
    yield* doubtsOf(events, index, ask, (event) => this.#suspects.has(eventKey(event)));
  }

  /**
   * Every RPC's word on the events, `final` being the block that they become final with: another one that is in force by now
   * may be below them. One that showed an event at its first reading and is silent now has shown it. They are asked about as
   * they are taken: the first of thousands that one RPC has invented mostly decides. Where it does not, whose time is up is
   * silent.
   */
  async *#witnesses(
    doubts: AsyncGenerator<Doubts, void, void> | readonly Doubts[],
    span: FirstReading | null,
    final: KnownFinal,
    sources: readonly EvmSource[],
  ): AsyncGenerator<readonly [EscrowEvent, Witnesses], void, void> {
    for await (const some of doubts)
      for await (const [event, words] of eachWitnessed(some, sources, this.#deps.reading, final)) {
        const { shows, lacks } = words;
        const isSuspect = this.#suspects.has(eventKey(event));
        if (span === null || isSuspect || shows.includes(span.source) || lacks.includes(span.source))
          yield [event, words];
        else yield [event, { shows: [...shows, span.source], lacks }];
      }
  }

  /** All RPCs, each of which is waited for no longer than for a range of blocks. */
  #timed({ blocks }: Compared): readonly EvmSource[] {
    return this.#deps.sources.map((_, i) => inTime(this.#deps, i, this.#options.rangeMs, blocks));
  }

  /** What becomes of an event by these words: alone an RPC's own word counts, of several that of two. */
  #standingOf({ shows, lacks }: Witnesses): LogStanding {
    return logStanding({ shows: shows.length, lacks: lacks.length }, this.#isAlone ? 1 : 2);
  }

  /** Logs that only this reading shows are taken in from it (S-08), unless it invents them. */
  async #judgeExtra(index: number, compared: Compared, final: KnownFinal): Promise<BackStep | null> {
    const [{ extra }, [first]] = [compared, compared.extra];
    if (first === undefined) return null;
    const ownWords = extra.map((event) => [event, { shows: [index], lacks: [] }] as const);
    const shown = shownEvents(compared);
    const doubts = [{ events: extra, known: null }];
    // Nobody else shows them in its place: it may take as long as for what is indexed.
    const source = this.#patience.shown(index, { ...compared, count: extra.length });
    const sources = this.#timed(compared).with(index, source);
    const words = this.#isAlone ? ownWords : this.#witnesses(doubts, null, final, sources);
    for await (const [event, { shows, lacks }] of words) {
      // One whose time is up, or that does not answer, denies nothing.
      if (![...shows, ...lacks].includes(index)) throw silent(source, event.place);
      if (!shows.includes(index)) throw invented(source, event.place, "it does not show by receipt");
      if (await this.#refused.has(index, event.place, first.place.block - 1, shown)) {
        // It may be true, and what is indexed before it false.
        const back = await this.#backForGone(compared, index, final);
        if (back !== null) return back;
        throw invented(source, event.place, "the escrow cannot have made");
      }
      // Who has denied it counts while this RPC alone shows it.
      const denying = shows.length < 2 ? this.#denied.deniers(event, index, lacks) : lacks;
      if (logStanding({ shows: shows.length, lacks: denying.length }, 2) === "gone")
        throw invented(source, event.place, "the other RPCs do not have");
    }
    for (const event of extra) this.#denied.takenIn(event, index);
    return this.#back(first, index, "a second reading shows a log that the first one did not");
  }

  /** Back below the first of the indexed events that it does not show and enough RPCs lack. */
  async #backForGone(compared: Compared, index: number, final: KnownFinal): Promise<BackStep | null> {
    const doubts = [{ events: compared.absent, known: null }];
    for await (const [event, words] of this.#witnesses(doubts, null, final, this.#timed(compared))) {
      const { lacks } = words;
      if (this.#standingOf(words) === "gone")
        return this.#without(event, lacks, this.#nextOf(lacks) ?? index, "a log that was indexed is gone");
    }
    return null;
  }

  /** Another RPC of these each time: one that denies a log by receipt may not give the blocks, or show it in them. */
  #nextOf(indices: readonly number[]): number | undefined {
    this.#turn += 1;
    return indices[this.#turn % indices.length];
  }

  /** Back because enough RPCs deny a log: with several it is not taken in again on the word of one against two. */
  #without(event: EscrowEvent, lacks: readonly number[], use: number, why: string): Promise<BackStep> {
    if (!this.#isAlone) this.#denied.add(event, lacks);
    return this.#back(event, use, why);
  }

  async #back(event: EscrowEvent, use: number, why: string): Promise<BackStep> {
    const { firstBlock } = this.#options;
    const sources = this.#deps.sources.with(use, this.#patience.search(use, this.#finalSeen));
    const ours = { ...this.#deps, sources, firstBlock, anchorOf: this.#anchorOf };
    const { block } = event.place;
    return backStep(block <= firstBlock ? null : await backPoint(ours, use, block - 1), event, use, why);
  }

  /** A comparison, a step back where what is indexed is not on the final chain, null where this RPC cannot tell. */
  async #compare(
    index: number,
    from: number,
    limit: number,
    final: FinalInForce,
  ): Promise<Compared | BackStep | null> {
    const { sizers, reading, ledger, clock } = this.#deps;
    const [source, sizer] = [inTime(this.#deps, index, this.#options.rangeMs), ofRpc(sizers, index)];
    const indexed = (first: number, last: number) => ledger.unsettled(first, last);
    const how = { source, byReceipts: this.#patience.byReceipts(index), sizer, reading, clock };
    const compared = await compareRange({ ...how, from, limit, final, indexed, anchorOf: this.#anchorOf });
    if (compared === null || "end" in compared) return compared;
    if (final.isEarlier === true) return null;
    if ("elsewhere" in compared) return this.#leave(index, final, compared);
    const { beyond } = compared;
    return (await this.#lead.isLeft(beyond, final)) ? this.#leave(index, final, { elsewhere: beyond }) : null;
  }

  /** What is indexed is not on the chain of the final block: everything that is not shared goes. */
  async #leave(use: number, final: FinalInForce, { elsewhere }: Elsewhere): Promise<BackStep> {
    const checkpoints = this.#deps.ledger.checkpoints("evm");
    // The block that it is gone back to may stand above the final one, and must be ours still.
    this.#look.upTo = Math.max(this.#look.upTo, elsewhere);
    // Below that height, even where a higher block of ours is on the chain again: a liar has mixed two branches.
    const parent = await newestShared(
      this.#patience.search(use, this.#finalSeen),
      checkpoints,
      elsewhere - 1,
    );
    const why = `EVM: what is indexed is not on the chain of the final block ${final.height} (${final.hash ?? ""})`;
    return { kind: "back", parent, use, isBranch: true, why };
  }

  /** Disputed events, asked about again now and then (S-07). Null where there is nothing to do. */
  recheckDisputes(): ReturnType<Disputes["look"]> {
    return this.#tried(() => this.#disputes.look(), null);
  }

  /** Resolves when nobody is asked any more that was not waited for. */
  async settled(): Promise<void> {
    await Promise.all([this.#disputes.settled(), this.#lead.settled()]);
  }
}
