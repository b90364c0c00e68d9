// Are units neither made nor lost (P-30), and do holder counts, ranks and held ticks follow from the balances?

import type { TokenRow } from "../../prc20/state.ts";
import { type Cells, CellReader, hexOf } from "./cells.ts";
import type { Connection } from "./connection.ts";
import { kindOf } from "./kinds.ts";
import { readToken, TOKEN_COLUMNS, TOKEN_TABLES } from "./row-shapes.ts";
import { headOf, rankOf } from "./sort-keys.ts";
import { prefixesOf } from "./write-tokens.ts";

interface Sums {
  units: bigint;
  holders: number;
}

/** Differences in balances and tokens. */
export function auditUnits(connection: Connection): string[] {
  const found: string[] = [];
  const sums = new Map<string, Sums>();
  const held = new Set<string>();
  const listed = openAmounts(connection);
  for (const row of connection.each(
    `SELECT address.text, balance.tick, balance.balance, balance.locked, balance.rank, balance.head FROM balance
       JOIN address ON address.id = balance.address_id`,
  )) {
    found.push(...auditBalance(row, sums, held, listed));
  }
  for (const [key, amount] of listed) found.push(`${key}: open listings of ${amount} without a balance row.`);
  const tokens = connection
    .all(`SELECT ${TOKEN_COLUMNS} FROM ${TOKEN_TABLES}`)
    .map((row) => readToken(new CellReader(row)));
  for (const token of tokens) {
    found.push(...auditToken(connection, token, sums.get(token.tick) ?? { units: 0n, holders: 0 }));
    sums.delete(token.tick);
  }
  for (const tick of sums.keys()) found.push(`Balances name the unknown token ${tick}.`);
  return [...found, ...auditHolders(connection, held.size), ...auditPrefixes(connection, tokens)];
}

function auditBalance(
  row: Cells,
  sums: Map<string, Sums>,
  held: Set<string>,
  listed: Map<string, bigint>,
): string[] {
  const found: string[] = [];
  const cells = new CellReader(row);
  const [address, tick, balance, locked] = [cells.text(), cells.text(), cells.big(), cells.big()];
  const [rank, head] = [cells.hex(), cells.int()];
  const sum = sums.get(tick) ?? { units: 0n, holders: 0 };
  sum.units += balance + locked;
  sum.holders += 1;
  sums.set(tick, sum);
  held.add(address);
  const key = `${address} in ${tick}`;
  if (balance < 0n || locked < 0n || balance + locked === 0n)
    found.push(`${key}: balance ${balance}, ${locked}.`);
  if (rank !== hexOf(rankOf(balance + locked)) || head !== headOf(address)) {
    found.push(`${key}: the holder index does not follow the balance.`);
  }
  const open = listed.get(key) ?? 0n;
  listed.delete(key);
  if (open !== locked) found.push(`${key}: locked is ${locked}, open listings sum to ${open} (P-30).`);
  return found;
}

function openAmounts(connection: Connection): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const row of connection.each(
    `SELECT address.text, listing.tick, listing.amount FROM listing JOIN address ON address.id = listing.owner_id
       WHERE listing.state < 2`,
  )) {
    const cells = new CellReader(row);
    const key = `${cells.text()} in ${cells.text()}`;
    sums.set(key, (sums.get(key) ?? 0n) + cells.big());
  }
  return sums;
}

function auditToken(connection: Connection, token: TokenRow, sums: Sums): string[] {
  const found: string[] = [];
  const { tick } = token;
  if (sums.units + token.burned !== token.minted || token.minted > token.max) {
    found.push(
      `${tick}: held ${sums.units} and burned ${token.burned} do not make up minted ${token.minted} ` +
        `(max ${token.max}) (P-30).`,
    );
  }
  if (sums.holders !== token.holders) {
    found.push(`${tick}: the token says ${token.holders} holders, there are ${sums.holders}.`);
  }
  const transfers = connection.first(
    "SELECT count(*) FROM op WHERE tick = ? AND tick <> '' AND kind = ?",
    tick,
    kindOf("transfer", true),
  );
  if (transfers?.[0] !== token.transfers) {
    found.push(`${tick}: the token says ${token.transfers} transfers, there are ${String(transfers?.[0])}.`);
  }
  return found;
}

function auditHolders(connection: Connection, holders: number): string[] {
  const tip = connection.first("SELECT distinct_holders FROM block ORDER BY height DESC LIMIT 1");
  if (tip === null || tip[0] === holders) return [];
  return [`The tip says ${String(tip[0])} distinct holders, there are ${holders}.`];
}

function auditPrefixes(connection: Connection, tokens: readonly TokenRow[]): string[] {
  const expected = new Set(
    tokens.flatMap(({ tick, deployPlace }) => prefixesOf(tick).map((prefix) => `${prefix} ${deployPlace}`)),
  );
  const stored = connection
    .all("SELECT prefix || ' ' || deploy_place FROM token_prefix")
    .map(([key]) => String(key));
  const sound = stored.length === expected.size && stored.every((key) => expected.has(key));
  return sound ? [] : ["The prefixes of tickers do not follow the tokens."];
}
