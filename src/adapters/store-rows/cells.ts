// Typed access to the cells of a database row, or of a message to the writer thread, in column order. A cell of another
// type than the one asked for means a damaged database or a bug, so it throws.

import type {
  BlockHash,
  Hex32,
  ListingId,
  PearlAddress,
  RawAmount,
  Sat,
  Tick,
  Txid,
} from "../../primitives/brands.ts";
import { REASON_RULES, type Reason } from "../../prc20/reasons.ts";

/** One value of a row. */
export type Cell = null | number | bigint | string | Uint8Array;
/** One row. */
export type Cells = readonly Cell[];
/** Columns in the order of a row's cells, with their types in PostgreSQL; SQLite goes by its tables. */
export type Columns = Readonly<Record<string, "bigint" | "smallint" | "numeric" | "text" | "bytea">>;

/** The names of columns, as a statement lists them. */
export function columnList(columns: Columns): string {
  return Object.keys(columns).join(", ");
}

/** A value of a statement: a cell, or a list of them. */
export type Value = Cell | readonly Cell[];

/** Takes the answer of a statement that returns arrays as rows. */
export function cellRows(rows: readonly unknown[]): readonly Cells[] {
  if (!areRows(rows)) throw new Error("store: a statement did not answer with arrays");
  return rows;
}

function areRows(rows: readonly unknown[]): rows is readonly Cells[] {
  return rows.length === 0 || Array.isArray(rows[0]);
}

/** 32 bytes (or any number) as lower-case hex. */
export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
}

/** Bytes of a hex text. */
export function blobOf(hex: string): Uint8Array {
  return Buffer.from(hex, "hex");
}

/** Reads a row from left to right. */
export class CellReader {
  readonly #cells: Cells;
  #at = 0;

  constructor(cells: Cells) {
    this.#cells = cells;
  }

  /** True where the next cell is NULL; does not move. */
  isNull(): boolean {
    return this.#cells[this.#at] === null;
  }

  /** Skips `count` cells. */
  skip(count: number): void {
    this.#at += count;
  }

  int(): number {
    const cell = this.#cells[this.#at++];
    if (typeof cell !== "number") throw this.#wrong("an integer");
    return cell;
  }

  intOrNull(): number | null {
    return this.#absent() ? null : this.int();
  }

  text(): string {
    const cell = this.#cells[this.#at++];
    if (typeof cell !== "string") throw this.#wrong("text");
    return cell;
  }

  textOrNull(): string | null {
    return this.#absent() ? null : this.text();
  }

  /** Hex text, or a BLOB shown as hex. */
  hex(): string {
    const cell = this.#cells[this.#at++];
    if (typeof cell === "string") return cell;
    if (cell instanceof Uint8Array) return hexOf(cell);
    throw this.#wrong("bytes");
  }

  bytes(): Uint8Array {
    const cell = this.#cells[this.#at++];
    if (cell instanceof Uint8Array) return cell;
    throw this.#wrong("a BLOB");
  }

  flag(): boolean {
    return this.int() !== 0;
  }

  big(): bigint {
    return BigInt(this.text());
  }

  amount(): RawAmount {
    return this.big() as RawAmount;
  }

  amountOrNull(): RawAmount | null {
    return this.#absent() ? null : this.amount();
  }

  sat(): Sat {
    return this.big() as Sat;
  }

  tick(): Tick {
    return this.text() as Tick;
  }

  address(): PearlAddress {
    return this.text() as PearlAddress;
  }

  addressOrNull(): PearlAddress | null {
    return this.#absent() ? null : this.address();
  }

  listingIdOrNull(): ListingId | null {
    return this.textOrNull() as ListingId | null;
  }

  txid(): Txid {
    return this.hex() as Txid;
  }

  blockHash(): BlockHash {
    return this.hex() as BlockHash;
  }

  hex32(): Hex32 {
    return this.hex() as Hex32;
  }

  reasonOrNull(): Reason | null {
    const text = this.textOrNull();
    if (text === null || isReason(text)) return text;
    throw this.#wrong("a reason code");
  }

  #absent(): boolean {
    if (this.#cells[this.#at] !== null) return false;
    this.#at += 1;
    return true;
  }

  #wrong(expected: string): Error {
    return new Error(`store: cell ${this.#at - 1} of a row is not ${expected}`);
  }
}

function isReason(text: string): text is Reason {
  return Object.hasOwn(REASON_RULES, text);
}
