// Every block is told whole, however its events arrive.

import assert from "node:assert/strict";
import { test } from "node:test";
import { castOf } from "../../demo/cast.ts";
import type { IndexEvent } from "../../demo/event-stream.ts";
import type { IndexClient, Row } from "../../demo/index-client.ts";
import { Narrator } from "../../demo/narrator.ts";

/** An index that has no rows to add. */
const index: IndexClient = { base: "", rows: async () => [], hasReached: async () => true };

function event(kind: string, row: Row): IndexEvent {
  return { kind, height: 7, blockHash: "00", row };
}

test("a block whose events come in pieces is told once, when all are there", async (context) => {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const cast = castOf("a seed for tests");
  const told: string[] = [];
  const narrator = new Narrator(
    index,
    cast,
    (line) => told.push(line),
    (sentence) => assert.fail(sentence),
  );
  const { address } = cast.named("Ada");
  const mint = event("operation", {
    op: "mint",
    valid: 1,
    tick: "T",
    amount: "5",
    from: address,
    to: address,
  });
  narrator.hear(event("block", { height: 7, operations: 2 }));
  context.mock.timers.tick(1000);
  narrator.hear(mint);
  context.mock.timers.tick(1000);
  await new Promise(setImmediate);
  assert.deepEqual(told, []);
  narrator.hear(mint);
  context.mock.timers.tick(1000);
  await narrator.end();
  assert.deepEqual(told, ["block 7: 2 operations", "  Ada minted 5 T, 2 times"]);
});
