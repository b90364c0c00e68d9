// One connection to PostgreSQL for its whole life: it is never made again behind the back of a transaction. Statements
// are prepared once, rows come as arrays of cells, and what is sent without waiting travels together.

import { createHash } from "node:crypto";
import { Client, Query, type QueryArrayResult } from "pg";
import { StoreUnavailable } from "../../index/ports.ts";
import { type Cell, cellRows, type Cells } from "../store-rows/cells.ts";

/** A value of a statement: a cell, or a column of cells for `unnest`. */
export type Value = Cell | readonly Cell[];

/** One step from schema `version - 1` to `version`. */
export interface Migration {
  readonly version: number;
  readonly name: string;
  readonly sql: string;
}

/** The type of whole numbers, which must be exact; `numeric`, the type of amounts, stays decimal text. */
const INT8 = 20;

/** How long a server may take to answer the connection. */
const CONNECT_MS = 10_000;

/** Names of statements; the text of one is some hundred characters, and there are some hundred of them. */
const NAMES = new Map<string, string>();

/** A connection. Not for two transactions at a time. */
export class Session {
  readonly #client: Client;
  readonly #ended = Promise.withResolvers<Error>();
  #isEnded = false;

  private constructor(client: Client) {
    this.#client = client;
    client.on("error", (error) => this.#end(error));
    client.on("end", () => this.#end(new Error("store: the connection to the database has ended")));
  }

  /**
   * Connects; rejects with `StoreUnavailable` where the server does not answer or does not let us in. `name` shows in
   * pg_stat_activity.
   */
  static async open(url: string, name: string): Promise<Session> {
    const client = new Client({
      connectionString: url,
      application_name: name,
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
      pipeline: true,
    });
    client.setTypeParser(INT8, wholeNumber);
    const session = new Session(client);
    try {
      await client.connect();
    } catch (cause) {
      throw new StoreUnavailable(`PostgreSQL: ${reasonOf(cause)}`, { cause });
    }
    return session;
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
    if (!this.#isEnded && !isShutdown(error)) return error;
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
    await this.#client.query(sql);
  }

  /** Sends rows as the text of `COPY … FROM STDIN`. Nothing else may be under way on the connection. */
  async copyIn(sql: string, text: string): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const query = new Query({ text: sql }, (error?: Error | null) => {
        if (error instanceof Error) reject(error);
        else resolve();
      });
      this.#client.query(Object.assign(query, { handleCopyInResponse: sending(text) }));
    });
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

  /** Ends the connection. */
  async close(): Promise<void> {
    if (!this.#isEnded) await this.#client.end();
  }

  #query(sql: string, values: readonly Value[]): Promise<QueryArrayResult> {
    return this.#client.query({ name: nameOf(sql), text: sql, values: [...values], rowMode: "array" });
  }

  #end(reason: Error): void {
    this.#isEnded = true;
    this.#ended.resolve(reason);
  }
}

/** The server goes down or takes the connection away: it says so before the connection ends. */
function isShutdown(error: unknown): boolean {
  return error instanceof Error && "code" in error && /^(57P|08)/.test(String(error.code));
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
function sending(text: string): (connection: CopyConnection) => void {
  return (connection) => {
    connection.sendCopyFromChunk(Buffer.from(text));
    connection.endCopyFrom();
  };
}

/** What a connection of `pg` offers for COPY beside what its types tell. */
interface CopyConnection {
  sendCopyFromChunk(chunk: Uint8Array): void;
  endCopyFrom(): void;
}
