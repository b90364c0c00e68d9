// Checks that the index is sound. Everything that is kept beside the rows is computed again from the rows: conservation
// (P-30), counts, totals and derived rows. The database does what can be said in one statement; what needs our own
// arithmetic is read ticker by ticker.

import { CellReader } from "../../store-rows/cells.ts";
import type { LongStep } from "../../../index/verify.ts";
import { findings, ROWS_PER_STEP } from "../../store-rows/compare-rows.ts";
import { FIRST_NAMED_KIND, kindOf, UNKNOWN_KIND } from "../../store-rows/kinds.ts";
import { headOf, rankOf, tailOf } from "../../store-rows/sort-keys.ts";
import type { Session } from "../session.ts";
import { ANY_TICK } from "../../store-rows/histories.ts";
import { BOOKS_OF_NOBODY } from "../../store-rows/listing-books.ts";
import { LEDGER_CHECKS } from "./audit-ledger.ts";
import { auditMarkets } from "./audit-market.ts";

/** A check names at most this many faults: a wrong index often differs in thousands. */
const NAMED = 5;
const BALANCES_AT_ONCE = 5_000;

const RECEIVING = ["mint", "transfer", "send"].map((op) => kindOf(op, true)).join(", ");
const RECEIVES = `(kind IN (${RECEIVING}) OR (kind = ${kindOf("deploy", true)} AND coalesce(amount, 0) > 0))`;

/** The rows of the histories as they follow from the operations (H-36). */
const HISTORIES = `WITH party AS (
    SELECT from_id AS id, tick, kind, name_id, place FROM op
    UNION SELECT to_id, tick, kind, name_id, place FROM op WHERE to_id IS NOT NULL AND ${RECEIVES}
    UNION SELECT filled_owner_id, tick, kind, name_id, place FROM op WHERE filled_owner_id IS NOT NULL)
  SELECT id, '${ANY_TICK}' AS scope, kind::bigint AS kind, place FROM party
  UNION ALL SELECT id, tick, kind, place FROM party WHERE tick <> ''
  UNION ALL SELECT id, '${ANY_TICK}', ${FIRST_NAMED_KIND} + name_id, place FROM party WHERE name_id IS NOT NULL`;

/** Statements whose rows are the sentences of what is wrong. */
const CHECKS: readonly string[] = [
  `SELECT 'Block ' || height || ' does not link to the one before.' FROM (
     SELECT height, previous_hash, lag(height) OVER (ORDER BY height) AS before, lag(hash) OVER (ORDER BY height) AS hash
       FROM block) AS linked
   WHERE before IS NOT NULL AND (height <> before + 1 OR previous_hash IS DISTINCT FROM hash)`,
  `SELECT 'Block ' || height || ' does not count its operations.' FROM (
     SELECT block.height, events_total, events_valid, next_place, coalesce(last, -1) AS last,
       sum(coalesce(total, 0)) OVER (ORDER BY block.height) AS total,
       sum(coalesce(valid, 0)) OVER (ORDER BY block.height) AS valid
     FROM block LEFT JOIN (SELECT height, count(*) AS total, count(*) FILTER (WHERE kind % 2 = 1) AS valid,
       max(place) AS last FROM op GROUP BY height) AS counted ON counted.height = block.height) AS counted
   WHERE events_total <> total OR events_valid <> valid OR last >= next_place`,
  `SELECT 'The operation at place ' || place || ' has no block.' FROM op
   WHERE NOT EXISTS (SELECT 1 FROM block WHERE block.height = op.height)`,
  `SELECT 'The totals do not follow from tokens and listings.' FROM (SELECT * FROM block ORDER BY height DESC LIMIT 1) AS tip
     CROSS JOIN (SELECT count(*) FILTER (WHERE state < 2) AS open, count(*) FILTER (WHERE state = 2) AS filled,
       count(*) FILTER (WHERE state = 3) AS cancelled, count(*) FILTER (WHERE state = 4) AS invalid,
       count(*) FILTER (WHERE state = 1) AS expired,
       coalesce(sum(protocol_fee) FILTER (WHERE state = 2), 0) AS fee,
       coalesce(sum(seller_net) FILTER (WHERE state = 2), 0) AS net FROM listing) AS sums
   WHERE tip.tokens_deployed <> (SELECT count(*) FROM token) OR tip.lists_open <> open OR tip.lists_filled <> filled
     OR tip.lists_cancelled <> cancelled OR tip.lists_invalid_spent <> invalid OR tip.lists_expired_open <> expired
     OR tip.fee_paid <> fee OR tip.seller_paid <> net
     OR tip.distinct_holders <> (SELECT count(DISTINCT address_id) FROM balance)`,
  `SELECT 'The operation at place ' || place || ' has the wrong kind.' FROM op
   WHERE (kind = ${UNKNOWN_KIND}) <> (name_id IS NOT NULL)`,
  `SELECT 'The operation at place ' || op.place || ' does not name its parties.' FROM op
     LEFT JOIN address AS sender ON sender.id = op.from_id LEFT JOIN address AS recipient ON recipient.id = op.to_id
   WHERE sender.id IS NULL OR (op.to_id IS NOT NULL AND recipient.id IS NULL)`,
  `SELECT 'The operation at place ' || place || ' is missing in the history of one of its addresses.' FROM (
     ${HISTORIES} EXCEPT SELECT address_id, scope, kind, place FROM op_address) AS missing`,
  `SELECT 'The history of address ' || address_id || ' has an operation of somebody else at place ' || place || '.'
   FROM (SELECT address_id, scope, kind, place FROM op_address EXCEPT (${HISTORIES})) AS stray`,
  `SELECT address.text || ' holds ' || coalesce(held.ticks, 0) || ' tickers, noted are ' || address.held || '.'
   FROM address LEFT JOIN (SELECT address_id, count(*) AS ticks FROM balance GROUP BY address_id) AS held
     ON held.address_id = address.id WHERE address.held <> coalesce(held.ticks, 0)`,
  `SELECT 'Undo records have gaps, or the newest block has none.' FROM (
     SELECT count(*) AS records, max(height) - min(height) + 1 AS span, max(height) AS newest FROM undo) AS kept
   WHERE records > 0 AND (records <> span OR newest <> (SELECT max(height) FROM block))`,
  `SELECT 'Event ids do not grow at ' || first_id || '.' FROM (
     SELECT first_id, last_id, lag(last_id) OVER (ORDER BY seq) AS before FROM event_log) AS groups
   WHERE first_id <= before OR last_id < first_id`,
  `SELECT 'The last event id is noted as ' || value || '.' FROM meta
   WHERE key = 'last_event_id' AND value::bigint < (SELECT max(last_id) FROM event_log)`,
  `SELECT address.text || ' in ' || tick || ': locked is ' || locked || ', open listings sum to ' || listed || ' (P-30).'
   FROM (SELECT coalesce(balance.address_id, open.owner_id) AS id, coalesce(balance.tick, open.tick) AS tick,
       coalesce(balance.locked, 0) AS locked, coalesce(open.amount, 0) AS listed, coalesce(balance.balance, 0) AS balance
     FROM balance FULL JOIN (SELECT owner_id, tick, sum(amount) AS amount FROM listing WHERE state < 2
       GROUP BY owner_id, tick) AS open ON open.owner_id = balance.address_id AND open.tick = balance.tick) AS both_sides
     JOIN address ON address.id = both_sides.id
   WHERE locked <> listed OR balance < 0 OR balance + locked = 0`,
  `SELECT coalesce(token.tick, held.tick) || ': held ' || coalesce(units, 0) || ' by ' || coalesce(holders_now, 0) ||
     ' do not make up what the token says (P-30).'
   FROM token FULL JOIN (SELECT tick, sum(balance + locked) AS units, count(*) AS holders_now FROM balance GROUP BY tick)
     AS held ON held.tick = token.tick
   WHERE token.tick IS NULL OR coalesce(units, 0) + token.burned <> token.minted OR token.minted > token.max
     OR coalesce(holders_now, 0) <> token.holders`,
  `SELECT token.tick || ': the token says ' || token.transfers || ' transfers, there are others.' FROM token
   WHERE transfers <> (SELECT count(*) FROM op WHERE op.tick = token.tick AND op.tick <> ''
     AND op.kind = ${kindOf("transfer", true)})`,
  `SELECT 'The prefixes of tickers do not follow the tokens.' FROM (
     (SELECT left(tick, n), deploy_place FROM token CROSS JOIN generate_series(1, 16) AS n WHERE n <= length(tick)
       EXCEPT SELECT prefix, deploy_place FROM token_prefix)
     UNION ALL (SELECT prefix, deploy_place FROM token_prefix
       EXCEPT SELECT left(tick, n), deploy_place FROM token CROSS JOIN generate_series(1, 16) AS n WHERE n <= length(tick))
   ) AS differing LIMIT 1`,
  BOOKS_OF_NOBODY,
  ...LEDGER_CHECKS,
];

/** Differences found in the session's snapshot, check by check; none where the index is sound. */
export async function* auditSteps(session: Session): AsyncGenerator<LongStep, void, void> {
  for (const sql of CHECKS) {
    const found = await session.all(`SELECT * FROM (${sql}) AS found LIMIT ${NAMED}`);
    yield* findings(found.map((row) => new CellReader(row).text()));
    // How many rows a check has gone through only the server knows.
    yield { reading: "tables", rows: ROWS_PER_STEP };
  }
  yield* auditRanks(session);
  yield* findings(await auditMarkets(session));
}

/** The same at once, one sentence each. */
export async function auditStore(session: Session): Promise<readonly string[]> {
  const found: string[] = [];
  for await (const step of auditSteps(session)) if ("finding" in step) found.push(step.finding);
  return found;
}

async function* auditRanks(session: Session): AsyncGenerator<LongStep, void, void> {
  for (let [id, tick] = [0, ""]; ; ) {
    // Without the second condition the server begins each time with the first address.
    const rows = await session.all(
      `SELECT balance.address_id, balance.tick, address.text, balance.balance + balance.locked, balance.rank,
           balance.head, balance.tail
         FROM balance JOIN address ON address.id = balance.address_id AND address.id >= $1
         WHERE (balance.address_id, balance.tick) > ($1, $2) ORDER BY balance.address_id, balance.tick LIMIT $3`,
      id,
      tick,
      BALANCES_AT_ONCE,
    );
    if (rows.length === 0) return;
    const found: string[] = [];
    for (const row of rows) {
      const cells = new CellReader(row);
      [id, tick] = [cells.int(), cells.text()];
      const [address, total, rank] = [cells.text(), cells.big(), cells.bytes()];
      const [head, tail] = [cells.int(), cells.bytes()];
      const isInPlace = head === headOf(address) && Buffer.compare(tail, tailOf(address)) === 0;
      if (isInPlace && Buffer.compare(rank, rankOf(total)) === 0) continue;
      found.push(`${address} in ${tick}: the holder index does not follow the balance.`);
    }
    yield* findings(found);
    yield { reading: "tables", rows: rows.length };
  }
}
