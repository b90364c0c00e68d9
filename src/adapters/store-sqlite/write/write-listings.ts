// Writes listings as they are created, expire and end, and undoes all of it in a rewind. Sort keys, partial indexes and
// the counts of expired open listings stay in step with closings and expiry.

import type { BlockChanges, ListingRow } from "../../../prc20/state.ts";
import type { AddressIds } from "../address-ids.ts";
import { blobOf, CellReader } from "../../store-rows/cells.ts";
import type { Connection } from "../connection.ts";
import { stateNumber } from "../../store-rows/kinds.ts";
import { unitPriceKey } from "../../store-rows/sort-keys.ts";

const INSERT = `INSERT INTO listing (place, tick, amount, owner_id, seller_id, price, protocol_fee, seller_net, exp,
  txid, vout, created_height, created_time, anchor_amount, signature, policy_hash, state, unit_key, change_key,
  close_txid, close_height, close_time, close_input, close_place, buyer_id)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const CLOSE = `UPDATE listing SET state = ?, change_key = ?, close_txid = ?, close_height = ?, close_time = ?,
  close_input = ?, close_place = ?, buyer_id = ? WHERE place = ? AND state < 2`;

/** What a block did to listings, for the rows that are derived from them. */
export interface ListingEffects {
  /** Tickers whose active market may have changed. */
  readonly touched: ReadonlySet<string>;
  /** Filled listings, in chain order. */
  readonly fills: readonly ListingRow[];
  /** Change in the number of open listings past their expiry height. */
  readonly expiredOpen: number;
  readonly created: number;
  readonly closed: number;
}

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
    const touched = new Set<string>();
    const fills: ListingRow[] = [];
    let [created, closed, expiredOpen] = [0, 0, 0];
    for (const { before, after } of block.listings) {
      if (after === null || (before !== null && (before.close !== null || after.close === null))) {
        throw new Error(`store: block ${block.height} changes a listing in a way that P-63 does not know`);
      }
      touched.add(after.tick);
      if (before === null) {
        this.#insert(after);
        created += 1;
      } else {
        this.#close(after);
        const wasExpired = before.exp !== null && before.exp < block.height - 1;
        if (wasExpired) expiredOpen += this.#countExpired(after.tick, -1);
      }
      if (after.close !== null) closed += 1;
      if (after.close?.kind === "filled") fills.push(after);
    }
    expiredOpen += this.#expire(block.height, touched);
    fills.sort((a, b) => (a.close?.place ?? 0) - (b.close?.place ?? 0));
    return { touched, fills, expiredOpen, created, closed };
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

  #expire(height: number, touched: Set<string>): number {
    const due = this.#connection.all(
      "SELECT place, tick FROM listing WHERE exp = ? AND state < 2 AND state = 0",
      height - 1,
    );
    for (const row of due) {
      const cells = new CellReader(row);
      this.#connection.run("UPDATE listing SET state = 1 WHERE place = ?", cells.int());
      const tick = cells.text();
      this.#countExpired(tick, 1);
      touched.add(tick);
    }
    return due.length;
  }

  #insert(row: ListingRow): void {
    const outpoint = `${row.createdTxid}:${row.anchorVout}`;
    if (row.id !== `list:${outpoint}` || row.anchor !== outpoint || row.anchorTxid !== row.createdTxid) {
      throw new Error(`store: listing ${row.id} does not carry its anchor's name (P-51)`);
    }
    const close = row.close;
    this.#connection.run(
      INSERT,
      row.createdPlace,
      row.tick,
      String(row.amount),
      this.#addressIds.idOf(row.owner),
      this.#addressIds.idOf(row.seller),
      String(row.priceSat),
      String(row.protocolFeeSat),
      String(row.sellerNetSat),
      row.exp,
      blobOf(row.createdTxid),
      row.anchorVout,
      row.createdHeight,
      row.createdTime,
      String(row.anchorAmountSat),
      blobOf(row.signatureHex),
      blobOf(row.policyHash),
      stateNumber(close?.kind ?? "open"),
      unitPriceKey(row.priceSat, row.amount),
      close === null ? 2 * row.createdPlace : 2 * close.place + 1,
      close === null ? null : blobOf(close.txid),
      close?.height ?? null,
      close?.time ?? null,
      close?.inputIndex ?? null,
      close?.place ?? null,
      this.#buyerId(row),
    );
  }

  #close(row: ListingRow): void {
    const close = row.close;
    if (close === null) throw new Error("store: a closing without its place");
    const changes = this.#connection.run(
      CLOSE,
      stateNumber(close.kind),
      2 * close.place + 1,
      blobOf(close.txid),
      close.height,
      close.time,
      close.inputIndex,
      close.place,
      this.#buyerId(row),
      row.createdPlace,
    );
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

  #buyerId(row: ListingRow): number | null {
    const buyer = row.close?.buyer ?? null;
    return buyer === null ? null : this.#addressIds.idOf(buyer);
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
