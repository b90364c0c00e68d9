// One connection to PostgreSQL for its whole life: it is never made again behind the back of a transaction. Statements
// are prepared once, rows come as arrays of cells, and what is sent without waiting travels together. A server that
// falls silent, hung or behind a network that swallows packets, is not waited for: the connection is given up.

import { createHash } from "node:crypto";
import { Socket } from "node:net";
import { Client, Query, type QueryArrayResult } from "pg";
import { StoreUnavailable } from "../../index/ports.ts";
import { cellRows, CellReader, type Cells, type Value } from "../store-rows/cells.ts";
import { afterLived, everyTick, patienceNow } from "./patience.ts";
import { withCheckedTls } from "./tls-mode.ts";

/** One step from schema `version - 1` to `version`. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

/** The type of whole numbers, which must be exact; `numeric`, the type of amounts, stays decimal text. */
const INT8 = 20;

/** Code of a refused write where only reads are allowed: the disk is full and the host has said so, or a standby. */
const READ_ONLY = "25006";

/** How long a server may be silent while something is asked of it, the connection itself included. */
const SILENT_MS = 4000;
/** And before a connection that is not needed any more is cut. */
const GOODBYE_MS = 1000;
/** A network that is gone is noticed by the system on connections that wait for a notice, too. */
const KEEP_ALIVE_MS = 1000;

/**
 * A role or a database may limit statements and transactions for the sake of programs that nobody bounds. Ours are bounded
 * by the silence of the server; what takes long, a deep rewind, an import, a migration, would fail again at every try.
 */
const WITHOUT_LIMITS = `SELECT set_config(name, '0', false) FROM pg_settings WHERE setting <> '0' AND name IN
  ('statement_timeout', 'lock_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout',
    'idle_session_timeout')`;

/**
 * A role, a database or a server may change what statements mean. Whoever waits for a lock and then reads has to see what
 * its holder has written, which a serializable transaction does not; and NULL in an array has to be none, no text. These are
 * SETs of their own, since on a standby a serializable transaction may not even SELECT.
 */
const AS_STATEMENTS_ARE_MEANT = `SET default_transaction_isolation = 'read committed'; SET array_nulls = on;
  SET standard_conforming_strings = on; SET transform_null_equals = off`;

/** A machine that is gone says no goodbye: the server would keep its connections for hours, until there is none for others. */
const WHO_IS_LOST = `SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3`;

/**
 * A server that waits for a lock looks by itself at no connection: what was given up would wait on, and each further try
 * beside it, until the server has no connection left for anybody. Not every system can look; then it stays so.
 */
const WHO_IS_GONE = "SET client_connection_check_interval = 1000";

/** For what nobody misses when the server is lost: its commits wait for the server's own disk at most, and for no standby. */
const FOR_THE_MOMENT = `SELECT set_config('synchronous_commit', 'local', false)
  WHERE current_setting('synchronous_commit') <> 'off'`;

const IS_AT_WORK = "SELECT 1 FROM pg_stat_activity WHERE pid = $1 AND state = 'active'";

/** Names of statements; the text of one is some hundred characters, and there are some hundred of them. */
const NAMES = new Map<string, string>();

/** The server, or the network before it, has said nothing for too long. It may be busy, and does not refuse anything. */
class ServerSilent extends Error {
  override readonly name = "ServerSilent";
}

/** Whether this failure comes of a server that said nothing. One that refuses, or is not there, says so at once. */
export function isSilence(failure: unknown): boolean {
  for (let error = failure; error instanceof Error; error = error.cause)
    if (error instanceof ServerSilent) return true;
  return false;
}

/** How often whoever runs a command tries to connect to a server that says nothing. */
const TRIES_OF_COMMANDS = 4;

/**
 * What `connect` resolves with, for a command: nobody starts it again where the server was silent for a moment, and what it
 * has done before, which may have taken hours, would be for nothing.
 */
export async function connectedPatiently<Connection>(
  connect: () => Promise<Connection>,
): Promise<Connection> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await connect();
    } catch (error) {
      if (tries === TRIES_OF_COMMANDS || !isSilence(error)) throw error;
    }
  }
}

/** A connection. Not for two transactions at a time. */
export class Session {
  readonly #url: string;
  readonly #client: Client;
  readonly #socket: Socket;
  readonly #ended = Promise.withResolvers<Error>();
  readonly #stopWatching: () => void;
  #isEnded = false;
  /** What was asked and is not answered yet, how often answers came, and for how long none did, in milliseconds. */
  #asked = 0;
  #answers = 0;
  #silentMs = 0;
  /** Process of the server that works for this connection, once it is known. */
  #backend: number | null = null;
  #isLongWork = false;

  private constructor(url: string, client: Client, socket: Socket) {
    this.#url = url;
    this.#client = client;
    this.#socket = socket;
    client.on("error", (error) => this.#end(error));
    client.on("end", () => this.#end(new Error("store: the connection to the database has ended")));
    this.#stopWatching = everyTick((livedMs) => this.#watch(livedMs));
  }

  /**
   * Connects; rejects with `StoreUnavailable` where the server does not answer or does not let us in. `name` shows in
   * pg_stat_activity.
   */
  static async open(url: string, name: string): Promise<Session> {
    const socket = new Socket();
    const client = clientOf(url, name, socket);
    client.setTypeParser(INT8, wholeNumber);
    const session = new Session(url, client, socket);
    try {
      await session.#awaited(client.connect());
      const settings = [AS_STATEMENTS_ARE_MEANT, WITHOUT_LIMITS, WHO_IS_LOST];
      await Promise.all(settings.map((sql) => session.exec(sql)));
    } catch (cause) {
      session.abandon(new Error("store: the connection was not made", { cause }));
      throw noConnection(cause);
    }
    return session;
  }

  /**
   * The same for what is of the moment alone, which is given up where it takes long: it waits for no standby, and the
   * server ends what it still had to do when the connection is cut.
   */
  static async openForMoment(url: string, name: string): Promise<Session> {
    const session = await Session.open(url, name);
    try {
      await Promise.all([session.exec(FOR_THE_MOMENT), session.exec(WHO_IS_GONE).catch(() => undefined)]);
    } catch (error) {
      session.abandon(new Error("store: the connection was not made", { cause: error }));
      throw session.failureOf(error);
    }
    return session;
  }

  /**
   * From now on a statement may take as long as the server says, over another connection, that it works on it; else a
   * silence of four seconds ends the connection.
   */
  async beginLongWork(): Promise<void> {
    this.#isLongWork = true;
    if (this.#backend !== null) return;
    const row = await this.first("SELECT pg_backend_pid()::bigint");
    this.#backend = row === null ? null : new CellReader(row).int();
  }

  /** Ends what `beginLongWork` began. */
  endLongWork(): void {
    this.#isLongWork = false;
  }

  /** Cuts the connection at once: what is under way rejects with this reason, and nobody knows what becomes of it. */
  abandon(reason: Error): void {
    this.#end(reason);
    this.#socket.destroy(reason);
  }

  /** Resolves with the reason when the connection is lost; after `close`, too. */
  get ended(): Promise<Error> {
    return this.#ended.promise;
  }

  /** Whether it is lost. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** The error of work on this connection: `StoreUnavailable` where it is the connection that failed. */
  failureOf(error: unknown): unknown {
    if (!this.#isEnded && !isRefusal(error)) return error;
    return new StoreUnavailable("the database does not answer", { cause: error });
  }

  /** Calls back with the channel and the text of each notice that this connection listens to. */
  onNotice(listener: (channel: string, payload: string) => void): void {
    this.#client.on("notification", ({ channel, payload = "" }) => listener(channel, payload));
  }

  /** All rows of a statement. */
  async all(sql: string, ...values: readonly Value[]): Promise<readonly Cells[]> {
    const { rows } = await this.#query(sql, values);
    return cellRows(rows);
  }

  /**
   * All rows of a query, `atOnce` at a time, by a cursor of this name. Within a transaction, which also ends the cursor
   * where not all is read.
   */
  async *pieces(cursor: string, query: string, atOnce: number): AsyncGenerator<readonly Cells[], void, void> {
    await this.exec(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${query}`);
    for (let isMore = true; isMore; ) {
      const rows = await this.all(`FETCH ${atOnce} FROM ${cursor}`);
      isMore = rows.length === atOnce;
      if (rows.length > 0) yield rows;
    }
    await this.exec(`CLOSE ${cursor}`);
  }

  /** The first row of a statement, or null. */
  async first(sql: string, ...values: readonly Value[]): Promise<Cells | null> {
    return (await this.all(sql, ...values))[0] ?? null;
  }

  /** Runs a statement that changes rows; resolves with how many it changed. */
  async run(sql: string, ...values: readonly Value[]): Promise<number> {
    const { rowCount } = await this.#query(sql, values);
    return rowCount ?? 0;
  }

  /** Runs SQL text without parameters, several statements allowed. */
  async exec(sql: string): Promise<void> {
    await this.#awaited(this.#client.query(sql));
  }

  /**
   * Sends rows as the text of `COPY … FROM STDIN`, piece by piece: the server stores one while the next is made. Nothing
   * else may be under way on the connection.
   */
  async copyIn(sql: string, pieces: Iterable<string>): Promise<void> {
    const copied = new Promise<void>((resolve, reject) => {
      const query = new Query({ text: sql }, (error?: Error | null) => {
        if (error instanceof Error) reject(error);
        else resolve();
      });
      this.#client.query(Object.assign(query, { handleCopyInResponse: sending(pieces) }));
    });
    await this.#awaited(copied);
  }

  /** Runs `work` in one transaction: everything or, when it rejects, nothing. */
  async transaction<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.exec("BEGIN");
    try {
      const result = await work();
      await this.exec("COMMIT");
      return result;
    } catch (error) {
      // Where the connection is lost, the server takes the transaction back by itself.
      await this.exec("ROLLBACK").catch(() => undefined);
      throw error;
    }
  }

  /** Ends the connection, politely where the server listens. */
  async close(): Promise<void> {
    if (this.#isEnded) return;
    const stop = afterLived(GOODBYE_MS, () => this.#socket.destroy());
    await this.#client.end();
    stop();
  }

  #query(sql: string, values: readonly Value[]): Promise<QueryArrayResult> {
    return this.#awaited(
      this.#client.query({ name: nameOf(sql), text: sql, values: [...values], rowMode: "array" }),
    );
  }

  async #awaited<Answer>(asked: Promise<Answer>): Promise<Answer> {
    this.#asked += 1;
    try {
      return await asked;
    } catch (error) {
      // Whether a connection may write is decided when it is made: this one could not when the server can again.
      if (error instanceof Error && "code" in error && error.code === READ_ONLY) this.abandon(error);
      throw error;
    } finally {
      this.#asked -= 1;
      this.#answers += 1;
      this.#silentMs = 0;
    }
  }

  #watch(livedMs: number): void {
    if (this.#asked === 0) this.#silentMs = 0;
    else this.#silentMs += livedMs;
    const limitMs = patienceNow(SILENT_MS);
    if (this.#silentMs < limitMs) return;
    this.#silentMs = 0;
    const silent = new ServerSilent(`the server has not answered for ${limitMs / 1000} s`);
    if (!this.#isLongWork || this.#backend === null) return this.abandon(silent);
    const answers = this.#answers;
    this.#isAtWork(this.#backend).then(
      (isAtWork) => {
        if (!isAtWork && this.#answers === answers) this.abandon(silent);
      },
      (error: unknown) => {
        if (!isFull(error)) this.abandon(silent);
      },
    );
  }

  /** Whether the server says that it works on what was asked here. Rejects where it does not answer at all. */
  async #isAtWork(backend: number): Promise<boolean> {
    const other = await Session.open(this.#url, "strand probe");
    try {
      return (await other.first(IS_AT_WORK, backend)) !== null;
    } finally {
      await other.close();
    }
  }

  #end(reason: Error): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#stopWatching();
    this.#ended.resolve(reason);
  }
}

/**
 * The server goes down or takes the connection away: it says so before the connection ends. Or it gives a statement up:
 * one that took too long (57014), or on a streaming replica one that stood in the way of what it follows (40001).
 */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^(57|08|40001)/.test(String(error.code));
}

/** The server lives and has no room for one more connection (53300): who has one must not give it up for that. */
function isFull(failure: unknown): boolean {
  const refusal = failure instanceof StoreUnavailable ? failure.cause : failure;
  return refusal instanceof Error && "code" in refusal && String(refusal.code).startsWith("53");
}

/** @throws StoreUnavailable where a file that the URL names, as `sslrootcert` does, cannot be read. */
function clientOf(url: string, name: string, socket: Socket): Client {
  try {
    return new Client({
      connectionString: withCheckedTls(url),
      application_name: name,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      pipeline: true,
      stream: () => socket,
    });
  } catch (cause) {
    throw noConnection(cause);
  }
}

function noConnection(cause: unknown): StoreUnavailable {
  const advice = "check that the server runs and takes this login, and that DATABASE_URL is right";
  return new StoreUnavailable(`PostgreSQL: ${reasonOf(cause)}; ${advice}`, { cause });
}

/** A host name with several addresses fails once for each. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join("; ");
  return error instanceof Error ? error.message : String(error);
}

function nameOf(sql: string): string {
  const known = NAMES.get(sql);
  if (known !== undefined) return known;
  const name = createHash("sha256").update(sql).digest("hex").slice(0, 40);
  NAMES.set(sql, name);
  return name;
}

function wholeNumber(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number)) throw new Error(`store: ${text} is no number that can be counted with`);
  return number;
}

/** What a query of COPY does when the server is ready for its text. */
function sending(pieces: Iterable<string>): (connection: CopyConnection) => void {
  return (connection) => {
    for (const piece of pieces) connection.sendCopyFromChunk(Buffer.from(piece));
    connection.endCopyFrom();
  };
}

/** What a connection of `pg` offers for COPY beside what its types tell. */
interface CopyConnection {
  sendCopyFromChunk(chunk: Uint8Array): void;
  endCopyFrom(): void;
}
