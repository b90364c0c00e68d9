// Loads the rows that a block needs: one statement per kind of rows, all in one snapshot.

import type { Outpoint } from "../../../primitives/brands.ts";
import type { StateKeys } from "../../../prc20/declared-keys.ts";
import type { ListingRow } from "../../../prc20/state.ts";
import type { LoadedRows } from "../../../prc20/state-view.ts";
import { blobOf, CellReader } from "../../store-rows/cells.ts";
import {
  LISTING_COLUMNS,
  LISTING_JOINS,
  readBalance,
  readListing,
  readToken,
  TOKEN_COLUMNS,
  TOKEN_TABLES,
} from "../../store-rows/row-shapes.ts";
import type { Session } from "../session.ts";

/** Outpoints per call of `visit` in `visitOpenAnchors`. */
const ANCHOR_BATCH = 10_000;

/**
 * One look into each index for each key, and nothing else: as a join, the planner may begin with all holders of a ticker,
 * which for thousands of keys of one ticker takes seconds.
 */
const BALANCES_ASKED = `SELECT asked.text, asked.tick, held.balance, held.locked
  FROM unnest($1::text[], $2::text[]) AS asked (text, tick) CROSS JOIN LATERAL (
    SELECT balance, locked FROM balance WHERE tick = asked.tick
      AND address_id = (SELECT id FROM address WHERE address.text = asked.text) OFFSET 0) AS held`;

/** The rows that exist among the keys. */
export async function loadState(session: Session, keys: StateKeys): Promise<LoadedRows> {
  const [tokens, balances, listings] = await Promise.all([
    session.all(
      `SELECT ${TOKEN_COLUMNS} FROM ${TOKEN_TABLES} WHERE token.tick = ANY ($1::text[])`,
      keys.tokens,
    ),
    session.all(
      BALANCES_ASKED,
      keys.balances.map(({ address }) => address),
      keys.balances.map(({ tick }) => tick),
    ),
    loadListings(session, keys),
  ]);
  return {
    tokens: tokens.map((row) => readToken(new CellReader(row))),
    balances: balances.map((row) => readBalance(new CellReader(row))),
    listings,
  };
}

/** Hands out the anchors of all open listings. */
export async function visitOpenAnchors(
  session: Session,
  visit: (anchors: readonly Outpoint[]) => void,
): Promise<void> {
  for (let place = -1; ; ) {
    const rows = await session.all(
      "SELECT txid, vout, place FROM listing WHERE state < 2 AND place > $1 ORDER BY place LIMIT $2",
      place,
      ANCHOR_BATCH,
    );
    if (rows.length === 0) return;
    const anchors = rows.map((row) => {
      const cells = new CellReader(row);
      const anchor = `${cells.txid()}:${cells.int()}` as Outpoint;
      place = cells.int();
      return anchor;
    });
    visit(anchors);
  }
}

/** Listings by id, and open ones by anchor: the outpoint of both is what they are found by. */
async function loadListings(
  session: Session,
  { listings, anchors }: StateKeys,
): Promise<readonly ListingRow[]> {
  const asked = new Set<string>(listings.map((id) => id.slice(5)));
  const outpoints = [...new Set<string>([...asked, ...anchors])];
  if (outpoints.length === 0) return [];
  const rows = await session.all(
    `SELECT ${LISTING_COLUMNS} FROM unnest($1::bytea[], $2::bigint[]) AS asked (txid, vout)
       JOIN listing ON substr(listing.txid, 1, 8) = substr(asked.txid, 1, 8) AND listing.txid = asked.txid
         AND listing.vout = asked.vout ${LISTING_JOINS}`,
    outpoints.map((outpoint) => blobOf(outpoint.slice(0, 64))),
    outpoints.map((outpoint) => Number(outpoint.slice(65))),
  );
  return rows
    .map((row) => readListing(new CellReader(row)).listing)
    .filter((listing) => listing.close === null || asked.has(listing.anchor));
}
