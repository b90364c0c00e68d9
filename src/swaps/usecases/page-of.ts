// How is a page cut out of rows in list order (H-06)? Keys, never offsets: one row more than asked for tells whether
// the list goes on.

import type { SwapList } from "./outcome.ts";
import type { SwapPageStart } from "./swap-service.ts";

/** An entry of a list and the key of its place. */
export interface Keyed<Entry> {
  readonly entry: Entry;
  readonly key: readonly (number | string)[];
}

/** What a page is cut from. */
export interface PageOf<Entry, Row> {
  readonly limit: number;
  readonly start: SwapPageStart | null;
  /** Entries behind the start, in the direction of the start. */
  readonly entries: Iterable<Keyed<Entry>>;
  readonly row: (entry: Entry) => Row;
}

/** The page; `next` and `prev` are keys of its own edge rows. */
export function pageOf<Entry, Row>({ limit, start, entries, row }: PageOf<Entry, Row>): SwapList<Row> {
  const found: Keyed<Entry>[] = [];
  let hasMore = false;
  for (const each of entries) {
    if (found.length === limit) {
      hasMore = true;
      break;
    }
    found.push(each);
  }
  const isBack = start?.direction === "prev";
  if (isBack) found.reverse();
  const first = found[0];
  const last = found.at(-1);
  const rows = found.map(({ entry }) => row(entry));
  if (first === undefined || last === undefined) return emptyPage(start);
  // Where the walk came from there are rows, or were when the cursor was given.
  const isNext = isBack ? true : hasMore;
  const isPrev = isBack ? hasMore : start !== null;
  return { kind: "list", rows, next: isNext ? last.key : null, prev: isPrev ? first.key : null };
}

/** Nothing behind the start: the way back is where the walk came from. */
function emptyPage<Row>(start: SwapPageStart | null): SwapList<Row> {
  const back = start === null ? null : start.key;
  const isBack = start?.direction === "prev";
  return { kind: "list", rows: [], next: isBack ? back : null, prev: isBack ? null : back };
}
