// The one writer of a database. It holds an advisory lock for as long as its connection lives, and a number that every
// transaction of a writer checks: who has lost the lock cannot commit, whatever he still believes.

import { CellReader } from "../../store-rows/cells.ts";
import { migrate } from "../migrate.ts";
import { Session } from "../session.ts";

/** One writer per schema of a database: two indexes may share a database in schemas of their own. */
const TRY_LOCK = "SELECT pg_try_advisory_lock(1398035026, hashtext(current_schema()))::int::bigint";
/** A process that was killed keeps the lock until the server notices. */
const LOCK_TRIES = 15;
const LOCK_WAIT_MS = 100;

const RAISE_FENCE = "UPDATE writer SET fence = fence + 1 WHERE id = 1 RETURNING fence";
const CHECK_FENCE = "SELECT fence FROM writer WHERE id = 1 FOR SHARE";

/** The writer of one database. */
export class Writer {
  readonly #session: Session;
  readonly #fence: number;
  #last: Promise<unknown> = Promise.resolve();
  #isClosing = false;

  private constructor(session: Session, fence: number) {
    this.#session = session;
    this.#fence = fence;
  }

  /** Takes the lock and brings the schema up to date. Rejects with a sentence where another writer holds the lock. */
  static async open(url: string): Promise<Writer> {
    const session = await Session.open(url, "strand writer");
    try {
      await takeLock(session);
      // A plan that was made for small tables would be kept while they grow.
      await session.exec("SET plan_cache_mode = force_custom_plan");
      await migrate(session);
      const row = await session.first(RAISE_FENCE);
      if (row === null) throw new Error("store: the database has no row of its writer");
      return new Writer(session, new CellReader(row).int());
    } catch (error) {
      await session.close();
      throw error;
    }
  }

  /** Resolves with the reason when the connection is lost before `close`; else never. */
  get died(): Promise<Error> {
    return this.#session.ended.then((reason) => (this.#isClosing ? new Promise<Error>(() => {}) : reason));
  }

  /** Whether the connection is lost before `close`. */
  get hasDied(): boolean {
    return this.#session.isEnded && !this.#isClosing;
  }

  /** Runs `work` in one durable transaction, after all that were ordered before. */
  write<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
    const written = this.#last.then(() => this.#transaction(work));
    this.#last = written.catch(() => undefined);
    return written;
  }

  /** Waits for what was ordered, and gives the lock back. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#last;
    await this.#session.close();
  }

  #transaction<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
    if (this.#session.isEnded) throw new Error("store: the writer has lost the database");
    return this.#session.transaction(async () => {
      await this.#assertFence();
      return work(this.#session);
    });
  }

  async #assertFence(): Promise<void> {
    const row = await this.#session.first(CHECK_FENCE);
    if (row !== null && new CellReader(row).int() === this.#fence) return;
    throw new Error("store: another process has become the writer of this database");
  }
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
