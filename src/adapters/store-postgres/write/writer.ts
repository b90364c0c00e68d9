// The one writer of a database. It holds an advisory lock for as long as its connection lives, and a number that every
// transaction of a writer checks: who has lost the lock cannot commit, whatever he still believes. A connection that is
// lost is made again by the next write, unless somebody else has become the writer meanwhile.

import { CellReader } from "../../store-rows/cells.ts";
import { StoreUnavailable } from "../../../index/ports.ts";
import { migrate } from "../migrate.ts";
import { TELL } from "../notices.ts";
import { Session } from "../session.ts";

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

/** Who waits to become the writer. */
export interface Candidate {
  /** Ends the waiting. */
  readonly signal: AbortSignal;
  /** Called once where another writer holds the lock. */
  readonly onStandby: () => void;
}

/** Another process has raised the number of the writer. */
export class Deposed extends Error {
  override readonly name = "Deposed";
}

/** The writer of one database. */
export class Writer {
  readonly #url: string;
  /** The number of this writer: that of a later one is greater. */
  readonly fence: number;
  #session: Session;
  readonly #lost = Promise.withResolvers<Error>();
  #isLost = false;
  #isClosed = false;
  #last: Promise<unknown> = Promise.resolve();

  private constructor(url: string, session: Session, fence: number) {
    this.#url = url;
    this.#session = session;
    this.fence = fence;
  }

  /** Takes the lock and brings the schema up to date. Rejects with a sentence where another writer holds the lock. */
  static async open(url: string): Promise<Writer> {
    const writer = await Writer.#opened(url, takeLock);
    if (writer !== null) return writer;
    throw new Error(
      "The database is in use by another process (or twice in this one): stop that one first, or choose another DATABASE_URL.",
    );
  }

  /** The same, as soon as no other writer holds the lock; null where the signal has ended the waiting. */
  static elect(url: string, candidate: Candidate): Promise<Writer | null> {
    return Writer.#opened(url, (session) => awaitLock(session, candidate));
  }

  static async #opened(url: string, lock: (session: Session) => Promise<boolean>): Promise<Writer | null> {
    const session = await connect(url);
    try {
      if (!(await lock(session))) {
        await session.close();
        return null;
      }
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
    if (!this.#session.isEnded || this.#isLost || this.#isClosed) return;
    const settled = this.#last.then(() => this.#connected());
    this.#last = settled.catch(() => undefined);
    await settled.catch((error: unknown) => {
      // What another writer has written can be read like everything else.
      if (!(error instanceof Deposed)) throw error;
    });
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
    if (this.#session.isEnded) this.#session = await this.#again();
    return this.#session;
  }

  /** A connection that holds the lock again. Nobody has written meanwhile: the number is still ours. */
  async #again(): Promise<Session> {
    if (this.#isLost) throw await this.#lost.promise;
    if (this.#isClosed) throw new Error("store: the database is closed");
    const session = await connect(this.#url);
    try {
      await assertFence(session, this.fence, READ_FENCE);
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
    return session;
  } catch (error) {
    await session.close();
    throw session.failureOf(error);
  }
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
