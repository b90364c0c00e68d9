// Reads all operation rows of a Strand database through the read port that the service answers from. They fill the
// reference API's own database.

import { openSqliteStore } from "../src/adapters/store-sqlite/sqlite-store.ts";
import type { PageKey } from "../src/index/pages.ts";

/** A row in the order of the reference's columns; the first value is the place in chain order. */
export type PeerRow = readonly (string | number | null)[];

const ROWS_PER_READ = 100;

/** The rows, newest first. No service may have the database open. */
export async function* rows(file: string): AsyncGenerator<PeerRow> {
  const store = await openSqliteStore({ file });
  try {
    let key: PageKey | null = null;
    do {
      const start = key === null ? null : ({ direction: "next", key } as const);
      const { value } = await store.queries.operations({}, { limit: ROWS_PER_READ, start });
      for (const { operation, blockHash, time } of value.rows) {
        const { place, height, txIndex, txid, vout, op, tick, valid, reason } = operation;
        const { payloadJson, from, to, amount, listingId } = operation;
        const judged = [height, txIndex, txid, vout, op, tick, valid ? 1 : 0, reason, payloadJson];
        yield [place, ...judged, blockHash, time, from, to, amount?.toString() ?? null, listingId];
      }
      key = value.next;
    } while (key !== null);
  } finally {
    await store.close();
  }
}
