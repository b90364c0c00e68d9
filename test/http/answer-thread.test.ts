// Answers that another thread makes look like those of the main thread, and the service goes on without that thread.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { openSqliteStore } from "../../src/adapters/store-sqlite/sqlite-store.ts";
import { AnswerThread } from "../../src/http/answer-thread.ts";
import type { AnswerMaker } from "../../src/http/answer.ts";
import type { IndexStore } from "../../src/index/ports.ts";
import { BASE, TICKS } from "../../testkit/store-contract/chain-facts.ts";
import { ChainModel } from "../../testkit/store-contract/chain-model.ts";
import { FakeIndex } from "./fake-index.ts";
import { harness, PROTOCOL_RULES } from "./harness.ts";
import * as rows from "./rows.ts";
import { warningLog } from "../../testkit/doubles/log.ts";

const ENTRY = new URL("../../src/app/cli/answer-worker.ts", import.meta.url);

interface Bench {
  readonly store: IndexStore;
  readonly thread: AnswerThread;
  readonly errors: string[];
}

async function bench(context: TestContext): Promise<Bench> {
  const folder = await mkdtemp(join(tmpdir(), "strand-answers-"));
  const file = join(folder, "index.db");
  const store = await openSqliteStore({ file });
  await store.commitBase(BASE);
  await store.commit(new ChainModel(91).many(30, { actions: 8 }), 100);
  const errors: string[] = [];
  const log = warningLog(errors);
  const thread = new AnswerThread(ENTRY, { file, rules: PROTOCOL_RULES }, log);
  context.after(async () => {
    await thread.close();
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  return { store, thread, errors };
}

/** Waits until the thread takes orders. */
async function ready(thread: AnswerThread): Promise<void> {
  for (let tries = 0; tries < 3000; tries += 1) {
    if ((await thread.ask("tokenlist", {}, {})) !== null) return;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.fail("the thread is not ready");
}

/** A server over the store; `asked` counts what went to the thread and was answered there. */
async function serverOver(context: TestContext, store: IndexStore, thread: AnswerMaker | null) {
  const made = { count: 0 };
  const answers: AnswerMaker | null = thread && {
    ask: (...order) => {
      const answer = thread.ask(...order);
      return answer && answer.then((value) => ((made.count += value === null ? 0 : 1), value));
    },
  };
  const index = new FakeIndex(rows.NOTHING_YET);
  const { app } = await harness(index, { queries: store.queries, answers, cacheBytes: 0 });
  context.after(() => app.close());
  return { app, made };
}

test("pages of lists are the same bytes with the same tag, cursors and refusals included", async (context) => {
  const { store, thread } = await bench(context);
  await ready(thread);
  const here = await serverOver(context, store, null);
  const there = await serverOver(context, store, thread);
  const tick = TICKS[0] ?? "";
  const { address } =
    (await store.queries.holders(TICKS[0] ?? assert.fail(), { limit: 1, start: null })).value?.page.rows[0] ??
    assert.fail();
  const paths = [
    "oplist?limit=3",
    `oplist?tick=${tick}&limit=2`,
    "oplist?limit=0",
    "oplist?next=bad",
    "tokenlist",
  ];
  paths.push(`token/${tick}/holders?limit=2`, `market/${tick}`, `market/${tick}/history?limit=4`);
  paths.push(`address/${address}/history?limit=3`, `address/${address}/tokenlist`, `token/${tick}/candles`);
  for (const path of paths) {
    const target = `/api/v1/prc20/${path}`;
    const before = there.made.count;
    const [own, other] = [await here.app.inject(target), await there.app.inject(target)];
    // A malformed request is refused where it arrives.
    const orders = path === "oplist?limit=0" ? 0 : 1;
    assert.equal(there.made.count, before + orders, `${path} was made by the thread`);
    assert.equal(other.body, own.body, path);
    assert.equal(other.statusCode, own.statusCode);
    assert.deepEqual({ ...other.headers, ...VOLATILE }, { ...own.headers, ...VOLATILE });
    const next: unknown = own.json().next;
    if (typeof next !== "string") continue;
    const onwards = `${target}${target.includes("?") ? "&" : "?"}next=${next}`;
    assert.equal((await there.app.inject(onwards)).body, (await here.app.inject(onwards)).body);
  }
  const single = there.made.count;
  await there.app.inject(`/api/v1/prc20/token/${tick}`);
  assert.equal(there.made.count, single, "one row is not worth the way");
});

const VOLATILE = { "x-request-id": "", date: "" };

test("it sees every commit that is told", async (context) => {
  const { store, thread } = await bench(context);
  await ready(thread);
  const here = await serverOver(context, store, null);
  const there = await serverOver(context, store, thread);
  await store.wipe();
  await store.commitBase(BASE);
  for (const block of new ChainModel(92).many(6, { actions: 8 })) {
    await store.commit([block], 100);
    const target = "/api/v1/prc20/oplist?limit=100";
    const [own, other] = [await here.app.inject(target), await there.app.inject(target)];
    assert.equal(own.statusCode, 200);
    assert.equal(other.body, own.body);
    assert.equal(other.headers["x-indexed-height"], String(block.height));
  }
  assert.equal(there.made.count, 6);
});

test("a thread that ends leaves its orders to the caller, and is missed in the log", async (context) => {
  const { store, thread } = await bench(context);
  await ready(thread);
  const { app, made } = await serverOver(context, store, thread);
  const asked = thread.ask("oplist", {}, {});
  assert.ok(asked !== null);
  await thread.close();
  const answered = await asked;
  assert.ok(answered === null || answered.ok);
  assert.equal(thread.ask("oplist", {}, {}), null);
  assert.equal((await app.inject("/api/v1/prc20/oplist")).statusCode, 200);
  assert.equal(made.count, 0);
});

test("a thread that cannot start is reported once, and nothing is ordered from it", async (context) => {
  const { errors } = await bench(context);
  const log = warningLog(errors);
  const broken = new AnswerThread(
    ENTRY,
    { file: join(tmpdir(), "there is no", "such.db"), rules: PROTOCOL_RULES },
    log,
  );
  for (let tries = 0; tries < 3000 && errors.length === 0; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  assert.equal(errors.length, 1);
  assert.equal(broken.ask("oplist", {}, {}), null);
  await broken.close();
  assert.equal(errors.length, 1);
});

test("a few orders at a time are taken, then the caller has to do it", async (context) => {
  const { thread } = await bench(context);
  await ready(thread);
  const asked = Array.from({ length: 20 }, () => thread.ask("oplist", {}, {}));
  const taken = asked.filter((answer) => answer !== null);
  assert.ok(taken.length >= 1 && taken.length < 20);
  for (const answer of await Promise.all(taken)) assert.ok(answer?.ok === true);
});

test("what the thread fails at is left to the caller, and told", async (context) => {
  const { thread, errors } = await bench(context);
  await ready(thread);
  assert.equal(await thread.ask("no such route", {}, {}), null);
  assert.match(errors.join("\n"), /has failed at one/);
});
