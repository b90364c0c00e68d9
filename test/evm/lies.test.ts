// Nothing is indexed that an RPC makes up. A server lies in one way at a time: nothing of the lie reaches the ledger,
// the log names RPC and request, and when it tells the truth again the index is that of an honest RPC.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { endAfterEachTest, follow, rebuilt, serveChain } from "./follow.ts";
import type { Meddling, ScriptedRpc } from "./scripted-rpc.ts";
import { scriptedChain, type WireBlock, type WireLog } from "./scripted-chain.ts";

endAfterEachTest();

const serve = (chain = scriptedChain(40, (n) => (n % 5 === 0 ? 2 : 0))): Promise<ScriptedRpc> =>
  serveChain(chain, Math.max(0, chain.length - 11));

function result(truth: Parameters<Meddling>[1]): unknown {
  if (!("result" in truth)) throw new Error("no result");
  return truth.result;
}

/** Lies in answers to `method`. */
function lying(method: string, lie: (truth: unknown) => unknown): Meddling {
  return (call, truth) => {
    const told = call.method === method ? structuredClone(result(truth)) : null;
    return told === null ? undefined : { result: lie(told) };
  };
}

const inLogs = (lie: (logs: WireLog[]) => unknown): Meddling =>
  lying("eth_getLogs", (logs) => lie(logs as WireLog[]));
const inBlocks = (method: string, lie: (block: WireBlock) => unknown): Meddling =>
  lying(method, (block) => lie(block as WireBlock));

function first(logs: WireLog[]): WireLog {
  const log = logs[0];
  if (log === undefined) throw new Error("no log to lie about");
  return log;
}

/** The whole chain in one range. */
const ONE_RANGE = { first: 1000, most: 1000, manyLogs: 1000 };
const OTHER = `0x${"77".repeat(32)}`;

/** One lie each: what is done, and what the log has to say of it. */
const LIES: readonly {
  readonly name: string;
  readonly meddle: Meddling;
  readonly says: RegExp;
  /** Blocks of the chain; 40 where it says nothing. */
  readonly head?: number;
}[] = [
  {
    name: "a log above the range",
    meddle: inLogs((logs) => [...logs, { ...first(logs), blockNumber: "0x63" }]),
    says: /a log of block 99/,
  },
  {
    name: "the same log twice",
    meddle: inLogs((logs) => [first(logs), ...logs]),
    says: /log 1 after log 1 in block 0/,
  },
  {
    name: "logs in reverse",
    meddle: inLogs((logs) => logs.toReversed()),
    says: /log 1 after log 3 in block 40/,
  },
  {
    name: "a removed log",
    meddle: inLogs((logs) => [{ ...first(logs), removed: true }, ...logs.slice(1)]),
    says: /marked as removed/,
  },
  {
    name: "a log without topics",
    meddle: inLogs((logs) => [{ ...first(logs), topics: [] }, ...logs.slice(1)]),
    says: /has no topics/,
  },
  {
    name: "one topic too many",
    meddle: inLogs((logs) => [{ ...first(logs), topics: [...first(logs).topics, OTHER] }, ...logs.slice(1)]),
    says: /has the topic of AsksRevoked and is none/,
  },
  {
    name: "data cut short",
    meddle: inLogs((logs) => [{ ...first(logs), data: "0x00" }, ...logs.slice(1)]),
    says: /has the topic of AsksRevoked and is none/,
  },
  {
    name: "a block hash that nobody knows",
    meddle: inLogs((logs) => [...logs.slice(0, -1), { ...first(logs.slice(-1)), blockHash: OTHER }]),
    says: /with two hashes|unknown/,
  },
  {
    name: "a log under the hash of another block",
    meddle: inLogs((logs) => logs.map((log) => ({ ...log, blockHash: first(logs).blockHash }))),
    says: /of block 5 \(0x[0-9a-f]+\), which is block 0/,
  },
  {
    name: "a transaction that the block does not have there",
    meddle: inLogs((logs) => [{ ...first(logs), transactionHash: OTHER }, ...logs.slice(1)]),
    says: /which the block does not have there/,
  },
  {
    name: "a block answered under another hash",
    meddle: inBlocks("eth_getBlockByHash", (block) => ({ ...block, hash: OTHER })),
    says: /eth_getBlockByHash\(.* at http:.*a block with the hash 0x7777/,
    // Blocks are asked for by hash only where not all headers are read: in long ranges of final blocks.
    head: 2100,
  },
  {
    name: "a block that is none",
    meddle: lying("eth_getBlockByHash", () => ({ hash: OTHER })),
    says: /no block with number, hash, parent, time, transactions/,
    head: 2100,
  },
  {
    name: "logs that are none",
    meddle: inLogs(() => [{ data: "0x" }]),
    says: /no list of logs/,
  },
];

describe("S-05: what an RPC makes up is not indexed", () => {
  for (const { name, meddle, says, head = 40 } of LIES) {
    test(name, async () => {
      const rpc = await serve(scriptedChain(head, (n) => (n % 5 === 0 ? 2 : 0)));
      rpc.meddle = meddle;
      const one = follow({ urls: [rpc.url], options: { range: ONE_RANGE } });
      await one.until(() => one.lines.some(({ message }) => says.test(message)));
      assert.equal(one.ledger.count, 0);
      assert.ok(one.lines.some(({ message }) => message.includes(rpc.url)));
      assert.equal(one.follower.status().indexingStatus, "stalled");
      rpc.meddle = () => undefined;
      await one.toTip();
      assert.equal(one.ledger.count, 2 * (1 + head / 5));
      assert.equal(one.follower.status().indexingStatus, "synced");
      assert.deepEqual(one.ledger.facts(), await rebuilt({ urls: [rpc.url] }));
    });
  }

  test("S-08: a log of another contract in an answer is dropped, and the others count", async () => {
    const rpc = await serve();
    const one = follow({ urls: [rpc.url], options: { range: ONE_RANGE } });
    const lie = inLogs((logs) =>
      logs.length === 0 ? logs : [{ ...first(logs), address: `0x${"12".repeat(20)}` }, ...logs.slice(1)],
    );
    // At the first reading only: what two readings of a lone RPC show alike is final, and stays.
    const isRead = (): boolean => one.ledger.tips().evm.height === 40;
    rpc.meddle = (call, truth) => (isRead() ? undefined : lie(call, truth));
    const missing = JSON.stringify(rpc.chain[0]?.logs[0]?.data).slice(-9, -1);
    await one.until(isRead);
    assert.ok(
      one.ledger.facts().every((fact) => !fact.includes("0x1212")),
      missing,
    );
    rpc.meddle = () => undefined;
    await one.toTip();
    assert.deepEqual(one.ledger.facts(), await rebuilt({ urls: [rpc.url] }));
  });

  test("a service that stops while an RPC lies does not say that it goes on", async () => {
    const rpc = await serve();
    const one = follow({ urls: [rpc.url], options: { range: ONE_RANGE } });
    const stop = new AbortController();
    rpc.meddle = (call, truth) => {
      // The look at the head is answered truly, and no range is read any more.
      if (one.lines.some(({ message }) => /no list of logs/.test(message))) stop.abort();
      return inLogs(() => [{ data: "0x" }])(call, truth);
    };
    await one.follower.run(stop.signal);
    assert.equal(one.follower.status().indexingStatus, "stalled");
    assert.ok(!one.lines.some(({ message }) => /going on again/.test(message)));
  });

  test("a block answered under another number is refused", async () => {
    const rpc = await serve();
    rpc.meddle = ({ method, params }, truth) =>
      method === "eth_getBlockByNumber" && params[0] === "0x13"
        ? { result: { ...(result(truth) as WireBlock), number: "0x3" } }
        : undefined;
    const one = follow({ urls: [rpc.url], options: { range: { first: 20, most: 20, manyLogs: 1000 } } });
    await one.until(() =>
      one.lines.some(({ message }) => /eth_getBlockByNumber\("0x13", false\) at .*: block 3/.test(message)),
    );
    assert.equal(one.ledger.count, 0);
  });

  test("near the tip a header that does not name the block before as parent is refused", async () => {
    const rpc = await serve();
    const one = follow({ urls: [rpc.url] });
    await one.toTip();
    rpc.chain = scriptedChain(45, (n) => (n % 5 === 0 ? 2 : 0), "main", rpc.chain, 41);
    rpc.meddle = inBlocks("eth_getBlockByNumber", (block) =>
      block.number === "0x2b" ? { ...block, parentHash: OTHER } : block,
    );
    await one.until(() => one.lines.some(({ message }) => /names another parent/.test(message)));
    assert.equal(one.ledger.tips().evm.height, 40);
    rpc.meddle = () => undefined;
    await one.toTip();
    assert.equal(one.ledger.tips().evm.height, 45);
  });

  test("a block whose first child names another parent undoes nothing while it stands", async () => {
    const rpc = await serve();
    const one = follow({ urls: [rpc.url] });
    await one.toTip();
    rpc.chain = scriptedChain(42, () => 1, "main", rpc.chain, 41);
    rpc.meddle = inBlocks("eth_getBlockByNumber", (block) =>
      block.number === "0x29" ? { ...block, parentHash: OTHER } : block,
    );
    await one.until(() => one.lines.some(({ message }) => /does not follow it|another parent/.test(message)));
    assert.ok(one.ledger.changes.every(({ rewind }) => rewind === null));
    rpc.meddle = () => undefined;
    await one.toTip();
    assert.equal(one.ledger.tips().evm.height, 42);
  });

  test("a new block whose logs the RPC does not know yet is read again until it does", async () => {
    const rpc = await serve();
    const one = follow({ urls: [rpc.url] });
    await one.toTip();
    rpc.chain = scriptedChain(41, () => 3, "main", rpc.chain, 41);
    let withheld = 0;
    rpc.meddle = ({ method, params }) => {
      const isRange = method === "eth_getLogs" && "fromBlock" in (params[0] as object);
      if (!isRange || withheld >= 3) return undefined;
      withheld += 1;
      return { result: [] };
    };
    await one.until(() => one.ledger.tips().evm.height === 41);
    assert.equal(withheld, 3);
    assert.equal(one.ledger.count, 18 + 3);
  });

  test("a chain of another id is not followed, and the message says which", async () => {
    const rpc = await serve();
    rpc.chainId = 1;
    const one = follow({ urls: [rpc.url] });
    await one.until(() => one.lines.some(({ message }) => /serves chain 1, not 31337/.test(message)));
    assert.equal(one.ledger.changes.length, 0);
    assert.equal(one.follower.standing().agreed, false);
  });
});
