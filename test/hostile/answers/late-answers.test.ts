// Answers that come too late: a query that was slow while the chain went on must not put its old answer under the new
// state, whatever the others have noted in the meantime (H-09).

import assert from "node:assert/strict";
import { test } from "node:test";
import { jsonAnswer } from "../../../src/http/answer.ts";
import { readyAnswer, ResponseCache } from "../../../src/http/response-cache.ts";
import type { BlockHash } from "../../../src/primitives/brands.ts";

const stateAt = (height: number) => ({ height, hash: `hash ${height}` as BlockHash });

test("H-09: a slow answer of the state before is not kept, though the present state is known", () => {
  const cache = new ResponseCache(1_000_000);
  const slow = cache.begin();
  cache.observe(slow, stateAt(1));
  cache.advance();
  const quick = cache.begin();
  cache.observe(quick, stateAt(2));
  cache.keep(slow, "/page", readyAnswer(jsonAnswer(200, "old")));
  assert.equal(cache.get("/page"), undefined);
  cache.keep(quick, "/page", readyAnswer(jsonAnswer(200, "new")));
  assert.equal(cache.get("/page")?.answer.body.toString(), '"new"');
  cache.observe(slow, stateAt(2));
  assert.ok(cache.get("/page"), "a slow one that saw the present state changes nothing");
  cache.observe(slow, stateAt(3));
  assert.equal(cache.get("/page"), undefined, "it may have seen a state that nobody has told yet");
});
