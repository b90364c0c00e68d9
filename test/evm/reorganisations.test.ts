// What has left the chain is undone, and nothing else: with branches of every depth, between any two calls, with
// restarts, shorter chains, RPCs that are merely behind, and final blocks that are replaced.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { LedgerDied, MemoryEvmLedger } from "../../testkit/doubles/memory-evm-ledger.ts";
import { endAfterEachTest, follow, rebuilt, serveChain } from "./follow.ts";
import type { ScriptedRpc } from "./scripted-rpc.ts";
import { scriptedChain, type ScriptedBlock } from "./scripted-chain.ts";

endAfterEachTest();

const logs = (n: number): number => (n % 4 === 0 ? 2 : 0);
const CHAIN = scriptedChain(120, logs);

const serve = (chain = CHAIN): Promise<ScriptedRpc> => serveChain(chain, 0);

const branch = (keep: number, head: number, name = "b"): ScriptedBlock[] =>
  scriptedChain(head, (n) => (n % 3 === 0 ? 1 : 0), name, CHAIN, keep);

describe("S-50: a reorganisation deletes what orphaned blocks showed", () => {
  for (const depth of [1, 2, 5, 12, 13, 40, 110]) {
    for (const growth of [-5, 0, 1, 30]) {
      // A branch that ends below its fork is a shorter chain, which is another story.
      if (growth <= -depth) continue;
      test(`${depth} deep, the new branch ${growth} longer`, async () => {
        const rpc = await serve();
        const one = follow({ urls: [rpc.url] });
        await one.toTip();
        rpc.chain = branch(121 - depth, 120 + growth);
        const tip = rpc.chain.at(-1)?.block.hash;
        await one.until(() => one.ledger.checkpoints("evm")[0]?.hash === tip);
        assert.deepEqual(one.ledger.facts(), await rebuilt({ urls: [rpc.url] }));
        assert.equal(one.follower.standing().finalReplaced, false);
      });
    }
  }

  test("below every checkpoint: all is read again from the first block", async () => {
    const rpc = await serve();
    const given = { urls: [rpc.url], firstBlock: 7 };
    const one = follow({ ...given, ledger: new MemoryEvmLedger(7) });
    await one.toTip();
    rpc.chain = scriptedChain(125, logs, "all new");
    await one.toTip();
    assert.equal(one.ledger.changes.findLast(({ rewind }) => rewind !== null)?.rewind?.toHeight, 6);
    assert.deepEqual(one.ledger.facts(), await rebuilt(given));
  });

  test("between any two calls of a reading: the index is that of one of the two chains, then of the new one", async () => {
    const other = branch(60, 125);
    for (let after = 1; ; after += 1) {
      const rpc = await serve();
      const one = follow({ urls: [rpc.url], options: { range: { first: 30, most: 30, manyLogs: 1000 } } });
      let calls = 0;
      rpc.meddle = () => {
        calls += 1;
        // The answer at hand is still of the old chain.
        if (calls === after) rpc.chain = other;
        return undefined;
      };
      await one.toTip();
      await one.toTip();
      const wasSwitched = rpc.chain === other;
      // Where the last call of all was answered from the old chain, one more look shows the new one.
      await one.toTip();
      if (wasSwitched)
        assert.deepEqual(one.ledger.facts(), await rebuilt({ urls: [rpc.url] }), `call ${after}`);
      await rpc.stop();
      one.close();
      if (!wasSwitched) break;
      assert.ok(after < 500);
    }
  });

  test("near the tip too, where ranges are short", async () => {
    for (let after = 1; after < 40; after += 1) {
      const rpc = await serve(CHAIN.slice(0, 111));
      const one = follow({ urls: [rpc.url] });
      await one.toTip();
      rpc.chain = CHAIN.slice(0, 116);
      let calls = 0;
      rpc.meddle = () => {
        calls += 1;
        if (calls === after) rpc.chain = branch(109, 121);
        return undefined;
      };
      await one.toTip();
      rpc.meddle = () => undefined;
      rpc.chain = branch(109, 121);
      await one.toTip();
      assert.deepEqual(one.ledger.facts(), await rebuilt({ urls: [rpc.url] }), `call ${after}`);
      await rpc.stop();
      one.close();
    }
  });
});

describe("an RPC that is behind", () => {
  test("undoes nothing, however far it is, where its chain is ours", async () => {
    const rpc = await serve();
    const one = follow({ urls: [rpc.url], options: { shrunkMs: 60_000 } });
    await one.toTip();
    const before = one.ledger.facts();
    for (const length of [120, 100, 30]) {
      rpc.chain = CHAIN.slice(0, length);
      await one.toTip();
    }
    assert.deepEqual(one.ledger.facts(), before);
    assert.equal(one.follower.status().lag, 0);
    rpc.chain = scriptedChain(130, logs, "main", CHAIN, 121);
    await one.toTip();
    assert.deepEqual(one.ledger.facts(), await rebuilt({ urls: [rpc.url] }));
  });

  test("undoes nothing where it has never shown our tip, however long it stays behind", async () => {
    const rpc = await serve();
    const before = follow({ urls: [rpc.url] });
    await before.toTip();
    const count = before.ledger.changes.length;
    rpc.chain = CHAIN.slice(0, 100);
    const one = follow({ urls: [rpc.url], ledger: before.ledger });
    const seen = rpc.calls.length;
    // Three times as long as a shorter chain is waited for before it is believed.
    const enough = performance.now() + 300;
    await one.until(() => performance.now() > enough && rpc.calls.length > seen + 20);
    assert.equal(before.ledger.changes.length, count);
  });

  test("is believed where it has shown our tip itself and then stays shorter", async () => {
    const rpc = await serve();
    const one = follow({ urls: [rpc.url], options: { range: { first: 10, most: 10, manyLogs: 100 } } });
    await one.toTip();
    rpc.chain = CHAIN.slice(0, 100);
    await one.until(() => one.ledger.tips().evm.height === 99);
    assert.deepEqual(one.ledger.facts(), await rebuilt({ urls: [rpc.url] }));
  });
});

describe("S-05: finality", () => {
  test("a final number that falls unmakes nothing", async () => {
    const rpc = await serve();
    rpc.final = 100;
    const one = follow({ urls: [rpc.url] });
    await one.toTip();
    assert.equal(one.ledger.tips().evm.finalHeight, 100);
    rpc.final = 20;
    rpc.chain = scriptedChain(121, logs, "main", CHAIN, 121);
    await one.toTip();
    assert.equal(one.ledger.tips().evm.height, 121);
    assert.equal(one.ledger.tips().evm.finalHeight, 100);
    assert.equal(one.follower.standing().finalReplaced, false);
  });

  test("it rises while the head stands still", async () => {
    const rpc = await serve();
    rpc.final = 50;
    const one = follow({ urls: [rpc.url] });
    await one.toTip();
    rpc.final = 118;
    await one.until(() => one.ledger.tips().evm.finalHeight === 118);
    const count = one.ledger.changes.length;
    await one.toTip();
    assert.equal(one.ledger.changes.length, count);
  });

  test("a branch right above the final block is an ordinary reorganisation, also where checkpoints are sparse", async () => {
    const rpc = await serve(scriptedChain(120, () => 0));
    rpc.final = 107;
    const one = follow({ urls: [rpc.url] });
    await one.toTip();
    rpc.chain = scriptedChain(125, () => 1, "b", rpc.chain, 108);
    await one.toTip();
    assert.equal(one.follower.standing().finalReplaced, false);
    assert.equal(one.ledger.changes.findLast(({ rewind }) => rewind !== null)?.rewind?.toHeight, 107);
  });

  test("a final block that is replaced alarms, stays said, and indexing goes on", async () => {
    const rpc = await serve();
    rpc.final = 107;
    const one = follow({ urls: [rpc.url] });
    await one.toTip();
    rpc.chain = branch(107, 125);
    await one.toTip();
    assert.equal(one.follower.standing().finalReplaced, true);
    assert.ok(one.lines.some(({ fields }) => fields["alarm"] === "final_block_replaced"));
    assert.deepEqual(one.ledger.facts(), await rebuilt({ urls: [rpc.url] }));
    rpc.chain = scriptedChain(126, () => 1, "b", rpc.chain, 126);
    await one.toTip();
    assert.equal(one.ledger.tips().evm.height, 126);
    assert.equal(one.follower.standing().finalReplaced, true);
  });

  for (const [chain, isWhere] of [
    [CHAIN, "between blocks that are remembered"],
    [scriptedChain(120, () => 0), "below all that are remembered"],
  ] as const) {
    test(`a chain that ends below the final block, ${isWhere}, undoes nothing, however long it stays so`, async () => {
      const rpc = await serve(chain);
      rpc.final = 107;
      const one = follow({ urls: [rpc.url] });
      await one.toTip();
      const before = one.ledger.changes.length;
      rpc.chain = chain.slice(0, 107);
      rpc.final = 50;
      const seen = rpc.calls.length;
      // Three times as long as a shorter chain is waited for before it is believed.
      const enough = performance.now() + 300;
      await one.until(() => performance.now() > enough && rpc.calls.length > seen + 20);
      assert.equal(one.ledger.changes.length, before);
      assert.equal(one.ledger.tips().evm.height, 120);
      assert.equal(one.follower.standing().finalReplaced, false);
    });
  }

  test("with a number, blocks below head - n + 1 are final", async () => {
    const rpc = await serve();
    const one = follow({ urls: [rpc.url], confirmations: 1 });
    await one.toTip();
    assert.equal(one.ledger.tips().evm.finalHeight, 120);
    assert.ok(!rpc.calls.some(({ params }) => params[0] === "finalized"));
  });
});

describe("a process that dies leaves neither a gap nor a double", () => {
  test("at every write, having happened or not, with a branch in between", async () => {
    const range = { first: 15, most: 15, manyLogs: 1000 };
    for (const after of [false, true]) {
      for (let writes = 0; writes < 14; writes += 1) {
        const rpc = await serve();
        const ledger = new MemoryEvmLedger(0);
        ledger.dieIn(writes, after);
        const first = follow({ urls: [rpc.url], ledger, options: { range } });
        const stop = new AbortController();
        const running = first.follower.run(stop.signal);
        const end = performance.now() + 60_000;
        const hasDied = (): boolean =>
          first.lines.some(({ message }) => message === new LedgerDied("the ledger died").message);
        while (!hasDied() && ledger.tips().evm.height < 120 && performance.now() < end) {
          await new Promise((resolve) => setTimeout(resolve, 2));
        }
        stop.abort();
        await running;
        rpc.chain = branch(70, 130);
        const second = follow({ urls: [rpc.url], ledger, options: { range } });
        await second.toTip();
        assert.deepEqual(ledger.facts(), await rebuilt({ urls: [rpc.url] }), `write ${writes}`);
        await rpc.stop();
      }
    }
  });

  test("stopped at any moment: the next process goes on from there", async () => {
    const range = { first: 10, most: 10, manyLogs: 1000 };
    const rpc = await serve();
    const ledger = new MemoryEvmLedger(0);
    ledger.writeMs = 1;
    const heights = new Set<number>();
    // Stopped at its first question to the RPC, at its second, and so on: so many it needs for a few ranges.
    for (let life = 0; ledger.tips().evm.height < 120; life += 1) {
      assert.ok(life < 400, "it gets on");
      const one = follow({ urls: [rpc.url], ledger, options: { range } });
      const stop = new AbortController();
      let left = life % 40;
      rpc.meddle = () => {
        if (left === 0) stop.abort();
        left -= 1;
        return undefined;
      };
      await one.follower.run(stop.signal);
      one.close();
      heights.add(ledger.tips().evm.height);
    }
    rpc.meddle = () => undefined;
    assert.ok(heights.size >= 2);
    assert.deepEqual(ledger.facts(), await rebuilt({ urls: [rpc.url] }));
  });

  test("nothing below the first block is asked for", async () => {
    const rpc = await serve();
    const one = follow({ urls: [rpc.url], firstBlock: 60, ledger: new MemoryEvmLedger(60) });
    await one.toTip();
    for (const { method, params } of rpc.calls) {
      if (method === "eth_getLogs") assert.ok(Number((params[0] as { fromBlock: string }).fromBlock) >= 60);
    }
    assert.equal(one.ledger.count, 32);
  });
});

test("S-26: another chain that stands behind the URL from one poll to the next undoes nothing", async () => {
  const rpc = await serve();
  rpc.final = 100;
  const one = follow({ urls: [rpc.url] });
  await one.toTip();
  const facts = one.ledger.facts();
  rpc.chainId = 1;
  rpc.chain = scriptedChain(130, logs, "another chain");
  await one.until(() => one.lines.some(({ message }) => /serves chain 1, not 31337/.test(message)));
  assert.deepEqual(one.ledger.facts(), facts);
  assert.ok(one.ledger.changes.every(({ rewind }) => rewind === null));
  assert.equal(one.follower.standing().finalReplaced, false);
  rpc.chainId = 31_337;
  rpc.chain = scriptedChain(125, logs, "main", CHAIN, 121);
  await one.until(() => one.ledger.tips().evm.height === 125);
});
