// Are two indexes equal? Every row in canonical order and plain values, interned ids resolved, what only one history
// knows (undo records, event log, interned ids themselves) left out.

import type { StoreDump } from "../../service/ports.ts";
import { blockRows } from "./block-rows.ts";
import { BLOCK_FILLS_COLUMNS, CANDLE_COLUMNS } from "./candles.ts";
import { type Cells, CellReader, hexOf } from "./cells.ts";
import type { Connection } from "./connection.ts";
import {
  LISTING_COLUMNS,
  LISTING_JOINS,
  OPERATION_COLUMNS,
  readListing,
  readOperation,
  readToken,
  TOKEN_COLUMNS,
  TOKEN_TABLES,
} from "./row-shapes.ts";

/** Queries of the derived rows; each row is put after its name. */
const DERIVED: readonly (readonly [string, string])[] = [
  ["candle", `SELECT tick, interval, ${CANDLE_COLUMNS} FROM candle ORDER BY tick, interval, start`],
  ["block_fills", `SELECT tick, height, ${BLOCK_FILLS_COLUMNS} FROM block_fills ORDER BY tick, time, height`],
  ["floor", "SELECT tick, height, price, amount FROM floor ORDER BY tick, height"],
  ["expired_open", "SELECT tick, listings FROM expired_open ORDER BY tick"],
  ["token_prefix", "SELECT prefix, deploy_place FROM token_prefix ORDER BY prefix, deploy_place"],
  [
    "holder",
    `SELECT balance.tick, balance.rank, balance.head, address.text FROM balance
       JOIN address ON address.id = balance.address_id ORDER BY balance.tick, balance.rank, address.text`,
  ],
  ["listing_key", "SELECT place, state, hex(unit_key), change_key FROM listing ORDER BY place"],
  [
    "history",
    `SELECT address.text, op_address.scope,
         CASE WHEN op_address.kind < 16 THEN op_address.kind ELSE op_name.text END, op_address.place
       FROM op_address JOIN address ON address.id = op_address.address_id
       LEFT JOIN op_name ON op_name.id = op_address.kind - 16 ORDER BY 1, 2, op_address.place, 3`,
  ],
];

/** The dump of the connection's database. */
export function dumpStore(connection: Connection): StoreDump {
  return connection.snapshot(() => ({
    blocks: [...blockRows(connection)].map(plain),
    tokens: rows(connection, `SELECT ${TOKEN_COLUMNS} FROM ${TOKEN_TABLES} ORDER BY token.tick`, readToken),
    balances: connection.all(
      `SELECT balance.tick, address.text, balance.balance, balance.locked FROM balance
         JOIN address ON address.id = balance.address_id ORDER BY balance.tick, address.text`,
    ),
    listings: rows(
      connection,
      `SELECT ${LISTING_COLUMNS} FROM listing ${LISTING_JOINS} ORDER BY listing.place`,
      readListing,
    ),
    operations: rows(connection, `SELECT ${OPERATION_COLUMNS} FROM op ORDER BY op.place`, (cells) =>
      readOperation(cells),
    ),
    derived: DERIVED.flatMap(([name, sql]) =>
      connection.all(sql).map((row) => [name, ...row.map(plainCell)]),
    ),
  }));
}

function rows(connection: Connection, sql: string, read: (cells: CellReader) => unknown): unknown[] {
  return connection.all(sql).map((row: Cells) => plain(read(new CellReader(row))));
}

/** A value of rows as JSON has it: big integers as decimal text. */
function plain(value: unknown): unknown {
  const text = JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "bigint" ? String(inner) : inner,
  );
  return JSON.parse(text);
}

function plainCell(cell: Cells[number]): unknown {
  return cell instanceof Uint8Array ? hexOf(cell) : cell;
}
