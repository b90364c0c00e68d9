// Errands: what a reader asks the writer to do, through the database that both know. A reader puts a row and waits for its
// answer; where none comes in time it takes the row back, and then nothing was stored for it. What the writer stores for an
// errand is marked in the same transaction, so that each is carried out once, whoever becomes the writer meanwhile.

import { AsyncLocalStorage } from "node:async_hooks";
import { randomUUID } from "node:crypto";
import { NothingWritten } from "../../swaps/ledger/ports.ts";
import { CellReader } from "../store-rows/cells.ts";
import { Notices, tellSql } from "./notices.ts";
import { Session } from "./session.ts";

/** How long a reader waits for an answer. */
const PATIENCE_MS = 5000;
/** And for the answer of an errand of which it knows that something was stored. */
const KEPT_PATIENCE_MS = 3000;
/** How often both sides look without having been told. */
const LOOK_MS = 250;
/** How long errands in hand may take when their writer stops. */
const CLOSING_MS = 1000;
/** Errands that are answered at a time, and that a reader may have on their way. */
const AT_ONCE = 64;
/** Rows that nobody came back for. What was given up is remembered for longer than anything is in hand. */
const SWEEP = `DELETE FROM errand WHERE asked_at < clock_timestamp() - interval '1 minute'
  AND (state <> 3 OR asked_at < clock_timestamp() - interval '1 hour')`;

/** What came of an errand. "given up": nobody answered, and nothing was stored. "unknown": something may have been. */
export type ErrandOutcome =
  | { readonly kind: "answered"; readonly answer: string }
  | { readonly kind: "given up" }
  | { readonly kind: "unknown" };

/** The errand that the present call is about. */
const inHand = new AsyncLocalStorage<string>();

/**
 * Marks in a transaction that something is stored for the errand in hand, if any. Rejects with `NothingWritten` where
 * whoever asked has given it up.
 */
export async function markErrand(session: Session): Promise<void> {
  const id = inHand.getStore();
  if (id === undefined) return;
  await session.run("UPDATE errand SET state = 1 WHERE id = $1 AND state = 0", id);
  // What is stored later on, behind the answer, is nobody's to give up.
  const givenUp = await session.first("SELECT 1 FROM errand WHERE id = $1 AND state = 3", id);
  if (givenUp !== null) throw new NothingWritten("store: whoever asked has given up");
}

/** The side of a reader. */
export class ErrandSender {
  readonly #url: string;
  readonly #waiting = new Map<string, (answer: string) => void>();
  #session: Session | null = null;
  /** The connection that is being made. */
  #opening: Promise<Session> | null = null;
  #looking = false;
  readonly #timer: NodeJS.Timeout;
  readonly #patienceMs: number;

  /** `url`: of the primary, where rows can be put. `patienceMs`: how long an answer is waited for. */
  constructor(url: string, patienceMs = PATIENCE_MS) {
    this.#url = url;
    this.#patienceMs = patienceMs;
    this.#timer = setInterval(() => void this.#look(), LOOK_MS);
    this.#timer.unref();
  }

  /** There may be an answer: without this call it is seen a quarter of a second later. */
  lookSoon(): void {
    void this.#look();
  }

  /** Sends an errand. Does not reject: what cannot be sent is given up. */
  async ask(question: string): Promise<ErrandOutcome> {
    if (this.#waiting.size >= AT_ONCE) return { kind: "given up" };
    const id = randomUUID();
    const { promise, resolve } = Promise.withResolvers<string>();
    this.#waiting.set(id, resolve);
    let isSent = false;
    try {
      const session = await this.#connection();
      isSent = true;
      await session.run("INSERT INTO errand (id, question) VALUES ($1, $2)", id, question);
      await session.run(tellSql("errand"));
      const answer = await within(promise, this.#patienceMs);
      if (answer !== null) return { kind: "answered", answer };
      if ((await session.run("UPDATE errand SET state = 3 WHERE id = $1 AND state = 0", id)) === 1)
        return { kind: "given up" };
      const late = await within(promise, KEPT_PATIENCE_MS);
      return late === null ? { kind: "unknown" } : { kind: "answered", answer: late };
    } catch {
      return { kind: isSent ? "unknown" : "given up" };
    } finally {
      this.#waiting.delete(id);
      this.#forget(id);
    }
  }

  /** Ends the connections. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#opening?.catch(() => undefined);
    await this.#session?.close();
  }

  #forget(id: string): void {
    // One that was given up stays for a minute: the writer may still have it in hand.
    this.#session?.run("DELETE FROM errand WHERE id = $1 AND state = 2", id).catch(() => undefined);
  }

  /** Whoever asks while one connection is being made waits for that one: a second one would never be closed. */
  #connection(): Promise<Session> {
    if (this.#session !== null && !this.#session.isEnded) return Promise.resolve(this.#session);
    this.#opening ??= this.#connect().finally(() => (this.#opening = null));
    return this.#opening;
  }

  async #connect(): Promise<Session> {
    this.#session = await Session.openForMoment(this.#url, "strand errands");
    return this.#session;
  }

  async #look(): Promise<void> {
    if (this.#waiting.size === 0 || this.#looking) return;
    this.#looking = true;
    try {
      const session = await this.#connection();
      const rows = await session.all(
        "SELECT id, answer FROM errand WHERE id = ANY ($1::text[]) AND state = 2",
        [...this.#waiting.keys()],
      );
      for (const row of rows) {
        const cells = new CellReader(row);
        this.#waiting.get(cells.text())?.(cells.text());
      }
    } catch {
      // The next look tries again.
    } finally {
      this.#looking = false;
    }
  }
}

/** The writer whose side it is. */
interface ErrandWriter {
  readonly fence: number;
  /** Resolves when it has its connection and is still the writer; rejects where it is not. */
  confirmed(): Promise<void>;
}

/** The side of the writer. */
export class ErrandDesk {
  readonly #url: string;
  readonly #writer: ErrandWriter;
  readonly #notices: Notices;
  readonly #handle: (question: string) => Promise<string>;
  readonly #inHand = new Map<string, Promise<void>>();
  readonly #timer: NodeJS.Timeout;
  #session: Session | null = null;
  #looking: Promise<void> = Promise.resolve();
  #isClosed = false;

  /**
   * `handle` carries an errand out and gives its answer; where it rejects, whoever asked
   * gives it up, or the next writer takes it.
   */
  constructor(url: string, writer: ErrandWriter, handle: (question: string) => Promise<string>) {
    this.#url = url;
    this.#writer = writer;
    this.#handle = handle;
    this.#notices = new Notices(url, ["errand"], () => this.#lookSoon());
    this.#timer = setInterval(() => this.#lookSoon(), LOOK_MS);
    this.#timer.unref();
  }

  /** Takes no more errands; resolves when those in hand are answered, or after a second: the next writer takes them. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#notices.close();
    await this.#looking;
    await within(Promise.all(this.#inHand.values()), CLOSING_MS);
    await this.#session?.close();
  }

  #lookSoon(): void {
    this.#looking = this.#looking.then(() => this.#look()).catch(() => undefined);
  }

  async #look(): Promise<void> {
    if (this.#isClosed || this.#inHand.size >= AT_ONCE) return;
    if (this.#session === null || this.#session.isEnded) {
      // Another server may have taken the place of the one that is lost: nothing is answered from memory before that is
      // known.
      await this.#writer.confirmed();
      this.#session = await Session.openForMoment(this.#url, "strand errands");
    }
    const session = this.#session;
    await session.run(SWEEP);
    const rows = await session.all(
      `SELECT id, question FROM errand WHERE state IN (0, 1) AND id <> ALL ($1::text[])
         AND asked_at > clock_timestamp() - interval '${PATIENCE_MS} milliseconds'
         ORDER BY asked_at, id LIMIT ${AT_ONCE}`,
      [...this.#inHand.keys()],
    );
    for (const row of rows) {
      const cells = new CellReader(row);
      const [id, question] = [cells.text(), cells.text()];
      this.#inHand.set(id, this.#carryOut(session, id, question));
    }
  }

  async #carryOut(session: Session, id: string, question: string): Promise<void> {
    try {
      const answer = await inHand.run(id, () => this.#handle(question));
      await session.run(
        `UPDATE errand SET state = 2, answer = $2 WHERE id = $1 AND state IN (0, 1)
           AND (SELECT fence FROM writer WHERE id = 1) = $3`,
        id,
        answer,
        this.#writer.fence,
      );
      await session.run(tellSql("answer"));
    } catch {
      // As the constructor says.
    } finally {
      this.#inHand.delete(id);
    }
  }
}

async function within<Value>(promise: Promise<Value>, ms: number): Promise<Value | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
