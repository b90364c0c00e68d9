// Schema 11: what people look for by itself is found by an index: a block by its hash, the listings of an address in all
// tickers, and the reorganisations of the EVM chain among the events of swaps.

import type { Migration } from "../connection.ts";

/** Adds the indexes. */
export const lookups: Migration = {
  version: 11,
  name: "lookups",
  sql: `
CREATE INDEX block_by_hash ON block (substr(hash, 25, 8)); -- by its end: the beginning of a hash is zeros
CREATE INDEX listing_of_owner ON listing (owner_id, state, place); -- an owner's in all tickers
CREATE INDEX listing_of_seller ON listing (seller_id, state, place) WHERE seller_id <> owner_id; -- and a paid address's
CREATE INDEX swap_event_reorgs ON swap_event (id) WHERE type = 'reorg'; -- reorganisations, newest first
`,
};
