// An RPC knows blocks before it knows their logs, and answers a long range without some of them (S-08). They are taken
// in: at once where the header's filter shows them, by the second reading where it does not, and before the index stands
// still over the event that follows the lost one.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { endAfterEachTest, follow, rebuilt, serveChain } from "../evm/follow.ts";
import { scriptedChain, type WireLog } from "../evm/scripted-chain.ts";
import type { ScriptedRpc } from "../evm/scripted-rpc.ts";

endAfterEachTest();

const logsOf = (n: number): number => (n === 30 || n === 60 ? 1 : 0);
const CHAIN = scriptedChain(100, logsOf);
const LATE = CHAIN[30]?.block.hash;

/** An RPC that leaves block 30's logs out of answers about ranges, or about everything, while `isLate`. */
async function late(final: number, everywhere: boolean): Promise<ScriptedRpc & { isLate: boolean }> {
  const rpc = Object.assign(await serveChain(CHAIN, final), { isLate: true });
  rpc.meddle = ({ method, params }, truth) => {
    if (!rpc.isLate || method !== "eth_getLogs" || !("result" in truth)) return undefined;
    if (!everywhere && Object(params[0]).blockHash !== undefined) return undefined;
    return { result: (truth.result as WireLog[]).filter(({ blockHash }) => blockHash !== LATE) };
  };
  return rpc;
}

describe("S-08: logs that come late", () => {
  test("in 101 blocks that are not final: the filter of one header is enough", async () => {
    const rpc = await late(0, false);
    const one = follow({ urls: [rpc.url] });
    await one.until(() =>
      one.lines.some(({ message }) => /block 30 has logs that its range did not/.test(message)),
    );
    assert.equal(one.ledger.count, 0, "nothing of such an answer is used");
    rpc.isLate = false;
    await one.toTip();
    assert.deepEqual(one.ledger.facts(), await rebuilt({ urls: [rpc.url] }));
  });

  test("everywhere, in blocks that are not final: the second reading takes them in", async () => {
    const rpc = await late(0, true);
    const one = follow({ urls: [rpc.url] });
    await one.toTip();
    assert.equal(one.ledger.count, 1, "the RPC has denied the log twice");
    rpc.isLate = false;
    rpc.final = 100;
    await one.until(() => one.ledger.tips().evm.finalHeight === 100);
    assert.deepEqual(one.ledger.facts(), await rebuilt({ urls: [rpc.url] }));
  });

  test("with one RPC the second reading comes no sooner than EVM_REREAD_S after the first", async () => {
    const rpc = await late(100, true);
    rpc.isLate = false;
    const one = follow({ urls: [rpc.url], options: { rereadMs: 400 } });
    const startedMs = performance.now();
    await one.until(() => one.ledger.tips().evm.finalHeight === 100);
    assert.ok(performance.now() - startedMs >= 400);
  });

  test("and the next event of the order, which cannot be without the lost one, wedges nothing", async () => {
    const rpc = await late(20, true);
    const one = follow({ urls: [rpc.url] });
    // As in the contract: what block 60 says supposes what block 30 said.
    one.ledger.judge = (event, standing) =>
      event.place.block === 60 && !standing.some(({ place }) => place.block === 30)
        ? "the order is not there"
        : null;
    rpc.chain = CHAIN.slice(0, 51);
    await one.toTip();
    rpc.chain = CHAIN;
    rpc.isLate = false;
    await one.toTip();
    assert.equal(one.ledger.count, 2);
    assert.ok(one.lines.some(({ message }) => /cannot have made/.test(message)));
    assert.equal(one.follower.status().indexingStatus, "synced");
  });

  test("a log that no state of the contract allows: the next RPC is asked, and where all give it the index says so", async () => {
    const [bad, good] = [await late(20, true), await late(20, true)];
    for (const rpc of [bad, good]) rpc.isLate = false;
    good.chain = scriptedChain(100, (n) => (n === 30 ? 1 : 0), "main", CHAIN, 51);
    const one = follow({ urls: [bad.url, good.url] });
    one.ledger.judge = (event) => (event.place.block === 60 ? "the order is not there" : null);
    await one.until(() => one.ledger.checkpoints("evm")[0]?.hash === good.chain.at(-1)?.block.hash);
    assert.equal(one.ledger.count, 1);
    good.chain = CHAIN;
    await one.until(() => one.lines.some(({ fields }) => fields["alarm"] === "impossible_log"));
    await one.until(() => one.follower.conditions().some(({ code }) => code === "EVM_LOGS_IMPOSSIBLE"));
    assert.equal(one.follower.status().indexingStatus, "stalled");
  });
});

test("S-08: an RPC that is behind the final block is late with a log of its newest blocks, and another one withholds it: the third reading brings it", async () => {
  const behind = Object.assign(await late(10, true), { chain: CHAIN.slice(0, 41) });
  const withholding = await late(100, true);
  let failures = 0;
  // It fails once, so that the one behind is followed for a moment.
  const honest = await serveChain(CHAIN, 100, ({ method }) =>
    method === "eth_getLogs" && (failures += 1) === 1 ? { result: "none" } : undefined,
  );
  const urls = [honest, behind, withholding].map(({ url }) => url);
  // The final block is known before anything is read.
  const one = follow({ urls, options: { pollMs: 100, agreementMs: 5 } });
  await one.until(() => one.ledger.tips().evm.height >= 0);
  behind.isLate = false;
  await one.until(() => one.ledger.tips().evm.finalHeight === 100);
  assert.deepEqual(one.ledger.facts(), await rebuilt({ urls: [honest.url] }));
});
