// Schema 8: equal totals of a token's holders are ordered by all of the address's key, as in schema 16 of SQLite.

import type { Migration } from "../session.ts";

/** The characters of addresses in the order of texts: five bits each. */
const ALPHABET = "023456789acdefghjklmnpqrstuvwxyz";
/** Characters of an address from its head on, the checksum included. */
const FROM_HEAD = 58;
const HEAD = 9;

/** Some characters of `text` as one number; `from`: counted from the first one behind the head, at 1. */
function numberOf(from: number, count: number): string {
  return Array.from({ length: count }, (_, at) => {
    const place = `length(text) - ${FROM_HEAD - HEAD - from - at}`;
    // All operators of bits bind alike, from left to right.
    return `((strpos('${ALPHABET}', substr(text, ${place}, 1)) - 1)::bigint << ${5 * (count - 1 - at)})`;
  }).join(" | ");
}

/** Eight characters are the last five bytes of eight, and the last three, with a bit behind them, the last two. */
const TAIL = [
  ...[1, 9, 17, 25, 33].map((from) => `substr(int8send(${numberOf(from, 8)}), 4)`),
  `substr(int8send((${numberOf(41, 3)}) << 1), 7)`,
].join(" || ");

/** The eighth schema. */
export const addressTails: Migration = {
  version: 8,
  name: "address tails",
  sql: `
DROP INDEX balance_by_rank;
ALTER TABLE balance ADD COLUMN tail bytea NOT NULL DEFAULT '';
UPDATE balance SET tail = ${TAIL} FROM address WHERE address.id = balance.address_id AND length(address.text) >= ${FROM_HEAD};
ALTER TABLE balance ALTER COLUMN tail DROP DEFAULT;
CREATE INDEX balance_by_rank ON balance (tick, rank, head, tail);
`,
};
