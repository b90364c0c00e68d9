// The newest candles of a token, which a chart begins with.

import assert from "node:assert/strict";
import { test } from "node:test";
import { harness, richIndex } from "./harness.ts";

test("A-118 the newest candles, and those before them", async () => {
  const { app } = await harness(richIndex());
  const rowsOf = async (target: string) => (await app.inject(target)).json().result;
  const path = "/api/v1/prc20/token/SAND/candles";
  const all = await rowsOf(path);
  assert.equal(all.length, 3);
  const newest = (await app.inject(`${path}?newest=true&limit=2`)).json();
  assert.deepEqual(newest.result, all.slice(1));
  assert.equal(newest.next, null);
  const older = (await app.inject(`${path}?newest=true&limit=2&prev=${newest.prev}`)).json();
  assert.deepEqual([older.result, older.prev], [all.slice(0, 1), null]);
  assert.deepEqual(await rowsOf(`${path}?newest=true`), all);
  assert.deepEqual(await rowsOf(`${path}?newest=false&limit=1`), all.slice(0, 1));
  assert.deepEqual(await rowsOf("/api/v1/prc20/token/NOPE/candles?newest=true"), []);
  assert.equal((await app.inject(`${path}?newest=1`)).statusCode, 400);
  await app.close();
});
