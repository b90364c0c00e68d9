// How events reach many consumers. Each consumer stands somewhere in the log and is served in steps of bounded work,
// between which everybody else has a turn: one lane for those who wait for the newest, four for those who come back and
// have more to read (H-11). Nothing is queued for a consumer: one that does not take what was written for it is cut
// off, and can resume by its last id as long as the log holds it (H-39).

import type { ProtocolRules } from "../../prc20/rules.ts";
import type { Log } from "../../follow/ports.ts";
import type { IndexQueries, TipState } from "../../index/queries.ts";
import { eventText, type Frame, type FrameFilter, passes } from "./frames.ts";
import { PieceReader, type PieceStart } from "./pieces.ts";

/** Where a consumer's events go. */
export interface EventSink {
  /** Writes text: `full` where the consumer has to take it before more may be written, `gone` where nobody does. */
  write(text: string): "taken" | "full" | "gone";
  /** Resolves when more may be written, with false where the consumer is gone or too slow. */
  drained(): Promise<boolean>;
  /** Writes a comment where nothing waits to be taken. */
  heartbeat(): void;
  /** Ends the stream. */
  end(): void;
}

/** Where a consumer begins. */
interface EventStart {
  /** The last id that it has. */
  readonly after: number;
  /** Text that goes first: a reset, or nothing. */
  readonly preface: string;
  /** True where the log has more for it already. */
  readonly isReplay: boolean;
}

interface Consumer {
  readonly sink: EventSink;
  readonly filter: FrameFilter;
  /** The last id that it has, or that is not for it. */
  after: number;
  start: PieceStart;
  /** Until it has come to the end of the log for the first time. */
  isReplay: boolean;
  state: "queued" | "waiting" | "draining" | "gone";
  /**
   * True while it stands in a line or has its turn. It may drain within its turn, which then goes on: in a line besides,
   * it would have a second lane, and a turn for each chunk that it took.
   */
  isInLine: boolean;
}

/** Characters that are written to a consumer in one step, give or take one event. */
const CHUNK_CHARACTERS = 64 * 1024;
/** Replays that are worked on at once (H-11). */
const REPLAY_LANES = 4;
/** Steps of a replay before the next one that waits has its turn. */
const STEPS_PER_TURN = 64;
/** Events that a resume may have to read; beyond that it is answered by `reset` (H-11). */
const MAX_REPLAYED = 100_000;

/** The id that `Last-Event-ID` names (H-39); null for text that is none. */
export function eventIdOf(text: string): number | null {
  const id = /^[0-9]{1,20}$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(id) ? id : null;
}

/** What it is made of. */
interface EventHubParts {
  readonly queries: IndexQueries;
  readonly rules: ProtocolRules;
  /** Reads the state that events up to this id led to; nobody is given an older answer from then on. */
  readonly see: (id: number) => Promise<TipState>;
  /** The event up to which answers are of what the log tells. */
  readonly followedEvent: () => number;
  readonly log: Log;
}

/** The event stream of one server. */
export class EventHub {
  readonly #queries: IndexQueries;
  readonly #pieces: PieceReader;
  readonly #see: (id: number) => Promise<TipState>;
  readonly #followedEvent: () => number;
  readonly #log: Log;
  readonly #consumers = new Map<EventSink, Consumer>();
  readonly #live: Consumer[] = [];
  readonly #replays: Consumer[] = [];
  #liveLanes = 0;
  #replayLanes = 0;
  #closed = false;
  /** Id behind which the log has nothing, until somebody says that it has grown. */
  #end: number | null = null;
  #wakeups = 0;
  /** Up to this id the state that events speak of was seen. */
  #seenId = -1;

  constructor({ queries, rules, see, followedEvent, log }: EventHubParts) {
    this.#queries = queries;
    this.#pieces = new PieceReader(queries, rules);
    this.#see = see;
    this.#followedEvent = followedEvent;
    this.#log = log;
  }

  /** Consumers at present. */
  get size(): number {
    return this.#consumers.size;
  }

  /** The log may have grown. */
  wake(): void {
    this.#end = null;
    this.#wakeups += 1;
    this.#pieces.forget();
    for (const consumer of this.#consumers.values()) {
      if (consumer.state === "waiting") this.#queue(consumer);
    }
  }

  /** Writes a heartbeat to every consumer that has nothing waiting. */
  heartbeat(): void {
    for (const sink of this.#consumers.keys()) sink.heartbeat();
  }

  /** Ends all streams; later ones end at once. */
  close(): void {
    this.#closed = true;
    for (const consumer of this.#consumers.values()) this.#drop(consumer);
  }

  /**
   * Where a consumer begins: after `lastEventId` where the log holds it, its block stands and the log has at most
   * 100,000 events behind it; after the newest event where it is null (none given); else with a `reset`.
   */
  async start(lastEventId: string | null): Promise<EventStart> {
    const { lowest, highest } = await this.#queries.eventBounds();
    // Whoever begins behind an event reads what it brought, and is told of nothing before it.
    await this.#seeUpTo(highest);
    const after = this.#newestOf(lowest, highest);
    if (lastEventId === null) return { after, preface: "", isReplay: false };
    const id = eventIdOf(lastEventId);
    if (id === null || (await this.#queries.eventGroupOf(id)) === null) return this.#reset();
    // Ids have gaps where the service was started: only over one of them the events themselves are counted.
    const isNear = highest - id <= MAX_REPLAYED || (await this.#queries.eventsAfter(id)) <= MAX_REPLAYED;
    return isNear ? { after: id, preface: "", isReplay: id < highest } : this.#reset();
  }

  /** Serves a consumer from now on, until it is gone or the hub closes. */
  join(sink: EventSink, start: EventStart, filter: FrameFilter): void {
    if (this.#closed) {
      sink.end();
      return;
    }
    const { after, preface, isReplay } = start;
    const consumer: Consumer = {
      sink,
      filter,
      after,
      start: { kind: "after", id: after },
      isReplay,
      state: "queued",
      isInLine: false,
    };
    this.#consumers.set(sink, consumer);
    if (preface === "" || this.#write(consumer, preface)) this.#queue(consumer);
  }

  /** A consumer whose connection has ended. */
  leave(sink: EventSink): void {
    const consumer = this.#consumers.get(sink);
    if (consumer !== undefined) this.#drop(consumer);
  }

  #drop(consumer: Consumer): void {
    consumer.state = "gone";
    this.#consumers.delete(consumer.sink);
    consumer.sink.end();
  }

  #queue(consumer: Consumer): void {
    consumer.state = "queued";
    if (consumer.isInLine) return;
    consumer.isInLine = true;
    if (consumer.isReplay) {
      this.#replays.push(consumer);
      if (this.#replayLanes < REPLAY_LANES) void this.#serveReplays();
    } else {
      this.#live.push(consumer);
      if (this.#liveLanes === 0) void this.#serveLive();
    }
  }

  async #serveLive(): Promise<void> {
    this.#liveLanes += 1;
    for (let consumer = this.#live.shift(); consumer !== undefined; consumer = this.#live.shift()) {
      await this.#turnOf(consumer, 1);
    }
    this.#liveLanes -= 1;
  }

  async #serveReplays(): Promise<void> {
    this.#replayLanes += 1;
    for (let consumer = this.#replays.shift(); consumer !== undefined; consumer = this.#replays.shift()) {
      await this.#turnOf(consumer, STEPS_PER_TURN);
    }
    this.#replayLanes -= 1;
  }

  /** Serves a consumer for some steps. Does not throw. */
  async #turnOf(consumer: Consumer, steps: number): Promise<void> {
    try {
      for (let step = 0; step < steps && consumer.state === "queued"; step += 1) {
        await this.#step(consumer);
        // Everybody else has a turn, whether or not anything was written: a filter may let nothing pass.
        await new Promise((resolve) => setImmediate(resolve));
      }
      consumer.isInLine = false;
      if (consumer.state === "queued") this.#queue(consumer);
    } catch (error) {
      this.#log.error({ error }, "an event stream failed");
      this.#drop(consumer);
    }
  }

  /** Writes what one piece has for a consumer, up to a chunk, or lets it wait for more. */
  async #step(consumer: Consumer): Promise<void> {
    const wakeups = this.#wakeups;
    if (consumer.start.kind === "after" && consumer.start.id === this.#end) return this.#wait(consumer);
    const piece = await this.#pieces.at(consumer.start);
    if (piece !== null) await this.#seeUpTo(piece.lastId);
    if (consumer.state === "gone") return;
    if (piece === null) {
      if (wakeups === this.#wakeups && consumer.start.kind === "after") {
        this.#end = consumer.start.id;
        this.#wait(consumer);
      }
      return;
    }
    if (
      piece.firstId > consumer.after + 1 &&
      (await this.#queries.eventBounds()).lowest > consumer.after + 1
    ) {
      // The log has dropped events that this consumer has not seen.
      const { after, preface } = await this.#reset();
      consumer.after = after;
      consumer.start = { kind: "after", id: after };
      this.#write(consumer, preface);
      return;
    }
    const { text, rest } = chunkOf(piece.frames, consumer);
    if (!rest) consumer.start = piece.next;
    if (text !== "") this.#write(consumer, text);
  }

  /** Behind which whoever reads everything now begins: rather told of an event once too often than never. */
  #newestOf(lowest: number, highest: number): number {
    return Math.max(lowest - 1, Math.min(highest, this.#followedEvent()));
  }

  /** Before an id is told. The log is read first, so the state is that of its events or a later one. */
  async #seeUpTo(id: number): Promise<void> {
    if (id <= this.#seenId) return;
    await this.#see(id);
    this.#seenId = Math.max(this.#seenId, id);
  }

  #wait(consumer: Consumer): void {
    consumer.isReplay = false;
    consumer.state = "waiting";
  }

  /** True where more may be written at once; else the consumer is queued when it has taken what there is, or is gone. */
  #write(consumer: Consumer, text: string): boolean {
    const outcome = consumer.state === "gone" ? "gone" : consumer.sink.write(text);
    if (outcome === "taken") return true;
    if (outcome === "gone") {
      this.#drop(consumer);
      return false;
    }
    consumer.state = "draining";
    void consumer.sink.drained().then((goesOn) => {
      if (consumer.state !== "draining") return;
      if (goesOn && !this.#closed) this.#queue(consumer);
      else this.#drop(consumer);
    });
    return false;
  }

  async #reset(): Promise<EventStart> {
    // The bounds first: an event that comes between is then told once too often rather than never.
    const { lowest, highest } = await this.#queries.eventBounds();
    const after = this.#newestOf(lowest, highest);
    const state = await this.#see(after);
    const preface = eventText(after, "reset", { height: state.height, block_hash: state.hash });
    return { after, preface, isReplay: false };
  }
}

/** The next texts for a consumer up to a chunk; `rest`: the piece has more for it. Moves the consumer on. */
function chunkOf(
  frames: readonly Frame[],
  consumer: Consumer,
): { readonly text: string; readonly rest: boolean } {
  let text = "";
  for (const frame of frames) {
    if (frame.id <= consumer.after) continue;
    if (text.length >= CHUNK_CHARACTERS) return { text, rest: true };
    if (passes(frame, consumer.filter)) text += frame.text;
    consumer.after = frame.id;
  }
  return { text, rest: false };
}
