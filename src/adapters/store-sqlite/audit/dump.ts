// Every row of an index in canonical order and plain values, interned ids resolved: two indexes are equal when these
// are. What only one history knows (undo records, event log, interned ids themselves) is left out.

import type { StoreDump } from "../../../index/ports.ts";
import { BLOCK_FILLS_COLUMNS, CANDLE_COLUMNS } from "../../store-rows/fills.ts";
import { type Cell, type Cells, CellReader, hexOf } from "../../store-rows/cells.ts";
import type { Connection } from "../connection.ts";
import {
  LISTING_COLUMNS,
  LISTING_JOINS,
  OPERATION_COLUMNS,
  readListing,
  operationRowOf,
  readToken,
  TOKEN_COLUMNS,
  TOKEN_TABLES,
  BLOCK_COLUMNS,
  readBlockRow,
} from "../../store-rows/row-shapes.ts";

/** One kind of row: in which part of a dump, read by which statement, in which order, and shown how. */
export interface Section {
  readonly part: keyof StoreDump;
  /** What the rows are, for people who wait. */
  readonly name: string;
  /** Ends with the order of `keys`. */
  readonly sql: string;
  /** Columns of the order, which no two rows share. */
  readonly keys: readonly number[];
  /** The row as plain JSON values. */
  readonly show: (row: Cells) => unknown;
}

const BALANCES = "balance JOIN address ON address.id = balance.address_id";

/** All kinds of rows. */
export const SECTIONS: readonly Section[] = [
  {
    part: "blocks",
    name: "blocks",
    sql: `SELECT ${BLOCK_COLUMNS} FROM block ORDER BY height`,
    keys: [0],
    show: (row) => plain(readBlockRow(row)),
  },
  {
    part: "tokens",
    name: "tokens",
    sql: `SELECT ${TOKEN_COLUMNS} FROM ${TOKEN_TABLES} ORDER BY token.tick`,
    keys: [0],
    show: (row) => plain(readToken(new CellReader(row))),
  },
  {
    part: "balances",
    name: "balances",
    sql: `SELECT balance.tick, address.text, balance.balance, balance.locked FROM ${BALANCES}
      ORDER BY balance.tick, address.text`,
    keys: [0, 1],
    show: (row) => row,
  },
  {
    part: "listings",
    name: "listings",
    sql: `SELECT ${LISTING_COLUMNS} FROM listing ${LISTING_JOINS} ORDER BY listing.place`,
    keys: [LISTING_COLUMNS.split(",").findIndex((column) => column.trim() === "listing.place")],
    show: (row) => plain(readListing(new CellReader(row))),
  },
  {
    part: "operations",
    name: "operations",
    sql: `SELECT ${OPERATION_COLUMNS} FROM op ORDER BY op.place`,
    keys: [0],
    show: (row) => plain(operationRowOf(new CellReader(row))),
  },
  derived(
    "candle",
    `SELECT tick, interval, ${CANDLE_COLUMNS} FROM candle ORDER BY tick, interval, start`,
    [0, 1, 2],
  ),
  derived(
    "block_fills",
    `SELECT tick, height, ${BLOCK_FILLS_COLUMNS} FROM block_fills ORDER BY tick, time, height`,
    [0, 2, 1],
  ),
  derived(
    "ledger",
    `SELECT address.text, ledger.change_key, ledger.tick, ledger.balance, ledger.locked
       FROM ledger JOIN address ON address.id = ledger.address_id ORDER BY 1, 2`,
    [0, 1],
  ),
  derived("market", "SELECT tick, hex(rank), volume_sat, fills FROM market ORDER BY tick", [0]),
  derived("floor", "SELECT tick, height, price, amount FROM floor ORDER BY tick, height", [0, 1]),
  derived("expired_open", "SELECT tick, listings FROM expired_open ORDER BY tick", [0]),
  derived(
    "token_prefix",
    "SELECT prefix, deploy_place FROM token_prefix ORDER BY prefix, deploy_place",
    [0, 1],
  ),
  derived(
    "holder",
    `SELECT balance.tick, balance.rank, balance.head, address.text FROM ${BALANCES}
      ORDER BY balance.tick, balance.rank, address.text`,
    [0, 1, 3],
  ),
  derived("listing_key", "SELECT place, state, hex(unit_key), change_key FROM listing ORDER BY place", [0]),
  derived(
    "history",
    `SELECT address.text, op_address.scope,
         CASE WHEN op_address.kind < 16 THEN op_address.kind ELSE op_name.text END, op_address.place
       FROM op_address JOIN address ON address.id = op_address.address_id
       LEFT JOIN op_name ON op_name.id = op_address.kind - 16 ORDER BY 1, 2, op_address.place, 3`,
    [0, 1, 3, 2],
  ),
];

function derived(name: string, sql: string, keys: readonly number[]): Section {
  return { part: "derived", name, sql, keys, show: (row) => [name, ...row.map(plainCell)] };
}

/** The dump of the connection's database. Everything at once: for indexes of some thousand rows. */
export function dumpStore(connection: Connection): StoreDump {
  return connection.snapshot(() => ({
    blocks: rowsOf(connection, "blocks"),
    tokens: rowsOf(connection, "tokens"),
    balances: rowsOf(connection, "balances"),
    listings: rowsOf(connection, "listings"),
    operations: rowsOf(connection, "operations"),
    derived: rowsOf(connection, "derived"),
  }));
}

function rowsOf(connection: Connection, part: keyof StoreDump): unknown[] {
  const sections = SECTIONS.filter((section) => section.part === part);
  return sections.flatMap(({ sql, show }) => connection.all(sql).map((row) => show(row)));
}

/** A value of rows as JSON has it: big integers as decimal text. */
function plain(value: unknown): unknown {
  const text = JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "bigint" ? String(inner) : inner,
  );
  return JSON.parse(text);
}

function plainCell(cell: Cell): unknown {
  return cell instanceof Uint8Array ? hexOf(cell) : cell;
}
