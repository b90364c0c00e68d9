// An entity tag changes exactly when the bytes do (H-08), and every answer is whole and of one state (H-09), also while
// blocks are committed and undone as fast as the machine can. STRAND_SEEDS=n runs n chains.

import assert from "node:assert/strict";
import { test } from "node:test";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import type { MadeBlock } from "../../testkit/builders/chain-maker/index.ts";
import { Random } from "../../testkit/random.ts";
import {
  busiest,
  busiestTick,
  PREFIX,
  watchedLists,
  withQuery,
} from "../../testkit/oracles/answers/cases.ts";
import { ForkingChain } from "./chains.ts";
import { marketHistory, summaryRows } from "../../testkit/oracles/answers/expected-market.ts";
import { oplist } from "../../testkit/oracles/answers/expected-operations.ts";
import {
  balanceRows,
  digestRows,
  statsRows,
  tokenRows,
} from "../../testkit/oracles/answers/expected-tokens.ts";
import { type LiveIndex, type Page, withIndex } from "./live-index.ts";
import { tipOf, type Truth, truthsOf } from "../../testkit/oracles/answers/truth.ts";
import type { JsonRow } from "../../testkit/rows.ts";
import { manySeeds, seededTest } from "../../testkit/seeds.ts";

const SEEDS = manySeeds(1);
const LIMIT = 8;

/** A request whose first page is asked for again and again, and what it must show in each state. */
interface Polled {
  readonly path: string;
  readonly rowsOf: (truth: Truth) => JsonRow[];
}

function polled(at: Truth): Polled[] {
  const tick = busiestTick(at);
  const [someone = ""] = busiest(at);
  const singles: Polled[] = [
    { path: `${PREFIX}/stats`, rowsOf: statsRows },
    { path: `${PREFIX}/token/${tick}`, rowsOf: (truth) => tokenRows(truth, tick) },
    { path: `${PREFIX}/market/${tick}/summary`, rowsOf: (truth) => summaryRows(truth, tick) },
    {
      path: `${PREFIX}/address/${someone}/token/${tick}`,
      rowsOf: (truth) => balanceRows(truth, someone, tick),
    },
    { path: `${PREFIX}/digest/${tipOf(at).height}`, rowsOf: (truth) => digestRows(truth, tipOf(at).height) },
  ];
  const lists = watchedLists(at).map(({ path, rowsOf }) => ({
    path: withQuery(path, `limit=${LIMIT}`),
    rowsOf,
  }));
  return [...singles, ...lists];
}

/** What has been seen of one path. */
class Tags {
  readonly #bodies = new Map<string, string>();
  readonly #tags = new Map<string, string>();

  /** The same tag has the same bytes, the same bytes have the same tag. */
  check(path: string, tag: string, body: string): void {
    assert.match(tag, /^"[^"]+"$/, path);
    assert.equal(this.#bodies.get(tag) ?? body, body, `${path}: one tag, two bodies`);
    assert.equal(this.#tags.get(body) ?? tag, tag, `${path}: one body, two tags`);
    this.#bodies.set(tag, body);
    this.#tags.set(body, tag);
  }
}

async function assertConditional(index: LiveIndex, path: string, known: string | null, height: number) {
  const full = await index.get(path);
  const { etag = "" } = full.headers;
  assert.equal(full.status, 200, path);
  assert.equal(full.headers["cache-control"], "no-cache");
  assert.equal(full.headers["x-indexed-height"], String(height), path);
  const offered = ["*", `W/${etag}`, `"other", ${etag}`, etag];
  if (known !== null) offered.push(known);
  for (const condition of offered) {
    const { status, headers, text } = await index.get(path, { "if-none-match": condition });
    const isKnown = condition !== known || known === etag;
    assert.deepEqual([status, text], isKnown ? [304, ""] : [200, full.text], `${path} ${condition}`);
    assert.equal(headers.etag, etag);
    assert.equal(headers["x-indexed-height"], String(height));
  }
  const head = await index.get(path, {}, "HEAD");
  assert.deepEqual([head.status, head.text, head.headers.etag], [200, "", etag]);
  assert.equal(head.headers["content-length"], String(full.body.length));
  return { etag, text: full.text };
}

/** Other bytes have another tag: the compressed forms are told apart, too. */
async function assertEncodings(index: LiveIndex, path: string, tags: Tags): Promise<void> {
  const plain = await index.get(path);
  for (const [encoding, decode] of [
    ["gzip", gunzipSync],
    ["br", brotliDecompressSync],
  ] as const) {
    const { headers, body } = await index.get(path, { "accept-encoding": encoding });
    if (headers["content-encoding"] === undefined) assert.equal(headers.etag, plain.headers.etag);
    else {
      assert.equal(decode(body).toString(), plain.text);
      assert.notEqual(headers.etag, plain.headers.etag);
      tags.check(path, headers.etag ?? "", body.toString("base64"));
    }
    const again = await index.get(path, { "accept-encoding": encoding, "if-none-match": headers.etag ?? "" });
    assert.equal(again.status, 304);
  }
}

for (const seed of SEEDS) {
  seededTest(
    `H-08: a tag changes exactly when the bytes do, over chain ${seed} and a reorganisation`,
    seed,
    async () => {
      const chain = new ForkingChain(700 + seed, { actors: 5, transactions: 5 }).grow(40);
      const whole = chain.branch();
      const [at] = truthsOf(whole.params, whole.base, whole.counted, 40);
      assert.ok(at !== undefined);
      const paths = polled(at).map(({ path }) => path);
      const tags = new Map(paths.map((path) => [path, new Tags()]));
      const last = new Map<string, string>();
      let changes = 0;
      let repeats = 0;
      await withIndex(whole.params, { cacheBytes: seed % 2 === 0 ? 1 << 22 : 0 }, async (index) => {
        const states: (readonly MadeBlock[])[] = [30, 31, 32, 33, 34, 36, 40].map((height) =>
          whole.blocks.slice(0, height),
        );
        chain.reorganise(7, 3);
        states.push(chain.branch().blocks, whole.blocks, chain.grow(5).branch().blocks);
        for (const blocks of states) {
          await index.follow(blocks);
          for (const path of paths) {
            const known = last.get(path) ?? null;
            const { etag, text } = await assertConditional(index, path, known, blocks.length);
            tags.get(path)?.check(path, etag, text);
            last.set(path, etag);
            if (known === etag) repeats += 1;
            else changes += 1;
          }
        }
        for (const path of paths) await assertEncodings(index, path, tags.get(path) ?? new Tags());
      });
      assert.ok(changes > 50 && repeats > 20, `${changes} changes, ${repeats} repeats`);
    },
  );
}

/** What readers may see, by height: one expectation, or two while a reorganisation is under way. */
interface Stage {
  states: ReadonlyMap<number, readonly Truth[]>;
  /** No answer to a request that begins now may be of an older state. */
  least: number;
  isReorganising: boolean;
  /** Reorganisations that have begun or ended: says of a request whether one passed while it was under way. */
  turns: number;
  isOver: boolean;
  /** Answers that were found right so far. */
  answers: number;
}

/** Lets the clients get so many answers; fails where they have failed. */
async function moreAnswers(stage: Stage, count: number): Promise<void> {
  const wanted = stage.answers + count;
  while (stage.answers < wanted && !stage.isOver) await new Promise((resolve) => setTimeout(resolve, 2));
}

function byHeight(...branches: readonly (readonly Truth[])[]): Map<number, Truth[]> {
  const states = new Map<number, Truth[]>();
  for (const truth of branches.flat()) {
    const { height } = tipOf(truth);
    states.set(height, [...(states.get(height) ?? []), truth]);
  }
  return states;
}

function shows(page: Page, rows: readonly JsonRow[]): boolean {
  // Only the first page is asked for; answers without pages have no more rows than that.
  const shown = rows.slice(0, LIMIT);
  if ((page.next !== null) !== rows.length > shown.length || page.prev !== null) return false;
  try {
    assert.deepEqual(page.result, shown);
    return true;
  } catch {
    return false;
  }
}

/** One client that asks for one thing after the other. */
async function hammer(
  index: LiveIndex,
  requests: readonly Polled[],
  stage: Stage,
  random: Random,
): Promise<void> {
  let highest = -1;
  while (!stage.isOver) {
    // Some are asked for often, so that they are answered from the cache.
    const { path, rowsOf } = random.pick(random.oneIn(2) ? requests.slice(0, 3) : requests);
    const { least, isReorganising, states, turns } = stage;
    if (isReorganising) highest = -1;
    const { page, height } = await index.pageAt(path);
    stage.answers += 1;
    const possible = [...(states.get(height) ?? []), ...(stage.states.get(height) ?? [])];
    if (!possible.some((truth) => shows(page, rowsOf(truth)))) {
      // The difference to the state that it claims to show says most.
      assert.deepEqual(
        page.result,
        rowsOf(possible[0] ?? fail(path, height)).slice(0, LIMIT),
        `${path} at ${height}`,
      );
      assert.fail(`${path} at ${height}: cursors of another state`);
    }
    // Also one that began before a reorganisation and ended after it may show a state in between.
    if (isReorganising || stage.turns !== turns) continue;
    assert.ok(
      height >= least && height >= highest,
      `${path}: height ${height} after ${least} and ${highest}`,
    );
    highest = height;
  }
}

function fail(path: string, height: number): never {
  throw new Error(`${path}: nobody has been at height ${height}`);
}

for (const seed of SEEDS) {
  seededTest(`H-09: answers are whole while blocks of chain ${seed} come and go`, seed, async () => {
    const chain = new ForkingChain(720 + seed, { actors: 5 }).grow(60);
    const old = chain.branch();
    const fork = 47;
    const fresh = chain.reorganise(60 - fork, 15).branch();
    const oldTruths = truthsOf(old.params, old.base, old.counted, 20);
    const freshTruths = truthsOf(fresh.params, fresh.base, fresh.counted, fork);
    const stage: Stage = {
      states: byHeight(oldTruths),
      least: 20,
      isReorganising: false,
      turns: 0,
      isOver: false,
      answers: 0,
    };
    const [latest] = oldTruths.slice(-1);
    assert.ok(latest !== undefined);
    const requests = polled(latest).map((one) => remembering(one));
    // Readers may see a block before anybody is told: also then no later answer may be of an older state.
    const options = seed % 2 === 0 ? { lateAckMs: 6 } : { cacheBytes: 0 };
    await withIndex(old.params, options, async (index) => {
      await index.follow(old.blocks.slice(0, 20));
      const clients = [1, 2, 3, 4, 5, 6].map((salt) => hammer(index, requests, stage, new Random(salt)));
      const done = Promise.all(clients);
      done.catch(() => (stage.isOver = true));
      for (let height = 21; height <= 60 && !stage.isOver; height += height % 9 === 0 ? 6 : 1) {
        await index.follow(old.blocks.slice(0, Math.min(height, 60)));
        stage.least = height;
        await moreAnswers(stage, 20);
      }
      await index.follow(old.blocks);
      stage.isReorganising = true;
      stage.turns += 1;
      stage.states = byHeight(oldTruths, freshTruths);
      await index.follow(fresh.blocks);
      stage.states = byHeight(freshTruths);
      stage.least = fresh.blocks.length;
      stage.isReorganising = false;
      stage.turns += 1;
      await moreAnswers(stage, 60);
      stage.isOver = true;
      await done;
    });
  });
}

/** Expectations are made once per state. */
function remembering({ path, rowsOf }: Polled): Polled {
  const known = new Map<Truth, JsonRow[]>();
  return {
    path,
    rowsOf: (truth) => {
      const rows = known.get(truth) ?? rowsOf(truth);
      known.set(truth, rows);
      return rows;
    },
  };
}

test("H-09: before the base block is stored everything is empty, at height -1, and nothing is an error", async () => {
  const chain = new ForkingChain(740, { actors: 5, startHeight: 4 }).grow(12);
  const { params, base, counted, blocks } = chain.branch();
  const [start] = truthsOf(params, base, counted, 0);
  const latest = truthsOf(params, base, counted, counted.length).at(-1);
  assert.ok(start !== undefined && latest !== undefined);
  await withIndex(params, {}, async (index) => {
    for (const { path } of polled(latest)) {
      const { page, height } = await index.pageAt(path);
      assert.equal(height, -1, path);
      if (!path.endsWith("/stats"))
        assert.deepEqual(page, { message: "Success", prev: null, next: null, result: [] });
      else assert.equal(page.result[0]?.["last_processed_height"], -1);
    }
    await index.follow(blocks.slice(0, 3));
    for (const { path, rowsOf } of polled(latest)) {
      const { page, height } = await index.pageAt(path);
      assert.equal(height, 3, path);
      assert.deepEqual(page.result, rowsOf(start), path);
    }
    const digest = await index.page(`${PREFIX}/digest/3`);
    assert.deepEqual(digest.result, digestRows(start, 3));
    assert.deepEqual((await index.page(`${PREFIX}/digest/2`)).result, []);
    await index.follow(blocks);
    assert.deepEqual((await index.page(`${PREFIX}/oplist?limit=100`)).result, oplist(latest).slice(0, 100));
    const tick = busiestTick(latest);
    const { result } = await index.page(`${PREFIX}/market/${tick}/history?limit=100`);
    assert.deepEqual(result, marketHistory(latest, tick, null));
  });
});
