// Rows of one table that wait for the end of a transaction and are written by one statement: columns as arrays, and
// from some hundred new rows on by COPY, which costs the server half.

import { elementAt } from "../../../primitives/elements.ts";
import { ascending } from "../../store-rows/ascending.ts";
import { type Cell, type Columns, hexOf, columnList } from "../../store-rows/cells.ts";
import type { Session } from "../session.ts";

/** From this many rows on COPY is quicker than arrays. */
const COPY_FROM_ROWS = 200;
/** What is sent in one statement is in memory as a whole: of this many rows at most. */
const ROWS_PER_STATEMENT = 20_000;
/** Rows of a COPY whose text is made and sent before that of the next ones. */
const ROWS_PER_PIECE = 500;

/** Rows in the order of the columns. */
export class RowBatch {
  readonly #table: string;
  readonly #columns: Columns;
  #rows: (readonly Cell[])[] = [];

  constructor(table: string, columns: Columns) {
    this.#table = table;
    this.#columns = columns;
  }

  /** Number of rows that wait. */
  get size(): number {
    return this.#rows.length;
  }

  /** Adds a row. */
  add(...row: readonly Cell[]): void {
    this.#rows.push(row);
  }

  /** Inserts the rows in the order of their first column, an id. It leads the indexes, whose pages then come in turn. */
  insertById(session: Session): Promise<void> {
    const rows = this.#rows;
    const order = ascending(rows.map(([id]) => Number(id)));
    this.#rows = Array.from(order, (at) => elementAt(rows, at));
    return this.insert(session);
  }

  /** Inserts the rows, which must all be new. */
  async insert(session: Session): Promise<void> {
    const names = columnList(this.#columns);
    for (const rows of this.#taken()) {
      if (rows.length < COPY_FROM_ROWS) {
        const sql = `INSERT INTO ${this.#table} (${names}) SELECT * FROM ${this.#unnest()}`;
        await session.run(sql, ...this.#arrays(rows));
      } else {
        await session.copyIn(`COPY ${this.#table} (${names}) FROM STDIN`, copyPieces(rows));
      }
    }
  }

  /** Inserts rows, or replaces all columns of those whose `keys` are there. */
  async upsert(session: Session, keys: readonly string[]): Promise<void> {
    const names = Object.keys(this.#columns);
    const rest = names.filter((name) => !keys.includes(name));
    for (const rows of this.#taken()) {
      const sql = `INSERT INTO ${this.#table} (${names.join(", ")}) SELECT * FROM ${this.#unnest()}
        ON CONFLICT (${keys.join(", ")}) DO UPDATE SET ${rest.map((name) => `${name} = excluded.${name}`).join(", ")}`;
      await session.run(sql, ...this.#arrays(rows));
    }
  }

  /** Sets all other columns of the rows with these keys. Rejects where one of them is not there, or `where` is not so. */
  async update(session: Session, keys: readonly string[], where = "true"): Promise<void> {
    const names = Object.keys(this.#columns);
    const rest = names.filter((name) => !keys.includes(name));
    const same = keys.map((name) => `${this.#table}.${name} = new.${name}`).join(" AND ");
    for (const rows of this.#taken()) {
      const sql = `UPDATE ${this.#table} SET ${rest.map((name) => `${name} = new.${name}`).join(", ")}
        FROM ${this.#unnest()} AS new (${names.join(", ")}) WHERE ${same} AND ${where}`;
      await this.#expectAll(session, sql, rows);
    }
  }

  /** Removes the rows with these values. Rejects where one of them is not there. */
  async remove(session: Session): Promise<void> {
    const names = Object.keys(this.#columns);
    const same = names.map((name) => `${this.#table}.${name} = old.${name}`).join(" AND ");
    for (const rows of this.#taken()) {
      const sql = `DELETE FROM ${this.#table} USING ${this.#unnest()} AS old (${names.join(", ")}) WHERE ${same}`;
      await this.#expectAll(session, sql, rows);
    }
  }

  async #expectAll(session: Session, sql: string, rows: readonly (readonly Cell[])[]): Promise<void> {
    const count = await session.run(sql, ...this.#arrays(rows));
    if (count === rows.length) return;
    throw new Error(`store: of ${rows.length} rows of ${this.#table} that must be stored ${count} are`);
  }

  *#taken(): Generator<readonly (readonly Cell[])[]> {
    const rows = this.#rows;
    this.#rows = [];
    for (let at = 0; at < rows.length; at += ROWS_PER_STATEMENT)
      yield rows.slice(at, at + ROWS_PER_STATEMENT);
  }

  #unnest(): string {
    const types = Object.values(this.#columns);
    return `unnest(${types.map((type, at) => `$${at + 1}::${type}[]`).join(", ")})`;
  }

  #arrays(rows: readonly (readonly Cell[])[]): Cell[][] {
    return Object.keys(this.#columns).map((_, at) => rows.map((row) => row[at] ?? null));
  }
}

function* copyPieces(rows: readonly (readonly Cell[])[]): Generator<string> {
  for (let at = 0; at < rows.length; at += ROWS_PER_PIECE)
    yield rows
      .slice(at, at + ROWS_PER_PIECE)
      .map(copyLine)
      .join("");
}

function copyLine(row: readonly Cell[]): string {
  let line = "";
  for (const [at, cell] of row.entries()) line += at === 0 ? copyCell(cell) : `\t${copyCell(cell)}`;
  return `${line}\n`;
}

const ESCAPES: Readonly<Record<string, string>> = { "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t" };
const ESCAPED = /[\\\n\r\t]/;

function copyCell(cell: Cell): string {
  if (typeof cell === "number") return `${cell}`;
  if (cell === null) return "\\N";
  if (cell instanceof Uint8Array) return `\\\\x${hexOf(cell)}`;
  const text = String(cell);
  // Nearly every text has nothing to escape.
  if (!ESCAPED.test(text)) return text;
  return text.replace(/[\\\n\r\t]/g, (character) => ESCAPES[character] ?? character);
}
