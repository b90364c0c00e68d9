// Schema 5: the fills of a token in one block as one row. Sums over a day, and candles that are made again after a
// reorganisation, then cost as much as there are blocks in them, however many fills these had.

import { fillBlockFills } from "../write/candles.ts";
import type { Migration } from "../connection.ts";

/** Adds the table and fills it from the filled listings. */
export const blockFills: Migration = {
  version: 5,
  name: "block fills",
  sql: `
CREATE TABLE block_fills (
  -- Fills of a token in one block; prices are quotients price / amount, as in candle.
  tick TEXT NOT NULL,            -- token.tick
  time INTEGER NOT NULL,         -- block.time
  height INTEGER NOT NULL,       -- block.height
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
  PRIMARY KEY (tick, time, height)
) WITHOUT ROWID;
DROP INDEX listing_fills;
`,
  fill: fillBlockFills,
};
