// Do events read as sentences, with exact amounts and one sentence per filling transaction?

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { IndexEvent } from "../../testing/demo/event-stream.ts";
import { linesOf, type Speech } from "../../testing/demo/lines.ts";
import { counted, pearl, tokens } from "../../testing/demo/wording.ts";

const speech: Speech = { nameOf: (address) => address, decimalsOf: (tick) => (tick === "GRAIN" ? 2 : 0) };

function event(kind: string, row: Readonly<Record<string, unknown>>): IndexEvent {
  return { kind, height: 1, blockHash: "00", row: { tick: "GRAIN", amount: "100", reason: null, ...row } };
}

describe("sentences", () => {
  test("amounts are exact at every size", () => {
    assert.equal(tokens(0n, 2, "GRAIN"), "0 GRAIN");
    assert.equal(tokens(5n, 2, "GRAIN"), "0.05 GRAIN");
    assert.equal(tokens(123_456_700n, 2, "GRAIN"), "1,234,567 GRAIN");
    assert.equal(tokens(2n ** 128n - 1n, 18, "T"), "340,282,366,920,938,463,463.374607431768211455 T");
    assert.equal(tokens(1_000n, 0, "T"), "1,000 T");
    assert.equal(pearl(2_000_000n), "0.02 PEARL");
    assert.equal(counted(0, "block"), "no blocks");
    assert.equal(counted(1, "block"), "1 block");
  });

  test("the same sentence in a row is told once; an invalid operation with its reason", () => {
    const mint = event("operation", { op: "mint", valid: 1, from: "Ada", to: "Ada" });
    const wrong = event("operation", {
      op: "burn",
      valid: 0,
      from: "Dan",
      reason: "AMT_INVALID",
      amount: null,
    });
    const unknown = event("operation", { op: "x", valid: 0, from: "Dan", reason: "OP_UNKNOWN", tick: "" });
    assert.deepEqual(linesOf([mint, mint, wrong, mint, unknown], speech), [
      "Ada minted 1 GRAIN, 2 times",
      "invalid: Dan's burn of GRAIN — AMT_INVALID",
      "Ada minted 1 GRAIN",
      "invalid: Dan's x — OP_UNKNOWN",
    ]);
  });

  test("a batch is one sentence, two buyers are two", () => {
    const filled = (owner: string, buyer: string, txid: string, tick = "GRAIN"): IndexEvent =>
      event("listing", { lifecycle_state: "filled", owner, buyer, fill_txid: txid, price: "1000000", tick });
    const send = event("operation", { op: "send", valid: 1, from: "Eve", to: "Eve" });
    const events = [
      filled("Ada", "Eve", "a"),
      send,
      filled("Ben", "Eve", "a", "T"),
      send,
      filled("Ada", "Dan", "b"),
    ];
    assert.deepEqual(linesOf(events, speech), [
      "Eve filled 2 listings at once: 1 GRAIN from Ada and 100 T from Ben, for 0.02 PEARL",
      "Dan filled a listing: 1 GRAIN from Ada, for 0.01 PEARL",
    ]);
  });
});
