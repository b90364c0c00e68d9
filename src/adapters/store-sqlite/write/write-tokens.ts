// Writes token rows. Changes are gathered per transaction and written once; a new row gets all its prefixes.

import type { TokenRow } from "../../../prc20/state.ts";
import type { AddressIds } from "../address-ids.ts";
import type { Connection } from "../connection.ts";
import { prefixesOf } from "../../store-rows/row-shapes.ts";
import { runningCells, storedTokenCells } from "../../store-rows/written-rows.ts";

interface Pending {
  readonly stored: TokenRow | null;
  now: TokenRow | null;
}

/** Token rows of one write transaction. */
export class TokenWriter {
  readonly #connection: Connection;
  readonly #addressIds: AddressIds;
  readonly #pending = new Map<string, Pending>();

  constructor(connection: Connection, addressIds: AddressIds) {
    this.#connection = connection;
    this.#addressIds = addressIds;
  }

  /** Sets a token row; `before` is what was there until now. */
  set(before: TokenRow | null, now: TokenRow | null): void {
    const tick = (now ?? before)?.tick;
    if (tick === undefined) throw new Error("store: a token change without rows");
    const pending = this.#pending.get(tick);
    if (pending === undefined) this.#pending.set(tick, { stored: before, now });
    else pending.now = now;
  }

  /** Forgets what was gathered, after a transaction was rolled back. */
  discard(): void {
    this.#pending.clear();
  }

  /** Writes what was gathered. */
  flush(): void {
    for (const { stored, now } of this.#pending.values()) {
      if (now !== null && stored !== null && now.deployPlace === stored.deployPlace) this.#update(now);
      else {
        if (stored !== null) this.#remove(stored);
        if (now !== null) this.#insert(now);
      }
    }
    this.#pending.clear();
  }

  #insert(row: TokenRow): void {
    this.#connection.run(
      `INSERT INTO token (tick, dec, max, lim, pre, cid, deployer_id, deploy_txid, deploy_height, deploy_place,
         minted, burned, holders, transfers, open_count, filled_count, cancelled_count, invalid_spent_count,
         filled_amount, invalid_spent_amount, fee_paid, seller_paid)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...storedTokenCells(row, this.#addressIds.idOf(row.deployer)),
    );
    for (const prefix of prefixesOf(row.tick)) {
      this.#connection.run(
        "INSERT INTO token_prefix (prefix, deploy_place) VALUES (?, ?)",
        prefix,
        row.deployPlace,
      );
    }
  }

  #update(row: TokenRow): void {
    const changes = this.#connection.run(
      `UPDATE token SET minted = ?, burned = ?, holders = ?, transfers = ?, open_count = ?, filled_count = ?,
         cancelled_count = ?, invalid_spent_count = ?, filled_amount = ?, invalid_spent_amount = ?, fee_paid = ?,
         seller_paid = ? WHERE tick = ?`,
      ...runningCells(row),
      row.tick,
    );
    if (changes !== 1) throw new Error(`store: the token ${row.tick} is not stored`);
  }

  #remove(row: TokenRow): void {
    this.#connection.run("DELETE FROM token WHERE tick = ?", row.tick);
    for (const prefix of prefixesOf(row.tick)) {
      this.#connection.run(
        "DELETE FROM token_prefix WHERE prefix = ? AND deploy_place = ?",
        prefix,
        row.deployPlace,
      );
    }
  }
}
