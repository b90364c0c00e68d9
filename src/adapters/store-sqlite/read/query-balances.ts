// Queries for the balances of one address or of several (H-31, H-38).

import type { PearlAddress, RawAmount, Tick } from "../../../primitives/brands.ts";
import type { Page, PageKey, PageRequest } from "../../../index/pages.ts";
import type { BalanceView } from "../../../index/views.ts";
import type { AddressFinder } from "../address-ids.ts";
import { BALANCES, BALANCES_OF, type PlacedBalance } from "../../store-rows/list-orders.ts";
import { CellReader } from "../../store-rows/cells.ts";
import { ABOVE_TEXTS, intAt, pageOf, textAt, type Walk, walked } from "../../store-rows/pages.ts";
import { firstRow, type Reading, someRows } from "../../store-rows/reading.ts";
import { decimalsOf } from "../../store-rows/token-reads.ts";
import { readBalance } from "../../store-rows/row-shapes.ts";

const NONE = 0n as RawAmount;

/** A page of the balances of one address, by the bytes of the ticker. */
export function balancesPage(
  finder: AddressFinder,
  address: PearlAddress,
  page: PageRequest,
): Reading<Page<BalanceView>> {
  const read = (key: PageKey, walk: Walk, limit: number) =>
    balancesOfAddress(finder, address, textAt(key, 0), walk, limit);
  return pageOf(BALANCES, read, page);
}

/** The balance of an address in a token, zeros where it has none; null for an unknown token. */
export function* balanceView(
  finder: AddressFinder,
  address: PearlAddress,
  tick: Tick,
): Reading<BalanceView | null> {
  const dec = yield* decimalsOf(tick);
  if (dec === null) return null;
  const id = finder.find(address);
  const row =
    id === null
      ? null
      : yield* firstRow(
          "SELECT ?, tick, balance, locked FROM balance WHERE address_id = ? AND tick = ?",
          address,
          id,
          tick,
        );
  if (row === null) return { row: { address, tick, balance: NONE, locked: NONE }, dec };
  return { row: readBalance(new CellReader(row)), dec };
}

/** A page over many addresses in the order given, by (index in `addresses`, ticker). */
export function* balancesOfPage(
  finder: AddressFinder,
  addresses: readonly PearlAddress[],
  tick: Tick | null,
  page: PageRequest,
): Reading<Page<BalanceView>> {
  const ofAddress = function* (
    index: number,
    from: string,
    walk: Walk,
    limit: number,
  ): Reading<readonly PlacedBalance[]> {
    const address = addresses[index];
    if (address === undefined) return [];
    if (tick === null) {
      const rows = yield* balancesOfAddress(finder, address, from, walk, limit);
      return rows.map((view) => ({ index, view }));
    }
    const beyond = walk === "up" ? from >= tick : from <= tick;
    const view = beyond ? null : yield* balanceView(finder, address, tick);
    return view === null ? [] : [{ index, view }];
  };
  const read = function* (key: PageKey, walk: Walk, limit: number): Reading<readonly PlacedBalance[]> {
    const index = Math.min(Math.max(intAt(key, 0), -1), addresses.length);
    const found = [...(yield* ofAddress(index, textAt(key, 1), walk, limit))];
    const [step, fresh] = walk === "up" ? [1, ""] : [-1, ABOVE_TEXTS];
    for (let at = index + step; at >= 0 && at < addresses.length && found.length < limit; at += step) {
      found.push(...(yield* ofAddress(at, fresh, walk, limit - found.length)));
    }
    return found;
  };
  const { rows, next, prev } = yield* pageOf(BALANCES_OF, read, page);
  return { rows: rows.map(({ view }) => view), next, prev };
}

function* balancesOfAddress(
  finder: AddressFinder,
  address: PearlAddress,
  from: string,
  walk: Walk,
  limit: number,
): Reading<readonly BalanceView[]> {
  const id = finder.find(address);
  if (id === null) return [];
  const { compare, order } = walked(walk);
  const rows = yield* someRows(
    limit,
    `SELECT token.dec, ?, balance.tick, balance.balance, balance.locked FROM balance
       CROSS JOIN token ON token.tick = balance.tick
       WHERE balance.address_id = ? AND balance.tick ${compare} ? ORDER BY balance.tick ${order}`,
    address,
    id,
    from,
  );
  return rows.map((row) => {
    const cells = new CellReader(row);
    return { dec: cells.text(), row: readBalance(cells) };
  });
}
