// How do events reach many consumers? Each consumer reads the log at its own pace, from the id that it has; what is
// read and rendered is shared. Nothing is queued for a consumer: one that does not take what was written for it is
// cut off, and can resume by its last id as long as the log holds it. (H-39)

import type { ProtocolRules } from "../../prc20/rules.ts";
import type { Log } from "../../service/ports.ts";
import type { EventGroup, IndexQueries } from "../../service/queries.ts";
import {
  blockFrames,
  eventText,
  type Frame,
  type FrameFilter,
  passes,
  reorgFrame,
  swapFrames,
} from "./frames.ts";

/** Where a consumer's events go. */
export interface EventSink {
  /** Writes text; resolves when it may go on, with false where the consumer is gone or too slow. */
  write(text: string): Promise<boolean>;
  /** Writes a comment where nothing waits to be taken. */
  heartbeat(): void;
  /** Ends the stream. */
  end(): void;
}

/** Where a consumer begins. */
export interface EventStart {
  /** The last id that it has. */
  readonly after: number;
  /** Text that goes first: a reset, or nothing. */
  readonly preface: string;
}

const GROUPS_PER_READ = 16;
const SHARED_GROUPS = 16;
const CHUNK_CHARACTERS = 64 * 1024;

/** The event stream of one server. */
export class EventHub {
  readonly #queries: IndexQueries;
  readonly #rules: ProtocolRules;
  readonly #log: Log;
  readonly #sinks = new Set<EventSink>();
  readonly #rendered = new Map<number, Promise<readonly Frame[]>>();
  readonly #reads = new Map<number, Promise<readonly EventGroup[]>>();
  #waiting: (() => void)[] = [];
  #wakeups = 0;
  #closed = false;

  constructor(queries: IndexQueries, rules: ProtocolRules, log: Log) {
    this.#queries = queries;
    this.#rules = rules;
    this.#log = log;
  }

  /** Consumers at present. */
  get size(): number {
    return this.#sinks.size;
  }

  /** The log may have grown. */
  wake(): void {
    this.#wakeups += 1;
    this.#reads.clear();
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resume of waiting) resume();
  }

  /** Writes a heartbeat to every consumer that has nothing waiting. */
  heartbeat(): void {
    for (const sink of this.#sinks) sink.heartbeat();
  }

  /** Ends all streams; later ones end at once. */
  close(): void {
    this.#closed = true;
    for (const sink of this.#sinks) sink.end();
    this.wake();
  }

  /**
   * Where a consumer begins: after `lastEventId` where the log holds it and its block stands; after the newest event
   * where it is null (none given); else with a `reset`.
   */
  async start(lastEventId: string | null): Promise<EventStart> {
    if (lastEventId === null) return { after: (await this.#queries.eventBounds()).highest, preface: "" };
    const id = /^[0-9]{1,20}$/.test(lastEventId) ? Number(lastEventId) : -1;
    const known = Number.isSafeInteger(id) && id >= 0 && (await this.#queries.eventGroupOf(id)) !== null;
    return known ? { after: id, preface: "" } : this.#reset();
  }

  /** Serves one consumer until it is gone or the hub closes. Does not throw. */
  async run(sink: EventSink, start: EventStart, filter: FrameFilter): Promise<void> {
    this.#sinks.add(sink);
    try {
      let after: number | null = start.after;
      if (start.preface !== "" && !(await sink.write(start.preface))) return;
      while (after !== null && !this.#closed) after = await this.#advance(sink, after, filter);
    } catch (error) {
      this.#log.error({ error }, "an event stream failed");
    } finally {
      this.#sinks.delete(sink);
      sink.end();
    }
  }

  /** Writes what the log has after an id, or waits for more. Returns the new id, or null where the sink is gone. */
  async #advance(sink: EventSink, after: number, filter: FrameFilter): Promise<number | null> {
    const wakeups = this.#wakeups;
    const groups = await this.#groupsAfter(after);
    const first = groups[0];
    if (first === undefined) {
      await this.#nextWake(wakeups, sink);
      return this.#sinks.has(sink) ? after : null;
    }
    if (first.firstId > after + 1 && (await this.#queries.eventBounds()).lowest > after + 1) {
      // The log has dropped events that this consumer has not seen.
      const { after: newest, preface } = await this.#reset();
      return (await sink.write(preface)) ? newest : null;
    }
    for (const group of groups) {
      const frames = await this.#framesOf(group);
      const wanted = frames.filter((frame) => frame.id > after && passes(frame, filter));
      for (const chunk of chunks(wanted)) if (!(await sink.write(chunk))) return null;
    }
    return groups.at(-1)?.lastId ?? after;
  }

  /** A consumer whose connection ends while it waits: forgets it and lets its loop finish. */
  leave(sink: EventSink): void {
    this.#sinks.delete(sink);
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resume of waiting) resume();
  }

  async #reset(): Promise<EventStart> {
    // The bounds first: an event that comes between is then told once too often rather than never.
    const { highest } = await this.#queries.eventBounds();
    const state = await this.#queries.state();
    const preface = eventText(highest, "reset", { height: state.height, block_hash: state.hash });
    return { after: highest, preface };
  }

  #nextWake(wakeups: number, sink: EventSink): Promise<void> {
    if (this.#wakeups !== wakeups || this.#closed || !this.#sinks.has(sink)) return Promise.resolve();
    return new Promise((resume) => {
      this.#waiting.push(resume);
    });
  }

  /** Consumers that stand at the same id share one read between two wake-ups. */
  #groupsAfter(after: number): Promise<readonly EventGroup[]> {
    const known = this.#reads.get(after);
    if (known !== undefined) return known;
    const read = this.#queries.eventGroups(after, GROUPS_PER_READ);
    this.#reads.set(after, read);
    read.catch(() => this.#reads.delete(after));
    return read;
  }

  #framesOf(group: EventGroup): Promise<readonly Frame[]> {
    const known = this.#rendered.get(group.firstId);
    if (known !== undefined) return known;
    const frames = this.#render(group);
    this.#rendered.set(group.firstId, frames);
    frames.catch(() => this.#rendered.delete(group.firstId));
    const oldest = this.#rendered.keys().next().value;
    if (this.#rendered.size > SHARED_GROUPS && oldest !== undefined) this.#rendered.delete(oldest);
    return frames;
  }

  async #render(group: EventGroup): Promise<readonly Frame[]> {
    if (group.kind === "reorg") return [reorgFrame(group)];
    if (group.kind === "swaps") return swapFrames(group);
    const happenings = await this.#queries.happenings(group.height, group.hash);
    // Undone since it was read: the reorg event that follows says so.
    return happenings === null ? [] : blockFrames(group, happenings, this.#rules);
  }
}

/** The texts joined to pieces of bounded size. */
function* chunks(frames: readonly Frame[]): Generator<string> {
  let chunk = "";
  for (const frame of frames) {
    chunk += frame.text;
    if (chunk.length >= CHUNK_CHARACTERS) {
      yield chunk;
      chunk = "";
    }
  }
  if (chunk !== "") yield chunk;
}
