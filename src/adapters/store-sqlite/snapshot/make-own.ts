// What a copy of a database must not share with the one that it was made of: swaps, which only both chains prove, the
// seed of the address hash, by which addresses can be made that are slow to find, and ids of events.

import { randomBytes } from "node:crypto";
import { CLOSED_TABLES } from "../../store-rows/closed-cells.ts";
import { addressHash } from "../address-hash.ts";
import type { Connection } from "../connection.ts";
import { lastEventId, storeLastEventId } from "../event-log.ts";

const SEED_BYTES = 16;
/** Tables of whatever belongs to a service and not to the chain. */
const OWN_TABLES = [
  "swap_identity",
  "swap_fact",
  ...CLOSED_TABLES,
  "swap_checkpoint",
  "swap_event",
  "event_log",
];

/**
 * Empties what belongs to the service that wrote a database and not to the chain: swaps, events, and all single values
 * but parameters, seed and the last id of an event. To be called within a transaction.
 */
export function removeOwn(connection: Connection): void {
  for (const table of OWN_TABLES) connection.run(`DELETE FROM ${table}`);
  connection.run("DELETE FROM meta WHERE key NOT IN ('parameters', 'address_seed', 'last_event_id')");
  // Behind the greatest of these numbers nothing could be inserted any more.
  connection.run("DELETE FROM sqlite_sequence");
}

/**
 * The same of a snapshot, whoever made it: what no export writes is not taken over, and ids of events go on above
 * `mostEventId` at most, since behind the greatest number that can be counted with there are no further ones.
 */
export function removeForeign(connection: Connection, mostEventId: number): void {
  connection.transaction(() => {
    removeOwn(connection);
    const last = lastEventId(connection);
    const isUsable = Number.isSafeInteger(last) && last >= 0 && last <= mostEventId;
    storeLastEventId(connection, isUsable ? last : mostEventId);
  });
}

/** Gives every address the hash of a new seed, which becomes the database's. To be called within a transaction. */
export function renewSeed(connection: Connection): void {
  const seed = randomBytes(SEED_BYTES).toString("hex");
  const hash = addressHash(seed);
  const write = connection.prepared("UPDATE address SET hash = ? WHERE id = ?");
  for (let last = -1; ; ) {
    const rows = connection.all("SELECT id, text FROM address WHERE id > ? ORDER BY id LIMIT 10000", last);
    if (rows.length === 0) break;
    for (const [id, text] of rows) {
      write.run(hash(String(text)), Number(id));
      last = Number(id);
    }
  }
  connection.run("UPDATE meta SET value = ? WHERE key = 'address_seed'", seed);
}

/**
 * Makes the database one of its own: a snapshot is public, and so is its seed. Its log of events is empty, since what was
 * undone and decided again to check it never happened to anybody, and begins with a gap, so that no consumer takes its
 * events for those of another. To be called when nothing else changes any more.
 */
export function makeOwn(connection: Connection): void {
  connection.transaction(() => {
    renewSeed(connection);
    connection.run("DELETE FROM event_log");
    connection.run("UPDATE meta SET value = value + 1 WHERE key = 'last_event_id'");
  });
}
