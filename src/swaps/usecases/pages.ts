// Cuts pages out of the lists of swaps (H-06): a page holds the rows behind a key, and its edge rows are the keys of the
// pages beside it.

import type { SwapList } from "./outcome.ts";
import type { SwapPageStart } from "./swap-service.ts";

/** A key of a list: it names a place that a row has, had or could have. */
type Key = SwapPageStart["key"];

/** An entry of a list and the key of its place. */
export interface Keyed<Entry> {
  readonly entry: Entry;
  readonly key: Key;
}

/** The place up to which a list was looked through: there may be more behind it, and a page that comes so far ends there. */
export interface LookedUpTo {
  readonly until: Key;
}

/** Keys that stand for the ends of a list. They go out in cursors and have to be accepted when they return. */
export interface ListEnds {
  /** Before every row that can exist. */
  readonly first: Key;
  /** Behind every row that can exist. */
  readonly last: Key;
}

/** No hash of a key is lower. */
export const LOWEST_HASH = `0x${"0".repeat(64)}`;
/** No hash of a key is higher. */
export const HIGHEST_HASH = `0x${"f".repeat(64)}`;

/** What a page is cut from. */
interface PageOf<Entry, Row> {
  readonly limit: number;
  readonly start: SwapPageStart | null;
  readonly ends: ListEnds;
  /** Entries behind the start, in the direction of the start. */
  readonly entries: Iterable<Keyed<Entry> | LookedUpTo>;
  readonly row: (entry: Entry) => Row;
}

/** The page; `next` and `prev` are keys of its own edge rows. */
export function cutPage<Entry, Row>({ limit, start, ends, entries, row }: PageOf<Entry, Row>): SwapList<Row> {
  const found: Keyed<Entry>[] = [];
  let hasMore = false;
  let end: Key | null = null;
  for (const each of entries) {
    const isEnd = "until" in each;
    hasMore = isEnd || found.length === limit;
    if (isEnd && found.length < limit) end = each.until;
    if (isEnd || hasMore) break;
    found.push(each);
  }
  const isBack = start?.direction === "prev";
  if (isBack) found.reverse();
  const first = found[0];
  const last = found.at(-1);
  const rows = found.map(({ entry }) => row(entry));
  const firstKey = first?.key ?? end;
  const lastKey = last?.key ?? end;
  if (firstKey === null || lastKey === null) return emptyPage(start, ends);
  // Where the walk came from there are rows, or were when the cursor was given; beyond an end of the list there are none.
  const isWayBack = start !== null && !isSame(start.key, isBack ? ends.last : ends.first);
  const isNext = isBack ? isWayBack : hasMore;
  const isPrev = isBack ? hasMore : isWayBack;
  const [next, prev] = isBack ? [lastKey, end ?? firstKey] : [end ?? lastKey, firstKey];
  return { kind: "list", rows, next: isNext ? next : null, prev: isPrev ? prev : null };
}

/**
 * Nothing behind the start: the way back begins at that end of the list. The start's own key would not do: the row that
 * it is of may still stand, and pages hold what is behind their key.
 */
function emptyPage<Row>(start: SwapPageStart | null, ends: ListEnds): SwapList<Row> {
  return {
    kind: "list",
    rows: [],
    next: start?.direction === "prev" ? ends.first : null,
    prev: start?.direction === "next" ? ends.last : null,
  };
}

function isSame(one: Key, other: Key): boolean {
  return one.every((part, at) => part === other[at]);
}
