// The index of asks against time and chain: what expires, is revoked, is carried by an order, and is forgotten.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { EscrowEvent } from "../../swap/facts.ts";
import { apiScene } from "../../../testkit/builders/swap-ledger/api-scene.ts";
import { ask, evmPlace, START, take } from "../../../testkit/builders/swap-ledger/ledger-facts.ts";
import { evm, ORDER, scene } from "../../../testkit/builders/swap-ledger/ledger-scene.ts";

const ONE = ask("s");
const WEEK = 7 * 86_400;

describe("S-33: an ask in the index", () => {
  test("is cancelled from the second of its expiry on, before anybody lets time pass", async () => {
    const { ledger, parts, outside } = await apiScene();
    await ledger.write({ asks: [ONE] });
    outside.now = ONE.terms.expiry - 1;
    assert.equal(parts.asks.counts().ASK_OPEN, 1);
    assert.equal(parts.asks.standingOf(ONE.terms.seller), 1);
    outside.now = ONE.terms.expiry;
    assert.deepEqual([parts.asks.counts().ASK_OPEN, parts.asks.counts().ASK_CANCELLED], [0, 1]);
    assert.equal(parts.asks.standingOf(ONE.terms.seller), 0);
    assert.deepEqual(parts.asks.fundingAsks(ONE.terms.sellerPearlAddress), []);
  });

  test("follows the order that takes it, and its way back", async () => {
    const { ledger, parts } = await apiScene();
    await ledger.write({ asks: [ONE] });
    const { terms } = take("a", ONE, 0);
    await ledger.applyEvm(evm(2, [{ kind: "OrderLocked", place: evmPlace(2), orderHash: ORDER, terms }]));
    assert.deepEqual(parts.asks.kept(), { all: 0, unproven: 0 });
    assert.deepEqual(parts.asks.of(null, terms.buyer), [ONE.askId]);
    await ledger.applyEvm(evm(2, [], { rewindTo: 1 }));
    assert.deepEqual(parts.asks.kept(), { all: 1, unproven: 1 });
    assert.deepEqual(parts.asks.of(null, terms.buyer), []);
  });
});

describe("S-34: an ask is forgotten", () => {
  test("never while an order carries it", async () => {
    const { ledger, outside } = await apiScene();
    await ledger.write({ asks: [ONE] });
    const { terms } = take("a", ONE, 0);
    await ledger.applyEvm(evm(2, [{ kind: "OrderLocked", place: evmPlace(2), orderHash: ORDER, terms }]));
    outside.now = ONE.terms.expiry + 10 * WEEK;
    await ledger.passTime();
    assert.notEqual(ledger.ask(ONE.askId), null);
  });

  test("seven days after its cancel, or after the block that revoked its nonce", async () => {
    const { ledger, outside } = await apiScene();
    const cancelled = { ...ask("c"), cancelledBySignature: true, updatedAt: START + 50 };
    const far = { ...ONE, terms: { ...ONE.terms, expiry: START + 5 * WEEK } };
    const long = { ...cancelled, terms: { ...cancelled.terms, expiry: START + 5 * WEEK } };
    const next = { ...ask("n"), terms: { ...far.terms, nonce: 9n } };
    await ledger.write({ asks: [far, long, next] });
    const { seller } = ONE.terms;
    // The second one says nothing new of the first ask, and leaves the one with its own nonce open.
    for (const [block, nonceBelow] of [
      [2, 4n],
      [3, 9n],
    ] as const)
      await ledger.applyEvm(
        evm(block, [{ kind: "AsksRevoked", place: evmPlace(block), seller, nonceBelow }], {
          finalHeight: block,
        }),
      );
    const known = () => [far, long].map(({ askId }) => ledger.ask(askId) !== null);
    const revokedAt = evmPlace(2).time;
    outside.now = revokedAt + WEEK - 1;
    await ledger.passTime();
    assert.deepEqual(known(), [true, true]);
    outside.now = revokedAt + WEEK;
    await ledger.passTime();
    assert.deepEqual(known(), [false, true]);
    outside.now = START + 50 + WEEK;
    await ledger.passTime();
    assert.deepEqual(known(), [false, false]);
    assert.notEqual(ledger.ask(next.askId), null);
  });

  test("not for a revocation that one EVM RPC may have invented, not final or disputed: without it the ask is open again, also over a restart", async () => {
    const { ledger, store, outside, parts } = await apiScene();
    const far = { ...ONE, terms: { ...ONE.terms, expiry: START + 5 * WEEK } };
    await ledger.write({ asks: [far] });
    const { seller } = far.terms;
    const event: EscrowEvent = { kind: "AsksRevoked", place: evmPlace(2), seller, nonceBelow: 4n };
    const status = () => ledger.askStatus(far, parts.readiness.context());
    await ledger.applyEvm(evm(2, [event]));
    outside.now = evmPlace(2).time + 2 * WEEK;
    await ledger.passTime();
    assert.equal(status(), "ASK_CANCELLED");
    await ledger.applyEvm(evm(2, [], { finalHeight: 2, disputed: [event] }));
    await ledger.passTime();
    const restarted = await scene(store);
    restarted.now = outside.now;
    await restarted.ledger.passTime();
    assert.equal(restarted.ledger.minAskNonce(seller), 4n);
    await restarted.ledger.applyEvm(evm(2, [], { rewindTo: 1 }));
    const context = { ...parts.readiness.context(), expiryNow: outside.now };
    const kept = restarted.ledger.ask(far.askId);
    assert.equal(kept && restarted.ledger.askStatus(kept, context), "ASK_OPEN");
  });
});
