// The follower gets on with RPCs that fail, limit and hang: faults of transport, quotas, range limits in the words of
// several providers, and URLs that take over from each other.

import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { describe, test } from "node:test";
import { endAfterEachTest, follow, type Followed, rebuilt, serveChain } from "./follow.ts";
import type { RpcAnswer, RpcCall } from "../../testkit/doubles/rpc-server.ts";
import { StoreUnavailable } from "../../src/index/ports.ts";
import { MemoryEvmLedger } from "../../testkit/doubles/memory-evm-ledger.ts";
import type { ScriptedRpc } from "./scripted-rpc.ts";
import { scriptedChain, type ScriptedBlock } from "./scripted-chain.ts";

endAfterEachTest();

const CHAIN = scriptedChain(300, (n) => (n % 3 === 0 ? 1 : 0));
const EVENTS = 101;
const UPGRADE = "HTTP/1.1 101 \r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n";

const serve = (chain: readonly ScriptedBlock[] = CHAIN): Promise<ScriptedRpc> =>
  serveChain(chain, Math.max(0, chain.length - 11));

/** Takes over the first `times` requests that have a call of the method. */
function spoiling(times: number, method: string, spoil: (response: ServerResponse) => void) {
  let left = times;
  return (calls: readonly RpcCall[], response: ServerResponse): boolean => {
    if (left <= 0 || !calls.some((call) => call.method === method)) return false;
    left -= 1;
    spoil(response);
    return true;
  };
}

function body(status: number, text: string): (response: ServerResponse) => void {
  return (response) => void response.writeHead(status).end(text);
}

const SPOILS: Record<string, (response: ServerResponse) => void> = {
  "an HTML page": body(200, "<html><body>Welcome</body></html>"),
  "a gateway's page": body(502, "<html>Bad gateway</html>"),
  "HTTP 429": body(429, "slow down"),
  "HTTP 503": body(503, ""),
  "half an answer": (response) => {
    response.writeHead(200, { "content-length": "5000" });
    response.write('[{"jsonrpc":"2.0","id":');
    setImmediate(() => response.destroy());
  },
  "a rate limit as JSON": body(
    200,
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32005,"message":"rate limit exceeded"}}',
  ),
  "a broken connection": (response) => void response.destroy(),
  "an upgrade": ({ socket }) => void socket?.write(UPGRADE),
  "one answer to many calls": body(200, '[{"jsonrpc":"2.0","id":1,"result":null}]'),
  "no answer at all": () => undefined,
};

function refusal(message: string, id: number | null = null): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32_600, message } });
}

/** The words and ways in which servers limit batches; most look like something else. */
const BATCH_REFUSALS: Record<string, (response: ServerResponse, calls: readonly RpcCall[]) => void> = {
  "words of a rate limit": body(200, refusal("Too many requests in batch: maximum is 10")),
  "words without the word": body(200, refusal("at most 10 calls are allowed")),
  "a list of one error": body(200, `[${refusal('Too many ["eth_getBlockByNumber"] methods in the batch')}]`),
  "an error for each call": (response, calls) =>
    body(200, `[${calls.map(({ id }) => refusal("batch limit exceeded", id)).join()}]`)(response),
  "HTTP 429": body(429, refusal("batch too large")),
  "a page": body(400, "Bad Request"),
  "a broken connection": (response) => void response.destroy(),
  silence: () => undefined,
};

async function closeSoon(rpc: ScriptedRpc, one: Followed): Promise<void> {
  const stop = new AbortController();
  const running = one.follower.run(stop.signal);
  while (rpc.calls.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  stop.abort();
  one.close();
  await running;
  assert.equal(one.ledger.count, 0);
}

describe("an RPC that fails is asked again", () => {
  for (const [name, spoil] of Object.entries(SPOILS)) {
    for (const method of ["eth_getBlockByNumber", "eth_getLogs", "eth_getBlockByHash"]) {
      test(`${name} to ${method}`, async () => {
        const rpc = await serve();
        rpc.takeover = spoiling(3, method, spoil);
        const one = follow({ urls: [rpc.url], timeoutMs: 400 });
        // Polls and logs have patience of their own; a hanging one would take seconds.
        if (name === "no answer at all" && method !== "eth_getBlockByHash") {
          await closeSoon(rpc, one);
          return;
        }
        await one.toTip();
        assert.equal(one.ledger.count, EVENTS);
        assert.deepEqual(one.ledger.facts(), await rebuilt({ urls: [rpc.url] }));
      });
    }
  }

  test("an answer above the bound of bytes is not read on, and less is asked for", async () => {
    const rpc = await serve();
    const one = follow({ urls: [rpc.url], answerBytes: 20_000 });
    await one.toTip();
    assert.equal(one.ledger.count, EVENTS);
    const ranges = rpc.calls.filter(({ method }) => method === "eth_getLogs").length;
    assert.ok(ranges > 3, `${ranges} ranges`);
  });

  test("an answer with more logs than are taken apart at once is not read on, and less is asked for", async () => {
    const rpc = await serve();
    const junk = "x".repeat(16 * 1024 * 1024);
    rpc.meddle = ({ method, params }, truth) => {
      const { fromBlock, toBlock } = { ...(params[0] as Record<string, string> | undefined) };
      const isWide = method === "eth_getLogs" && Number(toBlock) - Number(fromBlock) >= 10;
      return isWide ? Object.assign({ junk }, truth) : undefined;
    };
    const one = follow({ urls: [rpc.url] });
    await one.toTip();
    assert.equal(one.ledger.count, EVENTS);
    const ranges = rpc.calls.filter(({ method }) => method === "eth_getLogs").length;
    assert.ok(ranges > 3, `${ranges} ranges`);
  });

  for (const [name, refuse] of Object.entries(BATCH_REFUSALS)) {
    test(`an RPC that takes ten calls at most and says so by ${name}`, async () => {
      const rpc = await serve();
      let refused = 0;
      rpc.takeover = (calls, response) => {
        if (calls.length <= 10) return false;
        refused += 1;
        refuse(response, calls);
        return true;
      };
      const one = follow({ urls: [rpc.url], timeoutMs: 400 });
      await one.toTip();
      assert.equal(one.ledger.count, EVENTS);
      assert.ok(refused <= 40, `${refused} refusals`);
    });
  }

  test("an RPC that refuses batches is asked call by call", async () => {
    const rpc = await serve();
    rpc.takeover = (calls, response) => {
      if (calls.length <= 1) return false;
      body(400, refusal("batch requests are not supported"))(response);
      return true;
    };
    const one = follow({ urls: [rpc.url] });
    await one.toTip();
    assert.equal(one.ledger.count, EVENTS);
  });

  test("a first block that the chain does not have yet is named, and no RPC is blamed", async () => {
    const rpc = await serve();
    const one = follow({ urls: [rpc.url], firstBlock: 5000, options: { stallMs: 100 } });
    await one.until(() => one.follower.conditions().length > 0);
    const [condition] = one.follower.conditions();
    assert.equal(condition?.code, "EVM_STALLED");
    assert.match(condition.sentence, /ESCROW_FIRST_BLOCK is 5000, and the EVM chain's newest block is 300/);
  });

  test("a database that takes no writes is named, and no RPC is blamed", async () => {
    const rpc = await serve();
    const full = Object.assign(new Error("database or disk is full"), { code: "ERR_SQLITE_ERROR" });
    const ledger = new MemoryEvmLedger(0);
    ledger.applyEvm = () =>
      Promise.reject(new StoreUnavailable("the database takes no writes", { cause: full }));
    const one = follow({ urls: [rpc.url], ledger });
    await one.until(() => one.follower.conditions().length > 0);
    assert.deepEqual(
      one.follower.conditions().map(({ code }) => code),
      ["STORE_SILENT"],
    );
    const [line] = one.lines.filter(({ level }) => level === "error");
    assert.equal(
      line?.message,
      "swaps on the EVM chain: the database takes no writes: database or disk is full",
    );
    assert.deepEqual(line.fields, { kind: "store" });
  });

  test("an RPC without the finalized tag is named with what to configure", async () => {
    const rpc = await serve();
    rpc.meddle = ({ params }) =>
      params[0] === "finalized" ? { error: { code: -32_602, message: "unknown block tag" } } : undefined;
    const one = follow({ urls: [rpc.url] });
    await one.until(() => one.lines.some(({ message }) => /set EVM_CONFIRMATIONS to a number/.test(message)));
    const counted = follow({ urls: [rpc.url], confirmations: 12 });
    await counted.toTip();
    assert.equal(counted.ledger.tips().evm.finalHeight, 300 - 12 + 1);
  });
});

test("a server behind the URL that lacks the block which counts as final by their number makes no answer, not one without a final block", async () => {
  const rpc = await serve();
  const { chain } = follow({ urls: [rpc.url], confirmations: 12 });
  const [source] = chain.sources;
  assert.equal((await source?.heads())?.final?.number, 289);
  rpc.meddle = ({ params }) => (params[0] === "0x121" ? { result: null } : undefined);
  await assert.rejects(async () => source?.heads(), { code: "UNSETTLED" });
});

/** Refusals of ranges as providers word them. */
const WORDINGS: readonly (readonly [number, string])[] = [
  [-32_005, "query returned more than 10000 results. Try with this block range [0x0, 0x64]."],
  [-32_602, "Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range"],
  [-32_600, "Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range."],
  [-32_614, "eth_getLogs is limited to a 10,000 range"],
  [-32_000, "exceed maximum block range: 50000"],
  [-32_000, "block range is too wide"],
  [-32_000, "query timeout exceeded"],
  [-32_602, "query exceeds max block range 100000"],
  [-32_000, "requested too many blocks from 0 to 300, maximum is set to 64"],
  [-32_047, "Invalid eth_getLogs request. 'fromBlock'-'toBlock' range too large. Max range: 800"],
  [35, "ranges over 10000 blocks are not supported on freetier"],
  [
    -32_701,
    "Please specify an address in your request or, to remove restrictions, order a dedicated full node; logs are limited",
  ],
  [-32_000, "the interval must not span 64 blocks"],
  [-32_603, "Internal error"],
];

describe("limits of ranges are found by trying", () => {
  for (const [code, message] of WORDINGS) {
    test(message.slice(0, 60), async () => {
      const rpc = await serve();
      const widths: number[] = [];
      rpc.meddle = ({ method, params }): RpcAnswer | undefined => {
        if (method !== "eth_getLogs") return undefined;
        const { fromBlock, toBlock } = params[0] as Record<string, string>;
        const width = Number(toBlock) - Number(fromBlock) + 1;
        widths.push(width);
        return width > 10 ? { error: { code, message } } : undefined;
      };
      const one = follow({ urls: [rpc.url] });
      await one.toTip();
      assert.equal(one.ledger.count, EVENTS);
      assert.ok(widths.filter((width) => width > 10).length <= 8, widths.join(" "));
    });
  }

  for (const status of [408, 413, 502, 504, 524]) {
    test(`and a gateway's page with HTTP ${status} is one of them`, async () => {
      const rpc = await serve();
      rpc.takeover = (calls, response) => {
        const { fromBlock, toBlock } = (calls[0]?.params[0] ?? {}) as Record<string, string>;
        if (!(Number(toBlock) - Number(fromBlock) > 50)) return false;
        body(status, "<html>the server did not answer in time</html>")(response);
        return true;
      };
      const one = follow({ urls: [rpc.url] });
      await one.toTip();
      assert.equal(one.ledger.count, EVENTS);
    });
  }

  test("down to one block, and one with more logs than are given at once is read by its receipts, twice", async () => {
    const rpc = await serve(scriptedChain(20, (n) => (n === 7 ? 40 : 1)));
    const other = await serve(rpc.chain);
    for (const one of [rpc, other]) one.meddle = refusingBlock7;
    const one = follow({ urls: [rpc.url, other.url] });
    await one.toTip();
    assert.equal(one.ledger.count, 60);
    assert.equal(one.ledger.tips().evm.finalHeight, 10);
  });

  test("a transaction with thousands of events is asked for once to witness them", async () => {
    const rpc = await serve(scriptedChain(20, (n) => (n === 7 ? 1800 : 0)));
    const other = await serve(rpc.chain);
    const one = follow({ urls: [rpc.url, other.url] });
    await one.toTip();
    assert.deepEqual([one.ledger.count, one.ledger.tips().evm.finalHeight], [1800, 10]);
    const asked = [...rpc.calls, ...other.calls].filter(
      ({ method }) => method === "eth_getTransactionReceipt",
    );
    assert.equal(asked.length, 3, "the transactions of the block");
  });

  test("down to one block, and a block that is refused by itself, with its receipts, is named", async () => {
    const rpc = await serve(scriptedChain(20, () => 1));
    rpc.meddle = (call): RpcAnswer | undefined =>
      call.method === "eth_getTransactionReceipt"
        ? { error: { code: -32_000, message: "no receipts here" } }
        : refusingBlock7(call);
    const one = follow({ urls: [rpc.url] });
    await one.until(() =>
      one.lines.some(({ message }) => /logs of the single block 7 are refused/.test(message)),
    );
    assert.equal(one.ledger.tips().evm.height, 6);
    assert.equal(one.follower.status().lag, 14);
  });
});

/** Gives logs of single blocks alone, and of block 7 none. */
function refusingBlock7({ method, params }: RpcCall): RpcAnswer | undefined {
  if (method !== "eth_getLogs") return undefined;
  const { fromBlock, toBlock } = params[0] as Record<string, string>;
  const error = { code: -32_005, message: "query returned more than 10000 results" };
  return fromBlock !== toBlock || fromBlock === "0x7" ? { error } : undefined;
}

describe("several URLs", () => {
  test("the next one takes over where one is down, and hands back nothing twice", async () => {
    const [a, b] = [await serve(), await serve()];
    const one = follow({
      urls: [a.url, b.url],
      options: { range: { first: 20, most: 20, manyLogs: 1000 } },
    });
    let ranges = 0;
    a.takeover = (calls, response) => {
      if (calls.some(({ method }) => method === "eth_getLogs")) ranges += 1;
      if (ranges < 4) return false;
      response.destroy();
      return true;
    };
    await one.until(() => one.ledger.tips().evm.height === 300);
    assert.equal(one.ledger.count, EVENTS);
    assert.equal(one.follower.status().indexingStatus, "synced");
  });

  test("they agree while they show the same hash at the lower of their final heights", async () => {
    const [a, b] = [await serve(), await serve()];
    const one = follow({ urls: [a.url, b.url] });
    await one.until(() => one.follower.standing().agreed);
    assert.equal(one.follower.standing().headHeight, 300);
  });

  test("one that is behind agrees as far as it goes", async () => {
    const [a, b] = [await serve(), await serve(CHAIN.slice(0, 200))];
    const one = follow({ urls: [a.url, b.url] });
    await one.until(() => one.follower.standing().agreed);
    assert.equal(one.follower.standing().headHeight, 300);
  });

  test("one that is far behind is left for one that is not", async () => {
    const [a, b] = [await serve(CHAIN.slice(0, 200)), await serve()];
    const one = follow({ urls: [a.url, b.url] });
    await one.until(() => one.ledger.tips().evm.height === 300);
    assert.equal(one.ledger.count, EVENTS);
    assert.ok(one.ledger.changes.every(({ rewind }) => rewind === null));
  });

  test("one with another final block: not agreed, and indexing goes on", async () => {
    const other = scriptedChain(300, (n) => (n % 3 === 0 ? 1 : 0), "other", CHAIN, 250);
    const [a, b] = [await serve(), await serve(other)];
    const one = follow({ urls: [a.url, b.url] });
    await one.until(() => one.lines.some(({ message }) => /do not agree/.test(message)));
    assert.equal(one.follower.standing().agreed, false);
    await one.until(() => one.ledger.tips().evm.height === 300);
    a.chain = scriptedChain(305, () => 0, "main", CHAIN, 301);
    await one.until(() => one.ledger.tips().evm.height === 305);
  });

  test("a difference above what is final is none", async () => {
    const other = scriptedChain(300, () => 0, "other", CHAIN, 295);
    const [a, b] = [await serve(), await serve(other)];
    const one = follow({ urls: [a.url, b.url] });
    await one.until(() => one.follower.standing().agreed);
  });

  test("one of two that is down: not agreed, and indexing goes on", async () => {
    const [a, b] = [await serve(), await serve()];
    await b.stop();
    const one = follow({ urls: [a.url, `http://127.0.0.1:9`] });
    await one.until(() => one.ledger.tips().evm.height === 300);
    assert.equal(one.follower.standing().agreed, false);
  });

  test("one whose blocks never come is not asked for each second reading", async () => {
    const rpcs = [await serve(), await serve(), await serve()];
    const [, failing] = rpcs;
    let asked = 0;
    if (failing !== undefined)
      failing.takeover = (calls, response) => {
        if (!calls.some(({ params }) => String(params[0]).startsWith("0x"))) return false;
        asked += 1;
        body(503, "")(response);
        return true;
      };
    const urls = rpcs.map(({ url }) => url);
    const one = follow({ urls, options: { range: { first: 10, most: 10, manyLogs: 1000 } } });
    await one.until(() => one.ledger.tips().evm.finalHeight === 290);
    assert.ok(asked <= 10, `asked ${asked} times for 29 second readings`);
  });

  test("one that leaves the final chain is not followed while another still has it", async () => {
    const [a, b] = [await serve(), await serve()];
    const one = follow({ urls: [a.url, b.url] });
    await one.until(() => one.ledger.tips().evm.height === 300);
    a.chain = scriptedChain(310, () => 0, "fork", CHAIN, 280);
    await one.until(() => one.lines.some(({ message }) => /is not followed/.test(message)));
    assert.equal(one.follower.standing().finalReplaced, false);
    assert.ok(one.ledger.changes.every(({ rewind }) => rewind === null));
  });
});
