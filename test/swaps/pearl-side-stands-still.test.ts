// A node that answers what the index of tokens asks and not what swaps ask, as behind a proxy that passes some calls
// alone: nobody is told of a lock or a secret any more, and /health says so while tokens are served as ever.

import assert from "node:assert/strict";
import { after, before, mock, test } from "node:test";
import {
  type RpcAnswer,
  type RpcRequest,
  type RpcServer,
  serveRpc,
} from "../../testkit/doubles/rpc-server.ts";
import { SwapStage } from "../../testkit/worlds/swap-stage/swap-stage.ts";

let stage: SwapStage;
let proxy: RpcServer;
let isRefusing = false;

/** Passes every call on but those for headers, while it refuses them. */
async function pass(request: RpcRequest): Promise<void> {
  const authorization = request.headers.authorization ?? "";
  const answers = request.calls.map(async (call): Promise<RpcAnswer> => {
    if (isRefusing && call.method === "getblockheader")
      return { error: { code: -1, message: "limited user not authorized for this method" } };
    const body = JSON.stringify({ jsonrpc: "1.0", ...call });
    const answer = await fetch(stage.pearl.url, { method: "POST", headers: { authorization }, body });
    const { result, error }: { result: unknown; error: { code: number; message: string } | null } =
      JSON.parse(await answer.text());
    return error === null ? { result } : { error };
  });
  request.reply(await Promise.all(answers));
}

before(async () => {
  stage = await SwapStage.open();
  proxy = await serveRpc(pass, { version: "1.0" });
  await stage.stopService();
  await stage.startService({ "--pearl-rpc-url": proxy.url });
});

after(async () => {
  mock.restoreAll();
  await stage?.close();
  await proxy?.close();
});

async function reasons(): Promise<unknown> {
  return (await stage.http.get("/health")).body["reasons"];
}

test("SWAPS_STALLED: after 30 s without a round that ends well, until one does; tokens are ready meanwhile", async () => {
  assert.deepEqual(await reasons(), []);
  isRefusing = true;
  stage.pearl.generate(1);
  const { height } = stage.pearl.chain.tip;
  const isIndexed = async () => (await stage.http.get("/health")).body["indexed_height"] === height;
  await stage.until("the index of tokens at the tip", isIndexed);
  assert.deepEqual(await reasons(), []);
  const real = performance.now.bind(performance);
  mock.method(performance, "now", () => real() + 31_000);
  await stage.until("the reason", async () => String(await reasons()) === "SWAPS_STALLED");
  assert.equal((await stage.http.get("/health/ready")).status, 200);
  isRefusing = false;
  await stage.until("its end", async () => String(await reasons()) === "");
});
