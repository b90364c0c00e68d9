// Follows in the database what the writer does, for one reader: the present that it tells, the changes of swaps, and that
// there is a new state. Told by notices, and by looking every second.

import { OtherSchema } from "../adapters/store-postgres/migrate.ts";
import type { OpenedPostgresReader, ReaderMark } from "../adapters/store-postgres/postgres-reader.ts";
import { sentenceOf } from "../follow/follower-errors.ts";
import type { CommitFeed } from "../follow/commit-feed.ts";
import type { Condition } from "../follow/conditions.ts";
import type { Clock, Log } from "../follow/ports.ts";
import type { StoredParameters } from "../index/ports.ts";
import { Wake } from "../follow/wake.ts";
import { CommandRefused } from "./cli/ending.ts";
import type { SwapReplica } from "./swap-replica.ts";
import type { ToldPresent } from "./told-present.ts";

const EVERY_MS = 1000;

/** What it works with. */
interface FollowedWriter {
  readonly reader: Pick<OpenedPostgresReader, "parameters" | "look" | "storedSwaps">;
  readonly present: ToldPresent;
  /** Null where no swaps are served. */
  readonly swaps: Pick<SwapReplica, "load" | "take" | "learn" | "follow"> | null;
  readonly feed: CommitFeed;
  /**
   * Whether this process and a database that was built with these parameters belong together; false where nothing is
   * written yet. @throws CommandRefused where they do not.
   */
  readonly admits: (parameters: StoredParameters | null) => boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/** Why nothing can be read. */
type Obstacle =
  | "starting"
  | "no schema"
  | "other schema"
  | "no database"
  | "other parameters"
  | "other settings";

/** The follower of one reader. */
export class WriterFollower {
  readonly #parts: FollowedWriter;
  readonly #wake: Wake;
  #mark: ReaderMark = { live: 0, fence: null, change: null };
  #state = "";
  #obstacle: Obstacle | null = "starting";
  #isAdmitted = false;
  #followedEvent = 0;
  #turn: Promise<void> = Promise.resolve();

  constructor(parts: FollowedWriter) {
    this.#parts = parts;
    this.#wake = new Wake(parts.clock);
  }

  /** Whether answers can be given: the database was written by a service like this one, and was read at the last look. */
  get isOpen(): boolean {
    return this.#obstacle === null;
  }

  /** Everything that events up to this one tell is in what this process answers. */
  get followedEvent(): number {
    return this.#followedEvent;
  }

  conditions(): readonly Condition[] {
    return this.#obstacle === null ? [] : [this.#reason(this.#obstacle)];
  }

  /** There may be something new. */
  lookSoon(): void {
    this.#wake.call();
  }

  /** Looks until the signal aborts. @throws where this process and the database do not belong together. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const isBehind = await this.look();
      if (!isBehind) await this.#wake.wait(EVERY_MS, signal);
    }
  }

  /** Resolves when everything is followed that was committed before the call; true where there is more. */
  look(): Promise<boolean> {
    const looked = this.#turn.then(() => this.#look());
    this.#turn = looked.then(
      () => undefined,
      () => undefined,
    );
    return looked;
  }

  async #look(): Promise<boolean> {
    if (!this.#isAdmitted && !(await this.#isAdmittedNow())) return false;
    try {
      const isBehind = await this.#follow();
      if (!this.#isAdmitted) this.#say("no schema");
      else if (this.#parts.present.otherSettings.length > 0) this.#say("other settings");
      else if (this.#areSwapsRead) this.#say(null);
      return isBehind;
    } catch (error) {
      if (error instanceof CommandRefused) {
        this.#say("other parameters");
        throw error;
      }
      this.#say(error instanceof OtherSchema ? "other schema" : "no database", error);
      return false;
    }
  }

  async #isAdmittedNow(): Promise<boolean> {
    const { reader, admits } = this.#parts;
    // A refusal passes; that nothing can be read is waited for.
    const isThere = await reader
      .parameters()
      .then(admits)
      .catch((error: unknown) => {
        if (error instanceof CommandRefused) throw error;
        return error;
      });
    this.#isAdmitted = isThere === true;
    if (isThere === false || isMissingTable(isThere)) this.#say("no schema");
    else if (isThere !== true) this.#say("no database", isThere);
    return this.#isAdmitted;
  }

  /** Whether swaps, where they are served, are what is stored and what followed on it. */
  get #areSwapsRead(): boolean {
    return this.#parts.swaps === null || this.#mark.change !== null;
  }

  async #follow(): Promise<boolean> {
    const { reader, present, swaps, feed } = this.#parts;
    if (swaps !== null && !this.#areSwapsRead && present.otherSettings.length === 0)
      this.#mark = { ...this.#mark, change: await swaps.load(await reader.storedSwaps()) };
    const looked = await reader.look(this.#mark);
    const { live, behindMs, fence, changes, state, highestEvent, parameters } = looked;
    // Whoever writes may have built everything anew, with another fee.
    this.#isAdmitted = this.#parts.admits(parameters);
    if (!this.#isAdmitted) return false;
    present.tell(live.rows, live.isWhole, behindMs);
    swaps?.take(live);
    this.#mark = { ...this.#mark, live: live.version, fence };
    if (present.otherSettings.length > 0) {
      // What this ledger would make of the changes is not what the writer's does. Nobody is answered from here on.
      this.#mark = { ...this.#mark, change: null };
      this.#say("other settings");
      return false;
    }
    if (!this.#areSwapsRead) return true;
    const before = this.#mark.change;
    if (swaps !== null && before !== null) {
      swaps.learn();
      this.#mark = { ...this.#mark, change: changes === null ? null : await swaps.follow(changes, before) };
    }
    // What was committed after this look was begun is the next one's: a writer that never rests would else be caught up
    // with never, and nobody be told of its events.
    const isBehind = swaps !== null && (this.#mark.change?.id ?? -1) < looked.newestChange;
    if (!isBehind) this.#followedEvent = highestEvent;
    const isNew = state !== this.#state;
    this.#state = state;
    if (isNew) feed.publish();
    return isBehind;
  }

  #say(obstacle: Obstacle | null, error?: unknown): void {
    if (obstacle === this.#obstacle) return;
    this.#obstacle = obstacle;
    const { log } = this.#parts;
    if (obstacle === null) log.info({}, "following the writer");
    else log.warn(error === undefined ? {} : { error: sentenceOf(error) }, this.#reason(obstacle).sentence);
  }

  #reason(obstacle: Obstacle): Condition {
    if (obstacle !== "other settings") return WAITING[obstacle];
    const names = this.#parts.present.otherSettings.join(", ");
    return {
      code: "STORE_SILENT",
      sentence:
        `The process that writes the index has other settings of swaps than this one: ${names}. Answers would differ, so ` +
        "none is given: give both the same and start the one again that you changed.",
    };
  }
}

const WAITING: Readonly<Record<Exclude<Obstacle, "other settings">, Condition>> = {
  starting: {
    code: "STORE_SILENT",
    sentence: "The database has not been read yet: this service has just been started.",
  },
  "no schema": {
    code: "STORE_SILENT",
    sentence:
      "Nothing has written the database yet. Everything goes on by itself once `strand index` or `strand start` has.",
  },
  "other parameters": {
    code: "STORE_SILENT",
    sentence:
      "The database was built anew with other parameters than this service has: configure the same and start it again.",
  },
  "other schema": {
    code: "STORE_SILENT",
    sentence:
      "The database has another schema than this version of the program reads, and its rows would be misread: run the " +
      "version here that writes it.",
  },
  "no database": {
    code: "STORE_SILENT",
    sentence:
      "The database does not answer, so that nothing can be read. Everything goes on by itself when it does.",
  },
};

/** Codes of PostgreSQL for a table and a schema that are not there. */
function isMissingTable(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "42P01" || error.code === "3F000");
}
