// Schema 7: what a transaction with lock outputs spends is stored once, not once per output. A stranger's transaction of
// many inputs and outputs took the space of inputs times outputs. Sightings below 10,000 sat count for nothing and are
// removed (S-15).

import type { Migration } from "../connection.ts";

/** Takes the inputs out of the sightings, and small sightings and what is known of their spends out of the facts. */
export const lockInputs: Migration = {
  version: 7,
  name: "lock inputs",
  sql: `
DELETE FROM swap_fact WHERE kind = 'spend' AND key IN (
  SELECT key FROM swap_fact
    WHERE kind IN ('sighting', 'output') AND CAST(json_extract(body, '$.amountSat') AS INTEGER) < 10000);
DELETE FROM swap_fact WHERE kind = 'sighting' AND CAST(json_extract(body, '$.amountSat') AS INTEGER) < 10000;
INSERT INTO swap_fact (kind, key, chain, height, body)
  SELECT 'inputs', substr(key, 1, 64), NULL, NULL, json_object('inputs', json_extract(body, '$.inputs'))
    FROM swap_fact WHERE kind = 'sighting' GROUP BY substr(key, 1, 64);
UPDATE swap_fact SET body = json_remove(body, '$.inputs') WHERE kind = 'sighting';
`,
};
