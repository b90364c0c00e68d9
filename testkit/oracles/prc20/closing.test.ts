// Every way in which a listing closes, and the order at one input (P-63, P-64, P-60's state of the checks).
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  ALICE,
  BOB,
  CAROL,
  NET,
  FEE,
  goldChain,
  listInput,
  listTransaction,
  only,
  open,
  listingOf,
  anchorOf,
  sendInput,
  PAYMENT,
} from "./hand-made-market.ts";
import { PARAMS, FEE_PERSON, transaction } from "./hand-made.ts";
import type { InputSpec } from "./hand-made.ts";

/** The state of a listing after a transaction that spends its anchor at input 0; the units must be back. */
function spent(outputs: [Uint8Array, bigint][], ...more: InputSpec[]) {
  const chain = goldChain();
  const row = open(chain);
  chain.block(transaction([anchorOf(row), ...more], outputs));
  assert.equal(chain.holding(ALICE, "GOLD"), "300/0");
  return listingOf(chain, row.id).state;
}

describe("P-63 and P-64: closings", () => {
  test("a spend without a send cancels; the owner has the units again in the same input", () => {
    const chain = goldChain();
    const row = open(chain, listTransaction({ amt: "300" }));
    const burn = { op: "burn", tick: "gold", amt: "300" };
    // Script path: the input that spends the anchor carries the owner's burn, which needs the returned units.
    const tx = transaction([{ ...anchorOf(row), by: ALICE, payload: burn }]);
    assert.equal(only(chain.block(tx)).reason, null);
    const after = listingOf(chain, row.id);
    assert.deepEqual([after.state, after.close_txid, after.close_input], ["cancelled", tx.getId(), 0]);
    assert.equal(chain.holding(ALICE, "GOLD"), "0/0");
    assert.equal(chain.index.snapshot().stats.lists_cancelled, 1);
  });

  test("P-54's effects can be closed in the same block, in a later transaction", () => {
    const chain = goldChain();
    const listed = listTransaction();
    const spend = transaction([{ spends: { txid: listed.getId(), vout: 0 } }]);
    chain.block(listed, spend);
    assert.equal(listingOf(chain, `list:${listed.getId()}:0`).state, "cancelled");
    assert.equal(chain.holding(ALICE, "GOLD"), "300/0");
  });

  test("the seller paid at the same index without a valid send is invalid_spent", () => {
    assert.equal(spent([[ALICE.script, NET]]), "invalid_spent");
    assert.equal(spent([[ALICE.script, NET + 5n]]), "invalid_spent");
    assert.equal(spent([[ALICE.script, NET - 1n]]), "cancelled");
    assert.equal(
      spent([
        [BOB.script, 1n],
        [ALICE.script, NET],
      ]),
      "cancelled",
    );
  });

  test("operations beside it that do not name it make no invalid_spent", () => {
    const id = `list:${"ab".repeat(32)}:0`;
    assert.equal(spent([[BOB.script, 1n]], sendInput({ id })), "cancelled");
    assert.equal(spent([[ALICE.script, NET]], sendInput({ id })), "invalid_spent");
    assert.equal(spent([[BOB.script, 1n]], { by: BOB, payload: { op: "SEND", id } }), "cancelled");
  });

  test("a recorded send of another op name with its id cancels", () => {
    const chain = goldChain();
    const row = open(chain);
    const other = { by: BOB, payload: { op: "mint", id: row.id } };
    chain.block(transaction([anchorOf(row), other], [[BOB.script, 1n]]));
    assert.equal(listingOf(chain, row.id).state, "cancelled");
  });

  test("a send that names it two inputs later finds it closed", () => {
    const chain = goldChain();
    const row = open(chain);
    const sent = only(chain.block(transaction([anchorOf(row), {}, sendInput(row)], [[BOB.script, 1n]])));
    assert.equal(sent.reason, "LISTING_CLOSED");
    assert.equal(listingOf(chain, row.id).state, "cancelled");
  });

  test("a send at the very input that spends the anchor finds it closed", () => {
    const chain = goldChain();
    const row = open(chain);
    const at = { ...sendInput(row), ...anchorOf(row) };
    const sent = only(chain.block(transaction([{}, at], PAYMENT)));
    assert.equal(sent.reason, "LISTING_CLOSED");
    assert.equal(listingOf(chain, row.id).state, "cancelled");
  });

  test("one send cannot fill twice: the second one in the transaction is LISTING_CLOSED", () => {
    const chain = goldChain();
    const row = open(chain);
    const rows = chain.block(
      transaction([anchorOf(row), sendInput(row), sendInput(row, {}, CAROL)], PAYMENT),
    );
    assert.deepEqual(
      rows.map((sent) => sent.reason),
      [null, "LISTING_CLOSED"],
    );
    assert.equal(chain.holding(BOB, "GOLD"), "50/0");
    assert.equal(chain.holding(CAROL, "GOLD"), "0/0");
  });

  test("a batch fills pair by pair; a bad pair hurts itself only", () => {
    const chain = goldChain();
    const one = open(chain);
    const two = open(chain, listTransaction({ amt: "7" }));
    const inputs = [anchorOf(one), sendInput(one), anchorOf(two), sendInput(two)];
    const short: [Uint8Array, bigint][] = [
      [ALICE.script, NET],
      [FEE_PERSON.script, FEE - 1n],
    ];
    const rows = chain.block(transaction(inputs, [...PAYMENT, ...short]));
    assert.deepEqual(
      rows.map((sent) => [sent.vout, sent.reason]),
      [
        [1, null],
        [3, "FEE_UNDERPAID"],
      ],
    );
    assert.deepEqual(
      [one, two].map(({ id }) => [listingOf(chain, id).state, listingOf(chain, id).close_input]),
      [
        ["filled", 0],
        ["invalid_spent", 2],
      ],
    );
  });

  test("a chain of pairs: the send's own input spends the next listing's anchor", () => {
    const chain = goldChain();
    const one = open(chain);
    const two = open(chain, listTransaction({ amt: "7", price: "33299" }, ALICE, 33_299n));
    const middle = { ...sendInput(one), ...anchorOf(two) };
    // Output 1 would have to pay the fee of the first and the seller of the second: with no fee it can.
    const outputs: [Uint8Array, bigint][] = [
      [ALICE.script, NET],
      [ALICE.script, 33_299n],
    ];
    const rows = chain.block(transaction([anchorOf(one), middle, sendInput(two)], outputs));
    assert.deepEqual(
      rows.map((sent) => sent.reason),
      ["FEE_UNDERPAID", null],
    );
    assert.deepEqual(
      [listingOf(chain, one.id).state, listingOf(chain, two.id).state],
      ["invalid_spent", "filled"],
    );
    assert.equal(chain.holding(ALICE, "GOLD"), "293/0");
    assert.equal(chain.holding(BOB, "GOLD"), "7/0");
  });

  test("a list can use what the closing at its own input returns, and nothing is closed twice", () => {
    const chain = goldChain();
    const row = open(chain, listTransaction({ amt: "300" }));
    const relist = { ...listInput({ amt: "300" }), ...anchorOf(row) };
    const tx = transaction([relist], [[ALICE.script, 1000n]]);
    assert.equal(only(chain.block(tx)).reason, null);
    assert.deepEqual(
      [listingOf(chain, row.id).state, listingOf(chain, `list:${tx.getId()}:0`).state],
      ["cancelled", "open"],
    );
    chain.block(transaction([anchorOf(row)]));
    assert.equal(listingOf(chain, row.id).close_txid, tx.getId());
    assert.equal(chain.holding(ALICE, "GOLD"), "0/300");
  });

  test("the fee address and rate of 100 %: nothing is left for the seller", () => {
    const chain = goldChain({ ...PARAMS, feeBps: 10_000 });
    assert.equal(only(chain.block(listTransaction({ price: "333" }, ALICE, 333n))).reason, "PRICE_TOO_LOW");
  });
});
