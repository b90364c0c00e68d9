// Whose word shows that a final block was replaced (S-05, A-104): the alarm stops all new actions until an operator lifts
// it, so that one RPC that lies must not raise it with the help of one that stands still on an orphaned branch, nor keep
// two that are right from raising it. What is denied and shown by nobody is stood on by nobody meanwhile.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { endAfterEachTest, follow, type Followed, serveChain } from "./follow.ts";
import type { ScriptedRpc } from "./scripted-rpc.ts";
import { scriptedChain, type ScriptedBlock } from "./scripted-chain.ts";

endAfterEachTest();

const logs = (n: number): number => (n % 4 === 0 ? 1 : 0);
const CHAIN = scriptedChain(120, logs);
const FINAL = 100;
/** The chain without its blocks from 96 on, and with others in their place. */
const branch = (head: number): ScriptedBlock[] => scriptedChain(head, logs, "orphaned", CHAIN, 96);

/** Three RPCs that have agreed on a final block, and a follower of them. */
async function agreed(): Promise<{ readonly rpcs: readonly ScriptedRpc[]; readonly one: Followed }> {
  const rpcs = await Promise.all([1, 2, 3].map(() => serveChain(CHAIN, FINAL)));
  const one = follow({ urls: rpcs.map(({ url }) => url), timeoutMs: 300 });
  await one.toTip();
  assert.equal(one.ledger.tips().evm.finalHeight, FINAL);
  return { rpcs, one };
}

/** The RPC of that place. */
function at(rpcs: readonly ScriptedRpc[], place: number): ScriptedRpc {
  const rpc = rpcs[place];
  assert.ok(rpc);
  return rpc;
}

describe("S-05: a final block that an RPC denies", () => {
  test("is not replaced by a liar that copies the branch of one that stands still, while the third is silent: no alarm, and the RPCs do not agree", async () => {
    const { rpcs, one } = await agreed();
    const [still, liar, silent] = [at(rpcs, 0), at(rpcs, 1), at(rpcs, 2)];
    await silent.stop();
    [still.chain, still.final] = [branch(118), 95];
    [liar.chain, liar.final] = [branch(125), 110];
    const isDoubted = (): boolean => !one.follower.standing().agreed;
    await one.until(
      () => isDoubted() && one.lines.some(({ message }) => /it is not followed/.test(message)),
      10_000,
    );
    assert.equal(one.follower.standing().finalReplaced, false);
    assert.ok(one.follower.conditions().some(({ code }) => code === "EVM_RPCS_DISAGREE"));
    assert.deepEqual(one.ledger.alarms(), []);
    assert.equal(one.ledger.tips().evm.finalHeight, FINAL);
    // The one that stood still comes back to the chain.
    const goesOn = scriptedChain(130, logs, "main", CHAIN, 121);
    [still.chain, still.final] = [goesOn, 115];
    await one.until(() => one.ledger.tips().evm.height === 130, 20_000);
    assert.deepEqual(one.ledger.alarms(), []);
  });

  test("is replaced where two call another one final at its height, whatever the third shows", async () => {
    const { rpcs, one } = await agreed();
    for (const rpc of rpcs.slice(1)) [rpc.chain, rpc.final] = [branch(125), 110];
    const isNew = (): boolean => one.ledger.tips().evm.height === 125;
    await one.until(() => one.follower.standing().finalReplaced && isNew(), 20_000);
    assert.equal(one.ledger.alarms()[0]?.height, FINAL);
  });
});
