// Connections that read: each answer comes from one snapshot of the database, which never mixes two states (H-09).

import { Session } from "./session.ts";

/** Connections that may be open at once: a snapshot holds one until it is answered. */
const MOST = 6;

const BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY";

/** After the server could not be reached, questions are refused at once for so long, in milliseconds. */
const AWAY_MS = 250;

/** Connections to one database, opened when they are needed. */
export class Readers {
  readonly #url: string;
  readonly #idle: Session[] = [];
  readonly #waiting: ((session: Session | null) => void)[] = [];
  #open = 0;
  #isClosed = false;
  /** The last failure to reach the server, and until when it is believed, in milliseconds of this process. */
  #away: { readonly error: unknown; readonly untilMs: number } | null = null;

  constructor(url: string) {
    this.#url = url;
  }

  /** Runs `read` on one snapshot. Rejects with `StoreUnavailable` where the server cannot be reached. */
  async snapshot<Value>(read: (session: Session) => Promise<Value>): Promise<Value> {
    const session = await this.#take();
    // Sent together with the first read: it travels at no cost.
    const begun = session.exec(BEGIN);
    begun.catch(() => undefined);
    try {
      const value = await read(session);
      await begun;
      return value;
    } catch (error) {
      throw session.failureOf(error);
    } finally {
      // The answer need not wait for the end of the transaction, only the next user of the connection.
      session.exec("COMMIT").then(
        () => this.#release(session),
        () => this.#discard(session),
      );
    }
  }

  /** Ends the connections; what is still read rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const wake of this.#waiting.splice(0)) wake(null);
    await Promise.all(this.#idle.splice(0).map((session) => session.close()));
  }

  async #take(): Promise<Session> {
    for (;;) {
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
