// A packed commit says what its blocks say, with amounts of any size, shared addresses, and bodies that are not ASCII.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Workshop } from "../../../../test/hostile/workshop.ts";
import { BALANCE, OP, OP_CELLS, amountIn, amountText, NONE, packCommit } from "./packed-commit.ts";

const MOST = ((1n << 128n) - 1n).toString();

describe("packed commit", () => {
  const workshop = new Workshop(91);
  const actor = workshop.actor();
  const block = workshop.apply([
    workshop.operation(actor, { op: "deploy", tick: "A", max: MOST, pre: MOST }),
    workshop.operation(actor, { op: "Zażółć", tick: "A" }),
    workshop.operation(actor, { op: "mint", tick: "A", amt: "1", memo: "zażółć 💧" }),
  ]);

  test("amounts are exact at 2^128 - 1 and where a cell holds them", () => {
    const commit = packCommit([block]);
    const [packed] = commit.blocks;
    assert.ok(packed !== undefined);
    assert.equal(packed.balances[BALANCE.balanceBefore], NONE);
    const cell = packed.balances[BALANCE.balance] ?? 0;
    assert.equal(amountIn(commit, cell).toString(), MOST);
    assert.equal(amountText(commit, cell), MOST);
    assert.equal(amountIn(commit, 9_007_199_254_740_991), 9_007_199_254_740_991n);
    assert.equal(amountText(commit, 0), "0");
  });

  test("operations keep their place, id, body and sender", () => {
    const commit = packCommit([block]);
    const [packed] = commit.blocks;
    assert.ok(packed !== undefined);
    const { operations, bytes } = packed;
    assert.equal(operations.length, block.operations.length * OP_CELLS);
    let start = 0;
    for (const [i, row] of block.operations.entries()) {
      const end = operations[i * OP_CELLS + OP.end] ?? 0;
      assert.equal(operations[i * OP_CELLS + OP.place], row.place);
      assert.equal(Buffer.from(bytes.subarray(start, start + 32)).toString("hex"), row.txid);
      assert.equal(Buffer.from(bytes.subarray(start + 32, end)).toString("utf8"), row.payloadJson);
      const from = operations[i * OP_CELLS + OP.from] ?? 0;
      const begins = from === 0 ? 0 : (commit.addressEnds[from - 1] ?? 0);
      const address = Buffer.from(commit.addresses.subarray(begins, commit.addressEnds[from]));
      assert.equal(address.toString("latin1"), row.from);
      start = end;
    }
  });

  test("P-24, P-81: an unknown operation that is valid, and one of another block, are refused", () => {
    const [row] = block.operations;
    assert.ok(row !== undefined);
    assert.throws(() => packCommit([{ ...block, operations: [{ ...row, op: "unknown" }] }]), /P-24/);
    assert.throws(
      () => packCommit([{ ...block, operations: [{ ...row, height: row.height + 1 }] }]),
      /does not belong/,
    );
  });
});
