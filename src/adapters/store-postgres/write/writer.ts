// The one writer of a database. It holds an advisory lock for as long as its connection lives, and a number that every
// transaction of a writer checks: who has lost the lock cannot commit, whatever he still believes. A connection that is
// lost is made again by the next write, unless somebody else has become the writer meanwhile.

import { CellReader } from "../../store-rows/cells.ts";
import { StoreUnavailable } from "../../../index/ports.ts";
import { migrate } from "../migrate.ts";
import { Session } from "../session.ts";

/** One writer per schema of a database: two indexes may share a database in schemas of their own. */
const TRY_LOCK = "SELECT pg_try_advisory_lock(1398035026, hashtext(current_schema()))::int::bigint";
/** A process that was killed keeps the lock until the server notices. */
const LOCK_TRIES = 15;
const LOCK_WAIT_MS = 100;

const RAISE_FENCE = "UPDATE writer SET fence = fence + 1 WHERE id = 1 RETURNING fence";
const READ_FENCE = "SELECT fence FROM writer WHERE id = 1";
const CHECK_FENCE = "SELECT fence FROM writer WHERE id = 1 FOR SHARE";

/** The writer of one database. */
export class Writer {
  readonly #url: string;
  readonly #fence: number;
  #session: Session;
  readonly #lost = Promise.withResolvers<Error>();
  #isLost = false;
  #isClosed = false;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(url: string, session: Session, fence: number) {
    this.#url = url;
    this.#session = session;
    this.#fence = fence;
  }

  /** Takes the lock and brings the schema up to date. Rejects with a sentence where another writer holds the lock. */
  static async open(url: string): Promise<Writer> {
    const session = await connect(url);
    try {
      await takeLock(session);
      await migrate(session);
      const row = await session.first(RAISE_FENCE);
      if (row === null) throw new Error("store: the database has no row of its writer");
      return new Writer(url, session, new CellReader(row).int());
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
   * Runs `work` in one durable transaction, after all that were ordered before. Rejects with `StoreUnavailable` where the
   * server cannot be reached or the connection was lost on the way: the transaction may then have been committed.
   */
  write<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
    const written = this.#last.then(() => this.#transaction(work));
    this.#last = written.catch(() => undefined);
    return written;
  }

  /** Waits for what was ordered, and gives the lock back. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#last;
    await this.#session.close();
  }

  async #transaction<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
    if (this.#session.isEnded) this.#session = await this.#again();
    const session = this.#session;
    try {
      return await session.transaction(async () => {
        await this.#assertFence(session, CHECK_FENCE);
        return work(session);
      });
    } catch (error) {
      throw session.failureOf(error);
    }
  }

  /** A connection that holds the lock again. Nobody has written meanwhile: the number is still ours. */
  async #again(): Promise<Session> {
    if (this.#isLost) throw await this.#lost.promise;
    if (this.#isClosed) throw new Error("store: the database is closed");
    const session = await connect(this.#url);
    try {
      await this.#assertFence(session, READ_FENCE);
      const row = await session.first(TRY_LOCK);
      if (row === null || !new CellReader(row).flag())
        throw new StoreUnavailable("store: the writer's lock is still held");
      // Who had the lock in between has raised the number before he wrote.
      await this.#assertFence(session, READ_FENCE);
      return session;
    } catch (error) {
      const failure = session.failureOf(error);
      await session.close();
      throw failure;
    }
  }

  async #assertFence(session: Session, sql: string): Promise<void> {
    const row = await session.first(sql);
    if (row !== null && new CellReader(row).int() === this.#fence) return;
    const error = new Error("store: another process has become the writer of this database");
    this.#isLost = true;
    this.#lost.resolve(error);
    throw error;
  }
}

async function connect(url: string): Promise<Session> {
  const session = await Session.open(url, "strand writer");
  // A plan that was made for small tables would be kept while they grow.
  await session.exec("SET plan_cache_mode = force_custom_plan");
  return session;
}

async function takeLock(session: Session): Promise<void> {
  for (let tries = 0; tries < LOCK_TRIES; tries += 1) {
    const row = await session.first(TRY_LOCK);
    if (row !== null && new CellReader(row).flag()) return;
    await new Promise((resolve) => setTimeout(resolve, LOCK_WAIT_MS));
  }
  throw new Error(
    "The database is in use by another process (or twice in this one): stop that one first, or choose another DATABASE_URL.",
  );
}
