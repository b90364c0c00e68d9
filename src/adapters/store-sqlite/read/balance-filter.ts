// Knows balances that the database has certainly never held. Most keys that a block names are new, and finding that out
// in memory is a hundred times cheaper than looking into two B-trees in vain. Rows that leave stay in the filter.

import type { PearlAddress } from "../../../primitives/brands.ts";
import type { BlockChanges } from "../../../prc20/state.ts";
import { storedTip } from "../block-rows.ts";
import { CellReader } from "../../store-rows/cells.ts";
import type { Connection } from "../connection.ts";
import { KeyFilter } from "./key-filter.ts";
import { decodeUndo } from "../../store-rows/undo-record.ts";

/** A database with more balances than this is not read at the start: then every key is looked up. */
const MOST_AT_START = 1_000_000;

/** A filter over the keys of the balance table. */
export class BalanceFilter {
  /** Null: nothing is known, every key may be there. */
  #keys: KeyFilter | null = null;
  /** Every row that has existed since the state of this height is in the filter. */
  #sinceHeight = -1;

  /** Takes in what the database holds. */
  fill(connection: Connection): void {
    this.#keys = null;
    this.#sinceHeight = storedTip(connection)?.height ?? -1;
    if (connection.memory === "little") return;
    if (connection.first("SELECT 1 FROM balance LIMIT 1 OFFSET ?", MOST_AT_START) !== null) return;
    this.clear();
    const rows = connection.each(
      "SELECT address.text, balance.tick FROM balance CROSS JOIN address ON address.id = balance.address_id",
    );
    for (const row of rows) {
      const cells = new CellReader(row);
      this.add(cells.address(), cells.tick());
    }
  }

  /**
   * Takes in the rows that a rewind to `height` may bring back and the filter never saw: those that went in the
   * blocks in between, which their undo records name. To be called before the rewind.
   */
  addUndone(connection: Connection, height: number): void {
    if (height >= this.#sinceHeight) return;
    const sql = "SELECT record FROM undo WHERE height > ? AND height <= ?";
    for (const row of connection.all(sql, height, this.#sinceHeight)) {
      for (const { addressId, tick, before } of decodeUndo(new CellReader(row).text()).balances) {
        const address = before && connection.first("SELECT text FROM address WHERE id = ?", addressId);
        if (address !== null) this.add(new CellReader(address).address(), tick);
      }
    }
    this.#sinceHeight = height;
  }

  /** Adds the rows that blocks will leave. To be called before they are visible to a reader. */
  addRows(blocks: readonly BlockChanges[]): void {
    if (this.#keys === null) return;
    for (const { balances } of blocks) {
      for (const { before, after } of balances) {
        if (before === null && after !== null) this.add(after.address, after.tick);
      }
    }
  }

  /** Adds a key. */
  add(address: PearlAddress, tick: string): void {
    this.#keys?.add(address, tick);
  }

  /** False where the database certainly has no such row. */
  mayHold(address: PearlAddress, tick: string): boolean {
    return this.#keys?.mayHold(address, tick) ?? true;
  }

  /** Forgets everything, after all rows were removed. */
  clear(): void {
    this.#keys = new KeyFilter();
  }
}
