// The PEARL node goes to a branch that is two blocks higher than our tip, where the index may lack as many (S-05). Whether
// the node still has our tip takes further questions, each of which a slow node answers after seconds.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { PearlPort, viewOfCore } from "../../testkit/doubles/pearl-port.ts";
import { AMOUNT, K, PearlChain, PearlStage } from "./pearl-stage.ts";

/** Blocks that the index may lack. */
const LAG = 3;

/** A verified lock; `during` gets what verify-lock says while each further question to the node is under way. */
async function staged() {
  const chain = new PearlChain();
  const during: [question: string, verdict: unknown][] = [];
  const live: { stage: PearlStage | null; failing: string | null } = { stage: null, failing: null };
  const port = new PearlPort(viewOfCore(chain.core), async (request, answer) => {
    const question = request.split(" ")[0] ?? "";
    if (live.stage !== null) during.push([question, (await live.stage.told()).verdict]);
    if (question === live.failing) throw new Error("not now");
    return answer(null);
  });
  const stage = await PearlStage.over(port, { pearlLagBlocks: LAG });
  await stage.follow();
  chain.mine([chain.payment(5, stage.script, AMOUNT).raw]);
  chain.mineEmpty(K - 1);
  await stage.follow();
  assert.equal((await stage.told()).verdict, true);
  live.stage = stage;
  /** What was said from the second question of a round on: before the first has an answer nothing is known of the branch. */
  const said = (): readonly (readonly [string, unknown])[] =>
    during.filter(([question]) => question !== "tip");
  return { chain, stage, live, said };
}

describe("S-05: a node whose chain is some blocks higher, as many as the index may lack", () => {
  for (const more of [2, LAG])
    test(`and ${more} of them, from below the lock on, are a branch: nothing is said on the blocks of before`, async () => {
      const { chain, stage, said } = await staged();
      chain.forget(K);
      chain.mineEmpty(K + more, 1);
      await stage.follow();
      assert.ok(said().length > 0);
      const wrong = said().filter(([, verdict]) => verdict === true);
      assert.deepEqual(wrong, []);
    });

  test("and does not say whether it has ours: nothing is said until it does", async () => {
    const { chain, stage, live } = await staged();
    chain.mineEmpty(2);
    live.failing = "hash";
    await assert.rejects(stage.follow());
    assert.equal((await stage.told()).verdict, "INDEXER_NOT_SYNCED");
    live.failing = null;
    await stage.follow();
    assert.equal((await stage.told()).verdict, true);
  });

  test("and has ours: the lock is verified while the blocks are read", async () => {
    const { chain, stage, said } = await staged();
    chain.mineEmpty(LAG);
    await stage.follow();
    const reading = said().filter(([question]) => question === "block");
    assert.ok(reading.length > 0);
    assert.deepEqual([...new Set(reading.map(([, verdict]) => verdict))], [true]);
    assert.equal((await stage.told()).verdict, true);
  });
});
