// The one writer of a database. It holds an advisory lock for as long as its connection lives, and a number that every
// transaction of a writer checks: who has lost the lock cannot commit, whatever he still believes. A connection that is
// lost is made again, unless somebody else has become the writer meanwhile, or a standby of PostgreSQL was promoted: that
// one may lack what this writer remembers, so that a new term begins with what is there.

import { CellReader } from "../../store-rows/cells.ts";
import { StoreUnavailable } from "../../../index/ports.ts";
import { migrate } from "../migrate.ts";
import { TELL } from "../notices.ts";
import { connectedPatiently, Session } from "../session.ts";

/** One writer per schema of a database: two indexes may share a database in schemas of their own. */
const TRY_LOCK = "SELECT pg_try_advisory_lock(1398035026, hashtext(current_schema()))::int::bigint";
/** A process that was killed keeps the lock until the server notices. */
const LOCK_TRIES = 15;
const LOCK_WAIT_MS = 100;
/** How often a standby tries to become the writer. */
const STANDBY_MS = 500;

const RAISE_FENCE = "UPDATE writer SET fence = fence + 1 WHERE id = 1 RETURNING fence";
const READ_FENCE = "SELECT fence FROM writer WHERE id = 1";
const CHECK_FENCE = "SELECT fence FROM writer WHERE id = 1 FOR SHARE";

/**
 * A machine that is gone answers nothing: the server gives its connection up after some seconds, and with it the lock.
 * A plan that was made for small tables would be kept while they grow.
 */
const SETTINGS = `SET tcp_keepalives_idle = 1; SET tcp_keepalives_interval = 1; SET tcp_keepalives_count = 2;
  SET tcp_user_timeout = 3000; SET plan_cache_mode = force_custom_plan`;

/** Tells, when a writer begins, above which id its events are. */
export type EventFloor = () => number;

/** Who waits to become the writer. */
export interface Candidate {
  /** Ends the waiting. */
  readonly signal: AbortSignal;
  /** Called once where another writer holds the lock. */
  readonly onStandby: () => void;
}

/** How often a writer that has lost its connection looks for the database. */
const AGAIN_MS = 250;

/** Each promotion of a standby begins a new timeline, which no other server of the same origin has had. */
const TIMELINE = "SELECT left(pg_walfile_name(pg_current_wal_lsn()), 8)";
const IS_STANDBY = "SELECT pg_is_in_recovery()::int::bigint";
const HAS_SCHEMA = "SELECT (current_schema() IS NOT NULL)::int::bigint";
const KNOWN_TIMELINE = "SELECT value FROM meta WHERE key = 'timeline'";
const KEEP_TIMELINE = `INSERT INTO meta (key, value) VALUES ('timeline', $1)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value`;
/** A promoted standby may lack events that were told, and no other ones may have their ids. */
const SKIP_IDS = "UPDATE meta SET value = (value::bigint + 50000)::text WHERE key = 'last_event_id'";
const RAISE_IDS = `INSERT INTO meta (key, value) VALUES ('last_event_id', $1) ON CONFLICT (key) DO UPDATE
  SET value = greatest(meta.value::bigint, excluded.value::bigint)::text`;

/** Another process has raised the number of the writer. */
export class Deposed extends Error {
  override readonly name = "Deposed";
}

/** The writer of one database. */
export class Writer {
  readonly #url: string;
  /** The number of this writer: that of a later one is greater. */
  readonly fence: number;
  readonly #timeline: string;
  #session: Session;
  readonly #lost = Promise.withResolvers<Error>();
  #isLost = false;
  #isClosed = false;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(url: string, session: Session, { fence, timeline }: Term) {
    this.#url = url;
    this.#session = session;
    this.fence = fence;
    this.#timeline = timeline;
    this.#watch(session);
  }

  /** Takes the lock and brings the schema up to date. Rejects with a sentence where another writer holds the lock. */
  static async open(url: string, eventFloor: EventFloor = () => 0): Promise<Writer> {
    const session = await connectedPatiently(() => connect(url));
    const writer = await Writer.#opened(url, session, takeLock, eventFloor);
    if (writer !== null) return writer;
    throw new Error(
      "The database is in use by another process (or twice in this one): stop that one first, or choose another DATABASE_URL.",
    );
  }

  /** The same, as soon as no other writer holds the lock; null where the signal has ended the waiting. */
  static async elect(url: string, candidate: Candidate, eventFloor: EventFloor): Promise<Writer | null> {
    const lock = (session: Session): Promise<boolean> => awaitLock(session, candidate);
    return Writer.#opened(url, await connect(url), lock, eventFloor);
  }

  static async #opened(
    url: string,
    session: Session,
    lock: (session: Session) => Promise<boolean>,
    eventFloor: EventFloor,
  ): Promise<Writer | null> {
    try {
      if (!(await lock(session))) {
        await session.close();
        return null;
      }
      await migrate(session);
      return new Writer(url, session, await beginTerm(session, eventFloor()));
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  /** Resolves with the reason when another process has become the writer; else never. */
  get died(): Promise<Error> {
    return this.#lost.promise;
  }

  /** Whether another process has become the writer. */
  get hasDied(): boolean {
    return this.#isLost;
  }

  /**
   * Runs `work` in one durable transaction, after all that were ordered before; readers are told when it is committed.
   * Rejects with `StoreUnavailable` where the server cannot be reached, was silent for too long, or the connection was
   * lost on the way: the transaction may then have been committed, or be committed later on (`settled`).
   */
  write<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
    const written = this.#last.then(() => this.#transaction(work));
    this.#last = written.catch(() => undefined);
    return written;
  }

  /**
   * Resolves when it is certain what was committed. After a transaction whose outcome is unknown the lock is taken again
   * first: the server gives it when the connection before has come to its end, and with it what it had still to do.
   * Rejects with `StoreUnavailable` where the server cannot be reached.
   */
  async settled(): Promise<void> {
    if (this.#isLost || this.#isClosed) return;
    await this.confirmed().catch((error: unknown) => {
      // What another writer has written can be read like everything else.
      if (!(error instanceof Deposed)) throw error;
    });
  }

  /** The same, and rejects with `Deposed` where this is no longer the writer. */
  async confirmed(): Promise<void> {
    if (!this.#session.isEnded) return;
    const connected = this.#last.then(() => this.#connected());
    this.#last = connected.catch(() => undefined);
    await connected;
  }

  /** Waits for what was ordered, and gives the lock back. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#last;
    await this.#session.close();
  }

  async #transaction<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
    const session = await this.#connected();
    try {
      return await fenced(session, this.fence, work);
    } catch (error) {
      this.#noteLoss(error);
      throw session.failureOf(error);
    }
  }

  async #connected(): Promise<Session> {
    if (!this.#session.isEnded) return this.#session;
    this.#session = await this.#again();
    this.#watch(this.#session);
    return this.#session;
  }

  /** Who has lost his connection does not wait for something to write before he finds out whether he is the writer. */
  #watch(session: Session): void {
    const look = async (): Promise<void> => {
      for (let isKnown = false; !isKnown && !this.#isLost && !this.#isClosed; ) {
        isKnown = await this.#isStillThere().catch(() => false);
        await new Promise((resolve) => setTimeout(resolve, AGAIN_MS).unref());
      }
    };
    void session.ended.then(look);
  }

  /** Looks at the database without taking the lock. Rejects where the server cannot be reached. */
  async #isStillThere(): Promise<boolean> {
    const session = await connect(this.#url);
    try {
      await this.#assertTerm(session);
    } catch (error) {
      if (!(error instanceof Deposed)) throw error;
      this.#noteLoss(error);
    } finally {
      await session.close();
    }
    return true;
  }

  async #assertTerm(session: Session): Promise<void> {
    await assertFence(session, this.fence, READ_FENCE);
    if ((await timelineOf(session)) !== this.#timeline)
      throw new Deposed("store: a standby of PostgreSQL was promoted: what it has is read again");
  }

  /** A connection that holds the lock again. Nobody has written meanwhile: the number is still ours. */
  async #again(): Promise<Session> {
    if (this.#isLost) throw await this.#lost.promise;
    if (this.#isClosed) throw new Error("store: the database is closed");
    const session = await connect(this.#url);
    try {
      await this.#assertTerm(session);
      if (!(await tryLock(session))) throw new StoreUnavailable("store: the writer's lock is still held");
      // Who had the lock in between has raised the number before he wrote.
      await assertFence(session, this.fence, READ_FENCE);
      return session;
    } catch (error) {
      this.#noteLoss(error);
      const failure = session.failureOf(error);
      await session.close();
      throw failure;
    }
  }

  #noteLoss(error: unknown): void {
    if (!(error instanceof Deposed)) return;
    this.#isLost = true;
    this.#lost.resolve(error);
  }
}

/** What a writer is by. */
interface Term {
  readonly fence: number;
  readonly timeline: string;
}

/** Raises the number of the writer and the ids of events, and looks whether the database was another server's before. */
async function beginTerm(session: Session, eventFloor: number): Promise<Term> {
  const timeline = await timelineOf(session);
  return session.transaction(async () => {
    const row = await session.first(RAISE_FENCE);
    if (row === null) throw new Error("store: the database has no row of its writer");
    const known = await session.first(KNOWN_TIMELINE);
    if (known === null || new CellReader(known).text() !== timeline) {
      await session.run(KEEP_TIMELINE, timeline);
      if (known !== null) await session.run(SKIP_IDS);
    }
    if (eventFloor > 0) await session.run(RAISE_IDS, String(eventFloor));
    return { fence: new CellReader(row).int(), timeline };
  });
}

async function timelineOf(session: Session): Promise<string> {
  const row = await session.first(TIMELINE);
  return row === null ? "" : new CellReader(row).text();
}

/** Runs `work` in one transaction and tells readers of it. Rejects with `Deposed` where a later writer has begun. */
export function fenced<Result>(
  session: Session,
  fence: number,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  return session.transaction(async () => {
    await assertFence(session, fence, CHECK_FENCE);
    const result = await work(session);
    await session.run(TELL);
    return result;
  });
}

/** The number of the newest writer. */
export async function writerFence(session: Session): Promise<number> {
  const row = await session.first(READ_FENCE);
  return row === null ? 0 : new CellReader(row).int();
}

async function assertFence(session: Session, fence: number, sql: string): Promise<void> {
  const row = await session.first(sql);
  if (row !== null && new CellReader(row).int() === fence) return;
  throw new Deposed("store: another process has become the writer of this database");
}

async function connect(url: string): Promise<Session> {
  const session = await Session.open(url, "strand writer");
  try {
    await session.exec(SETTINGS);
    await session.beginLongWork();
    const row = await session.first(IS_STANDBY);
    if (row !== null && new CellReader(row).flag())
      throw new StoreUnavailable("the server is a standby of PostgreSQL, which takes no writes");
    await assertSchema(session);
    return session;
  } catch (error) {
    await session.close();
    throw session.failureOf(error);
  }
}

/** Lock and tables are those of the schema that the URL names. */
async function assertSchema(session: Session): Promise<void> {
  const row = await session.first(HAS_SCHEMA);
  if (row !== null && new CellReader(row).flag()) return;
  throw new Error(
    "the database has no schema for this index: the search_path names none that is there and that this role may use. " +
      "Make it with CREATE SCHEMA, or name another one",
  );
}

async function tryLock(session: Session): Promise<boolean> {
  const row = await session.first(TRY_LOCK);
  return row !== null && new CellReader(row).flag();
}

async function takeLock(session: Session): Promise<boolean> {
  for (let tries = 0; tries < LOCK_TRIES; tries += 1) {
    if (await tryLock(session)) return true;
    await new Promise((resolve) => setTimeout(resolve, LOCK_WAIT_MS));
  }
  return false;
}

async function awaitLock(session: Session, { signal, onStandby }: Candidate): Promise<boolean> {
  for (let tries = 0; !signal.aborted; tries += 1) {
    if (await tryLock(session)) return true;
    if (tries === 0) onStandby();
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener("abort", end);
        resolve();
      };
      const timer = setTimeout(end, STANDBY_MS);
      signal.addEventListener("abort", end);
    });
  }
  return false;
}
