// Writes listings as they are created, expire and end, and undoes all of it in a rewind. Sort keys, partial indexes and
// the counts of expired open listings stay in step with closings and expiry.

import type { BlockChanges, ListingRow } from "../../../prc20/state.ts";
import type { AddressIds } from "../address-ids.ts";
import { type Cell, CellReader } from "../../store-rows/cells.ts";
import type { Connection } from "../connection.ts";
import { insertInto, updateOf } from "../statements.ts";
import { stateNumber } from "../../store-rows/kinds.ts";
import {
  applyListings,
  closingCells,
  LISTING,
  LISTING_CLOSING,
  type ListingEffects,
  storedListingCells,
} from "../../store-rows/written-rows.ts";

const INSERT = insertInto("listing", LISTING);
const CLOSE = `${updateOf("listing", LISTING_CLOSING)} WHERE place = ? AND state < 2`;

/** Listing rows of one connection. */
export class ListingWriter {
  readonly #connection: Connection;
  readonly #addressIds: AddressIds;

  constructor(connection: Connection, addressIds: AddressIds) {
    this.#connection = connection;
    this.#addressIds = addressIds;
  }

  /** Applies a block's listing changes, then the expiry that its height brings (P-65). */
  apply(block: Pick<BlockChanges, "height" | "listings">): ListingEffects {
    const idOf = (address: string): number => this.#addressIds.idOf(address);
    return applyListings(block, {
      create: (row) => {
        this.#connection.run(INSERT, ...storedListingCells(row, false, idOf));
      },
      close: (row) => this.#close(row, closingCells(row, false, idOf)),
      countExpired: (tick, delta) => this.#countExpired(tick, delta),
      expire: (height) => this.#expire(height),
    });
  }

  /**
   * Takes back everything at or above `firstPlace`, so that `tip` is the last block where `oldTip` was it: created
   * listings vanish, closings and expiries are undone. Returns the changes in the numbers of open listings, and of
   * those among them that have expired.
   */
  rewind(
    firstPlace: number,
    tip: number,
    oldTip: number,
  ): { readonly open: number; readonly expiredOpen: number } {
    let [open, expiredOpen] = [0, 0];
    const sql = "SELECT tick, state FROM listing WHERE place >= ? AND state < 2";
    for (const row of this.#connection.all(sql, firstPlace)) {
      const cells = new CellReader(row);
      const tick = cells.text();
      open -= 1;
      if (cells.int() === stateNumber("expired_open")) expiredOpen += this.#countExpired(tick, -1);
    }
    this.#connection.run("DELETE FROM listing WHERE place >= ?", firstPlace);
    const reopened = this.#connection.all(
      "SELECT place, tick, exp FROM listing WHERE close_place >= ?",
      firstPlace,
    );
    for (const row of reopened) {
      const cells = new CellReader(row);
      const [place, tick, exp] = [cells.int(), cells.text(), cells.intOrNull()];
      open += 1;
      const expired = exp !== null && tip > exp;
      if (expired) expiredOpen += this.#countExpired(tick, 1);
      this.#reopen(place, expired);
    }
    // Only what expired in the undone blocks: listings that expire later may be any number.
    const revived = this.#connection.all(
      "SELECT place, tick FROM listing WHERE exp >= ? AND exp < ? AND state < 2 AND state = 1",
      tip,
      oldTip,
    );
    for (const row of revived) {
      const cells = new CellReader(row);
      this.#connection.run("UPDATE listing SET state = 0 WHERE place = ?", cells.int());
      expiredOpen += this.#countExpired(cells.text(), -1);
    }
    return { open, expiredOpen };
  }

  #expire(height: number): readonly string[] {
    const due = this.#connection.all(
      "SELECT place, tick FROM listing WHERE exp = ? AND state < 2 AND state = 0",
      height - 1,
    );
    return due.map((row) => {
      const cells = new CellReader(row);
      this.#connection.run("UPDATE listing SET state = 1 WHERE place = ?", cells.int());
      const tick = cells.text();
      this.#countExpired(tick, 1);
      return tick;
    });
  }

  #close(row: ListingRow, cells: readonly Cell[]): void {
    const changes = this.#connection.run(CLOSE, ...cells, row.createdPlace);
    if (changes !== 1) throw new Error(`store: ${row.id} is closed but is not stored as open`);
  }

  #reopen(place: number, expired: boolean): void {
    this.#connection.run(
      `UPDATE listing SET state = ?, change_key = 2 * place, close_txid = NULL, close_height = NULL,
         close_time = NULL, close_input = NULL, close_place = NULL, buyer_id = NULL WHERE place = ?`,
      expired ? 1 : 0,
      place,
    );
  }

  #countExpired(tick: string, delta: number): number {
    this.#connection.run(
      `INSERT INTO expired_open (tick, listings) VALUES (?, ?)
         ON CONFLICT (tick) DO UPDATE SET listings = listings + excluded.listings`,
      tick,
      delta,
    );
    this.#connection.run("DELETE FROM expired_open WHERE tick = ? AND listings = 0", tick);
    return delta;
  }
}
