// Every reason and effect of send (P-60 to P-62, P-65).
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  ALICE,
  BOB,
  CAROL,
  NET,
  FEE,
  goldChain,
  listTransaction,
  only,
  open,
  listingOf,
  anchorOf,
  sendInput,
  PAYMENT,
} from "./hand-made-market.ts";
import { FEE_PERSON, transaction } from "./hand-made.ts";
import type { ReferenceChain } from "./hand-made.ts";
import type { ListingRow, OperationRow } from "./index.ts";

/** Spends the anchor at input 0 with a send at input 1; the send's row and the listing after it. */
function fill(
  change: Record<string, unknown> = {},
  outputs: [Uint8Array, bigint][] = PAYMENT,
): { chain: ReferenceChain; row: OperationRow; after: ListingRow } {
  const chain = goldChain();
  const before = open(chain);
  const row = only(chain.block(transaction([anchorOf(before), sendInput(before, change)], outputs)));
  assert.deepEqual([row.tick, row.listing_id], ["GOLD", before.id]);
  return { chain, row, after: listingOf(chain, before.id) };
}

describe("send", () => {
  test("fills: the units move from the lock to the sender of the send", () => {
    const { chain, row, after } = fill();
    assert.deepEqual([row.valid, row.from, row.to, row.amount], [1, BOB.address, BOB.address, "50"]);
    assert.equal(chain.holding(ALICE, "GOLD"), "250/0");
    assert.equal(chain.holding(BOB, "GOLD"), "50/0");
    assert.deepEqual(
      [after.state, after.close_txid, after.close_height, after.close_input, after.buyer],
      ["filled", row.txid, 3, 0, BOB.address],
    );
    const { stats } = chain.index.snapshot();
    assert.deepEqual([stats.lists_open, stats.lists_filled], [0, 1]);
    assert.deepEqual([stats.total_protocol_fee_paid_sat, stats.total_seller_paid_sat], ["1000", "99000"]);
  });

  test("to another address, also back to the owner", () => {
    const { chain, after } = fill({ to: CAROL.address.toUpperCase() });
    assert.equal(chain.holding(CAROL, "GOLD"), "50/0");
    assert.equal(after.buyer, CAROL.address);
    assert.equal(fill({ to: ALICE.address }).chain.holding(ALICE, "GOLD"), "300/0");
  });

  test("paying more is fine", () => {
    const more: [Uint8Array, bigint][] = [
      [ALICE.script, NET + 1n],
      [FEE_PERSON.script, FEE + 1n],
    ];
    assert.equal(fill({}, more).row.reason, null);
  });

  const bad: [string, Record<string, unknown>, [Uint8Array, bigint][], string][] = [
    ["to no address", { to: "x" }, PAYMENT, "ADDRESS_INVALID"],
    ["to no string", { to: 1 }, PAYMENT, "FIELD_TYPE"],
    [
      "seller one grain short",
      {},
      [
        [ALICE.script, NET - 1n],
        [FEE_PERSON.script, FEE],
      ],
      "SELLER_UNDERPAID",
    ],
    [
      "another is paid",
      {},
      [
        [BOB.script, NET],
        [FEE_PERSON.script, FEE],
      ],
      "SELLER_UNDERPAID",
    ],
    [
      "both swapped",
      {},
      [
        [FEE_PERSON.script, FEE],
        [ALICE.script, NET],
      ],
      "SELLER_UNDERPAID",
    ],
    [
      "fee one grain short",
      {},
      [
        [ALICE.script, NET],
        [FEE_PERSON.script, FEE - 1n],
      ],
      "FEE_UNDERPAID",
    ],
    [
      "fee to another",
      {},
      [
        [ALICE.script, NET],
        [ALICE.script, FEE],
      ],
      "FEE_UNDERPAID",
    ],
    ["no fee output", {}, [[ALICE.script, NET]], "FEE_UNDERPAID"],
    ["address before payment", { to: "" }, [[BOB.script, 1n]], "ADDRESS_INVALID"],
  ];
  for (const [name, change, outputs, reason] of bad) {
    test(`${reason} returns the units (invalid_spent): ${name}`, () => {
      const { chain, row, after } = fill(change, outputs);
      assert.deepEqual([row.reason, row.to, row.amount], [reason, null, null]);
      assert.deepEqual([after.state, after.close_txid, after.close_input], ["invalid_spent", row.txid, 0]);
      assert.equal(after.buyer, null);
      assert.equal(chain.holding(ALICE, "GOLD"), "300/0");
      assert.equal(chain.holding(BOB, "GOLD"), "0/0");
      const { stats } = chain.index.snapshot();
      assert.deepEqual([stats.lists_invalid_spent, stats.total_seller_paid_sat], [1, "0"]);
    });
  }

  test("LISTING_ID_INVALID, LISTING_UNKNOWN", () => {
    const txid = "ab".repeat(32);
    const chain = goldChain();
    const ids = [undefined, "", txid, `list:${txid}`, `list:${txid}:00`, `list:${txid}:01`];
    ids.push(
      `list:${txid.toUpperCase()}:0`,
      `list:${txid}:12345678901`,
      `list:${txid}:0\n`,
      `LIST:${txid}:0`,
    );
    for (const id of ids) {
      assert.equal(chain.run([BOB, { op: "send", id, to: "x" }]).reason, "LISTING_ID_INVALID");
    }
    for (const id of [`list:${txid}:0`, `list:${txid}:9999999999`]) {
      const row = chain.run([BOB, { op: "send", id, to: "x" }]);
      assert.deepEqual([row.reason, row.tick, row.listing_id], ["LISTING_UNKNOWN", "", null]);
    }
  });

  test("LISTING_CLOSED comes before ANCHOR_NOT_SPENT and ADDRESS_INVALID", () => {
    const { chain, after } = fill();
    const row = chain.run([BOB, { op: "send", id: after.id, to: "x" }]);
    assert.deepEqual([row.reason, row.tick, row.listing_id], ["LISTING_CLOSED", "GOLD", after.id]);
    // The exception of P-60 is for this same transaction only: an equal input number elsewhere does not count.
    const again = only(chain.block(transaction([{}, sendInput(after)], PAYMENT)));
    assert.equal(again.reason, "LISTING_CLOSED");
  });

  test("ANCHOR_NOT_SPENT: at input 0, beside another input, one input too late for an open listing", () => {
    const chain = goldChain();
    const row = open(chain);
    assert.equal(chain.run([BOB, { op: "send", id: row.id, to: "x" }]).reason, "ANCHOR_NOT_SPENT");
    assert.equal(only(chain.block(transaction([{}, sendInput(row)], PAYMENT))).reason, "ANCHOR_NOT_SPENT");
    // The anchor is spent after the send: still open when the send is reached, and then cancelled or misused.
    const late = transaction([{}, sendInput(row), anchorOf(row)], [[BOB.script, 1n], ...PAYMENT]);
    assert.equal(only(chain.block(late)).reason, "ANCHOR_NOT_SPENT");
    assert.equal(listingOf(chain, row.id).state, "cancelled");
  });

  test("P-65: a fill after exp is valid", () => {
    const chain = goldChain();
    const row = open(chain, listTransaction({ exp: "3" }));
    chain.block();
    assert.equal(chain.index.snapshot().stats.lists_expired_open, 0); // tip 3
    chain.block();
    const { stats } = chain.index.snapshot();
    assert.deepEqual([stats.lists_open, stats.lists_expired_open], [1, 1]);
    const sent = only(chain.block(transaction([anchorOf(row), sendInput(row)], PAYMENT)));
    assert.equal(sent.reason, null);
  });
});
