// Schema 3: deals that are over leave the memory of writer and readers, as in schema 12 of SQLite.

import type { Migration } from "../session.ts";

/** The third schema. */
export const closedDeals: Migration = {
  version: 3,
  name: "closed deals",
  sql: `
ALTER TABLE swap_fact ADD COLUMN bundle bigint; -- the closed bundle it belongs to; NULL: it is loaded at a start
CREATE INDEX swap_fact_open ON swap_fact (seq) WHERE bundle IS NULL; -- what a start reads
CREATE INDEX swap_fact_by_bundle ON swap_fact (bundle, seq) WHERE bundle IS NOT NULL;

CREATE TABLE swap_closed (
  -- Orders that have closed together.
  bundle bigint PRIMARY KEY,     -- its number; none is given twice
  evm_height bigint NOT NULL,   -- highest block of each chain that one of its facts is of; -1 where none
  pearl_height bigint NOT NULL
);
CREATE INDEX swap_closed_by_evm ON swap_closed (evm_height);
CREATE INDEX swap_closed_by_pearl ON swap_closed (pearl_height);

CREATE TABLE swap_closed_print (
  -- What finds a bundle: 52 bits of each hash, script and transaction id that has to do with it.
  print bigint NOT NULL,        -- two things may have the same
  bundle bigint NOT NULL,
  PRIMARY KEY (print, bundle)
);
CREATE INDEX swap_closed_print_of ON swap_closed_print (bundle);

CREATE TABLE swap_closed_order (
  -- Closed orders, for lists and counts.
  hash text COLLATE "C" PRIMARY KEY,         -- order hash
  bundle bigint NOT NULL,
  created_at bigint NOT NULL,   -- time of the OrderLocked block
  is_match smallint NOT NULL,     -- 1 where it was made by lockWithAsk
  bid text COLLATE "C" NOT NULL,             -- status of the bid
  deal text COLLATE "C",                     -- status of the deal; NULL where it was never accepted
  buyer_evm text COLLATE "C" NOT NULL,
  seller_evm text COLLATE "C" NOT NULL,
  usdc text COLLATE "C" NOT NULL,            -- raw units
  sat text COLLATE "C" NOT NULL,
  settled_at bigint             -- time of the OrderClaimed block; NULL where it was not claimed
);
CREATE INDEX swap_closed_order_of ON swap_closed_order (bundle);
CREATE INDEX swap_closed_order_by_age ON swap_closed_order (created_at, hash);
CREATE INDEX swap_closed_order_by_bid ON swap_closed_order (bid, created_at, hash);
CREATE INDEX swap_closed_order_by_deal ON swap_closed_order (deal, created_at, hash) WHERE deal IS NOT NULL;
CREATE INDEX swap_closed_order_by_buyer ON swap_closed_order (buyer_evm, created_at, hash);
CREATE INDEX swap_closed_order_by_seller ON swap_closed_order (seller_evm, created_at, hash);
CREATE INDEX swap_closed_order_settled ON swap_closed_order (settled_at) WHERE settled_at IS NOT NULL;

CREATE TABLE swap_closed_ask (
  -- Asks that closed orders carry, for lists.
  hash text COLLATE "C" PRIMARY KEY,         -- ask id
  bundle bigint NOT NULL,
  created_at bigint NOT NULL,
  price text COLLATE "C" NOT NULL,           -- orders by usdc / sat: 64 hex digits of the quotient times 2^128
  buyer_evm text COLLATE "C" NOT NULL,       -- of the order
  seller_evm text COLLATE "C" NOT NULL,
  usdc text COLLATE "C" NOT NULL,
  sat text COLLATE "C" NOT NULL
);
CREATE INDEX swap_closed_ask_of ON swap_closed_ask (bundle);
CREATE INDEX swap_closed_ask_by_age ON swap_closed_ask (created_at, hash);
CREATE INDEX swap_closed_ask_by_price ON swap_closed_ask (price, created_at, hash);
CREATE INDEX swap_closed_ask_by_buyer ON swap_closed_ask (buyer_evm, created_at, hash);
CREATE INDEX swap_closed_ask_by_seller ON swap_closed_ask (seller_evm, created_at, hash);

CREATE TABLE swap_closed_pearl (
  -- Addresses that rows of closed orders and asks show, and scripts of those that their keys fit (S-14).
  text text COLLATE "C" NOT NULL,
  is_ask smallint NOT NULL,       -- 1 an ask, 0 an order
  hash text COLLATE "C" NOT NULL,            -- of the order or ask
  bundle bigint NOT NULL,
  PRIMARY KEY (text, is_ask, hash)
);
CREATE INDEX swap_closed_pearl_of ON swap_closed_pearl (bundle);
`,
};
