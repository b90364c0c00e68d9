// Schema 1: every table, column and index of the index, with what each is for. SQLite keeps these comments, so
// `.schema` in a shell shows them. Amounts are decimal TEXT; whatever is ordered by an amount has an exact key BLOB.

import type { Migration } from "../connection.ts";

/** The first schema. */
export const initial: Migration = {
  version: 1,
  name: "initial",
  sql: `
CREATE TABLE meta (
  -- Single values of the database: parameters of P-01, address hash seed, event id counter.
  key TEXT PRIMARY KEY,          -- name of the value
  value TEXT NOT NULL            -- its text
) WITHOUT ROWID;

CREATE TABLE block (
  -- One row per block of the indexed chain, from the base block (start height - 1) to the tip.
  height INTEGER PRIMARY KEY,    -- block height
  hash BLOB NOT NULL,            -- 32 bytes as displayed
  previous_hash BLOB,            -- hash of the parent; NULL for the base block
  time INTEGER NOT NULL,         -- header time, unix seconds
  digest BLOB NOT NULL,          -- D(height) of P-80
  events_total INTEGER NOT NULL, -- running totals as of this block (H-37) from here on: recorded operations
  events_valid INTEGER NOT NULL, -- valid operations
  tokens_deployed INTEGER NOT NULL,     -- tokens
  lists_open INTEGER NOT NULL,          -- open listings, expired ones included
  lists_filled INTEGER NOT NULL,        -- filled listings
  lists_cancelled INTEGER NOT NULL,     -- cancelled listings
  lists_invalid_spent INTEGER NOT NULL, -- invalid-spent listings
  fee_paid TEXT NOT NULL,        -- grains of protocol fee of filled listings
  seller_paid TEXT NOT NULL,     -- grains of seller_net of filled listings
  next_place INTEGER NOT NULL,   -- next free place: places of this block are below it
  distinct_holders INTEGER NOT NULL,    -- addresses that hold any token (P-31)
  lists_expired_open INTEGER NOT NULL   -- open listings whose expiry height is below this height
);

CREATE TABLE address (
  -- Interned addresses: other tables name an address by its id. Rows stay when a branch is undone.
  id INTEGER PRIMARY KEY,        -- ascending in the order of first appearance
  hash INTEGER NOT NULL,         -- 52-bit seeded hash of the text, the way to find a text
  text TEXT NOT NULL             -- lower-case bech32m
);
CREATE INDEX address_by_hash ON address (hash);

CREATE TABLE op_name (
  -- Interned names of operations outside the protocol (OP_UNKNOWN).
  id INTEGER PRIMARY KEY,        -- see kinds.ts for its use in op_address
  text TEXT NOT NULL UNIQUE      -- as inscribed
);

CREATE TABLE op (
  -- One row per recorded operation (P-14).
  place INTEGER PRIMARY KEY,     -- place in chain order
  height INTEGER NOT NULL,       -- block height
  tx_index INTEGER NOT NULL,     -- index of the transaction in its block
  txid BLOB NOT NULL,            -- 32 bytes as displayed
  vout INTEGER NOT NULL,         -- input index (P-10)
  kind INTEGER NOT NULL,         -- operation and validity, see kinds.ts
  name_id INTEGER,               -- op_name.id of an unknown operation, else NULL
  tick TEXT NOT NULL,            -- canonical ticker or ''
  reason TEXT,                   -- reason code of an invalid operation
  from_id INTEGER NOT NULL,      -- address.id of the sender
  to_id INTEGER,                 -- address.id of the recipient, NULL where empty
  amount TEXT,                   -- raw units, NULL where empty
  listing_place INTEGER,         -- listing.place of the created or named listing
  filled_owner_id INTEGER,       -- address.id of the owner whose listing a valid send filled
  payload TEXT NOT NULL          -- body exactly as inscribed
);
CREATE INDEX op_by_kind ON op (kind);                      -- filter by operation and validity
CREATE INDEX op_by_tick ON op (tick, kind) WHERE tick <> ''; -- the same within a ticker
CREATE INDEX op_by_txid ON op (substr(txid, 1, 8));        -- lookup by transaction
CREATE INDEX op_by_name ON op (name_id) WHERE name_id IS NOT NULL; -- filter by an unknown operation's name

CREATE TABLE op_address (
  -- History of an address (H-36): one row per operation for all ticks, and one for its tick.
  address_id INTEGER NOT NULL,   -- whose history
  scope TEXT NOT NULL,           -- '*' for any tick, else the ticker
  kind INTEGER NOT NULL,         -- as op.kind; for unknown names also their own kind, see kinds.ts
  place INTEGER NOT NULL,        -- op.place
  PRIMARY KEY (address_id, scope, kind, place)
) WITHOUT ROWID;

CREATE TABLE token (
  -- One row per deployed ticker.
  tick TEXT PRIMARY KEY,         -- canonical ticker
  dec TEXT NOT NULL,             -- decimals, '0' to '18'
  max TEXT NOT NULL,             -- largest number of raw units ever minted
  lim TEXT NOT NULL,             -- largest mint
  pre TEXT NOT NULL,             -- minted at deploy
  minted TEXT NOT NULL,          -- minted so far
  burned TEXT NOT NULL,          -- burned so far
  cid TEXT,                      -- content id or NULL
  deployer_id INTEGER NOT NULL,  -- address.id of the deploying sender
  deploy_txid BLOB NOT NULL,     -- transaction of the deploy
  deploy_height INTEGER NOT NULL,      -- its block
  deploy_place INTEGER NOT NULL,       -- its place: the order of tokenlist
  holders INTEGER NOT NULL,      -- addresses with balance + locked > 0
  transfers INTEGER NOT NULL,    -- valid transfer operations
  open_count INTEGER NOT NULL,   -- open listings, expired ones included
  filled_count INTEGER NOT NULL,       -- filled listings
  cancelled_count INTEGER NOT NULL,    -- cancelled listings
  invalid_spent_count INTEGER NOT NULL, -- invalid-spent listings
  filled_amount TEXT NOT NULL,         -- raw units of filled listings
  invalid_spent_amount TEXT NOT NULL,  -- raw units of invalid-spent listings
  fee_paid TEXT NOT NULL,        -- grains of protocol fee of filled listings
  seller_paid TEXT NOT NULL      -- grains of seller_net of filled listings
) WITHOUT ROWID;
CREATE UNIQUE INDEX token_by_deploy ON token (deploy_place);

CREATE TABLE token_prefix (
  -- Every prefix of every ticker, so that a prefix filter is one range in deploy order.
  prefix TEXT NOT NULL,          -- first 1 to 16 characters of the ticker
  deploy_place INTEGER NOT NULL, -- token.deploy_place
  PRIMARY KEY (prefix, deploy_place)
) WITHOUT ROWID;

CREATE TABLE balance (
  -- Units of an address in a token; no row where both amounts are 0.
  address_id INTEGER NOT NULL,   -- address.id
  tick TEXT NOT NULL,            -- token.tick
  balance TEXT NOT NULL,         -- spendable raw units
  locked TEXT NOT NULL,          -- raw units in open listings
  rank BLOB NOT NULL,            -- key of balance + locked, larger totals first (sort-keys.ts)
  head INTEGER NOT NULL,         -- first 9 characters of the address's data as 45 bits: orders equal totals
  PRIMARY KEY (address_id, tick)
) WITHOUT ROWID;
CREATE INDEX balance_by_rank ON balance (tick, rank, head);

CREATE TABLE listing (
  -- One row per listing; its id is list:<txid>:<vout>, its anchor <txid>:<vout> (P-51).
  place INTEGER PRIMARY KEY,     -- place of the list operation
  tick TEXT NOT NULL,            -- token.tick
  amount TEXT NOT NULL,          -- raw units
  owner_id INTEGER NOT NULL,     -- address.id of the sender of the list
  seller_id INTEGER NOT NULL,    -- address.id to be paid
  price TEXT NOT NULL,           -- grains
  protocol_fee TEXT NOT NULL,    -- grains (P-52)
  seller_net TEXT NOT NULL,      -- grains
  exp INTEGER,                   -- expiry height or NULL
  txid BLOB NOT NULL,            -- transaction of the list
  vout INTEGER NOT NULL,         -- its input, and the anchor's output index
  created_height INTEGER NOT NULL,     -- its block
  created_time INTEGER NOT NULL,       -- that block's time
  anchor_amount TEXT NOT NULL,   -- grains of the anchor output
  signature BLOB NOT NULL,       -- 64 bytes of BIP340
  policy_hash BLOB NOT NULL,     -- P-54
  state INTEGER NOT NULL,        -- 0 open, 1 open past exp, 2 filled, 3 cancelled, 4 invalid_spent
  unit_key BLOB NOT NULL,        -- floor(price * 2^256 / amount), 40 bytes: exact order of unit prices
  change_key INTEGER NOT NULL,   -- 2 * place while open, 2 * close_place + 1 when closed: order of the history
  close_txid BLOB,               -- transaction that spent the anchor; this and the rest NULL while open
  close_height INTEGER,          -- its block
  close_time INTEGER,            -- that block's time
  close_input INTEGER,           -- input that spent the anchor
  close_place INTEGER,           -- place of the closing
  buyer_id INTEGER               -- address.id that received the units; NULL unless filled
);
CREATE INDEX listing_by_txid ON listing (substr(txid, 1, 8));
CREATE INDEX listing_market ON listing (tick, unit_key, place) WHERE state = 0;
CREATE INDEX listing_expiry ON listing (exp) WHERE state < 2 AND exp IS NOT NULL;
CREATE INDEX listing_open ON listing (place) WHERE state < 2;
CREATE INDEX listing_history ON listing (tick, state, change_key);
CREATE INDEX listing_by_owner ON listing (tick, owner_id, state, place);
CREATE INDEX listing_by_seller ON listing (tick, seller_id, state, place) WHERE seller_id <> owner_id;
CREATE INDEX listing_by_close ON listing (close_place) WHERE close_place IS NOT NULL;
CREATE INDEX listing_fills ON listing (tick, close_time, close_place) WHERE state = 2;

CREATE TABLE expired_open (
  -- Number of open listings past their expiry height, per ticker; no row where 0.
  tick TEXT PRIMARY KEY,         -- token.tick
  listings INTEGER NOT NULL      -- how many
) WITHOUT ROWID;

CREATE TABLE floor (
  -- Cheapest active listing after a block, written where it differs from the one before.
  tick TEXT NOT NULL,            -- token.tick
  height INTEGER NOT NULL,       -- valid from this block on
  price TEXT,                    -- grains of that listing, NULL where there is no active listing
  amount TEXT,                   -- its raw units, NULL where there is none
  PRIMARY KEY (tick, height)
) WITHOUT ROWID;

CREATE TABLE candle (
  -- Fills of a token per interval of block time (H-38); prices are quotients price / amount.
  tick TEXT NOT NULL,            -- token.tick
  interval INTEGER NOT NULL,     -- seconds: 3600, 14400 or 86400
  start INTEGER NOT NULL,        -- unix seconds, a multiple of the interval
  open_price TEXT NOT NULL,      -- first fill in chain order: grains
  open_amount TEXT NOT NULL,     -- and raw units
  high_price TEXT NOT NULL,      -- dearest fill
  high_amount TEXT NOT NULL,     -- and its raw units
  low_price TEXT NOT NULL,       -- cheapest fill
  low_amount TEXT NOT NULL,      -- and its raw units
  close_price TEXT NOT NULL,     -- last fill in chain order
  close_amount TEXT NOT NULL,    -- and its raw units
  volume TEXT NOT NULL,          -- raw units filled
  volume_sat TEXT NOT NULL,      -- grains of price
  fills INTEGER NOT NULL,        -- number of fills
  PRIMARY KEY (tick, interval, start)
) WITHOUT ROWID;

CREATE TABLE undo (
  -- What a block changed, to take it back; kept for the newest blocks only.
  height INTEGER PRIMARY KEY,    -- the block
  record TEXT NOT NULL           -- before-images, see undo-record.ts
);

CREATE TABLE event_log (
  -- Bounded log of event ids (H-39): one row per block or reorganisation, kept also for undone blocks.
  seq INTEGER PRIMARY KEY,       -- counts groups, to bound the log
  first_id INTEGER NOT NULL UNIQUE, -- first event id of the group
  last_id INTEGER NOT NULL,      -- last event id of the group
  kind INTEGER NOT NULL,         -- 0 block, 1 reorganisation
  height INTEGER NOT NULL,       -- height of the block, or of the last block that stayed
  hash BLOB,                     -- hash of the block; NULL for a reorganisation, whose tips follow
  old_height INTEGER,            -- tip before
  old_hash BLOB,                 -- its hash
  new_height INTEGER,            -- the node's tip at the decision
  new_hash BLOB                  -- its hash
);
`,
};
