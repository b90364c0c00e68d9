// Compares two services byte for byte and header for header: every endpoint, every page, cursors included.

import assert from "node:assert/strict";
import * as cases from "./cases.ts";
import type { Got, LiveIndex, Page } from "./live-index.ts";
import type { Truth } from "./truth.ts";

/** Requests of every kind: all lists with their filters, and some of the many answers about one thing. */
function pathsOf(truth: Truth): string[] {
  const lists = [
    ...cases.mainLists(truth),
    ...cases.tokenAndAddressLists(truth),
    ...cases.marketLists(truth),
    ...cases.filteredLists(truth).filter((_, at) => at % 5 === 0),
  ].map(({ path }) => cases.withQuery(path, "limit=40"));
  const singles = cases.singles(truth).map(({ path }) => path);
  const quotes = truth.snapshot.listings.flatMap(({ id }) => [
    `${cases.PREFIX}/market/quote/${id}`,
    `${cases.PREFIX}/market/fill-template/${id}/${cases.STRANGER}`,
  ]);
  return [...lists, ...singles.filter((_, at) => at % 4 === 0 || at < 3), ...quotes];
}

/** What must be equal: everything but the request's id and the time of day. */
function comparable({ status, headers, text }: Got): unknown {
  const { "x-request-id": id, date: _date, ...rest } = headers;
  assert.ok(id !== undefined);
  return { status, headers: rest, text };
}

async function assertSameAnswer(one: LiveIndex, other: LiveIndex, path: string): Promise<string> {
  const [got, wanted] = await Promise.all([one.get(path), other.get(path)]);
  assert.deepEqual(comparable(got), comparable(wanted), path);
  return got.text;
}

/** Every list is walked to its end on both; single things, quotes and health are compared once. */
export async function assertSameAnswers(one: LiveIndex, other: LiveIndex, truth: Truth): Promise<void> {
  for (const path of pathsOf(truth)) {
    // Cursors are bytes, too, and lead to the same pages.
    let page: Pick<Page, "next"> = JSON.parse(await assertSameAnswer(one, other, path));
    while (page.next !== null) {
      page = JSON.parse(await assertSameAnswer(one, other, cases.withQuery(path, `next=${page.next}`)));
    }
  }
  const [mine, theirs] = await Promise.all([one.get("/health"), other.get("/health")]);
  const { uptime_s: _mine, ...health } = JSON.parse(mine.text);
  const { uptime_s: _theirs, ...wanted } = JSON.parse(theirs.text);
  assert.deepEqual(health, wanted);
}
