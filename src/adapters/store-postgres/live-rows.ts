// What the writer knows of the present and no block shows, as rows that readers in other processes follow: each change
// gets a version, and who has seen one reads what changed since.

import { CellReader } from "../store-rows/cells.ts";
import { Session } from "./session.ts";
import { fenced } from "./write/writer.ts";

/** A thing of the present. */
export interface LiveRow {
  readonly topic: string;
  /** Unique within its topic. */
  readonly key: string;
  /** Null: it is gone. */
  readonly body: string | null;
}

/** What changed since a version. */
export interface LiveChanges {
  /** Of the newest row, or the version asked for where nothing changed. */
  readonly version: number;
  /** In the order of their change. */
  readonly rows: readonly LiveRow[];
  /** Whether this is everything, because nothing was known or too much has changed. */
  readonly isWhole: boolean;
}

/** Publications for which rows that are gone stay: at most one a second. */
const KEPT_VERSIONS = 1800;
/** A reader that was away for more of them begins anew. */
const FOLLOWED_VERSIONS = 1200;

/**
 * A publication holds the row of the writer until it is committed, and a later writer waits for that. The server notices by
 * itself that a machine is gone on a connection on which it has something to send, and for hours not between two
 * statements: then it ends the transaction, and the connection with it.
 */
const BOUNDED = "SET idle_in_transaction_session_timeout = 3000";

const NEXT_VERSION = "SELECT nextval('live_version')";
const PUT = `INSERT INTO live (topic, key, version, body)
  SELECT topic, key, $1, body FROM unnest($2::text[], $3::text[], $4::text[]) AS row (topic, key, body)
  ON CONFLICT (topic, key) DO UPDATE SET version = excluded.version, body = excluded.body`;

/** Publishes for one writer, over a connection of its own, so that a long commit does not make it look dead. */
export class LiveBoard {
  readonly #url: string;
  readonly #fence: number;
  #session: Session | null = null;
  #isFirst = true;

  /** `fence`: the number of the writer, without whose being the newest nothing is published. */
  constructor(url: string, fence: number) {
    this.#url = url;
    this.#fence = fence;
  }

  /** Puts rows, in one transaction; what a former writer published goes with the first one. Not twice at a time. */
  async publish(rows: readonly LiveRow[]): Promise<void> {
    await fenced(await this.#connected(), this.#fence, async (session) => {
      const version = new CellReader((await session.first(NEXT_VERSION)) ?? []).int();
      if (this.#isFirst)
        await session.run("UPDATE live SET body = NULL, version = $1 WHERE body IS NOT NULL", version);
      const [topics, keys] = [rows.map(({ topic }) => topic), rows.map(({ key }) => key)];
      const bodies = rows.map(({ body }) => body);
      await session.run(PUT, version, topics, keys, bodies);
      await session.run("DELETE FROM live WHERE version <= $1 AND body IS NULL", version - KEPT_VERSIONS);
    });
    this.#isFirst = false;
  }

  /** Ends the connection. */
  async close(): Promise<void> {
    await this.#session?.close();
  }

  async #connected(): Promise<Session> {
    if (this.#session !== null && !this.#session.isEnded) return this.#session;
    this.#session = await Session.openForMoment(this.#url, "strand board");
    await this.#session.exec(BOUNDED);
    return this.#session;
  }
}

/**
 * The version that the rows are behind, and each of them; a row of NULLs where there is none. It is 0 where a reader that
 * asks for what is behind $1 begins anew: what it knows is too old, or newer than all there is.
 */
const BEHIND = `WITH since AS (SELECT CASE WHEN max(version) BETWEEN $1::bigint AND $1::bigint + ${FOLLOWED_VERSIONS}
    THEN $1::bigint ELSE 0 END AS version FROM live)
  SELECT since.version, live.version, topic, key, body FROM since LEFT JOIN live ON live.version > since.version
    ORDER BY live.version`;

/** What changed after `version`; 0: everything. So it is where the database has no such version: it was replaced. */
export async function liveChanges(session: Session, version: number): Promise<LiveChanges> {
  let newest = version;
  let isWhole = false;
  const changed: LiveRow[] = [];
  for (const row of await session.all(BEHIND, version)) {
    const cells = new CellReader(row);
    const since = cells.int();
    // That nothing is new is no beginning anew: what was told before stands.
    isWhole = since === 0;
    newest = cells.intOrNull() ?? since;
    if (newest > since) changed.push({ topic: cells.text(), key: cells.text(), body: cells.textOrNull() });
  }
  return { version: newest, isWhole, rows: changed };
}
