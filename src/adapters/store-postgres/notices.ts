// Notices of PostgreSQL: who commits tells those who listen, in other processes and on other machines. They carry nothing
// but "look again", and none is relied on: everybody who listens also looks by itself every second.

import { Session } from "./session.ts";

/** What is told. "state": rows have changed. "errand": somebody asks the writer. "answer": the writer has answered. */
export type Notice = "state" | "errand" | "answer";

/** Tells of changed rows, when the transaction commits. */
export const TELL = tellSql("state");

/** The statement that tells a notice to those who use the same schema. */
export function tellSql(notice: Notice): string {
  return `SELECT pg_notify('strand_${notice}', current_schema())`;
}

const AGAIN_MS = 1000;

/** Listens for as long as it is open, over a connection of its own that is made again when it is lost. */
export class Notices {
  readonly #url: string;
  readonly #notices: readonly Notice[];
  readonly #listener: (notice: Notice) => void;
  #session: Session | null = null;
  #isClosed = false;
  #timer: NodeJS.Timeout | null = null;

  /** `listener` must not throw; after a loss it is called for every notice, since some may have been missed. */
  constructor(url: string, notices: readonly Notice[], listener: (notice: Notice) => void) {
    this.#url = url;
    this.#notices = notices;
    this.#listener = listener;
    void this.#listen();
  }

  /** Ends the connection. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    await this.#session?.close();
  }

  async #listen(): Promise<void> {
    if (this.#isClosed) return;
    try {
      const session = await Session.open(this.#url, "strand listener");
      if (this.#isClosed) return await session.close();
      this.#session = session;
      void session.ended.then(() => this.#again());
      const schema = (await session.first("SELECT current_schema()"))?.[0];
      session.onNotice((channel, payload) => {
        const notice = this.#notices.find((one) => channel === `strand_${one}`);
        if (notice !== undefined && payload === schema) this.#listener(notice);
      });
      // A streaming replica refuses this: whoever reads there looks by itself.
      for (const notice of this.#notices) await session.exec(`LISTEN strand_${notice}`);
      for (const notice of this.#notices) this.#listener(notice);
    } catch {
      // A connection that stays open without listening is of no use, and none that failed either.
      if (this.#session === null || this.#session.isEnded) this.#again();
    }
  }

  #again(): void {
    this.#session = null;
    if (this.#isClosed || this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      void this.#listen();
    }, AGAIN_MS);
  }
}
