// In transactions with thousands of inputs and outputs, closings, fills and pairs are still told apart by their index
// where counts take three bytes, and in one transaction as in many.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ListingId } from "../../src/primitives/brands.ts";
import type { Draft } from "../../testkit/builders/chain-maker/draft.ts";
import type { Actor } from "../../testkit/builders/chain-maker/ledger.ts";
import { bodyOf, verdicts, Workshop } from "./workshop.ts";

const PRICE = 50_000n;
const FEE = 500n;

function addList(draft: Draft, owner: Actor): void {
  draft.reveal(owner, bodyOf({ op: "list", tick: "A", amt: "1", price: `${PRICE}` }), {
    annex: { signer: owner, sellerScript: owner.script, sellerNet: PRICE - FEE },
  });
  draft.pay(owner.script, 1_000n);
}

/** A workshop with `count` open listings of one owner, all made by one transaction. */
function withListings(
  seed: number,
  count: number,
): { workshop: Workshop; owner: Actor; buyer: Actor; txid: string } {
  const workshop = new Workshop(seed);
  const [owner, buyer] = [workshop.actor(), workshop.actor()];
  workshop.apply([workshop.operation(owner, { op: "deploy", tick: "A", max: "100000", pre: "100000" })]);
  const draft = workshop.draft();
  for (let i = 0; i < count; i += 1) addList(draft, owner);
  const made = draft.finish();
  assert.deepEqual(verdicts(workshop.apply([made])), { valid: count });
  return { workshop, owner, buyer, txid: made.getId() };
}

describe("thousands of inputs in one transaction", () => {
  test("300 listings filled at once, some with a fault: each by its own pair", () => {
    const count = 300;
    const { workshop, owner, buyer, txid } = withListings(41, count);
    const draft = workshop.draft();
    const expected = { valid: 0, SELLER_UNDERPAID: 0, FEE_UNDERPAID: 0, LISTING_CLOSED: 0 };
    for (let i = 0; i < count; i += 1) {
      draft.spend({ txid, vout: i });
      // Every eleventh send names the listing before: that one is closed, and this one has no send.
      const named = i % 11 === 10 ? i - 1 : i;
      draft.reveal(buyer, bodyOf({ op: "send", id: `list:${txid}:${named}` }));
      const fault =
        named !== i
          ? "LISTING_CLOSED"
          : i % 7 === 3
            ? "SELLER_UNDERPAID"
            : i % 5 === 2
              ? "FEE_UNDERPAID"
              : "valid";
      draft.pay(owner.script, PRICE - FEE - (fault === "SELLER_UNDERPAID" ? 1n : 0n));
      draft.pay(workshop.fee.script, FEE - (fault === "FEE_UNDERPAID" ? 1n : 0n));
      expected[fault] += 1;
    }
    const changes = workshop.apply([draft.finish()]);
    assert.deepEqual(verdicts(changes), expected);
    const kinds = changes.listings.map(({ after }) => after?.close?.kind);
    assert.equal(kinds.filter((kind) => kind === "filled").length, expected.valid);
    assert.equal(kinds.filter((kind) => kind === "invalid_spent").length, count - expected.valid);
    workshop.assertReferenceAgrees();
  });

  test("300 listings spent at once without any send: cancelled or invalid_spent by their own output", () => {
    const count = 300;
    const { workshop, owner, txid } = withListings(42, count);
    const draft = workshop.draft();
    for (let i = count - 1; i >= 0; i -= 1) {
      draft.spend({ txid, vout: i });
      draft.pay(owner.script, PRICE - FEE - (i % 3 === 0 ? 0n : 1n));
    }
    const changes = workshop.apply([draft.finish()]);
    assert.equal(changes.listings.length, count);
    for (const { after } of changes.listings) {
      const paid = (after?.anchorVout ?? 0) % 3 === 0;
      assert.equal(after?.close?.kind, paid ? "invalid_spent" : "cancelled");
      assert.equal(after?.close?.inputIndex, count - 1 - (after?.anchorVout ?? 0));
    }
    workshop.assertReferenceAgrees();
    workshop.core.undo();
    const { listings } = workshop.core.state.rows();
    assert.ok(
      listings.every(({ close }) => close === null),
      "all open again",
    );
  });

  test("8,000 inputs of which one is a listing, one its fill: found at their places", () => {
    const { workshop, owner, buyer } = withListings(43, 1);
    const wide = workshop.draft();
    for (let i = 0; i < 4_000; i += 1) {
      wide.spend();
      wide.pay(buyer.script, 600n);
    }
    addList(wide, owner);
    const made = wide.finish();
    const id = `list:${made.getId()}:4000`;
    const fill = workshop.draft();
    for (let i = 0; i < 4_000; i += 1) fill.spend();
    fill.padOutputs(4_000, buyer.script);
    fill.spend({ txid: made.getId(), vout: 4_000 });
    fill.reveal(buyer, bodyOf({ op: "send", id }));
    fill.pay(owner.script, PRICE - FEE);
    fill.pay(workshop.fee.script, FEE);
    // Both in one block: what it creates, it also spends.
    assert.deepEqual(verdicts(workshop.apply([made, fill.finish()])), { valid: 2 });
    const close = workshop.core.state.listing(id as ListingId)?.close;
    assert.deepEqual([close?.kind, close?.inputIndex, close?.buyer], ["filled", 4_000, buyer.address]);
    workshop.assertReferenceAgrees();
  });
});

describe("thousands of outputs in one transaction", () => {
  test("20,000 outputs: only the paired one is an anchor", () => {
    const { workshop, owner, buyer } = withListings(44, 1);
    const draft = workshop.draft();
    draft.spend();
    draft.pay(buyer.script, 600n);
    addList(draft, owner);
    for (let i = 0; i < 20_000; i += 1) draft.pay(owner.script, 600n);
    const made = draft.finish();
    assert.deepEqual(verdicts(workshop.apply([made])), { valid: 1 });
    const spends = workshop.draft();
    for (const vout of [0, 2, 300, 20_001]) spends.spend({ txid: made.getId(), vout });
    assert.equal(workshop.apply([spends.finish()]).listings.length, 0, "the neighbours close nothing");
    const cancel = workshop.draft();
    cancel.spend({ txid: made.getId(), vout: 1 });
    assert.equal(workshop.apply([cancel.finish()]).listings[0]?.after?.close?.kind, "cancelled");
    workshop.assertReferenceAgrees();
  });
});

describe("the same operation again and again", () => {
  test("one transaction sends the same listing 1,000 times: once valid, then closed", () => {
    const { workshop, owner, buyer, txid } = withListings(45, 2);
    const draft = workshop.draft();
    draft.spend({ txid, vout: 1 });
    for (let i = 0; i < 1_000; i += 1) draft.reveal(buyer, bodyOf({ op: "send", id: `list:${txid}:1` }));
    draft.pay(owner.script, PRICE - FEE);
    draft.pay(workshop.fee.script, FEE);
    assert.deepEqual(verdicts(workshop.apply([draft.finish()])), { LISTING_CLOSED: 999, valid: 1 });
    const unpaired = workshop.draft();
    for (let i = 0; i < 500; i += 1) unpaired.reveal(buyer, bodyOf({ op: "send", id: `list:${txid}:0` }));
    assert.deepEqual(verdicts(workshop.apply([unpaired.finish()])), { ANCHOR_NOT_SPENT: 500 });
    workshop.assertReferenceAgrees();
  });

  test("an anchor that is spent twice, which no node accepts, closes its listing once", () => {
    const { workshop, owner, txid } = withListings(46, 1);
    const draft = workshop.draft();
    draft.spend({ txid, vout: 0 });
    draft.spend({ txid, vout: 0 });
    const other = workshop.draft();
    other.spend({ txid, vout: 0 });
    const changes = workshop.apply([draft.finish(), other.finish()]);
    assert.deepEqual(
      changes.listings.map(({ after }) => [after?.close?.kind, after?.close?.inputIndex]),
      [["cancelled", 0]],
    );
    const [row] = workshop.core.state.rows().balances;
    assert.deepEqual([row?.address, row?.balance, row?.locked], [owner.address, 100_000n, 0n]);
    workshop.assertReferenceAgrees();
  });
});
