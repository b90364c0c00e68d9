// Schema 2: what a writer and readers in other processes tell each other.

import type { Migration } from "../session.ts";

/** The second schema. */
export const roles: Migration = {
  version: 2,
  name: "roles",
  sql: `
CREATE SEQUENCE live_version;      -- grows with each publication, whoever publishes

CREATE TABLE live (
  -- What the writer knows of the present and no block shows: its report, unconfirmed operations, looked-up balances.
  topic text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  version bigint NOT NULL,         -- of the publication that changed the row
  body text COLLATE "C",           -- NULL: it is gone; such rows stay for some minutes
  PRIMARY KEY (topic, key)
);
CREATE INDEX live_by_version ON live (version);

CREATE TABLE swap_change (
  -- The newest changes of the swap tables, in order, for readers that keep the state of swaps in memory.
  id bigint PRIMARY KEY,
  has_picture smallint NOT NULL,   -- 1 where it shows the mempool, which is stored nowhere else
  body text COLLATE "C" NOT NULL
);
CREATE INDEX swap_change_pictures ON swap_change (id) WHERE has_picture = 1;

CREATE TABLE errand (
  -- What a reader asks the writer to do: a POST, on its way or answered. Rows live for seconds.
  id text COLLATE "C" PRIMARY KEY,
  question text COLLATE "C" NOT NULL,
  asked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  state smallint NOT NULL DEFAULT 0, -- 0 waits, 1 something was stored for it, 2 answered, 3 given up
  answer text COLLATE "C"
);
`,
};
