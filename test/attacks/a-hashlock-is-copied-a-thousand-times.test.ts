// The contract lets each buyer use a hashlock once (S-22), and anybody be any number of buyers: bids with one hashlock cost
// their maker gas, and are cancelled at once. What the service does about them is linear in their number, also when the
// secret becomes public.

import assert from "node:assert/strict";
import { describe, type TestContext, test } from "node:test";
import type { EscrowEvent } from "../../src/swap/facts.ts";
import { LayeredMap } from "../../src/swaps/ledger/layers.ts";
import {
  bytes32,
  evmAddress,
  evmPlace,
  outpoint,
  secretOf,
  terms,
  shownBy,
} from "../../testkit/builders/swap-ledger/ledger-facts.ts";
import { accepted, evm, pearl, scene, scriptOf } from "../../testkit/builders/swap-ledger/ledger-scene.ts";

/** A bid with the hashlock of all others, by a buyer of its own. */
function copy(number: number, block: number): EscrowEvent {
  const orderHash = bytes32(`copy ${number}`);
  const of = terms("a", { buyer: evmAddress(`buyer ${number}`) });
  return { kind: "OrderLocked", place: evmPlace(block, number), orderHash, terms: of };
}

/** Such a bid with a lock script of its own, and its acceptance. */
function acceptedCopy(number: number, block: number): readonly EscrowEvent[] {
  const bid = copy(number, block);
  assert.ok(bid.kind === "OrderLocked");
  const pearlRefundTime = bid.terms.pearlRefundTime + number;
  const { orderHash } = bid;
  const accept = { ...accepted("a", block), place: evmPlace(block, 10_000 + number), orderHash };
  return [{ ...bid, terms: { ...bid.terms, pearlRefundTime } }, accept];
}

/** Counts how often the books are asked while something is done. */
async function lookedUp(context: TestContext, doing: () => Promise<unknown>): Promise<number> {
  const { mock } = context.mock.method(LayeredMap.prototype, "get");
  await doing();
  const count = mock.callCount();
  mock.restore();
  return count;
}

/** A ledger with so many copies. */
async function copied(count: number) {
  const { ledger } = await scene();
  const copies = Array.from({ length: count }, (_, number) => copy(number, 10));
  await ledger.applyEvm(evm(10, copies, { finalHeight: 10 }));
  return ledger;
}

describe("a hashlock is copied a thousand times", () => {
  test("S-22: one bid more and a read of its row cost what they cost where ten were made", async (context) => {
    const costs: number[] = [];
    for (const count of [10, 300]) {
      const ledger = await copied(count);
      const further = copy(count, 11);
      costs.push(
        await lookedUp(context, async () => {
          await ledger.applyEvm(evm(11, [further]));
          ledger.subject(bytes32(`copy ${count}`));
        }),
      );
      assert.equal(ledger.isHashlockUsed(evmAddress(`buyer ${count}`), terms("a").hashlock, null), true);
    }
    const [few = 0, many = 0] = costs;
    assert.ok(many < 1.1 * few, `${few} looks beside 10 bids, ${many} beside 300`);
  });

  test("S-10: one script more costs what it costs where a hundred were made", async (context) => {
    const costs: number[] = [];
    for (const count of [100, 400]) {
      const { ledger } = await scene();
      const copies = Array.from({ length: count }, (_, number) => acceptedCopy(number, 10));
      await ledger.applyEvm(evm(10, copies.flat(), { finalHeight: 10 }));
      const further = acceptedCopy(count, 11);
      costs.push(await lookedUp(context, () => ledger.applyEvm(evm(11, further))));
      const scripts = [0, count - 1, count].map((number) => scriptOf(ledger, bytes32(`copy ${number}`)));
      assert.equal(new Set(scripts).size, 3);
    }
    const [few = 0, many = 0] = costs;
    assert.ok(many < 1.1 * few, `${few} looks beside 100 scripts, ${many} beside 400`);
  });

  test("S-13: the secret is told to four times as many bids by four times the work, not sixteen times", async (context) => {
    const { secret, hashlock } = secretOf("a");
    const shower = shownBy("claim", outpoint("lock", 0));
    const costs: number[] = [];
    for (const count of [50, 200]) {
      const ledger = await copied(count);
      const shown = pearl(101, [], { secrets: [{ hashlock, secret, shower }] });
      costs.push(await lookedUp(context, () => ledger.applyPearl(shown)));
      assert.equal(ledger.subject(bytes32("copy 7"))?.secret?.secret, secret);
    }
    const [few = 0, many = 0] = costs;
    assert.ok(many < 5 * few, `${few} looks for 50 bids, ${many} for 200`);
  });
});
