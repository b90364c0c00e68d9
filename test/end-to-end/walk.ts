// Checks that a list shows its rows page by page, forwards and backwards, as the cursor law (H-06) promises on an index
// that stands still: all rows once, the same rows back, null at both ends and nowhere else.

import assert from "node:assert/strict";
import { type ListCase, withQuery } from "../../testkit/oracles/answers/cases.ts";
import type { LiveIndex, Page } from "./live-index.ts";

/** Checks a whole list at a page size, from the first page to the last and back. */
export async function assertList(index: LiveIndex, { path, rows }: ListCase, limit: number): Promise<void> {
  const sized = withQuery(path, `limit=${limit}`);
  const first = await index.page(sized);
  assert.equal(first.prev, null, `${sized}: prev on the first page`);
  let page: Page = first;
  for (let from = 0; ; from += limit) {
    assert.deepEqual(page.result, rows.slice(from, from + limit), `${sized}: rows from ${from}`);
    const isLast = from + limit >= rows.length;
    assert.equal(page.next === null, isLast, `${sized}: next at ${from} of ${rows.length}`);
    assert.equal(page.prev === null, from === 0, `${sized}: prev at ${from}`);
    if (page.next === null) break;
    page = await index.page(withQuery(sized, `next=${page.next}`));
  }
  for (let before = rows.length - page.result.length; page.prev !== null; before -= limit) {
    page = await index.page(withQuery(sized, `prev=${page.prev}`));
    assert.deepEqual(page.result, rows.slice(before - limit, before), `${sized}: back to ${before - limit}`);
    assert.notEqual(page.next, null, `${sized}: next on a page before the last`);
  }
  assert.deepEqual(page.result, first.result, `${sized}: the walk back ends on the first page`);
}
