// Balances that a transaction changes. A busy row is written once, and every write checks that the row was there exactly
// when the core believed it was.

import type { BalanceRow } from "../../../prc20/state.ts";
import { CellReader } from "../../store-rows/cells.ts";
import type { Amounts } from "../../store-rows/row-shapes.ts";
import { headOf, rankOf, tailOf } from "../../store-rows/sort-keys.ts";
import type { Session } from "../session.ts";
import type { AddressIds } from "./address-ids.ts";
import { RowBatch } from "./row-batch.ts";

interface Pending {
  readonly id: number;
  readonly tick: string;
  /** Whether the database has a row. */
  readonly isStored: boolean;
  now: Amounts | null;
}

/** The amounts of a row; null where there is none, or both are 0. */
export function amountsOf(row: BalanceRow | null): Amounts | null {
  if (row === null || (row.balance === 0n && row.locked === 0n)) return null;
  return { balance: row.balance, locked: row.locked };
}

/** Amounts of balances that a transaction only looks at, by `balanceKey`. */
export type HeldAmounts = ReadonlyMap<string, Amounts>;

/** Name of a balance within a transaction. */
export function balanceKey(id: number, tick: string): string {
  return `${id} ${tick}`;
}

/** Reads balances; those that are not stored are missing in the answer. */
export async function readBalances(
  session: Session,
  keys: readonly { readonly id: number; readonly tick: string }[],
): Promise<HeldAmounts> {
  if (keys.length === 0) return new Map();
  const rows = await session.all(
    `SELECT balance.address_id, balance.tick, balance.balance, balance.locked
       FROM unnest($1::bigint[], $2::text[]) AS asked (id, tick)
       JOIN balance ON balance.address_id = asked.id AND balance.tick = asked.tick`,
    keys.map(({ id }) => id),
    keys.map(({ tick }) => tick),
  );
  return new Map(
    rows.map((row) => {
      const cells = new CellReader(row);
      const key = balanceKey(cells.int(), cells.text());
      return [key, { balance: cells.big(), locked: cells.big() }];
    }),
  );
}

/** The cells that order equal totals. */
function placeAmongEquals(address: string): readonly [number, Uint8Array] {
  return [headOf(address), tailOf(address)];
}

/** Balances of one transaction. */
export class BalanceChanges {
  readonly #addresses: AddressIds;
  readonly #pending = new Map<string, Pending>();

  constructor(addresses: AddressIds) {
    this.#addresses = addresses;
  }

  /** Sets a balance; `before` is what was there until now. Returns the change in the number of holders. */
  set(id: number, tick: string, before: Amounts | null, now: Amounts | null): number {
    const key = balanceKey(id, tick);
    const pending = this.#pending.get(key);
    if (pending === undefined) this.#pending.set(key, { id, tick, isStored: before !== null, now });
    else pending.now = now;
    const delta = (now === null ? 0 : 1) - (before === null ? 0 : 1);
    return delta === 0 ? 0 : this.#addresses.changeHeld(id, delta);
  }

  /** What was set, null where it is nothing; undefined where the balance was not set. */
  get(id: number, tick: string): Amounts | null | undefined {
    return this.#pending.get(balanceKey(id, tick))?.now;
  }

  /** Writes what was set. */
  async write(session: Session): Promise<void> {
    const amounts = { balance: "numeric", locked: "numeric", rank: "bytea" } as const;
    const fresh = new RowBatch("balance", {
      address_id: "bigint",
      tick: "text",
      ...amounts,
      head: "bigint",
      tail: "bytea",
    });
    const changed = new RowBatch("balance", { address_id: "bigint", tick: "text", ...amounts });
    const gone = new RowBatch("balance", { address_id: "bigint", tick: "text" });
    for (const { id, tick, isStored, now } of this.#inOrder()) {
      if (now === null) {
        if (isStored) gone.add(id, tick);
        continue;
      }
      const cells = [String(now.balance), String(now.locked), rankOf(now.balance + now.locked)] as const;
      if (isStored) changed.add(id, tick, ...cells);
      else fresh.add(id, tick, ...cells, ...placeAmongEquals(this.#addresses.textOf(id)));
    }
    await gone.remove(session);
    await changed.update(session, ["address_id", "tick"]);
    await fresh.insert(session);
  }

  /** In the order of the table, so that neighbours are written together. */
  #inOrder(): readonly Pending[] {
    return [...this.#pending.values()].toSorted((a, b) => a.id - b.id);
  }
}
