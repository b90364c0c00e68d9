// Writes balances. Changes of all blocks of a transaction are gathered, so that a busy row is written once, and every
// write checks that the row was there exactly when the core believed it was.

import type { AddressIds } from "../address-ids.ts";
import { elementAt } from "../../../primitives/elements.ts";
import { ascending } from "../../store-rows/ascending.ts";
import { CellReader } from "../../store-rows/cells.ts";
import type { Connection } from "../connection.ts";
import { amountIn, cellAt, NONE, type PackedCommit } from "./packed-commit.ts";
import type { Amounts } from "../../store-rows/row-shapes.ts";
import { headOf, rankOf, tailOf } from "../../store-rows/sort-keys.ts";
import { RowInserter } from "./row-inserter.ts";

interface Pending {
  /** Whether the database has a row. */
  readonly stored: boolean;
  readonly address: string;
  now: Amounts | null;
}

/** Balances of one write transaction. */
export class BalanceWriter {
  readonly #connection: Connection;
  readonly #addressIds: AddressIds;
  readonly #new: RowInserter;
  readonly #pending = new Map<string, Map<number, Pending>>();

  constructor(connection: Connection, addressIds: AddressIds) {
    this.#connection = connection;
    this.#addressIds = addressIds;
    const into = "balance (address_id, tick, balance, locked, rank, head, tail)";
    this.#new = new RowInserter(connection, into, "(?, ?, ?, ?, ?, ?, ?)");
  }

  /** Sets a balance; `before` is what was there until now. Returns the change in the number of holders. */
  set(id: number, address: string, tick: string, before: Amounts | null, now: Amounts | null): number {
    let ofTick = this.#pending.get(tick);
    if (ofTick === undefined) {
      ofTick = new Map();
      this.#pending.set(tick, ofTick);
    }
    const pending = ofTick.get(id);
    if (pending === undefined) ofTick.set(id, { stored: before !== null, address, now });
    else pending.now = now;
    const delta = (now === null ? 0 : 1) - (before === null ? 0 : 1);
    return delta === 0 ? 0 : this.#addressIds.changeHeld(id, delta);
  }

  /** A balance as of now; null where there is none. */
  get(id: number, tick: string): Amounts | null {
    const pending = this.#pending.get(tick)?.get(id);
    if (pending !== undefined) return pending.now;
    const row = this.#connection.first(
      "SELECT balance, locked FROM balance WHERE address_id = ? AND tick = ?",
      id,
      tick,
    );
    if (row === null) return null;
    const cells = new CellReader(row);
    return { balance: cells.big(), locked: cells.big() };
  }

  /** Forgets what was gathered, after a transaction was rolled back. */
  discard(): void {
    this.#pending.clear();
    this.#new.discard();
  }

  /** Writes what was gathered. */
  flush(): void {
    const update = this.#connection.prepared(
      "UPDATE balance SET balance = ?, locked = ?, rank = ? WHERE address_id = ? AND tick = ?",
    );
    const remove = this.#connection.prepared("DELETE FROM balance WHERE address_id = ? AND tick = ?");
    for (const { id, tick, pending } of this.#inOrder()) {
      const { stored, address, now } = pending;
      if (now === null) {
        if (stored) expectOne(remove.run(id, tick).changes, address, tick);
        continue;
      }
      const rank = rankOf(now.balance + now.locked);
      const balance = String(now.balance);
      const locked = String(now.locked);
      if (stored) expectOne(update.run(balance, locked, rank, id, tick).changes, address, tick);
      else this.#new.insert(id, tick, balance, locked, rank, headOf(address), tailOf(address));
    }
    this.#new.flush();
    this.#pending.clear();
  }

  /** What was gathered in the order of the table, so that neighbours are written together. */
  *#inOrder(): Generator<{ readonly id: number; readonly tick: string; readonly pending: Pending }> {
    const rows = [...this.#pending].flatMap(([tick, ofTick]) =>
      Array.from(ofTick, ([id, pending]) => ({ id, tick, pending })),
    );
    for (const at of ascending(rows.map(({ id }) => id))) yield elementAt(rows, at);
  }
}

/** The amounts in two cells of a balance change; null where there is no row, or both are 0. */
export function amountsIn(commit: PackedCommit, cells: Float64Array, at: number): Amounts | null {
  const balance = cellAt(cells, at);
  const locked = cellAt(cells, at + 1);
  if (balance === NONE || (balance === 0 && locked === 0)) return null;
  return { balance: amountIn(commit, balance), locked: amountIn(commit, locked) };
}

function expectOne(changes: number | bigint, address: string, tick: string): void {
  if (Number(changes) !== 1) throw new Error(`store: the balance of ${address} in ${tick} is not stored`);
}
