// An empty string is a present field (P-23): it breaks the rule of its field everywhere instead of taking the default
// of an absent one. And a number of decimals can be written in one way only (P-40).

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  blockOfVector,
  VECTOR_RULES,
  type VectorTransaction,
} from "../../test/vectors/prc20/vector-chain.ts";
import { sha256 } from "../../testkit/bytes.ts";
import { judgeBlock } from "../../test/vectors/prc20/vector-run.ts";
import { initialDigest } from "./digest.ts";
import { MemoryState } from "../../testkit/builders/core-index/memory-state.ts";

const DEPLOY = { op: "deploy", tick: "abc", max: "10", pre: "10", to: "@ann" };
const LIST = { op: "list", tick: "abc", amt: "1", price: "50000" };

/** The verdict on `op` right after a valid deploy of ABC. */
function verdictOn(op: Readonly<Record<string, unknown>>): string {
  const transactions: VectorTransaction[] = [
    { id: "one", by: "ann", op: DEPLOY },
    { id: "two", by: "ann", op, outputs: ["ann 1000"] },
  ];
  const block = blockOfVector({ txs: transactions, effects: [] }, 0, VECTOR_RULES);
  const changes = judgeBlock(block, new MemoryState(initialDigest(VECTOR_RULES, sha256)), VECTOR_RULES);
  return changes.operations[1]?.reason ?? "valid";
}

describe("P-23: an empty string is no absent field", () => {
  const cases: readonly (readonly [op: Readonly<Record<string, string>>, field: string, reason: string])[] = [
    [{ op: "deploy", tick: "new", max: "10" }, "lim", "LIM_INVALID"],
    [{ op: "deploy", tick: "new", max: "10" }, "pre", "PRE_INVALID"],
    [{ op: "deploy", tick: "new", max: "10" }, "dec", "DEC_INVALID"],
    [{ op: "deploy", tick: "new", max: "10" }, "cid", "CID_INVALID"],
    [{ op: "deploy", tick: "new", max: "10" }, "to", "ADDRESS_INVALID"],
    [{ op: "mint", tick: "abc" }, "amt", "AMT_INVALID"],
    [{ op: "mint", tick: "abc" }, "to", "ADDRESS_INVALID"],
    [LIST, "pay", "PAY_INVALID"],
    [LIST, "exp", "EXP_INVALID"],
    [LIST, "seller", "ADDRESS_INVALID"],
  ];
  for (const [op, field, reason] of cases) {
    test(`${op["op"]} ${field}`, () => {
      const absent = op["op"] === "mint" ? "MINT_ENDED" : "valid";
      assert.equal(verdictOn(op), absent, "absent");
      assert.equal(verdictOn({ ...op, [field]: "" }), reason, "empty");
    });
  }
});

test("P-40: decimals are written in one way", () => {
  const deploy = { op: "deploy", tick: "new", max: "10" };
  for (const dec of ["0", "1", "9", "10", "18"]) assert.equal(verdictOn({ ...deploy, dec }), "valid", dec);
  for (const dec of ["00", "01", "010", "018", "19", "20", "100", "-1", "1.0", " 1", "1 ", "1\n", "٣"])
    assert.equal(verdictOn({ ...deploy, dec }), "DEC_INVALID", dec);
});

test("P-51: a listing's id is the whole field", () => {
  const id = `list:${"ab".repeat(32)}:0`;
  for (const text of [id, `${id.slice(0, -1)}1`, `${id.slice(0, -1)}4294967295`])
    assert.equal(verdictOn({ op: "send", id: text }), "LISTING_UNKNOWN", text);
  const wrong = [
    `x${id}`,
    ` ${id}`,
    `${id} `,
    `${id}x`,
    `${id}\n`,
    id.toUpperCase(),
    id.slice(5),
    id.slice(0, -2),
  ];
  for (const text of [...wrong, `${id.slice(0, -1)}00`, `${id.slice(0, -1)}-1`, ""])
    assert.equal(verdictOn({ op: "send", id: text }), "LISTING_ID_INVALID", text);
});
