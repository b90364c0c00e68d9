// Every row of an index in canonical order and plain values, interned ids resolved: two indexes are equal when these
// are, in whatever engine. What only one history knows (undo records, event log, interned ids themselves) is left out.

import type { StoreDump } from "../../../index/ports.ts";
import { type Cell, type Cells, CellReader, hexOf } from "../../store-rows/cells.ts";
import { BLOCK_FILLS_COLUMNS, CANDLE_COLUMNS } from "../../store-rows/fills.ts";
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
} from "../../store-rows/row-shapes.ts";
import { OPERATION_VIEW, OPERATION_JOINS } from "../read/operation-columns.ts";
import type { Session } from "../session.ts";

const BALANCES = "balance JOIN address ON address.id = balance.address_id";

/** Derived rows by their names, each with the order of its key. */
const DERIVED: readonly (readonly [name: string, sql: string])[] = [
  ["candle", `SELECT tick, interval, ${CANDLE_COLUMNS} FROM candle ORDER BY tick, interval, start`],
  ["block_fills", `SELECT tick, height, ${BLOCK_FILLS_COLUMNS} FROM block_fills ORDER BY tick, time, height`],
  [
    "ledger",
    `SELECT address.text, ledger.change_key, ledger.tick, ledger.balance, ledger.locked
       FROM ledger JOIN address ON address.id = ledger.address_id ORDER BY 1, 2`,
  ],
  ["market", "SELECT tick, upper(encode(rank, 'hex')), volume_sat, fills FROM market ORDER BY tick"],
  ["floor", "SELECT tick, height, price, amount FROM floor ORDER BY tick, height"],
  ["expired_open", "SELECT tick, listings FROM expired_open ORDER BY tick"],
  ["token_prefix", "SELECT prefix, deploy_place FROM token_prefix ORDER BY prefix, deploy_place"],
  [
    "holder",
    `SELECT balance.tick, balance.rank, balance.head, address.text FROM ${BALANCES}
       ORDER BY balance.tick, balance.rank, address.text`,
  ],
  [
    "listing_key",
    "SELECT place, state, upper(encode(unit_key, 'hex')), change_key FROM listing ORDER BY place",
  ],
  [
    "history",
    `SELECT address.text, op_address.scope,
         CASE WHEN op_address.kind < 16 THEN op_address.kind::text ELSE op_name.text END, op_address.place,
         (op_address.kind < 16)::int
       FROM op_address JOIN address ON address.id = op_address.address_id
       LEFT JOIN op_name ON op_name.id = op_address.kind - 16 ORDER BY 1, 2, op_address.place, 5 DESC, 3`,
  ],
];

/** The dump of the session's snapshot. Everything at once: for indexes of some thousand rows. */
export async function dumpStore(session: Session): Promise<StoreDump> {
  const [blocks, tokens, balances, listings, operations] = await Promise.all([
    session.all(`SELECT ${BLOCK_COLUMNS} FROM block ORDER BY height`),
    session.all(`SELECT ${TOKEN_COLUMNS} FROM ${TOKEN_TABLES} ORDER BY token.tick`),
    session.all(
      `SELECT balance.tick, address.text, balance.balance, balance.locked FROM ${BALANCES}
         ORDER BY balance.tick, address.text`,
    ),
    session.all(`SELECT ${LISTING_COLUMNS} FROM listing ${LISTING_JOINS} ORDER BY listing.place`),
    session.all(`SELECT ${OPERATION_VIEW} FROM op ${OPERATION_JOINS} ORDER BY op.place`),
  ]);
  const derived = await Promise.all(DERIVED.map(([name, sql]) => derivedRows(session, name, sql)));
  return {
    blocks: blocks.map((row) => plain(readBlockRow(row))),
    tokens: tokens.map((row) => plain(readToken(new CellReader(row)))),
    balances,
    listings: listings.map((row) => plain(readListing(new CellReader(row)))),
    operations: operations.map((row) => plain(operationRowOf(new CellReader(row)))),
    derived: derived.flat(),
  };
}

async function derivedRows(session: Session, name: string, sql: string): Promise<unknown[]> {
  const rows = await session.all(sql);
  return rows.map((row) => [name, ...(name === "history" ? historyCells(row) : row).map(plainCell)]);
}

/** Kinds are numbers, names of unknown operations texts. */
function historyCells([
  address = null,
  scope = null,
  kind = null,
  place = null,
  isNumber = null,
]: Cells): Cells {
  return [address, scope, isNumber === 1 ? Number(kind) : kind, place];
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
