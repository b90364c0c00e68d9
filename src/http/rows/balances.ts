// How do balances become wire rows? (H-31, H-38)

import type { Static } from "typebox";
import type { BalanceView } from "../../index/queries.ts";
import type { AddressBalanceRow, BalanceRow } from "../schemas/balances.ts";
import { normalizedText } from "./decimal.ts";

/** Row of address/{address}/tokenlist and address/{address}/token/{tick}. */
export function balanceRow({ row, dec }: BalanceView): Static<typeof BalanceRow> {
  return {
    tick: row.tick,
    dec,
    balance: row.balance.toString(),
    balance_normalized: normalizedText(row.balance, dec),
    locked: row.locked.toString(),
    locked_normalized: normalizedText(row.locked, dec),
    total: (row.balance + row.locked).toString(),
  };
}

/** Row of balances: the same with its address. */
export function addressBalanceRow(view: BalanceView): Static<typeof AddressBalanceRow> {
  return { address: view.row.address, ...balanceRow(view) };
}
