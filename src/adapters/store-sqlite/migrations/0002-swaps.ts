// Schema 2: facts and records of swaps, and their events. The engine knows nothing of what a fact means; the swap
// service reads all of them at start and keeps them in memory.

import type { Migration } from "../connection.ts";

/** Adds the tables of swaps. */
export const swaps: Migration = {
  version: 2,
  name: "swaps",
  sql: `
CREATE TABLE swap_identity (
  -- What the swap tables belong to (S-26): one row at most; another network, chain or escrow is refused.
  id INTEGER PRIMARY KEY CHECK (id = 1), -- always 1
  network TEXT NOT NULL,         -- name of the PEARL network
  chain_id INTEGER NOT NULL,     -- EVM chain id
  escrow TEXT NOT NULL           -- address of the escrow contract, 0x and lower case
);

CREATE TABLE swap_fact (
  -- Everything stored about swaps (S-50): facts of both chains, and records that no chain shows.
  seq INTEGER PRIMARY KEY AUTOINCREMENT, -- order of first insertion: the order of loading
  kind TEXT NOT NULL,            -- what it is: event, output, secret, ask and so on
  key TEXT NOT NULL,             -- unique within its kind
  chain INTEGER,                 -- 0 EVM, 1 PEARL: the chain whose block showed it; NULL where tied to no block
  height INTEGER,                -- height of that block; NULL with chain NULL
  body TEXT NOT NULL,            -- JSON, amounts as decimal strings
  UNIQUE (kind, key)
);
CREATE INDEX swap_fact_by_block ON swap_fact (chain, height) WHERE chain IS NOT NULL; -- what a rewind deletes

CREATE TABLE swap_checkpoint (
  -- Blocks of both chains that the swap service has read, for finding forks.
  chain INTEGER NOT NULL,        -- 0 EVM, 1 PEARL
  height INTEGER NOT NULL,       -- block height
  hash TEXT NOT NULL,            -- hash as that chain shows hashes
  time INTEGER NOT NULL,         -- unix seconds
  PRIMARY KEY (chain, height)
) WITHOUT ROWID;

CREATE TABLE swap_event (
  -- Events of swaps (H-39, H-47), as told. Their ids are those of the groups of kind 2 in event_log, whose height is 0.
  id INTEGER PRIMARY KEY,        -- event id
  type TEXT NOT NULL,            -- bid, ask, deal or reorg
  chain INTEGER,                 -- 0 EVM, 1 PEARL: the chain whose block caused it; NULL where none did
  height INTEGER,                -- height of that block
  undone INTEGER NOT NULL,       -- 1 where that block was taken back: nobody resumes there
  deal_hash TEXT,                -- the order that it is about; NULL for asks and reorganisations
  addresses TEXT NOT NULL,       -- JSON array of the addresses that find it
  data TEXT NOT NULL             -- JSON text of the event's data
);
CREATE INDEX swap_event_by_block ON swap_event (chain, height) WHERE chain IS NOT NULL AND undone = 0;
`,
};
