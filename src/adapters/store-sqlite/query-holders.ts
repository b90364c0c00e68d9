// Who holds most of a token (H-38)? By the index of ranks; and where balances of the newest block are not ranked yet,
// by that index without its outdated entries, merged with those.

import type { PearlAddress, RawAmount, Tick } from "../../primitives/brands.ts";
import type { HolderView, Page, PageKey, PageRequest } from "../../service/queries.ts";
import { type Cells, CellReader } from "./cells.ts";
import type { Connection } from "./connection.ts";
import { balanceOfId, unrankedIds } from "./holder-ranks.ts";
import {
  ABOVE_TEXTS,
  BELOW_TEXTS,
  BOUND_LIMIT,
  type KeyedList,
  pageOf,
  textAt,
  type Walk,
} from "./paging.ts";
import { tokenRow } from "./query-tokens.ts";
import { readBalance } from "./row-shapes.ts";
import { headOf, rankOf, totalHex, totalOfHex } from "./sort-keys.ts";

/** A place in the order of the index. */
interface Position {
  readonly rank: Uint8Array;
  readonly head: number;
  readonly address: string;
}

/** A row of the index: where it stands there, and the balance. */
interface RankedRow {
  readonly position: Position;
  readonly view: HolderView;
}

/**
 * A page of the holders of a token, largest total first, ties by address; null for an unknown token. `unindexedFrom`:
 * see OperationSource.
 */
export function holdersPage(
  connection: Connection,
  tick: Tick,
  page: PageRequest,
  unindexedFrom: number | null,
): { readonly circulating: RawAmount; readonly page: Page<HolderView> } | null {
  const token = tokenRow(connection, tick);
  if (token === null) return null;
  const rows =
    unindexedFrom === null
      ? rankedHolders(connection, tick)
      : unrankedMerged(connection, tick, unindexedFrom);
  const list: KeyedList<HolderView> = {
    after: (key, limit) => rows(key, "down", limit),
    before: (key, limit) => rows(key, "up", limit),
    keyOf: ({ row }) => [totalHex(row.balance + row.locked), row.address],
    first: ["f".repeat(32), BELOW_TEXTS],
    last: ["0".repeat(32), ABOVE_TEXTS],
  };
  return { circulating: (token.minted - token.burned) as RawAmount, page: pageOf(list, page) };
}

/** Holders beyond a key, nearest first: "down" the list to smaller totals or up. */
type HolderRows = (key: PageKey | null, walk: Walk, limit: number) => readonly HolderView[];

/** The rows of the index, where all balances are ranked. */
function rankedHolders(connection: Connection, tick: Tick): HolderRows {
  return (key, walk, limit) =>
    indexRows(connection, tick, key === null ? null : positionOf(key), walk, limit).map(({ view }) => view);
}

const RANKED = `SELECT balance.rank, address.text, balance.tick, balance.balance, balance.locked FROM balance
  CROSS JOIN address ON address.id = balance.address_id WHERE balance.tick = ?1 AND balance.rank <> x''`;

function indexRows(
  connection: Connection,
  tick: Tick,
  from: Position | null,
  walk: Walk,
  limit: number,
): readonly RankedRow[] {
  if (from === null) {
    const first = `${RANKED} ORDER BY balance.rank, balance.head, address.text ${BOUND_LIMIT}`;
    return connection.all(first, tick, limit).map(rankedRow);
  }
  const [compare, order] = walk === "down" ? [">", "ASC"] : ["<", "DESC"];
  const { rank, head, address } = from;
  // The index ends with the start of the address; the few rows that share it with the key are a range of their own.
  const sameHead = connection.all(
    `${RANKED} AND balance.rank = ?2 AND balance.head = ?3 AND address.text ${compare} ?4
       ORDER BY address.text ${order} ${BOUND_LIMIT}`,
    tick,
    rank,
    head,
    address,
    limit,
  );
  if (sameHead.length === limit) return sameHead.map(rankedRow);
  const beyond = connection.all(
    `${RANKED} AND (balance.rank, balance.head) ${compare} (?2, ?3)
       ORDER BY balance.rank ${order}, balance.head ${order}, address.text ${order} ${BOUND_LIMIT}`,
    tick,
    rank,
    head,
    limit - sameHead.length,
  );
  return [...sameHead, ...beyond].map(rankedRow);
}

function rankedRow(row: Cells): RankedRow {
  const cells = new CellReader(row);
  const rank = cells.bytes();
  const view = { row: readBalance(cells) };
  const { address } = view.row;
  return { position: { rank, head: headOf(address), address }, view };
}

function positionOf(key: PageKey): Position {
  const address = textAt(key, 1);
  return { rank: rankOf(totalOfHex(textAt(key, 0))), head: headOf(address), address };
}

/** The rows of the index but those of balances that it does not have as they are, merged with these. */
function unrankedMerged(connection: Connection, tick: Tick, unindexedFrom: number): HolderRows {
  const ids = unrankedIds(connection, unindexedFrom, tick);
  const unranked: readonly HolderView[] = [...ids].flatMap((id) => {
    const row = balanceOfId(connection, id, tick);
    return row === null ? [] : [{ row }];
  });
  const addresses = new Set(unranked.map(({ row }) => row.address));
  return (key, walk, limit) => {
    const ranked = otherRows(connection, tick, { except: addresses, key, walk, limit });
    const beyond = unranked.filter((view) => key === null || isBeyond(view, key, walk));
    const merged = [...ranked, ...beyond].toSorted(inListOrder);
    return (walk === "down" ? merged : merged.toReversed()).slice(0, limit);
  };
}

/** Rows of the index but those of some addresses, whose entries may be outdated. */
function otherRows(
  connection: Connection,
  tick: Tick,
  asked: {
    readonly except: ReadonlySet<PearlAddress>;
    readonly key: PageKey | null;
    readonly walk: Walk;
    readonly limit: number;
  },
): readonly HolderView[] {
  const { except, key, walk, limit } = asked;
  const found: HolderView[] = [];
  let from = key === null ? null : positionOf(key);
  for (;;) {
    const rows = indexRows(connection, tick, from, walk, limit);
    found.push(...rows.map(({ view }) => view).filter(({ row }) => !except.has(row.address)));
    const last = rows.at(-1);
    if (last === undefined || rows.length < limit || found.length >= limit) return found;
    from = last.position;
  }
}

function inListOrder(one: HolderView, other: HolderView): number {
  return orderOf(one, other.row.balance + other.row.locked, other.row.address);
}

/** Negative where the holder comes before a total and address in the list. */
function orderOf({ row }: HolderView, total: bigint, address: PearlAddress | string): number {
  const own = row.balance + row.locked;
  if (own !== total) return own > total ? -1 : 1;
  return row.address < address ? -1 : row.address > address ? 1 : 0;
}

function isBeyond(view: HolderView, key: PageKey, walk: Walk): boolean {
  const order = orderOf(view, totalOfHex(textAt(key, 0)), textAt(key, 1));
  return walk === "down" ? order > 0 : order < 0;
}
