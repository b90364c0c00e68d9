// Outputs of a script that are turned away (S-15) leave nothing behind, in however few steps the chain is read: a ledger
// that reads block by block does not know them when their spends come, and must come to the same state.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Sighting } from "../../swap/facts.ts";
import { evmPlace, outpoint, secretOf, shownBy } from "../../../testkit/builders/swap-ledger/ledger-facts.ts";
import {
  acceptedScene,
  lockSighting,
  minedLock,
  NO_LOCKS,
  ORDER,
  outputsOfOrder,
  pearl,
  scriptOf,
} from "../../../testkit/builders/swap-ledger/ledger-scene.ts";
import { MAX_SMALL_OUTPUTS } from "./first-outputs.ts";

/** An accepted order, and one output more of its script than are kept, all of one transaction. */
async function crowded() {
  const { ledger, store } = await acceptedScene();
  const one = { ...lockSighting(scriptOf(ledger, ORDER), "small"), amountSat: 20_000n };
  const sightings: readonly Sighting[] = Array.from({ length: MAX_SMALL_OUTPUTS + 1 }, (_, vout) => ({
    ...one,
    vout,
  }));
  const facts = sightings.map((sighting) => minedLock(sighting, 101));
  return { ledger, store, facts, sightings };
}

/** What a spend of this output shows. */
function shownBySpend(vout: number) {
  return { ...secretOf("a"), shower: shownBy("claim", outpoint("small", vout)) };
}

describe("S-15: an output that is turned away", () => {
  test("shows no secret by its spend in the same step, as it shows none in a later one; one that is kept does", async () => {
    const { hashlock } = secretOf("a");
    const { ledger, facts, sightings } = await crowded();
    const secrets = [shownBySpend(MAX_SMALL_OUTPUTS)];
    await ledger.applyPearl(pearl(101, facts, { sightings, secrets }));
    assert.equal(ledger.watch.lockOutput(outpoint("small", MAX_SMALL_OUTPUTS)), null);
    assert.equal(ledger.preimageOf(hashlock), null);
    const other = await crowded();
    const kept = [shownBySpend(MAX_SMALL_OUTPUTS - 1)];
    await other.ledger.applyPearl(
      pearl(101, other.facts, { sightings: other.sightings, secrets: [...secrets, ...kept] }),
    );
    assert.deepEqual(other.ledger.preimageOf(hashlock)?.shownBy, [kept[0]?.shower]);
  });

  test("shows the secret by a claim of the escrow, which needs no output", async () => {
    const { hashlock, secret } = secretOf("a");
    const { ledger, facts, sightings } = await crowded();
    const shower = { by: "claim", orderHash: ORDER, txHash: evmPlace(12, 2).txHash } as const;
    await ledger.applyPearl(pearl(101, facts, { sightings, secrets: [{ hashlock, secret, shower }] }));
    assert.deepEqual(ledger.preimageOf(hashlock)?.shownBy, [shower]);
  });

  test("is not remembered as one of the mempool, which its block would otherwise leave behind", async () => {
    const { ledger, store, facts, sightings } = await crowded();
    await ledger.applyPearl(pearl(101, facts, { sightings }));
    const sighted = await store.keys("sighting");
    assert.equal(sighted.length, MAX_SMALL_OUTPUTS);
    assert.equal(sighted.includes(outpoint("small", MAX_SMALL_OUTPUTS)), false);
    await ledger.applyMempool(NO_LOCKS, [], []);
    assert.equal(outputsOfOrder(ledger).length, MAX_SMALL_OUTPUTS);
  });
});
