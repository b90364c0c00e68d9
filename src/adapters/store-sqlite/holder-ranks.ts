// When do balances get their place in the order of holders? With their block or, at the tip, in a transaction right
// behind it. Until then the undo records of those blocks say which balances they are.

import type { BalanceRow } from "../../prc20/state.ts";
import { CellReader } from "./cells.ts";
import type { Connection } from "./connection.ts";
import { readBalance } from "./row-shapes.ts";
import { rankOf } from "./sort-keys.ts";
import { type BalanceImage, decodeUndo } from "./undo-record.ts";

/** Rank of a balance that the index of ranks does not have. */
export const NO_RANK = new Uint8Array(0);

/** The balances that the blocks from a place on have changed, in their order; one may come more than once. */
function changedBalances(connection: Connection, unindexedFrom: number): readonly BalanceImage[] {
  const records = connection.all(
    "SELECT undo.record FROM block CROSS JOIN undo ON undo.height = block.height WHERE block.next_place > ? ORDER BY block.height",
    unindexedFrom,
  );
  return records.flatMap((row) => decodeUndo(new CellReader(row).text()).balances);
}

/** Ids of the addresses whose balances of a ticker may not be ranked. */
export function unrankedIds(
  connection: Connection,
  unindexedFrom: number,
  tick: string,
): ReadonlySet<number> {
  const changed = changedBalances(connection, unindexedFrom);
  return new Set(changed.filter((image) => image.tick === tick).map(({ addressId }) => addressId));
}

/** A balance by its address's id, or null. */
export function balanceOfId(connection: Connection, addressId: number, tick: string): BalanceRow | null {
  const row = connection.first(
    `SELECT address.text, balance.tick, balance.balance, balance.locked FROM balance
       CROSS JOIN address ON address.id = balance.address_id WHERE balance.address_id = ? AND balance.tick = ?`,
    addressId,
    tick,
  );
  return row === null ? null : readBalance(new CellReader(row));
}

/** Ranks the balances that the blocks from a place on have changed, within a transaction. */
export function rankBalances(connection: Connection, unindexedFrom: number): void {
  const update = connection.prepared("UPDATE balance SET rank = ? WHERE address_id = ? AND tick = ?");
  const done = new Set<string>();
  for (const { addressId, tick } of changedBalances(connection, unindexedFrom)) {
    const key = `${addressId} ${tick}`;
    if (done.has(key)) continue;
    done.add(key);
    const row = balanceOfId(connection, addressId, tick);
    if (row !== null) update.run(rankOf(row.balance + row.locked), addressId, tick);
  }
}
