// Finds the listing of an id by the transaction and output that the id names (P-51).

import { blobOf, CellReader } from "../../store-rows/cells.ts";
import type { Connection } from "../connection.ts";

/** Condition that finds a listing by transaction and output; bind `outpointValues`. */
export const BY_OUTPOINT = "substr(listing.txid, 1, 8) = ? AND listing.txid = ? AND listing.vout = ?";

/** Values for `BY_OUTPOINT` from `<txid>:<vout>`. */
export function outpointValues(outpoint: string): [Uint8Array, Uint8Array, number] {
  const txid = blobOf(outpoint.slice(0, 64));
  return [txid.subarray(0, 8), txid, Number(outpoint.slice(65))];
}

/** The outpoint in a listing's id `list:<txid>:<vout>`. */
export function anchorOf(id: string): string {
  return id.slice(5);
}

/** Place of a listing, or null where there is none. */
export function findListingPlace(connection: Connection, id: string): number | null {
  const row = connection.first(
    `SELECT place FROM listing WHERE ${BY_OUTPOINT}`,
    ...outpointValues(anchorOf(id)),
  );
  return row === null ? null : new CellReader(row).int();
}
