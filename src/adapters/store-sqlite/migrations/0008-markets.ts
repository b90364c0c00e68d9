// Schema 8: the tickers that are traded, in the order of the last day's volume. A day ends with every block, so a list
// that is ordered by its sums would otherwise read the fills of all tickers for every page.

import { fillMarkets } from "../write/markets.ts";
import type { Migration } from "../connection.ts";

/** Adds the table and fills it as of the tip. */
export const markets: Migration = {
  version: 8,
  name: "markets",
  sql: `
CREATE TABLE market (
  -- Tickers with an open listing or a fill in the 30 days before the tip's time (H-38).
  tick TEXT PRIMARY KEY,         -- token.tick
  rank BLOB NOT NULL,            -- key of volume_sat, larger volumes first (sort-keys.ts)
  volume_sat TEXT NOT NULL,      -- grains of price of the fills in blocks with time > tip time - 86400
  fills INTEGER NOT NULL         -- their number
) WITHOUT ROWID;
CREATE INDEX market_by_volume ON market (rank, tick);
CREATE INDEX block_fills_by_time ON block_fills (time, tick); -- whose fills have left a span of time
`,
  fill: fillMarkets,
};
