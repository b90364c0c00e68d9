// Schema 10: the reorganisations in the event log can be found without reading the groups of all blocks between them.

import type { Migration } from "../connection.ts";

/** Adds the index. */
export const reorgs: Migration = {
  version: 10,
  name: "reorgs",
  sql: `
CREATE INDEX event_log_reorgs ON event_log (first_id) WHERE kind = 1; -- reorganisations, newest first
`,
};
