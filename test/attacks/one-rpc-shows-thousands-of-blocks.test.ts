// One of two EVM RPCs shows a branch of its own with more blocks worth remembering than are remembered, and takes it back
// (S-05, S-07). The final block below is remembered all the same: nothing that was final is undone, and nobody is alarmed.
// One of three that goes on and on is left, so that what is remembered of its blocks stays bounded.

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { MAX_CHECKPOINTS } from "../../src/swaps/ledger/ports.ts";
import { follow, rebuilt } from "../evm/follow.ts";
import { scriptedChain } from "../evm/scripted-chain.ts";
import { ScriptedRpc } from "../evm/scripted-rpc.ts";

const CHAIN = scriptedChain(150, (n) => (n % 10 === 0 ? 2 : 0));
const FINAL = 100;
const FALSE = scriptedChain(FINAL + MAX_CHECKPOINTS + 100, () => 1, "false", CHAIN, FINAL + 1);

const stopped: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stopped.splice(0)) await stop();
});

test("S-05, S-07: a branch of thousands of blocks with logs, which one RPC of two shows and takes back, undoes nothing final", async () => {
  const rpcs = [new ScriptedRpc(CHAIN.slice(0, 111)), new ScriptedRpc(CHAIN.slice(0, 111))] as const;
  for (const rpc of rpcs) {
    await rpc.start();
    rpc.final = FINAL;
    stopped.push(() => rpc.stop());
  }
  const [liar, honest] = rpcs;
  const one = follow({ urls: [liar.url, honest.url] });
  stopped.push(() => one.close());
  const evm = () => one.ledger.tips().evm;
  await one.until(() => evm().finalHeight === FINAL);
  liar.chain = FALSE;
  await one.until(() => evm().height === FALSE.length - 1);
  const before = one.ledger.changes.length;
  liar.chain = CHAIN;
  honest.chain = CHAIN;
  for (const rpc of rpcs) rpc.final = 140;
  await one.until(() => evm().finalHeight === 140);
  assert.deepEqual(one.ledger.alarms(), []);
  const undone = one.ledger.changes.slice(before).map(({ rewindTo }) => rewindTo);
  assert.ok(
    undone.every((to) => to === null || to >= FINAL),
    String(undone),
  );
  assert.deepEqual(one.ledger.facts(), await rebuilt({ urls: [honest.url] }));
});

for (const [what, mostAboveFinal] of [
  ["blocks", { blocks: 200, logs: 1e9 }],
  ["logs", { blocks: 1e9, logs: 200 }],
] as const) {
  test(`S-08: one RPC of three that shows too many ${what} above the final block is left, and they are gone`, async () => {
    const honest = CHAIN.slice(0, 111);
    const rpcs = [new ScriptedRpc(FALSE), new ScriptedRpc(honest), new ScriptedRpc(honest)] as const;
    for (const rpc of rpcs) {
      await rpc.start();
      rpc.final = FINAL;
      stopped.push(() => rpc.stop());
    }
    const range = { first: 50, most: 50, manyLogs: 1e9 };
    const one = follow({ urls: rpcs.map(({ url }) => url), options: { mostAboveFinal, range } });
    stopped.push(() => one.close());
    await one.until(() => one.lines.some(({ message }) => /above the final block 100/.test(message)), 10_000);
    assert.ok(one.ledger.tips().evm.height < FINAL + 400, String(one.ledger.tips().evm.height));
    await one.until(() => one.ledger.tips().evm.height === honest.length - 1);
    assert.deepEqual(one.ledger.facts(), await rebuilt({ urls: [rpcs[1].url] }));
  });
}

for (const [who, left] of [
  ["one RPC of three", 0],
  ["an RPC that is no longer asked", 1],
] as const) {
  test(`A-135: a branch of ${who}, of which nothing is remembered that the others could contradict, is left`, async () => {
    const honest = CHAIN.slice(0, 121);
    const rpcs = [new ScriptedRpc(honest), new ScriptedRpc(honest), new ScriptedRpc(honest)] as const;
    for (const rpc of rpcs) {
      await rpc.start();
      rpc.final = FINAL;
      stopped.push(() => rpc.stop());
    }
    const urls = rpcs.map(({ url }) => url);
    const first = follow({ urls });
    const { ledger } = first;
    await first.until(() => ledger.tips().evm.finalHeight === FINAL);
    rpcs[0].chain = FALSE;
    await first.until(() => ledger.tips().evm.height === FALSE.length - 1);
    first.close();
    const [newest, final] = ledger.checkpoints("evm").slice(-2);
    assert.equal(final?.height, FINAL);
    assert.ok(newest !== undefined && newest.height >= honest.length, "none between");
    // What the first process knew of the blocks between is gone with it.
    for (const rpc of rpcs) rpc.final = FINAL + 10;
    const next = follow({ urls: urls.slice(left), ledger });
    stopped.push(() => next.close());
    await next.until(() => ledger.tips().evm.finalHeight === FINAL + 10, 10_000);
    await next.until(() => ledger.tips().evm.height === honest.length - 1);
    assert.deepEqual(ledger.facts(), await rebuilt({ urls: [rpcs[1].url] }));
    assert.deepEqual(ledger.alarms(), []);
  });
}
