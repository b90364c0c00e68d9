// Checks the ledger against operations, closings and balances: its rows are those that these cause, each one is the one
// before it and what was changed, and the last one of an address and ticker is the balance.

import { CellReader } from "../../store-rows/cells.ts";
import type { LongStep } from "../../../index/verify.ts";
import type { Connection } from "../connection.ts";
import { kindOf } from "../../store-rows/kinds.ts";
import { type BalanceChange, effectsOf, returned } from "../../store-rows/ledger-effects.ts";

/** Rows with what caused them, by address and ticker, oldest first. */
const ROWS = `SELECT ledger.address_id, ledger.tick, ledger.balance, ledger.locked,
    coalesce(op.tick, closed.tick, ''), coalesce(op.kind, -1), coalesce(op.amount, closed.amount, '0'),
    coalesce(op.from_id, closed.owner_id, -1), op.to_id, op.filled_owner_id, coalesce(closed.state, -1)
  FROM ledger INDEXED BY ledger_by_tick
    LEFT JOIN op ON op.place = iif(ledger.change_key % 2 = 1, ledger.change_key / 2, NULL)
    LEFT JOIN listing AS closed ON closed.close_place = iif(ledger.change_key % 2 = 0, ledger.change_key / 2, NULL)
  ORDER BY ledger.address_id, ledger.tick, ledger.change_key`;

/** How many rows operations and closings cause: a transfer to oneself none, a fill for the owner one. */
const CAUSED = `SELECT
  (SELECT coalesce(sum(CASE WHEN kind = ${kindOf("transfer", true)} THEN iif(to_id = from_id, 0, 2)
      WHEN kind = ${kindOf("send", true)} THEN iif(to_id = filled_owner_id, 1, 2) ELSE 1 END), 0)
    FROM op WHERE kind & 1 AND amount IS NOT NULL)
  + (SELECT count(*) FROM listing WHERE state > 2)`;

interface Account {
  readonly id: number;
  readonly tick: string;
  balance: bigint;
  locked: bigint;
}

/** Differences in the ledger. */
export function* auditLedger(connection: Connection): Generator<LongStep, void, void> {
  let account: Account | null = null;
  let [rows, held] = [0, 0];
  for (const row of connection.each(ROWS)) {
    const cells = new CellReader(row);
    const [id, tick, balance, locked] = [cells.int(), cells.text(), cells.big(), cells.big()];
    if (account === null || account.id !== id || account.tick !== tick) {
      if (account !== null) {
        held += account.balance + account.locked > 0n ? 1 : 0;
        if (!isBalance(connection, account)) yield unlikeBalance(connection, account);
      }
      account = { id, tick, balance: 0n, locked: 0n };
    }
    const effect = cells.text() === tick ? effectOn(id, cells) : null;
    if (
      account.balance + (effect?.balance ?? 0n) !== balance ||
      account.locked + (effect?.locked ?? 0n) !== locked ||
      effect === null
    )
      yield {
        finding: `${nameOf(connection, id)} in ${tick}: a row of the ledger does not follow from its cause.`,
      };
    account.balance = balance;
    account.locked = locked;
    rows += 1;
    yield { reading: "books of the ledger", rows: 1 };
  }
  if (account !== null) {
    held += account.balance + account.locked > 0n ? 1 : 0;
    if (!isBalance(connection, account)) yield unlikeBalance(connection, account);
  }
  const [caused, balances] = [count(connection, CAUSED), count(connection, "SELECT count(*) FROM balance")];
  if (rows !== caused) yield { finding: `The ledger has ${rows} rows instead of ${caused}.` };
  if (held !== balances) yield { finding: `The ledger ends with ${held} balances, there are ${balances}.` };
}

/** What the cause of a row changes for its address; null where it does not concern it. */
function effectOn(id: number, cells: CellReader): BalanceChange | null {
  const [kind, amount] = [cells.int(), cells.big()];
  const [from, to, owner, state] = [cells.int(), cells.intOrNull(), cells.intOrNull(), cells.int()];
  if (state > 2) return from === id ? returned(id, amount) : null;
  return effectsOf(kind, amount, { from, to, owner }).find((effect) => effect.id === id) ?? null;
}

function isBalance(connection: Connection, { id, tick, balance, locked }: Account): boolean {
  const row = connection.first(
    "SELECT balance, locked FROM balance WHERE address_id = ? AND tick = ?",
    id,
    tick,
  );
  const cells = new CellReader(row ?? ["0", "0"]);
  return cells.big() === balance && cells.big() === locked;
}

function unlikeBalance(connection: Connection, { id, tick, balance, locked }: Account): LongStep {
  return {
    finding: `${nameOf(connection, id)} in ${tick}: the ledger ends with ${balance}, ${locked}, which is not the balance.`,
  };
}

function nameOf(connection: Connection, id: number): string {
  return String(connection.first("SELECT text FROM address WHERE id = ?", id)?.[0]);
}

function count(connection: Connection, sql: string): number {
  const row = connection.first(sql);
  return row === null ? 0 : new CellReader(row).int();
}
