// Schema 12: deals that are over leave the ledger's memory. Their facts stay where they are, marked with the bundle that
// they belong to; tables beside them find a bundle by what a change or a question names, and are lists of what has closed.
// All of it follows from the facts, and `reindex` makes it again.

import type { Migration } from "../connection.ts";

/** Adds the column and the tables. */
export const closedDeals: Migration = {
  version: 12,
  name: "closed deals",
  sql: `
ALTER TABLE swap_fact ADD COLUMN bundle INTEGER; -- the closed bundle it belongs to; NULL: it is loaded at a start
CREATE INDEX swap_fact_open ON swap_fact (seq) WHERE bundle IS NULL; -- what a start reads
CREATE INDEX swap_fact_by_bundle ON swap_fact (bundle, seq) WHERE bundle IS NOT NULL;

CREATE TABLE swap_closed (
  -- Orders that have closed together.
  bundle INTEGER PRIMARY KEY,    -- its number; none is given twice
  evm_height INTEGER NOT NULL,   -- highest EVM block that one of its facts is of; -1 where none
  pearl_height INTEGER NOT NULL  -- the same of PEARL
);
CREATE INDEX swap_closed_by_evm ON swap_closed (evm_height);
CREATE INDEX swap_closed_by_pearl ON swap_closed (pearl_height);

CREATE TABLE swap_closed_print (
  -- What finds a bundle: 52 bits of each hash, script and transaction id that has to do with it.
  print INTEGER NOT NULL,        -- two things may have the same
  bundle INTEGER NOT NULL,       -- that it belongs to
  PRIMARY KEY (print, bundle)
) WITHOUT ROWID;
CREATE INDEX swap_closed_print_of ON swap_closed_print (bundle);

CREATE TABLE swap_closed_order (
  -- Closed orders, for lists and counts.
  hash TEXT PRIMARY KEY,         -- order hash
  bundle INTEGER NOT NULL,       -- that it belongs to
  created_at INTEGER NOT NULL,   -- time of the OrderLocked block
  is_match INTEGER NOT NULL,     -- 1 where it was made by lockWithAsk
  bid TEXT NOT NULL,             -- status of the bid
  deal TEXT,                     -- status of the deal; NULL where it was never accepted
  buyer_evm TEXT NOT NULL,       -- who locked the USDC
  seller_evm TEXT NOT NULL,      -- who accepted, else whom the terms name
  usdc TEXT NOT NULL,            -- raw units
  sat TEXT NOT NULL,             -- satoshis
  settled_at INTEGER             -- time of the OrderClaimed block; NULL where it was not claimed
) WITHOUT ROWID;
CREATE INDEX swap_closed_order_of ON swap_closed_order (bundle);
CREATE INDEX swap_closed_order_by_age ON swap_closed_order (created_at, hash);
CREATE INDEX swap_closed_order_by_bid ON swap_closed_order (bid, created_at, hash);
CREATE INDEX swap_closed_order_by_deal ON swap_closed_order (deal, created_at, hash) WHERE deal IS NOT NULL;
CREATE INDEX swap_closed_order_by_buyer ON swap_closed_order (buyer_evm, created_at, hash);
CREATE INDEX swap_closed_order_by_seller ON swap_closed_order (seller_evm, created_at, hash);
CREATE INDEX swap_closed_order_settled ON swap_closed_order (settled_at) WHERE settled_at IS NOT NULL;

CREATE TABLE swap_closed_ask (
  -- Asks that closed orders carry, for lists.
  hash TEXT PRIMARY KEY,         -- ask id
  bundle INTEGER NOT NULL,       -- that it belongs to
  created_at INTEGER NOT NULL,   -- when it was posted
  price TEXT NOT NULL,           -- orders by usdc / sat: 64 hex digits of the quotient times 2^128
  buyer_evm TEXT NOT NULL,       -- of the order
  seller_evm TEXT NOT NULL,      -- who signed it
  usdc TEXT NOT NULL,            -- raw units
  sat TEXT NOT NULL              -- satoshis
) WITHOUT ROWID;
CREATE INDEX swap_closed_ask_of ON swap_closed_ask (bundle);
CREATE INDEX swap_closed_ask_by_age ON swap_closed_ask (created_at, hash);
CREATE INDEX swap_closed_ask_by_price ON swap_closed_ask (price, created_at, hash);
CREATE INDEX swap_closed_ask_by_buyer ON swap_closed_ask (buyer_evm, created_at, hash);
CREATE INDEX swap_closed_ask_by_seller ON swap_closed_ask (seller_evm, created_at, hash);

CREATE TABLE swap_closed_pearl (
  -- Addresses that rows of closed orders and asks show, and scripts of those that their keys fit (S-14).
  text TEXT NOT NULL,            -- the address, key or script
  is_ask INTEGER NOT NULL,       -- 1 an ask, 0 an order
  hash TEXT NOT NULL,            -- of the order or ask
  bundle INTEGER NOT NULL,       -- that it belongs to
  PRIMARY KEY (text, is_ask, hash)
) WITHOUT ROWID;
CREATE INDEX swap_closed_pearl_of ON swap_closed_pearl (bundle);
`,
};
