// Schema 1: every table, column and index, with what each is for. Names and meanings are those of the SQLite engine, so
// that one description serves both. Amounts are `numeric`; whatever is ordered by an amount has an exact key in bytes;
// every text is ordered by its bytes, whatever the locale of the database.

import type { Migration } from "../session.ts";

/** The first schema. */
export const initial: Migration = {
  version: 1,
  name: "initial",
  sql: `
CREATE TABLE meta (
  -- Single values of the database: parameters of P-01, the highest event id, and the like.
  key text COLLATE "C" PRIMARY KEY,
  value text COLLATE "C" NOT NULL
);

CREATE TABLE writer (
  -- One row: the number of the writer that may commit. Each new writer raises it, and each transaction of a writer checks it.
  id smallint PRIMARY KEY CHECK (id = 1),
  fence bigint NOT NULL
);
INSERT INTO writer (id, fence) VALUES (1, 0);

CREATE TABLE block (
  -- One row per block of the indexed chain, from the base block (start height - 1) to the tip.
  height bigint PRIMARY KEY,
  hash bytea NOT NULL,
  previous_hash bytea,             -- NULL for the base block
  time bigint NOT NULL,            -- header time, unix seconds
  digest bytea NOT NULL,           -- D(height) of P-80
  events_total bigint NOT NULL,    -- running totals as of this block (H-37) from here on
  events_valid bigint NOT NULL,
  tokens_deployed bigint NOT NULL,
  lists_open bigint NOT NULL,
  lists_filled bigint NOT NULL,
  lists_cancelled bigint NOT NULL,
  lists_invalid_spent bigint NOT NULL,
  fee_paid numeric NOT NULL,
  seller_paid numeric NOT NULL,
  next_place bigint NOT NULL,      -- places of this block are below it
  distinct_holders bigint NOT NULL,
  lists_expired_open bigint NOT NULL
);
CREATE INDEX block_by_hash ON block (substr(hash, 25, 8)); -- by its end: the beginning of a hash is zeros
CREATE INDEX block_by_time ON block (time, height);        -- the last block before a time

CREATE TABLE address (
  -- Interned addresses: other tables name an address by its id. Rows stay when a branch is undone.
  id bigint PRIMARY KEY,
  text text COLLATE "C" NOT NULL UNIQUE,
  held bigint NOT NULL             -- number of its rows in balance
);

CREATE TABLE op_name (
  -- Interned names of operations outside the protocol (OP_UNKNOWN).
  id bigint PRIMARY KEY,
  text text COLLATE "C" NOT NULL UNIQUE
);

CREATE TABLE op (
  -- One row per recorded operation (P-14).
  place bigint PRIMARY KEY,
  height bigint NOT NULL,
  tx_index bigint NOT NULL,
  txid bytea NOT NULL,
  vout bigint NOT NULL,            -- input index (P-10)
  kind smallint NOT NULL,          -- operation and validity, see kinds.ts
  name_id bigint,                  -- op_name.id of an unknown operation
  tick text COLLATE "C" NOT NULL,  -- canonical ticker or ''
  reason text COLLATE "C",
  from_id bigint NOT NULL,
  to_id bigint,
  amount numeric(39),
  listing_place bigint,            -- listing.place of the created or named listing
  filled_owner_id bigint,          -- owner of the listing that a valid send filled
  payload text COLLATE "C" NOT NULL -- body exactly as inscribed
);
CREATE INDEX op_by_kind ON op (kind, place);
CREATE INDEX op_by_tick ON op (tick, kind, place) WHERE tick <> '';
CREATE INDEX op_by_txid ON op (substr(txid, 1, 8));
CREATE INDEX op_by_name ON op (name_id, place) WHERE name_id IS NOT NULL;

CREATE TABLE op_address (
  -- History of an address (H-36): one row per operation for all ticks, and one for its tick.
  address_id bigint NOT NULL,
  scope text COLLATE "C" NOT NULL, -- '*' for any tick, else the ticker
  kind bigint NOT NULL,            -- as op.kind; for unknown names also their own kind, see kinds.ts
  place bigint NOT NULL,
  PRIMARY KEY (address_id, scope, kind, place)
);

CREATE TABLE token (
  -- One row per deployed ticker.
  tick text COLLATE "C" PRIMARY KEY,
  dec text COLLATE "C" NOT NULL,
  max numeric(39) NOT NULL,
  lim numeric(39) NOT NULL,
  pre numeric(39) NOT NULL,
  minted numeric(39) NOT NULL,
  burned numeric(39) NOT NULL,
  cid text COLLATE "C",
  deployer_id bigint NOT NULL,
  deploy_txid bytea NOT NULL,
  deploy_height bigint NOT NULL,
  deploy_place bigint NOT NULL UNIQUE,
  holders bigint NOT NULL,         -- addresses with balance + locked > 0
  transfers bigint NOT NULL,       -- valid transfer operations
  open_count bigint NOT NULL,      -- open listings, expired ones included
  filled_count bigint NOT NULL,
  cancelled_count bigint NOT NULL,
  invalid_spent_count bigint NOT NULL,
  filled_amount numeric NOT NULL,
  invalid_spent_amount numeric NOT NULL,
  fee_paid numeric NOT NULL,
  seller_paid numeric NOT NULL
);

CREATE TABLE token_prefix (
  -- Every prefix of every ticker, so that a prefix filter is one range in deploy order.
  prefix text COLLATE "C" NOT NULL,
  deploy_place bigint NOT NULL,
  PRIMARY KEY (prefix, deploy_place)
);

CREATE TABLE balance (
  -- Units of an address in a token; no row where both amounts are 0.
  address_id bigint NOT NULL,
  tick text COLLATE "C" NOT NULL,
  balance numeric(39) NOT NULL,    -- spendable raw units
  locked numeric(39) NOT NULL,     -- raw units in open listings
  rank bytea NOT NULL,             -- key of balance + locked, larger totals first (sort-keys.ts)
  head bigint NOT NULL,            -- first 9 characters of the address's data as 45 bits: orders equal totals
  PRIMARY KEY (address_id, tick)
) WITH (fillfactor = 85);
CREATE INDEX balance_by_rank ON balance (tick, rank, head);

CREATE TABLE ledger (
  -- Changes of balance or locked amount (H-38): one row for each address that an operation or a closing concerns.
  address_id bigint NOT NULL,
  change_key bigint NOT NULL,      -- 2 * op.place + 1 of the operation, 2 * listing.close_place of the closing
  tick text COLLATE "C" NOT NULL,
  balance numeric(39) NOT NULL,    -- after it
  locked numeric(39) NOT NULL,     -- after it
  PRIMARY KEY (address_id, change_key)
);
CREATE INDEX ledger_by_tick ON ledger (address_id, tick, change_key);

CREATE TABLE listing (
  -- One row per listing; its id is list:<txid>:<vout>, its anchor <txid>:<vout> (P-51).
  place bigint PRIMARY KEY,        -- place of the list operation
  tick text COLLATE "C" NOT NULL,
  amount numeric(39) NOT NULL,
  owner_id bigint NOT NULL,
  seller_id bigint NOT NULL,
  price numeric NOT NULL,          -- grains
  protocol_fee numeric NOT NULL,
  seller_net numeric NOT NULL,
  exp bigint,                      -- expiry height or NULL
  txid bytea NOT NULL,
  vout bigint NOT NULL,            -- input of the list, and the anchor's output index
  created_height bigint NOT NULL,
  created_time bigint NOT NULL,
  anchor_amount numeric NOT NULL,
  signature bytea NOT NULL,        -- 64 bytes of BIP340
  policy_hash bytea NOT NULL,      -- P-54
  state smallint NOT NULL,         -- 0 open, 1 open past exp, 2 filled, 3 cancelled, 4 invalid_spent
  unit_key bytea NOT NULL,         -- floor(price * 2^256 / amount), 40 bytes: exact order of unit prices
  change_key bigint NOT NULL,      -- 2 * place while open, 2 * close_place + 1 when closed
  close_txid bytea,                -- this and the rest NULL while open
  close_height bigint,
  close_time bigint,
  close_input bigint,
  close_place bigint,
  buyer_id bigint                  -- NULL unless filled
) WITH (fillfactor = 85);
CREATE INDEX listing_by_txid ON listing (substr(txid, 1, 8));
CREATE INDEX listing_market ON listing (tick, unit_key, place) WHERE state = 0;
CREATE INDEX listing_expiry ON listing (exp) WHERE state < 2 AND exp IS NOT NULL;
CREATE INDEX listing_open ON listing (place) WHERE state < 2;
CREATE INDEX listing_history ON listing (tick, state, change_key);
CREATE INDEX listing_by_owner ON listing (tick, owner_id, state, place);
CREATE INDEX listing_by_seller ON listing (tick, seller_id, state, place) WHERE seller_id <> owner_id;
CREATE INDEX listing_of_owner ON listing (owner_id, state, place);
CREATE INDEX listing_of_seller ON listing (seller_id, state, place) WHERE seller_id <> owner_id;
CREATE INDEX listing_by_close ON listing (close_place) WHERE close_place IS NOT NULL;

CREATE TABLE expired_open (
  -- Number of open listings past their expiry height, per ticker; no row where 0.
  tick text COLLATE "C" PRIMARY KEY,
  listings bigint NOT NULL
);

CREATE TABLE floor (
  -- Cheapest active listing after a block, written where it differs from the one before.
  tick text COLLATE "C" NOT NULL,
  height bigint NOT NULL,          -- valid from this block on
  price numeric,                   -- NULL where there is no active listing
  amount numeric(39),
  PRIMARY KEY (tick, height)
);

CREATE TABLE block_fills (
  -- Fills of a token in one block; prices are quotients price / amount.
  tick text COLLATE "C" NOT NULL,
  time bigint NOT NULL,            -- block.time
  height bigint NOT NULL,          -- block.height
  open_price numeric NOT NULL,
  open_amount numeric(39) NOT NULL,
  high_price numeric NOT NULL,
  high_amount numeric(39) NOT NULL,
  low_price numeric NOT NULL,
  low_amount numeric(39) NOT NULL,
  close_price numeric NOT NULL,
  close_amount numeric(39) NOT NULL,
  volume numeric NOT NULL,
  volume_sat numeric NOT NULL,
  fills bigint NOT NULL,
  PRIMARY KEY (tick, time, height)
);
CREATE INDEX block_fills_by_time ON block_fills (time, tick);

CREATE TABLE candle (
  -- Fills of a token per interval of block time (H-38); prices are quotients price / amount.
  tick text COLLATE "C" NOT NULL,
  interval bigint NOT NULL,        -- seconds: 3600, 14400 or 86400
  start bigint NOT NULL,           -- unix seconds, a multiple of the interval
  open_price numeric NOT NULL,
  open_amount numeric(39) NOT NULL,
  high_price numeric NOT NULL,
  high_amount numeric(39) NOT NULL,
  low_price numeric NOT NULL,
  low_amount numeric(39) NOT NULL,
  close_price numeric NOT NULL,
  close_amount numeric(39) NOT NULL,
  volume numeric NOT NULL,
  volume_sat numeric NOT NULL,
  fills bigint NOT NULL,
  PRIMARY KEY (tick, interval, start)
);

CREATE TABLE market (
  -- Tickers with an open listing or a fill in the 30 days before the tip's time (H-38).
  tick text COLLATE "C" PRIMARY KEY,
  rank bytea NOT NULL,             -- key of volume_sat, larger volumes first (sort-keys.ts)
  volume_sat numeric NOT NULL,     -- grains of price of the fills in blocks with time > tip time - 86400
  fills bigint NOT NULL
);
CREATE INDEX market_by_volume ON market (rank, tick);

CREATE TABLE undo (
  -- What a block changed, to take it back; kept for the newest blocks only.
  height bigint PRIMARY KEY,
  record text COLLATE "C" NOT NULL -- before-images, see undo-record.ts
);

CREATE TABLE event_log (
  -- Bounded log of event ids (H-39): one row per block, reorganisation or group of swap events.
  seq bigint PRIMARY KEY,          -- counts groups, to bound the log
  first_id bigint NOT NULL UNIQUE,
  last_id bigint NOT NULL,
  kind smallint NOT NULL,          -- 0 block, 1 reorganisation, 2 swap events
  height bigint NOT NULL,          -- of the block, or of the last block that stayed; 0 for swap events
  hash bytea,
  old_height bigint,
  old_hash bytea,
  new_height bigint,
  new_hash bytea
);
CREATE INDEX event_log_reorgs ON event_log (first_id) WHERE kind = 1;

CREATE TABLE swap_identity (
  -- What the swap tables belong to (S-26): one row at most.
  id smallint PRIMARY KEY CHECK (id = 1),
  network text COLLATE "C" NOT NULL,
  chain_id bigint NOT NULL,
  escrow text COLLATE "C" NOT NULL
);

CREATE TABLE swap_fact (
  -- Everything stored about swaps (S-50): facts of both chains, and records that no chain shows.
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, -- order of first insertion: the order of loading
  kind text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  chain smallint,                  -- 0 EVM, 1 PEARL; NULL where tied to no block
  height bigint,
  body text COLLATE "C" NOT NULL,  -- JSON, amounts as decimal strings
  UNIQUE (kind, key)
);
CREATE INDEX swap_fact_by_block ON swap_fact (chain, height) WHERE chain IS NOT NULL;

CREATE TABLE swap_checkpoint (
  -- Blocks of both chains that the swap service has read, for finding forks.
  chain smallint NOT NULL,
  height bigint NOT NULL,
  hash text COLLATE "C" NOT NULL,
  time bigint NOT NULL,
  PRIMARY KEY (chain, height)
);

CREATE TABLE swap_event (
  -- Events of swaps (H-39, H-47), as told. Their ids are those of the groups of kind 2 in event_log.
  id bigint PRIMARY KEY,
  type text COLLATE "C" NOT NULL,
  chain smallint,
  height bigint,
  undone smallint NOT NULL,        -- 1 where its block was taken back: nobody resumes there
  deal_hash text COLLATE "C",
  addresses text COLLATE "C" NOT NULL, -- JSON array of the addresses that find it
  data text COLLATE "C" NOT NULL   -- JSON text of the event's data
);
CREATE INDEX swap_event_by_block ON swap_event (chain, height) WHERE chain IS NOT NULL AND undone = 0;
CREATE INDEX swap_event_reorgs ON swap_event (id) WHERE type = 'reorg';
`,
};
