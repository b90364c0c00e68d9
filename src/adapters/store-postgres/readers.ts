// Connections that read: each answer comes from one snapshot of the database, which never mixes two states (H-09), and
// every read ends: what the server does not answer in time is refused, and its connection is thrown away.

import { StoreUnavailable } from "../../index/ports.ts";
import { afterLived } from "./patience.ts";
import { Session } from "./session.ts";

/** Connections that may be open at once: a snapshot holds one until it is answered. */
const MOST = 6;

/** How long whoever asks waits for a snapshot, from the question on; the server is told half a second less. */
const ANSWER_MS = 4500;
const BEGIN_LONG = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY";
/**
 * A page is the first rows of a range of an index, in its order. Where the planner takes a range for short, since what most
 * have is little or it has not counted for some time, it gathers all of it and sorts it: what one address holds, or one token
 * has on offer, may be a hundred thousand times that. What it must sort all the same it counts as very dear, which is no
 * reason to compile.
 */
const IN_INDEX_ORDER = "SET LOCAL enable_bitmapscan = off; SET LOCAL enable_sort = off; SET LOCAL jit = off";
const BEGIN = `${BEGIN_LONG}; ${IN_INDEX_ORDER}; SET LOCAL statement_timeout = ${ANSWER_MS - 500}`;

/** After the server could not be reached, questions are refused at once for so long, in milliseconds. */
const AWAY_MS = 250;

/** Without an answer for so long, the server is suspected of being silent. */
const SILENT_MS = 3000;

/** What somebody waits for. */
interface Question {
  session: Session | null;
  isLate: boolean;
}

/** Connections to one database, opened when they are needed. */
export class Readers {
  readonly #url: string;
  readonly #idle: Session[] = [];
  readonly #waiting: ((session: Session | null) => void)[] = [];
  #open = 0;
  #isClosed = false;
  /** The last failure to reach the server, and until when it is believed, in milliseconds of this process. */
  #away: { readonly error: unknown; readonly untilMs: number } | null = null;
  /** Whether the last question that was waited for has had no answer, and none that was asked behind it either. */
  #isSilent = false;
  #answeredAtMs = Number.NEGATIVE_INFINITY;
  #underWay = 0;

  constructor(url: string) {
    this.#url = url;
  }

  /**
   * Runs `read` on one snapshot for somebody who waits. Rejects with `StoreUnavailable` where the server cannot be
   * reached, or has not answered after 4.5 s. While it is silent one question at a time waits for it, and all others are
   * refused at once.
   */
  async snapshot<Value>(read: (session: Session) => Promise<Value>): Promise<Value> {
    if (this.#isSilent && this.#underWay > 0) throw silence();
    const askedAtMs = performance.now();
    this.#underWay += 1;
    const question: Question = { session: null, isLate: false };
    const { promise: late, reject } = Promise.withResolvers<never>();
    const stop = afterLived(ANSWER_MS, () => {
      question.isLate = true;
      question.session?.abandon(silence());
      reject(silence());
    });
    try {
      const value = await Promise.race([this.#answer(question, read), late]);
      this.#heard();
      return value;
    } catch (error) {
      if (question.session?.isEnded === false) this.#heard();
      else if (this.#answeredAtMs < askedAtMs && performance.now() - askedAtMs > SILENT_MS)
        this.#isSilent = true;
      throw error;
    } finally {
      stop();
      this.#underWay -= 1;
    }
  }

  /** The same for work that may take long: it is waited for as long as the server says that it works on it. */
  async survey<Value>(read: (session: Session) => Promise<Value>): Promise<Value> {
    const session = await this.#take();
    try {
      await session.beginLongWork();
    } catch (error) {
      this.#discard(session);
      throw session.failureOf(error);
    }
    return this.#run(session, BEGIN_LONG, read);
  }

  /** Ends the connections; what is still read rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const wake of this.#waiting.splice(0)) wake(null);
    await Promise.all(this.#idle.splice(0).map((session) => session.close()));
  }

  async #answer<Value>(question: Question, read: (session: Session) => Promise<Value>): Promise<Value> {
    const session = await this.#take(() => !question.isLate);
    if (question.isLate) this.#release(session);
    if (question.isLate) throw silence();
    question.session = session;
    return this.#run(session, BEGIN, read);
  }

  async #run<Value>(
    session: Session,
    begin: string,
    read: (session: Session) => Promise<Value>,
  ): Promise<Value> {
    // Sent together with the first read: it travels at no cost.
    const begun = session.exec(begin);
    begun.catch(() => undefined);
    try {
      const value = await read(session);
      await begun;
      return value;
    } catch (error) {
      throw session.failureOf(error);
    } finally {
      session.endLongWork();
      // The answer need not wait for the end of the transaction, only the next user of the connection.
      session.exec("COMMIT").then(
        () => this.#release(session),
        () => this.#discard(session),
      );
    }
  }

  #heard(): void {
    this.#isSilent = false;
    this.#answeredAtMs = performance.now();
  }

  async #take(isWanted = (): boolean => true): Promise<Session> {
    for (;;) {
      if (!isWanted()) throw silence();
      if (this.#isClosed) throw new Error("store: the database is closed");
      const idle = this.#idle.pop();
      if (idle !== undefined && !idle.isEnded) return idle;
      if (idle !== undefined) {
        this.#open -= 1;
        continue;
      }
      const away = this.#away !== null && performance.now() < this.#away.untilMs ? this.#away : null;
      if (away !== null && this.#open === 0) throw away.error;
      if (away === null && this.#open < MOST) return this.#connect();
      const handed = await new Promise<Session | null>((resolve) => this.#waiting.push(resolve));
      if (handed !== null) return handed;
    }
  }

  async #connect(): Promise<Session> {
    this.#open += 1;
    try {
      const session = await Session.open(this.#url, "strand reader");
      this.#away = null;
      return session;
    } catch (error) {
      this.#away = { error, untilMs: performance.now() + AWAY_MS };
      this.#closedOne();
      throw error;
    }
  }

  #release(session: Session): void {
    if (this.#isClosed || session.isEnded) return this.#discard(session);
    const next = this.#waiting.shift();
    if (next === undefined) this.#idle.push(session);
    else next(session);
  }

  #discard(session: Session): void {
    session.close().catch(() => undefined);
    this.#closedOne();
  }

  /** A connection fewer: whoever waits looks again, in the old order, and may hear that there is no server. */
  #closedOne(): void {
    this.#open -= 1;
    for (const wake of this.#waiting.splice(0)) wake(null);
  }
}

function silence(): StoreUnavailable {
  return new StoreUnavailable(`PostgreSQL has not answered for ${ANSWER_MS / 1000} s`);
}
