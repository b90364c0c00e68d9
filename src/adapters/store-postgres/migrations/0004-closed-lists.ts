// Schema 4: lists of closed deals are ranges of indexes, as in schema 13 of SQLite.

import type { Migration } from "../session.ts";

/** The fourth schema. */
export const closedLists: Migration = {
  version: 4,
  name: "lists of closed deals",
  sql: `
DROP TABLE swap_closed_order;
DROP TABLE swap_closed_ask;
DROP TABLE swap_closed_pearl;
DELETE FROM swap_closed;
DELETE FROM swap_closed_print;
UPDATE swap_fact SET bundle = NULL WHERE bundle IS NOT NULL;
DELETE FROM swap_fact WHERE kind IN ('closed', 'unrevealed');

CREATE TABLE swap_closed_order (
  -- Closed orders, for lists and counts.
  hash text COLLATE "C" PRIMARY KEY, -- order hash
  bundle bigint NOT NULL, -- that it belongs to
  created_at bigint NOT NULL, -- time of the OrderLocked block
  class smallint NOT NULL, -- what it was and how it ended: 0 to 2 of an ask, 3 to 5 an accepted bid, 6 to 8 another
  -- bid, 9 to 11 of an ask and not accepted; of three one was settled, one refunded, one cancelled
  buyer_evm text COLLATE "C" NOT NULL, -- who locked the USDC
  seller_evm text COLLATE "C" NOT NULL, -- who accepted, else whom the terms name
  usdc text COLLATE "C" NOT NULL, -- raw units
  sat text COLLATE "C" NOT NULL, -- satoshis
  settled_at bigint -- time of the OrderClaimed block; NULL where it was not claimed
);
CREATE INDEX swap_closed_order_of ON swap_closed_order (bundle);
CREATE INDEX swap_closed_order_by_class ON swap_closed_order (class, created_at, hash);
CREATE INDEX swap_closed_order_by_buyer ON swap_closed_order (buyer_evm, class, created_at, hash);
CREATE INDEX swap_closed_order_by_seller ON swap_closed_order (seller_evm, class, created_at, hash);
CREATE INDEX swap_closed_order_by_both ON swap_closed_order (buyer_evm, seller_evm, class, created_at, hash);
CREATE INDEX swap_closed_order_settled ON swap_closed_order (settled_at) WHERE settled_at IS NOT NULL;

CREATE TABLE swap_closed_ask (
  -- Asks that closed orders carry, for lists.
  hash text COLLATE "C" PRIMARY KEY, -- ask id
  bundle bigint NOT NULL, -- that it belongs to
  created_at bigint NOT NULL, -- when it was posted
  price text COLLATE "C" NOT NULL, -- orders by usdc / sat: 64 hex digits of the quotient times 2^128
  buyer_evm text COLLATE "C" NOT NULL, -- of the order
  seller_evm text COLLATE "C" NOT NULL, -- who signed it
  usdc text COLLATE "C" NOT NULL, -- raw units
  sat text COLLATE "C" NOT NULL -- satoshis
);
CREATE INDEX swap_closed_ask_of ON swap_closed_ask (bundle);
CREATE INDEX swap_closed_ask_by_age ON swap_closed_ask (created_at, hash);
CREATE INDEX swap_closed_ask_by_price ON swap_closed_ask (price, created_at, hash);
CREATE INDEX swap_closed_ask_by_buyer ON swap_closed_ask (buyer_evm, created_at, hash);
CREATE INDEX swap_closed_ask_by_seller ON swap_closed_ask (seller_evm, created_at, hash);
CREATE INDEX swap_closed_ask_by_buyer_price ON swap_closed_ask (buyer_evm, price, created_at, hash);
CREATE INDEX swap_closed_ask_by_seller_price ON swap_closed_ask (seller_evm, price, created_at, hash);

CREATE TABLE swap_closed_pearl (
  -- Addresses that rows of closed orders and asks show, and scripts of those that their keys fit (S-14).
  text text COLLATE "C" NOT NULL, -- the address, key or script
  class smallint NOT NULL, -- of the order; 12: an ask
  created_at bigint NOT NULL, -- of the order or ask
  hash text COLLATE "C" NOT NULL, -- of the order or ask
  bundle bigint NOT NULL, -- that it belongs to
  PRIMARY KEY (text, class, created_at, hash)
);
CREATE INDEX swap_closed_pearl_of ON swap_closed_pearl (bundle);
`,
};
