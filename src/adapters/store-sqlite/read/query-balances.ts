// Queries for the balances of one address or of several (H-31, H-38).

import type { PearlAddress, RawAmount, Tick } from "../../../primitives/brands.ts";
import type { Page, PageRequest } from "../../../index/pages.ts";
import type { BalanceView } from "../../../index/views.ts";
import type { AddressFinder } from "../address-ids.ts";
import { BALANCES, BALANCES_OF, type PlacedBalance } from "../../store-rows/list-orders.ts";
import { CellReader } from "../../store-rows/cells.ts";
import type { Connection } from "../connection.ts";
import { BOUND_LIMIT, type KeyedList, pageOf } from "./paging.ts";
import { ABOVE_TEXTS, intAt, textAt, type Walk, walked } from "../../store-rows/pages.ts";
import { decimalsOf } from "./query-tokens.ts";
import { readBalance } from "../../store-rows/row-shapes.ts";

const NONE = 0n as RawAmount;

/** A page of the balances of one address, by the bytes of the ticker. */
export function balancesPage(
  connection: Connection,
  finder: AddressFinder,
  address: PearlAddress,
  page: PageRequest,
): Page<BalanceView> {
  const list: KeyedList<BalanceView> = {
    after: (key, limit) =>
      balancesOfAddress(connection, finder, address, key === null ? "" : textAt(key, 0), "up", limit),
    before: (key, limit) => balancesOfAddress(connection, finder, address, textAt(key, 0), "down", limit),
    ...BALANCES,
  };
  return pageOf(list, page);
}

/** The balance of an address in a token, zeros where it has none; null for an unknown token. */
export function balanceView(
  connection: Connection,
  finder: AddressFinder,
  address: PearlAddress,
  tick: Tick,
): BalanceView | null {
  const dec = decimalsOf(connection, tick);
  if (dec === null) return null;
  const id = finder.find(address);
  const row =
    id === null
      ? null
      : connection.first(
          "SELECT ?, tick, balance, locked FROM balance WHERE address_id = ? AND tick = ?",
          address,
          id,
          tick,
        );
  if (row === null) return { row: { address, tick, balance: NONE, locked: NONE }, dec };
  return { row: readBalance(new CellReader(row)), dec };
}

/** A page over many addresses in the order given, by (index in `addresses`, ticker). */
export function balancesOfPage(
  connection: Connection,
  finder: AddressFinder,
  addresses: readonly PearlAddress[],
  tick: Tick | null,
  page: PageRequest,
): Page<BalanceView> {
  const ofAddress = (index: number, from: string, walk: Walk, limit: number): readonly PlacedBalance[] => {
    const address = addresses[index];
    if (address === undefined) return [];
    if (tick === null) {
      const rows = balancesOfAddress(connection, finder, address, from, walk, limit);
      return rows.map((view) => ({ index, view }));
    }
    const beyond = walk === "up" ? from >= tick : from <= tick;
    const view = beyond ? null : balanceView(connection, finder, address, tick);
    return view === null ? [] : [{ index, view }];
  };
  const walk = (index: number, from: string, direction: Walk, limit: number): readonly PlacedBalance[] => {
    const found = [...ofAddress(index, from, direction, limit)];
    const step = direction === "up" ? 1 : -1;
    const fresh = direction === "up" ? "" : ABOVE_TEXTS;
    for (let at = index + step; at >= 0 && at < addresses.length && found.length < limit; at += step) {
      found.push(...ofAddress(at, fresh, direction, limit - found.length));
    }
    return found;
  };
  const clamp = (index: number): number => Math.min(Math.max(index, -1), addresses.length);
  const list: KeyedList<PlacedBalance> = {
    after: (key, limit) =>
      key === null ? walk(0, "", "up", limit) : walk(clamp(intAt(key, 0)), textAt(key, 1), "up", limit),
    before: (key, limit) => walk(clamp(intAt(key, 0)), textAt(key, 1), "down", limit),
    ...BALANCES_OF,
  };
  const { rows, next, prev } = pageOf(list, page);
  return { rows: rows.map(({ view }) => view), next, prev };
}

function balancesOfAddress(
  connection: Connection,
  finder: AddressFinder,
  address: PearlAddress,
  from: string,
  walk: Walk,
  limit: number,
): readonly BalanceView[] {
  const id = finder.find(address);
  if (id === null) return [];
  const { compare, order } = walked(walk);
  return connection
    .all(
      `SELECT token.dec, ?, balance.tick, balance.balance, balance.locked FROM balance
         CROSS JOIN token ON token.tick = balance.tick
         WHERE balance.address_id = ? AND balance.tick ${compare} ? ORDER BY balance.tick ${order} ${BOUND_LIMIT}`,
      address,
      id,
      from,
      limit,
    )
    .map((row) => {
      const cells = new CellReader(row);
      return { dec: cells.text(), row: readBalance(cells) };
    });
}
