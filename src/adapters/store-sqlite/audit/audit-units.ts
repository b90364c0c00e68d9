// Checks that units are neither made nor lost (P-30), and that holder counts, ranks and held tickers follow from the
// balances.

import type { TokenRow } from "../../../prc20/state.ts";
import { CellReader, hexOf } from "../../store-rows/cells.ts";
import type { LongStep } from "../../../index/verify.ts";
import { findings } from "../../store-rows/compare-rows.ts";
import type { Connection } from "../connection.ts";
import { kindOf } from "../../store-rows/kinds.ts";
import { prefixesOf, readToken, TOKEN_COLUMNS, TOKEN_TABLES } from "../../store-rows/row-shapes.ts";
import { headOf, rankOf, tailOf } from "../../store-rows/sort-keys.ts";

interface Sums {
  units: bigint;
  holders: number;
}

/** Differences in balances and tokens. */
export function* auditUnits(connection: Connection): Generator<LongStep, void, void> {
  yield* auditBalances(connection);
  yield* auditTokens(connection);
  yield* findings(auditHolders(connection));
  yield* auditPrefixes(connection);
}

/** Units in open listings by owner and ticker, in the order of the table of balances. */
function* openAmounts(connection: Connection): Generator<Locked, null, void> {
  let sum: Locked | null = null;
  for (const row of connection.each(
    `SELECT address.text, listing.owner_id, listing.tick, listing.amount FROM listing
       JOIN address ON address.id = listing.owner_id WHERE listing.state < 2 ORDER BY 2, 3`,
  )) {
    const cells = new CellReader(row);
    const [address, id, tick, amount] = [cells.text(), cells.int(), cells.text(), cells.big()];
    if (sum === null || sum.id !== id || sum.tick !== tick) {
      if (sum !== null) yield sum;
      sum = { address, id, tick, amount: 0n };
    }
    sum.amount += amount;
  }
  if (sum !== null) yield sum;
  return null;
}

interface Locked {
  readonly address: string;
  readonly id: number;
  readonly tick: string;
  amount: bigint;
}

function* auditBalances(connection: Connection): Generator<LongStep, void, void> {
  const listed = openAmounts(connection);
  let locked = listed.next().value;
  for (const row of connection.each(
    `SELECT address.text, balance.address_id, balance.tick, balance.balance, balance.locked, balance.rank,
       balance.head, balance.tail FROM balance CROSS JOIN address ON address.id = balance.address_id
       ORDER BY balance.address_id, balance.tick`,
  )) {
    const cells = new CellReader(row);
    const [address, id, tick] = [cells.text(), cells.int(), cells.text()];
    while (locked !== null && (locked.id < id || (locked.id === id && locked.tick < tick))) {
      yield { finding: withoutBalance(locked) };
      locked = listed.next().value;
    }
    const isListed = locked !== null && locked.id === id && locked.tick === tick;
    yield* auditBalance(`${address} in ${tick}`, address, cells, isListed ? (locked?.amount ?? 0n) : 0n);
    if (isListed) locked = listed.next().value;
    yield { reading: "books of balances", rows: 1 };
  }
  for (; locked !== null; locked = listed.next().value) yield { finding: withoutBalance(locked) };
}

function withoutBalance({ address, tick, amount }: Locked): string {
  return `${address} in ${tick}: open listings of ${amount} without a balance row.`;
}

function* auditBalance(
  key: string,
  address: string,
  cells: CellReader,
  open: bigint,
): Generator<LongStep, void, void> {
  const [balance, locked, rank] = [cells.big(), cells.big(), cells.hex()];
  const [head, tail] = [cells.int(), cells.hex()];
  if (balance < 0n || locked < 0n || balance + locked === 0n)
    yield { finding: `${key}: balance ${balance}, ${locked}.` };
  const isInPlace = head === headOf(address) && tail === hexOf(tailOf(address));
  if (rank !== hexOf(rankOf(balance + locked)) || !isInPlace) {
    yield { finding: `${key}: the holder index does not follow the balance.` };
  }
  if (open !== locked) {
    yield { finding: `${key}: locked is ${locked}, open listings sum to ${open} (P-30).` };
  }
}

/** Sums of balances by ticker, in its order. */
function* heldByTick(connection: Connection): Generator<Sums & { readonly tick: string }, null, void> {
  let sum: (Sums & { readonly tick: string }) | null = null;
  for (const row of connection.each("SELECT tick, balance, locked FROM balance ORDER BY tick")) {
    const cells = new CellReader(row);
    const [tick, units] = [cells.text(), cells.big() + cells.big()];
    if (sum === null || sum.tick !== tick) {
      if (sum !== null) yield sum;
      sum = { tick, units: 0n, holders: 0 };
    }
    sum.units += units;
    sum.holders += 1;
  }
  if (sum !== null) yield sum;
  return null;
}

function* auditTokens(connection: Connection): Generator<LongStep, void, void> {
  const held = heldByTick(connection);
  let sums = held.next().value;
  for (const row of connection.each(`SELECT ${TOKEN_COLUMNS} FROM ${TOKEN_TABLES} ORDER BY token.tick`)) {
    const token = readToken(new CellReader(row));
    for (; sums !== null && sums.tick < token.tick; sums = held.next().value) {
      yield { finding: `Balances name the unknown token ${sums.tick}.` };
    }
    const own: Sums | null = sums?.tick === token.tick ? sums : null;
    yield* findings(auditToken(connection, token, own ?? { units: 0n, holders: 0 }));
    if (own !== null) sums = held.next().value;
    yield { reading: "books of tokens", rows: 1 };
  }
  for (; sums !== null; sums = held.next().value) {
    yield { finding: `Balances name the unknown token ${sums.tick}.` };
  }
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

function auditHolders(connection: Connection): string[] {
  const tip = connection.first("SELECT distinct_holders FROM block ORDER BY height DESC LIMIT 1");
  const counted = connection.first("SELECT count(*) FROM (SELECT DISTINCT address_id FROM balance)");
  if (tip === null || tip[0] === counted?.[0]) return [];
  return [`The tip says ${String(tip[0])} distinct holders, there are ${String(counted?.[0])}.`];
}

function* auditPrefixes(connection: Connection): Generator<LongStep, void, void> {
  let expected = 0;
  let isWhole = true;
  for (const row of connection.each("SELECT tick, deploy_place FROM token")) {
    const cells = new CellReader(row);
    const [tick, place] = [cells.text(), cells.int()];
    for (const prefix of prefixesOf(tick)) {
      expected += 1;
      const sql = "SELECT 1 FROM token_prefix WHERE prefix = ? AND deploy_place = ?";
      isWhole &&= connection.first(sql, prefix, place) !== null;
    }
    yield { reading: "prefixes", rows: 1 };
  }
  const stored = connection.first("SELECT count(*) FROM token_prefix");
  if (!isWhole || stored?.[0] !== expected)
    yield { finding: "The prefixes of tickers do not follow the tokens." };
}
