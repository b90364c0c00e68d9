// Makes the ledger of a database that has none, by going through its operations and closings from the first on, some
// thousand places at a time. What an address held before such a stretch is read from the rows that are made already.

import { CellReader } from "../../store-rows/cells.ts";
import type { Connection } from "../connection.ts";
import { changeKey, type BalanceChange, effectsOf, returned } from "../../store-rows/ledger-effects.ts";
import type { Amounts } from "../../store-rows/row-shapes.ts";
import { type LedgerRow, LedgerRows } from "./ledger-writer.ts";

/** Places at a time: bounds the memory, and lets neighbours in the table be written together. */
const PLACES = 50_000;

interface Change {
  readonly key: number;
  readonly tick: string;
  readonly effect: BalanceChange;
}

/** Makes all rows. */
export function fillLedger(connection: Connection): void {
  const end = connection.first("SELECT coalesce(max(next_place), 0) FROM block");
  const places = end === null ? 0 : new CellReader(end).int();
  for (let from = 0; from < places; from += PLACES) {
    const changes = [
      ...closingsBetween(connection, from, from + PLACES),
      ...operationsBetween(connection, from, from + PLACES),
    ].toSorted((a, b) => a.key - b.key);
    const last = new Map<string, LedgerRow>();
    const rows = new LedgerRows(connection);
    for (const { key, tick, effect } of changes) {
      const { id, balance, locked } = effect;
      const name = `${id} ${tick}`;
      const before = last.get(name) ?? lastRow(connection, id, tick);
      const row = {
        id,
        key,
        tick,
        balance: (before?.balance ?? 0n) + balance,
        locked: (before?.locked ?? 0n) + locked,
      };
      last.set(name, row);
      rows.add(row);
    }
    rows.flush();
  }
}

function lastRow(connection: Connection, id: number, tick: string): Amounts | null {
  const row = connection.first(
    "SELECT balance, locked FROM ledger WHERE address_id = ? AND tick = ? ORDER BY change_key DESC LIMIT 1",
    id,
    tick,
  );
  if (row === null) return null;
  const cells = new CellReader(row);
  return { balance: cells.big(), locked: cells.big() };
}

function operationsBetween(connection: Connection, from: number, before: number): readonly Change[] {
  const rows = connection.all(
    `SELECT place, tick, kind, amount, from_id, to_id, filled_owner_id FROM op
       WHERE place >= ? AND place < ? AND amount IS NOT NULL ORDER BY place`,
    from,
    before,
  );
  return rows.flatMap((row) => {
    const cells = new CellReader(row);
    const [key, tick] = [changeKey(cells.int(), "operation"), cells.text()];
    const [kind, amount] = [cells.int(), cells.big()];
    const parties = { from: cells.int(), to: cells.intOrNull(), owner: cells.intOrNull() };
    return effectsOf(kind, amount, parties).map((effect) => ({ key, tick, effect }));
  });
}

function closingsBetween(connection: Connection, from: number, before: number): readonly Change[] {
  const rows = connection.all(
    `SELECT close_place, tick, owner_id, amount FROM listing
       WHERE close_place >= ? AND close_place < ? AND state > 2 ORDER BY close_place`,
    from,
    before,
  );
  return rows.map((row) => {
    const cells = new CellReader(row);
    const [key, tick] = [changeKey(cells.int(), "closing"), cells.text()];
    return { key, tick, effect: returned(cells.int(), cells.big()) };
  });
}
