// Compares two services byte for byte and header for header: every endpoint, every page, forwards and backwards, cursors
// included.

import assert from "node:assert/strict";
import * as cases from "../../testkit/oracles/answers/cases.ts";
import type { Got, LiveIndex, Page } from "./live-index.ts";
import type { Truth } from "../../testkit/oracles/answers/truth.ts";

/** What is asked beside the requests that a chain gives rise to, and how many of those. */
export interface Extent {
  /** Of the requests that are many, every so many-th is made; 1: all. */
  readonly every?: number;
  /** Rows of a page. */
  readonly limit?: number;
  /** Further paths, of which those of lists are walked. */
  readonly more?: readonly string[];
}

/** Requests of every kind: all lists with their filters, and some of the many answers about one thing. */
function pathsOf(truth: Truth, { every = 4, limit = 40, more = [] }: Extent): string[] {
  const lists = [
    ...cases.mainLists(truth),
    ...cases.tokenAndAddressLists(truth),
    ...cases.marketLists(truth),
    ...cases.filteredLists(truth).filter((_, at) => at % every === 0),
  ].map(({ path }) => cases.withQuery(path, `limit=${limit}`));
  const singles = cases.singles(truth).map(({ path }) => path);
  const quotes = truth.snapshot.listings.flatMap(({ id }) => [
    `${cases.PREFIX}/market/quote/${id}`,
    `${cases.PREFIX}/market/fill-template/${id}/${cases.STRANGER}`,
  ]);
  return [...lists, ...singles.filter((_, at) => at % every === 0 || at < 3), ...quotes, ...more];
}

/** What must be equal: everything but the request's id and the time of day. */
function comparable({ status, headers, text }: Got): unknown {
  const { "x-request-id": id, date: _date, ...rest } = headers;
  assert.ok(id !== undefined);
  return { status, headers: rest, text };
}

/** The answer of one, which is that of the other. */
async function sameAnswer(one: LiveIndex, other: LiveIndex, path: string): Promise<string> {
  const [got, wanted] = await Promise.all([one.get(path), other.get(path)]);
  assert.deepEqual(comparable(got), comparable(wanted), path);
  return got.text;
}

/** Walks a list to its end and back; a single thing is compared once. */
async function assertSameWalk(one: LiveIndex, other: LiveIndex, path: string): Promise<void> {
  let page: Partial<Page> = JSON.parse(await sameAnswer(one, other, path));
  for (const way of ["next", "prev"] as const) {
    for (let cursor = page[way] ?? null; cursor !== null; cursor = page[way] ?? null)
      page = JSON.parse(await sameAnswer(one, other, cases.withQuery(path, `${way}=${cursor}`)));
  }
}

/** Every list is walked to its end and back on both; single things, quotes and health are compared once. Returns the paths. */
export async function assertSameAnswers(
  one: LiveIndex,
  other: LiveIndex,
  truth: Truth,
  extent: Extent = {},
): Promise<readonly string[]> {
  const paths = pathsOf(truth, extent);
  for (const path of paths) await assertSameWalk(one, other, path);
  const [mine, theirs] = await Promise.all([one.get("/health"), other.get("/health")]);
  const { uptime_s: _mine, ...health } = JSON.parse(mine.text);
  const { uptime_s: _theirs, ...wanted } = JSON.parse(theirs.text);
  assert.deepEqual(health, wanted);
  return paths;
}
