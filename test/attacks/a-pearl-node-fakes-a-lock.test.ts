// The followed PEARL node shows a lock that the network does not have: a branch of its own, with K confirmations. With
// one witness nobody is told to reveal a secret for it (S-09); without, one lying node is believed: the documents say so.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { BlockHash } from "../../src/primitives/brands.ts";
import type { SwapNode } from "../../src/follow/ports.ts";
import { PearlPort, viewOfCore } from "../../testkit/doubles/pearl-port.ts";
import { K, PearlChain, PearlStage } from "./pearl-stage.ts";

const portOf = (chain: PearlChain): PearlPort => new PearlPort(viewOfCore(chain.core));

/** A port whose answers can be switched off, one way or the other. */
function switchable(chain: PearlChain) {
  const state = { mode: "well" as "well" | "silent" | "hangs" };
  const node = new PearlPort(viewOfCore(chain.core), async (_request, answer) => {
    if (state.mode === "hangs") return new Promise(() => undefined);
    if (state.mode === "silent") throw new Error("no answer");
    return answer(null);
  });
  return { node, state };
}

/** A node with a lock of `deep` confirmations on a branch that only it has, beside an honest chain of the same height. */
async function forged(deep: number, witnesses: (honest: PearlChain) => readonly SwapNode[]) {
  const honest = new PearlChain();
  const liar = new PearlChain();
  const stage = await PearlStage.overAll([portOf(liar), ...witnesses(honest)]);
  await stage.follow();
  liar.mine([liar.payment(5, stage.script).raw], 1);
  liar.mineEmpty(deep - 1, 1);
  honest.mineEmpty(deep);
  await stage.look();
  await stage.follow();
  return { honest, liar, stage };
}

/** A lock that the network has, seen by the followed node and by these others. */
async function genuine(deep: number, others: (honest: PearlChain) => readonly SwapNode[]) {
  const honest = new PearlChain();
  const stage = await PearlStage.overAll([portOf(honest), ...others(honest)]);
  await stage.follow();
  honest.mine([honest.payment(5, stage.script).raw]);
  honest.mineEmpty(deep - 1);
  await stage.look();
  await stage.follow();
  return { honest, stage };
}

/** A node that makes up a height and every hash. */
const invented = (honest: PearlChain): SwapNode =>
  new PearlPort({
    ...viewOfCore(honest.core),
    tip: () => ({ height: 10_000, hash: "ab".repeat(32) as BlockHash }),
    hashAt: () => "cd".repeat(32) as BlockHash,
  });

describe("S-09: a lock that only the followed node shows", () => {
  test("without a witness it is verified: the trust that one node of one's own needs", async () => {
    const { stage } = await forged(K, () => []);
    const told = await stage.told();
    assert.equal(told.verdict, true);
    assert.ok(told.actions.includes("claim_pearl"));
  });

  test("with a witness it is never verified, however deep, and no claim is offered", async () => {
    for (const deep of [K - 1, K, K + 1, 40]) {
      const { stage } = await forged(deep, (honest) => [portOf(honest)]);
      const told = await stage.told();
      assert.equal(told.verdict, deep < K ? "LOCK_CONFIRMATIONS_INSUFFICIENT" : "PEARL_NODE_UNAVAILABLE");
      assert.ok(!told.actions.includes("claim_pearl"), `${deep} deep`);
      if (deep < K) continue;
      assert.deepEqual(told.details["nodes"], { configured: 2, answering: 2, agreeing: 1 });
      assert.deepEqual(
        stage.nodes?.conditions().map(({ code }) => code),
        ["PEARL_NODES_DISAGREE"],
      );
    }
  });

  test("no event carries the claim, either", async () => {
    const { stage } = await forged(K, (honest) => [portOf(honest)]);
    const shown = stage.scene.store.events.filter(({ data }) => data.includes('"claim_pearl"'));
    assert.ok(stage.scene.store.events.some(({ data }) => data.includes("PEARL_LOCKED")));
    assert.equal(shown.length, 0);
  });

  test("a branch that replaces blocks which the witness has shared is not taken for them", async () => {
    const honest = new PearlChain();
    const liar = new PearlChain();
    const stage = await PearlStage.overAll([portOf(liar), portOf(honest)]);
    honest.mineEmpty(20);
    liar.takeFrom(honest);
    await stage.look();
    await stage.follow();
    // Every state that a reader can see while the branch comes in, before the watch itself knows that it has.
    const { ledger } = stage.scene;
    const apply = ledger.applyPearl.bind(ledger);
    let looked = 0;
    ledger.applyPearl = async (change) => {
      await apply(change);
      const told = await stage.told();
      looked += 1;
      assert.notEqual(told.verdict, true);
      assert.ok(!told.actions.includes("claim_pearl"));
    };
    liar.forget(19);
    liar.mine([liar.payment(5, stage.script).raw], 1);
    liar.mineEmpty(20, 1);
    await stage.follow();
    assert.ok(looked > 0);
    assert.equal((await stage.told()).verdict, "PEARL_NODE_UNAVAILABLE", "with the old word of the witness");
    await stage.look();
    assert.equal((await stage.told()).verdict, "PEARL_NODE_UNAVAILABLE", "and with its new one");
  });

  test("a second liar who has only the height says nothing, one of two honest ones is enough", async () => {
    const fake = await forged(K, (honest) => [invented(honest), portOf(honest)]);
    assert.equal((await fake.stage.told()).verdict, "PEARL_NODE_UNAVAILABLE");
    const real = await genuine(K, (honest) => [invented(honest), portOf(honest)]);
    assert.equal((await real.stage.told()).verdict, true);
    assert.deepEqual((await real.stage.told()).actions[0], "claim_pearl");
  });
});

describe("S-09: a lock that the network has", () => {
  test("a witness with the block and a tip of height + K - 2 confirms it, one block less does not", async () => {
    const behind = new PearlChain();
    const { honest, stage } = await genuine(K, () => [portOf(behind)]);
    assert.equal((await stage.told()).verdict, "PEARL_NODE_UNAVAILABLE", "it has no block of it");
    const lockHeight = honest.height - K + 1;
    for (const [tip, verdict] of [
      [lockHeight + K - 3, "PEARL_NODE_UNAVAILABLE"],
      [lockHeight + K - 2, true],
      [lockHeight + K - 1, true],
    ] as const) {
      behind.takeFrom(honest, tip);
      await stage.look();
      const told = await stage.told();
      assert.equal(told.verdict, verdict, `tip ${tip}`);
      assert.equal(told.actions.includes("claim_pearl"), verdict === true);
    }
  });

  test("a witness that falls silent counts for 30 s, and one that forks only below its fork", async () => {
    const honest = new PearlChain();
    const other = new PearlChain();
    const witness = switchable(other);
    const stage = await PearlStage.overAll([portOf(honest), witness.node]);
    await stage.follow();
    honest.mine([honest.payment(5, stage.script).raw]);
    honest.mineEmpty(K);
    other.takeFrom(honest);
    await stage.look();
    await stage.follow();
    assert.equal((await stage.told()).verdict, true);
    witness.state.mode = "silent";
    stage.pass(30);
    await stage.look();
    await stage.follow();
    assert.equal((await stage.told()).verdict, true);
    stage.pass(1);
    assert.equal((await stage.told()).verdict, "PEARL_NODE_UNAVAILABLE");
    witness.state.mode = "well";
    // It comes back with another newest block: a fork above the lock says nothing against it.
    other.forget(1);
    other.mine([], 3);
    await stage.look();
    assert.equal((await stage.told()).verdict, true);
    other.forget(other.height - 200);
    other.mineEmpty(K + 3, 3);
    await stage.look();
    assert.equal((await stage.told()).verdict, "PEARL_NODE_UNAVAILABLE");
  });
});

describe("S-09: another node is followed", () => {
  test("a followed node that hangs is replaced after 30 s, and the questions to it end", async () => {
    const honest = new PearlChain();
    const first = switchable(honest);
    const stage = await PearlStage.overAll([first.node, portOf(honest), portOf(honest)]);
    await stage.follow();
    honest.mine([honest.payment(5, stage.script).raw]);
    honest.mineEmpty(K - 1);
    first.state.mode = "hangs";
    const hanging = stage.follow().then(
      () => "at rest",
      (error: Error) => error.name,
    );
    for (let seconds = 0; seconds < 32; seconds += 2) {
      stage.pass(2);
      await stage.look();
    }
    assert.equal(await hanging, "NodeError");
    assert.equal(stage.nodes?.place, 1);
    await stage.follow();
    assert.equal((await stage.told()).verdict, true);
    assert.deepEqual(stage.nodes?.counts(), { configured: 3, answering: 2, agreeing: 2 });
  });

  test("a forked followed node is left for the chain that two others have extended for 10 min", async () => {
    const honest = new PearlChain();
    const liar = new PearlChain();
    const stage = await PearlStage.overAll([portOf(liar), portOf(honest), portOf(honest)]);
    await stage.follow();
    liar.mine([liar.payment(5, stage.script).raw], 1);
    liar.mineEmpty(K - 1, 1);
    honest.mineEmpty(K + 3);
    for (let seconds = 0; seconds < 640; seconds += 20) {
      await stage.look();
      await stage.follow();
      assert.notEqual((await stage.told()).verdict, true);
      stage.pass(20);
    }
    assert.equal(stage.nodes?.place, 1);
    assert.equal(stage.scene.ledger.tips().pearl.height, honest.height);
    await stage.lookAtNothing();
    const told = await stage.told();
    assert.equal(told.verdict, "LOCK_NOT_SUBMITTED");
    assert.equal(told.status, "USDC_LOCKED");
  });
});
