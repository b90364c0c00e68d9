// Schema 7: what was told of the mempool is no longer kept for those who begin, since the mempool's picture is stored.

import type { Migration } from "../session.ts";

/** The seventh schema. The index of what showed the mempool goes with its column. */
export const toldChanges: Migration = {
  version: 7,
  name: "told changes",
  sql: "ALTER TABLE swap_change DROP COLUMN has_picture",
};
