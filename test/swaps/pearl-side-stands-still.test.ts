// A node that answers what the index of tokens asks and not what swaps ask, as behind a proxy that passes some calls
// alone, or that has too few peers: nobody is told of a lock or a secret any more, or to act, and /health says so while
// tokens are served as ever.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, mock, test } from "node:test";
import { errorLog } from "../../testkit/doubles/log.ts";
import {
  type RpcAnswer,
  type RpcRequest,
  type RpcServer,
  serveRpc,
} from "../../testkit/doubles/rpc-server.ts";
import { SwapStage } from "../../testkit/worlds/swap-stage/swap-stage.ts";

const errors: string[] = [];
let stage: SwapStage;
let proxy: RpcServer;
let refused = "";
let isDown = false;
let isForeign = false;

/** Passes every call on, but for what the switches say. */
async function pass(request: RpcRequest): Promise<void> {
  if (isDown) throw new Error("cut");
  const authorization = request.headers.authorization ?? "";
  const answers = request.calls.map(async (call): Promise<RpcAnswer> => {
    if (call.method === refused)
      return { error: { code: -1, message: "limited user not authorized for this method" } };
    if (isForeign && call.method === "getcurrentnet") return { result: 1 };
    const body = JSON.stringify({ jsonrpc: "1.0", ...call });
    const answer = await fetch(stage.pearl.url, { method: "POST", headers: { authorization }, body });
    const { result, error }: { result: unknown; error: { code: number; message: string } | null } =
      JSON.parse(await answer.text());
    return error === null ? { result } : { error };
  });
  request.reply(await Promise.all(answers));
}

before(async () => {
  stage = await SwapStage.open({ log: errorLog(errors) });
  proxy = await serveRpc(pass, { version: "1.0" });
  await stage.stopService();
  await stage.startService({ "--pearl-rpc-url": proxy.url });
});

after(async () => {
  mock.restoreAll();
  await stage?.close();
  await proxy?.close();
});

/** Whether a side has answered just now. */
const isHeard = (at: number | null | undefined): boolean => performance.now() - (at ?? 0) < 5000;

async function reasons(): Promise<unknown> {
  return (await stage.http.get("/health")).body["reasons"];
}

for (const [method, reason] of [
  ["getblockheader", "SWAPS_STALLED"],
  ["getrawmempool", "MEMPOOL_UNREAD"],
] as const)
  test(`${reason}: 30 s behind the first refused ${method}, until it is answered; tokens are ready meanwhile`, async () => {
    mock.restoreAll();
    assert.deepEqual(await reasons(), []);
    refused = method;
    stage.pearl.generate(1);
    const { height } = stage.pearl.chain.tip;
    const isIndexed = async () => (await stage.http.get("/health")).body["indexed_height"] === height;
    await stage.until("the index of tokens at the tip", isIndexed);
    assert.deepEqual(await reasons(), []);
    const real = performance.now.bind(performance);
    mock.method(performance, "now", () => real() + 31_000);
    await stage.until("the reason", async () => String(await reasons()) === reason);
    assert.equal((await stage.http.get("/health/ready")).status, 200);
    refused = "";
    await stage.until("its end", async () => String(await reasons()) === "");
  });

test("SWAPS_WITHHELD: a node without peers keeps every step of a swap back, and both indexes are at their tips", async () => {
  mock.restoreAll();
  await stage.stopService();
  await stage.startService({ "--pearl-min-peers": "9" }, false);
  await stage.caughtUp();
  assert.deepEqual(await reasons(), []);
  const real = performance.now.bind(performance);
  let ahead = 0;
  mock.method(performance, "now", () => real() + ahead);
  // In steps: a side that has said nothing for half a minute is silent, and nothing else.
  for (; ahead < 61_000; ahead += 15_000)
    await stage.until("an answer of both sides", async () => {
      const sides = stage.service.swapSides();
      return isHeard(sides?.pearl.answeredAtMonotonicMs) && isHeard(sides?.evm.answeredAtMonotonicMs);
    });
  await stage.until("the reason", async () => String(await reasons()) === "SWAPS_WITHHELD");
  assert.match((await stage.http.get("/health")).text, /too few connections.*\(connections: 8\)/);
  assert.equal((await stage.http.get("/health/ready")).status, 200);
  stage.pearl.setConnections(9);
  await stage.until("its end", async () => String(await reasons()) === "");
});

test("a node that comes up behind the start and is of another network: swaps take no block of it", async () => {
  mock.restoreAll();
  await stage.stopService();
  [isDown, isForeign] = [true, true];
  const flags = { "--pearl-rpc-url": proxy.url, "--database-url": `sqlite:${join(stage.folder, "new.db")}` };
  await stage.startService(flags, false);
  isDown = false;
  await stage.until("its network", async () => JSON.stringify(errors).includes("another network"));
  await new Promise((done) => setTimeout(done, 3000));
  assert.equal(stage.service.swapSides()?.tips.pearl.height, -1);
  isForeign = false;
  await stage.caughtUp();
});
