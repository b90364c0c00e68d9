// Loads the rows that a block needs, by point reads with prepared statements, all in one snapshot.

import type { Outpoint } from "../../../primitives/brands.ts";
import type { BalanceRow, ListingRow, TokenRow } from "../../../prc20/state.ts";
import type { LoadedRows } from "../../../prc20/state-view.ts";
import type { StateKeys } from "../../../prc20/declared-keys.ts";
import type { AddressFinder } from "../address-ids.ts";
import type { BalanceFilter } from "./balance-filter.ts";
import { CellReader } from "../../store-rows/cells.ts";
import type { Connection } from "../connection.ts";
import { answered } from "../answered.ts";
import { anchorOf, BY_OUTPOINT, outpointValues } from "../../store-rows/market-reads.ts";
import { storedToken } from "../../store-rows/token-reads.ts";
import { LISTING_COLUMNS, LISTING_JOINS, readBalance, readListing } from "../../store-rows/row-shapes.ts";

/** Outpoints per call of `visit` in `visitOpenAnchors`. */
const ANCHOR_BATCH = 10_000;

/** The rows that exist among the keys. */
export function loadState(
  connection: Connection,
  finder: AddressFinder,
  filter: BalanceFilter,
  keys: StateKeys,
): LoadedRows {
  return connection.snapshot(() => {
    const tokens: TokenRow[] = [];
    for (const tick of keys.tokens) {
      const row = answered(connection, storedToken(tick));
      if (row !== null) tokens.push(row);
    }
    return {
      tokens,
      balances: loadBalances(connection, finder, filter, keys),
      listings: loadListings(connection, keys),
    };
  });
}

/** Hands out the anchors of all open listings. */
export function visitOpenAnchors(
  connection: Connection,
  visit: (anchors: readonly Outpoint[]) => void,
): void {
  connection.snapshot(() => {
    let batch: Outpoint[] = [];
    const rows = connection.each("SELECT txid, vout FROM listing WHERE state < 2 ORDER BY place");
    for (const row of rows) {
      const cells = new CellReader(row);
      batch.push(`${cells.txid()}:${cells.int()}` as Outpoint);
      if (batch.length < ANCHOR_BATCH) continue;
      visit(batch);
      batch = [];
    }
    if (batch.length > 0) visit(batch);
  });
}

function loadBalances(
  connection: Connection,
  finder: AddressFinder,
  filter: BalanceFilter,
  keys: StateKeys,
): BalanceRow[] {
  const balances: BalanceRow[] = [];
  for (const { address, tick } of keys.balances) {
    if (!filter.mayHold(address, tick)) continue;
    const id = finder.find(address);
    if (id === null) continue;
    const row = connection.first(
      "SELECT balance, locked FROM balance WHERE address_id = ? AND tick = ?",
      id,
      tick,
    );
    if (row !== null) balances.push(readBalance(new CellReader([address, tick, ...row])));
  }
  return balances;
}

function loadListings(connection: Connection, keys: StateKeys): ListingRow[] {
  const byId = new Map<string, ListingRow>();
  const look = (outpoint: string, onlyOpen: boolean): void => {
    const row = connection.first(
      `SELECT ${LISTING_COLUMNS} FROM listing ${LISTING_JOINS} WHERE ${BY_OUTPOINT}`,
      ...outpointValues(outpoint),
    );
    if (row === null) return;
    const { listing } = readListing(new CellReader(row));
    if (!onlyOpen || listing.close === null) byId.set(listing.id, listing);
  };
  for (const id of keys.listings) look(anchorOf(id), false);
  for (const anchor of keys.anchors) look(anchor, true);
  return [...byId.values()];
}
