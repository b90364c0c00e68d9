// One answer of an RPC calls far too much final, or names a block of the far future (S-07). No block becomes final by
// it, none that comes later, and no clock moves.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Clock } from "../../src/follow/ports.ts";
import { systemClock } from "../../src/adapters/system/clock.ts";
import { endAfterEachTest, follow, serveChain } from "../evm/follow.ts";
import { scriptedChain, type WireBlock } from "../evm/scripted-chain.ts";
import type { ScriptedRpc } from "../evm/scripted-rpc.ts";

endAfterEachTest();

const CHAIN = scriptedChain(120, (n) => (n % 10 === 0 ? 1 : 0));

const serve = (): Promise<ScriptedRpc> => serveChain(CHAIN.slice(0, 101), 50);

/** Answers one question about this tag wrongly. */
function wrongOnce(rpc: ScriptedRpc, tag: string, wrong: unknown): () => boolean {
  let isDone = false;
  rpc.meddle = ({ method, params }) => {
    if (isDone || method !== "eth_getBlockByNumber" || params[0] !== tag) return undefined;
    isDone = true;
    return { result: wrong };
  };
  return () => isDone;
}

describe("S-07: one wrong answer", () => {
  for (const [name, tag, wrong] of [
    ["finalized is the head", "finalized", CHAIN[100]?.block],
    ["finalized is above the head", "finalized", { ...CHAIN[100]?.block, number: "0xf4240" }],
    [
      "latest is far above the chain",
      "latest",
      { ...CHAIN[100]?.block, number: "0xf4240", hash: `0x${"77".repeat(32)}` },
    ],
  ] as const) {
    test(`${name}: nothing more is final, then or later`, async () => {
      const rpc = await serve();
      const one = follow({ urls: [rpc.url] });
      await one.until(() => one.ledger.tips().evm.finalHeight === 50);
      const isDone = wrongOnce(rpc, tag, wrong);
      const asked = rpc.calls.length;
      await one.until(() => isDone() && rpc.calls.length > asked + 20);
      assert.equal(one.ledger.tips().evm.finalHeight, 50);
      rpc.chain = CHAIN;
      await one.until(() => one.ledger.tips().evm.height === 120);
      assert.equal(one.ledger.tips().evm.finalHeight, 50);
      assert.ok(
        one.ledger.changes.every(({ judged }) => judged?.kind !== "raise" || judged.finalHeight <= 50),
      );
    });
  }

  test("a final block above its own latest is no answer at all, however often it is given", async () => {
    const rpc = await serve();
    const one = follow({ urls: [rpc.url] });
    await one.until(() => one.ledger.tips().evm.finalHeight === 50);
    rpc.meddle = ({ method, params }) =>
      method === "eth_getBlockByNumber" && params[0] === "finalized"
        ? { result: { ...CHAIN[100]?.block, number: "0xf4240" } }
        : undefined;
    const isTold = (): boolean =>
      one.lines.some(({ message }) => /calls block 1000000 final, and its latest block is 100/.test(message));
    await one.until(isTold);
    assert.equal(one.ledger.tips().evm.finalHeight, 50);
  });

  test("with two RPCs the one that calls everything final decides nothing, however often it says so", async () => {
    const [liar, honest] = [await serve(), await serve()];
    liar.final = 100;
    const one = follow({ urls: [liar.url, honest.url] });
    await one.until(() => one.ledger.tips().evm.finalHeight === 50 && liar.calls.length > 60);
    assert.equal(one.ledger.tips().evm.finalHeight, 50);
    assert.equal(one.follower.standing().agreed, true);
  });

  test("what two answers in a row called final too early is not applied to blocks that come later", async () => {
    const rpc = await serve();
    const one = follow({ urls: [rpc.url] });
    rpc.final = 100;
    await one.until(() => one.ledger.tips().evm.finalHeight === 100);
    rpc.final = 50;
    rpc.chain = CHAIN;
    await one.until(() => one.ledger.tips().evm.height === 120);
    assert.equal(one.ledger.tips().evm.finalHeight, 100);
  });
});

describe("S-07: final above what is indexed", () => {
  test("a word above the tip makes the tip final and no block that is indexed later", async () => {
    const [followedOne, ...others] = [await serve(), await serve(), await serve()];
    for (const rpc of others) [rpc.chain, rpc.final] = [CHAIN, 110];
    const urls = [followedOne, ...others].map(({ url }) => url);
    const one = follow({ urls, options: { laggardS: 1e9 } });
    await one.until(() => one.ledger.tips().evm.finalHeight === 100);
    for (const rpc of others) rpc.final = 50;
    followedOne.chain = CHAIN;
    await one.until(() => one.ledger.tips().evm.height === 120);
    const asked = followedOne.calls.length;
    await one.until(() => followedOne.calls.length > asked + 20);
    assert.equal(one.ledger.tips().evm.finalHeight, 100);
  });
});

describe("S-07: a block of the far future", () => {
  test("is never indexed, moves neither head nor clock, and the next RPC is asked", async () => {
    const [liar, honest] = [await serve(), await serve()];
    const [head] = [CHAIN[100]?.block];
    assert.ok(head);
    const clock: Clock = { ...systemClock, nowMs: () => 1000 * Number(head.timestamp) };
    const future = scriptedChain(101, () => 1, "future", CHAIN, 101).map(
      ({ block, logs }, i): (typeof CHAIN)[number] => {
        const timestamp = `0x${(Number(block.timestamp) + (i === 101 ? 7200 : 0)).toString(16)}`;
        const late: WireBlock = { ...block, timestamp };
        return { block: late, logs };
      },
    );
    liar.chain = future;
    const one = follow({ urls: [liar.url, honest.url], clock, options: { maxAheadS: 900 } });
    await one.until(() => one.ledger.tips().evm.height === 100 && one.follower.standing().headHeight === 100);
    await one.until(() => liar.calls.length > 40);
    assert.equal(one.ledger.tips().evm.time, Number(head.timestamp));
    assert.equal(one.follower.standing().headTime, Number(head.timestamp));
    assert.ok(one.lines.some(({ message }) => /ahead of this machine's clock/.test(message)));
  });
});
