// Checks of the ledger against operations, closings and balances: its rows are those that these cause, each one is the
// one before it and what was changed, and the last one of an address and ticker is the balance.

import { kindsOf } from "../../store-rows/kinds.ts";

const [DEPLOY, MINT, TRANSFER, BURN, LIST, SEND] = kindsOf(null, true);

/** What operations and closings change, once per address and key (P-41 to P-63). */
const CAUSED = `SELECT address_id, change_key, tick, sum(balance) AS balance, sum(locked) AS locked FROM (
    SELECT to_id AS address_id, 2 * place + 1 AS change_key, tick, amount AS balance, 0 AS locked FROM op
      WHERE kind IN (${DEPLOY}, ${MINT}) AND amount > 0 AND to_id IS NOT NULL
    UNION ALL SELECT from_id, 2 * place + 1, tick, -amount, 0 FROM op
      WHERE kind = ${TRANSFER} AND amount > 0 AND to_id IS DISTINCT FROM from_id
    UNION ALL SELECT to_id, 2 * place + 1, tick, amount, 0 FROM op
      WHERE kind = ${TRANSFER} AND amount > 0 AND to_id IS DISTINCT FROM from_id AND to_id IS NOT NULL
    UNION ALL SELECT from_id, 2 * place + 1, tick, -amount, 0 FROM op WHERE kind = ${BURN} AND amount > 0
    UNION ALL SELECT from_id, 2 * place + 1, tick, -amount, amount FROM op WHERE kind = ${LIST} AND amount > 0
    UNION ALL SELECT filled_owner_id, 2 * place + 1, tick, 0, -amount FROM op WHERE kind = ${SEND} AND amount > 0
    UNION ALL SELECT to_id, 2 * place + 1, tick, amount, 0 FROM op
      WHERE kind = ${SEND} AND amount > 0 AND to_id IS NOT NULL
    UNION ALL SELECT owner_id, 2 * close_place, tick, amount, -amount FROM listing WHERE state > 2) AS effects
  GROUP BY address_id, change_key, tick`;

/** Statements whose rows are the sentences of what is wrong. */
export const LEDGER_CHECKS: readonly string[] = [
  `SELECT 'Address ' || address_id || ' in ' || tick || ': a row of the ledger does not follow from its cause.' FROM (
     SELECT address_id, change_key, tick, balance - lag(balance, 1, 0::numeric) OVER account AS balance,
         locked - lag(locked, 1, 0::numeric) OVER account AS locked
       FROM ledger WINDOW account AS (PARTITION BY address_id, tick ORDER BY change_key)
     EXCEPT ${CAUSED}) AS stray`,
  `SELECT 'Address ' || address_id || ' in ' || tick || ': the ledger lacks a row.' FROM (
     SELECT address_id, change_key, tick FROM (${CAUSED}) AS caused
     EXCEPT SELECT address_id, change_key, tick FROM ledger) AS missing`,
  `SELECT 'Address ' || coalesce(ended.address_id, balance.address_id) || ' in ' || coalesce(ended.tick, balance.tick) ||
     ': the ledger ends with what is not the balance.'
   FROM (SELECT DISTINCT ON (address_id, tick) address_id, tick, balance, locked FROM ledger
       ORDER BY address_id, tick, change_key DESC) AS ended
     FULL JOIN balance ON balance.address_id = ended.address_id AND balance.tick = ended.tick
   WHERE coalesce(ended.balance, 0) <> coalesce(balance.balance, 0)
     OR coalesce(ended.locked, 0) <> coalesce(balance.locked, 0)`,
];
