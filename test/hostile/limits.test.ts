// With amounts at 2^128 - 1 and prices at all the money there is, sums are still exact and nothing is ever above the
// limit.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { ListingId, Tick } from "../../src/primitives/brands.ts";
import type { Actor } from "../../testkit/builders/chain-maker/ledger.ts";
import { bodyOf, verdicts, Workshop } from "./workshop.ts";

const MAX = (1n << 128n) - 1n;
const ALL_MONEY = 2_100_000_000_000_000_000n;

function balancesOf(workshop: Workshop): Record<string, string> {
  const { balances } = workshop.core.state.rows();
  return Object.fromEntries(balances.map((row) => [row.address, `${row.balance} ${row.locked}`]));
}

/** One transaction that lists, and the id of its listing. */
function listed(workshop: Workshop, by: Actor, amt: bigint, price: bigint): { id: string; vout: number } {
  const draft = workshop.draft();
  const fee = price / 100n;
  draft.reveal(by, bodyOf({ op: "list", tick: "BIG", amt: `${amt}`, price: `${price}` }), {
    annex: { signer: by, sellerScript: by.script, sellerNet: price - fee },
  });
  draft.pay(by.script, 1000n);
  const made = draft.finish();
  assert.deepEqual(verdicts(workshop.apply([made])), { valid: 1 });
  return { id: `list:${made.getId()}:0`, vout: 0 };
}

/** One transaction that fills a listing for `buyer`. */
function filled(workshop: Workshop, id: string, owner: Actor, buyer: Actor, price: bigint): void {
  const draft = workshop.draft();
  const fee = price / 100n;
  draft.spend({ txid: id.slice(5, 69), vout: 0 });
  draft.reveal(buyer, bodyOf({ op: "send", id }));
  draft.pay(owner.script, price - fee);
  draft.pay(workshop.fee.script, fee);
  assert.deepEqual(verdicts(workshop.apply([draft.finish()])), { valid: 1 });
}

describe("2^128 - 1 units of one token", () => {
  test("deployed, moved, locked, bought, burned, to the last unit", () => {
    const workshop = new Workshop(21);
    const [ann, bob] = [workshop.actor(), workshop.actor()];
    const deploy = { op: "deploy", tick: "big", max: `${MAX}`, pre: `${MAX}`, lim: `${MAX}` };
    const over = { ...deploy, tick: "over", max: `${MAX + 1n}`, pre: "0" };
    assert.deepEqual(
      verdicts(workshop.apply([workshop.operation(ann, deploy), workshop.operation(ann, over)])),
      { MAX_INVALID: 1, valid: 1 },
    );
    const more = { op: "mint", tick: "BIG", amt: "1" };
    const tooMuch = { op: "transfer", tick: "BIG", amt: `${MAX + 1n}`, to: bob.address };
    const all = { op: "transfer", tick: "BIG", amt: `${MAX}`, to: bob.address };
    const again = { ...all, amt: "1" };
    const made = [more, tooMuch, all, again].map((payload) => workshop.operation(ann, payload));
    assert.deepEqual(verdicts(workshop.apply(made)), {
      AMT_INVALID: 1,
      BALANCE_INSUFFICIENT: 1,
      MINT_ENDED: 1,
      valid: 1,
    });
    assert.deepEqual(balancesOf(workshop), { [bob.address]: `${MAX} 0` });

    // Traded there and back twice: what was filled in total is more than any amount can be.
    const traders = [bob, ann, bob, ann, bob];
    for (let i = 0; i < 4; i += 1) {
      const [seller = bob, buyer = ann] = traders.slice(i, i + 2);
      const { id } = listed(workshop, seller, MAX, ALL_MONEY);
      assert.deepEqual(balancesOf(workshop), { [seller.address]: `0 ${MAX}` });
      filled(workshop, id, seller, buyer, ALL_MONEY);
      assert.deepEqual(balancesOf(workshop), { [buyer.address]: `${MAX} 0` });
      assert.equal(workshop.core.state.listing(id as ListingId)?.amount, MAX);
    }
    const token = workshop.core.state.token("BIG" as Tick);
    assert.equal(token?.filledAmount, 4n * MAX);
    assert.equal(token?.sellerPaidSat, 4n * (ALL_MONEY - ALL_MONEY / 100n));
    assert.equal(token?.feePaidSat, 4n * (ALL_MONEY / 100n));

    workshop.apply([workshop.operation(bob, { op: "burn", tick: "BIG", amt: `${MAX}` })]);
    assert.deepEqual(balancesOf(workshop), {});
    assert.equal(workshop.core.state.token("BIG" as Tick)?.burned, MAX);
    assert.deepEqual(
      verdicts(workshop.apply([workshop.operation(bob, { op: "mint", tick: "BIG" })])),
      { MINT_ENDED: 1 },
      "burned units never come back",
    );
    workshop.assertReferenceAgrees();
  });

  test("minted by many in pieces whose sum is exactly the limit, the last one cut to a single unit", () => {
    const workshop = new Workshop(22);
    const actors = Array.from({ length: 9 }, () => workshop.actor());
    const piece = MAX / 8n;
    const deploy = { op: "deploy", tick: "SUM", max: `${MAX}`, lim: `${piece}` };
    const first = actors[0] ?? workshop.actor();
    workshop.apply([workshop.operation(first, deploy)]);
    const mints = actors.map((actor) => workshop.operation(actor, { op: "mint", tick: "SUM" }));
    assert.deepEqual(verdicts(workshop.apply(mints)), { valid: 9 });
    const token = workshop.core.state.token("SUM" as Tick);
    assert.equal(token?.minted, MAX);
    assert.equal(token?.holders, 9);
    const { balances } = workshop.core.state.rows();
    assert.equal(
      balances.reduce((sum, row) => sum + row.balance, 0n),
      MAX,
    );
    assert.equal(balances.find((row) => row.address === actors.at(-1)?.address)?.balance, MAX - 8n * piece);
    workshop.assertReferenceAgrees();
  });

  test("a thousand holders of the largest amounts of a thousand tokens", () => {
    const workshop = new Workshop(23);
    const owner = workshop.actor();
    const deploys = Array.from({ length: 1000 }, (_, index) =>
      workshop.operation(owner, {
        op: "deploy",
        tick: `N${index}`,
        max: `${MAX}`,
        pre: `${MAX - BigInt(index)}`,
      }),
    );
    assert.deepEqual(verdicts(workshop.apply(deploys)), { valid: 1000 });
    const { tokens, balances } = workshop.core.state.rows();
    assert.equal(
      balances.reduce((sum, row) => sum + row.balance, 0n),
      1000n * MAX - 499_500n,
    );
    assert.equal(tokens.length, 1000);
  });
});

describe("prices and expiries at their limits", () => {
  test("each side of every limit", () => {
    const workshop = new Workshop(24);
    const owner = workshop.actor();
    workshop.apply([workshop.operation(owner, { op: "deploy", tick: "P", max: "1000", pre: "1000" })]);
    const cases: readonly (readonly [terms: Record<string, string>, verdict: string])[] = [
      [{ price: `${ALL_MONEY}` }, "valid"],
      [{ price: `${ALL_MONEY + 1n}` }, "PRICE_INVALID"],
      [{ price: `${MAX}` }, "PRICE_INVALID"],
      [{ price: "333" }, "valid"],
      [{ price: "332" }, "PRICE_TOO_LOW"],
      [{ price: "33299" }, "valid"],
      [{ price: "33300" }, "valid"],
      [{ price: "5000", exp: "4294967295" }, "valid"],
      [{ price: "5000", exp: "4294967296" }, "EXP_INVALID"],
      [{ price: "5000", exp: "2" }, "EXP_INVALID"],
      [{ price: "5000", exp: "3" }, "valid"],
      [{ price: "5000", exp: "03" }, "EXP_INVALID"],
    ];
    const made = cases.map(([terms]) => {
      const price = BigInt(terms["price"] ?? "0");
      const fee = price / 100n < 333n ? 0n : price / 100n;
      const draft = workshop.draft();
      draft.reveal(owner, bodyOf({ op: "list", tick: "P", amt: "1", ...terms }), {
        annex: { signer: owner, sellerScript: owner.script, sellerNet: (price - fee) % (1n << 63n) },
      });
      draft.pay(owner.script, 1000n);
      return draft.finish();
    });
    const changes = workshop.apply(made);
    assert.deepEqual(
      changes.operations.map(({ reason }, index) => [cases[index]?.[0], reason ?? "valid"]),
      cases.map(([terms, verdict]) => [terms, verdict]),
    );
    workshop.assertReferenceAgrees();
  });
});
