// The kinds of rows of an index, in which engine whatever: in which part of a dump they stand, what orders them, and how
// one is shown as plain values, interned ids resolved. Two indexes are equal when these are. What only one history knows
// (undo records, event log, interned ids themselves) is left out.

import type { StoreDump } from "../../index/ports.ts";
import { plainText } from "../../primitives/plain-json.ts";
import { type Cell, type Cells, CellReader, hexOf } from "./cells.ts";
import { BLOCK_FILLS_COLUMNS, CANDLE_COLUMNS } from "./fills.ts";
import {
  BLOCK_COLUMNS,
  LISTING_COLUMNS,
  LISTING_JOINS,
  operationRowOf,
  readBlockRow,
  readListing,
  readToken,
  TOKEN_COLUMNS,
  TOKEN_TABLES,
} from "./row-shapes.ts";

/** What a kind of rows is called, also for people who wait. */
export type SectionName =
  | "blocks"
  | "tokens"
  | "balances"
  | "listings"
  | "operations"
  | "candle"
  | "block_fills"
  | "ledger"
  | "market"
  | "floor"
  | "expired_open"
  | "token_prefix"
  | "holder"
  | "listing_key"
  | "history";

/** One kind of row. */
export interface Section {
  readonly part: keyof StoreDump;
  readonly name: SectionName;
  /** Columns of the order, which no two rows share. */
  readonly keys: readonly number[];
  /** The row as plain JSON values. */
  readonly show: (row: Cells) => unknown;
}

const BALANCES = "balance JOIN address ON address.id = balance.address_id";

/** Statements of rows that both engines read alike; each ends with the order of its section's keys. */
export const SECTION_STATEMENTS = {
  blocks: `SELECT ${BLOCK_COLUMNS} FROM block ORDER BY height`,
  tokens: `SELECT ${TOKEN_COLUMNS} FROM ${TOKEN_TABLES} ORDER BY token.tick`,
  balances: `SELECT balance.tick, address.text, balance.balance, balance.locked FROM ${BALANCES}
    ORDER BY balance.tick, address.text`,
  listings: `SELECT ${LISTING_COLUMNS} FROM listing ${LISTING_JOINS} ORDER BY listing.place`,
  candle: `SELECT tick, interval, ${CANDLE_COLUMNS} FROM candle ORDER BY tick, interval, start`,
  block_fills: `SELECT tick, height, ${BLOCK_FILLS_COLUMNS} FROM block_fills ORDER BY tick, time, height`,
  ledger: `SELECT address.text, ledger.change_key, ledger.tick, ledger.balance, ledger.locked
    FROM ledger JOIN address ON address.id = ledger.address_id ORDER BY 1, 2`,
  floor: "SELECT tick, height, price, amount FROM floor ORDER BY tick, height",
  expired_open: "SELECT tick, listings FROM expired_open ORDER BY tick",
  token_prefix: "SELECT prefix, deploy_place FROM token_prefix ORDER BY prefix, deploy_place",
  holder: `SELECT balance.tick, balance.rank, balance.head, address.text FROM ${BALANCES}
    ORDER BY balance.tick, balance.rank, address.text`,
} as const satisfies Partial<Record<SectionName, string>>;

const LISTING_PLACE = LISTING_COLUMNS.split(",").findIndex((column) => column.trim() === "listing.place");

/** All kinds of rows. */
export const SECTIONS: readonly Section[] = [
  { part: "blocks", name: "blocks", keys: [0], show: (row) => plain(readBlockRow(row)) },
  { part: "tokens", name: "tokens", keys: [0], show: (row) => plain(readToken(new CellReader(row))) },
  { part: "balances", name: "balances", keys: [0, 1], show: (row) => row },
  {
    part: "listings",
    name: "listings",
    keys: [LISTING_PLACE],
    show: (row) => plain(readListing(new CellReader(row))),
  },
  {
    part: "operations",
    name: "operations",
    keys: [0],
    show: (row) => plain(operationRowOf(new CellReader(row))),
  },
  derived("candle", [0, 1, 2]),
  derived("block_fills", [0, 2, 1]),
  derived("ledger", [0, 1]),
  derived("market", [0]),
  derived("floor", [0, 1]),
  derived("expired_open", [0]),
  derived("token_prefix", [0, 1]),
  derived("holder", [0, 1, 3]),
  derived("listing_key", [0]),
  derived("history", [0, 1, 3, 2]),
];

function derived(name: SectionName, keys: readonly number[]): Section {
  return { part: "derived", name, keys, show: (row) => [name, ...row.map(plainCell)] };
}

/** A dump from the rows of each section. Everything at once: for indexes of some thousand rows. */
export async function dumpOf(
  rowsOf: (name: SectionName) => readonly Cells[] | Promise<readonly Cells[]>,
): Promise<StoreDump> {
  const parts: Record<keyof StoreDump, unknown[]> = {
    blocks: [],
    tokens: [],
    balances: [],
    listings: [],
    operations: [],
    derived: [],
  };
  for (const { part, name, show } of SECTIONS) parts[part].push(...(await rowsOf(name)).map(show));
  return parts;
}

/** A value of rows as JSON has it: big integers as decimal text. */
function plain(value: unknown): unknown {
  return JSON.parse(plainText(value));
}

function plainCell(cell: Cell): unknown {
  return cell instanceof Uint8Array ? hexOf(cell) : cell;
}
