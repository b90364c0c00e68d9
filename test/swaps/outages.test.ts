// There is never a wrong verdict while an EVM RPC is down, behind or in disagreement with another, or the PEARL node is
// silent (S-05, S-62). And without EVM RPCs swaps are simply off.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, mock, test } from "node:test";
import { readConfig } from "../../src/app/config/config.ts";
import { startService } from "../../src/app/main.ts";
import type { Answer } from "../../testkit/worlds/swap-stage/http.ts";
import { Http } from "../../testkit/worlds/swap-stage/http.ts";
import { fund, party, seededSecret, signAsk, times } from "../../testkit/worlds/swap-stage/parties.ts";
import { RpcProxy } from "../../testkit/worlds/swap-stage/rpc-proxy.ts";
import {
  actionsOf,
  type Deal,
  dealOf,
  nowOf,
  openDeal,
  payLock,
  payOutputs,
  postAsk,
  SWAPS,
} from "../../testkit/worlds/swap-stage/scenes.ts";
import { SwapStage } from "../../testkit/worlds/swap-stage/swap-stage.ts";
import { logOf } from "../../testkit/doubles/log.ts";
import { takeBody } from "../../testkit/builders/party.ts";

type Operation = "verify-lock" | "verify-refund" | "verify-evm-refund";
const OPERATIONS: readonly Operation[] = ["verify-lock", "verify-refund", "verify-evm-refund"];

let stage: SwapStage;
let proxy: RpcProxy;
let deal: Deal;

before(async () => {
  stage = await SwapStage.open();
  proxy = await RpcProxy.open(stage.anvil.url);
  const [buyer, seller] = [party(stage, 1), party(stage, 2)];
  await payOutputs(stage, seller, 6, 200_000_000n);
  await fund(stage, buyer, 100_000_000n);
  await stage.caughtUp();
  deal = await openDeal(stage, { buyer, seller }, 1);
  payLock(stage, seller, deal.lock, 100_000_000n);
  await stage.minePearl(6);
});

after(async () => {
  mock.restoreAll();
  await proxy?.close();
  await stage?.close();
});

const post = (path: string, body?: unknown): Promise<Answer> => stage.http.post(SWAPS + path, body);
const verify = (operation: Operation): Promise<Answer> => post(`/deals/${deal.dealHash}/${operation}`);

function noVerdict(answer: Answer, code: string): void {
  assert.equal(answer.status, 503, answer.text);
  assert.equal(answer.headers.get("retry-after"), "5");
  const { ok, verified, error, reason, order_hash, message, details } = answer.body;
  assert.deepEqual([ok, verified, error, reason, order_hash], [false, false, code, code, deal.dealHash]);
  assert.equal(typeof message, "string");
  assert.deepEqual([Object(details).retryable, Object(details).valid_until], [true, null]);
}

async function expectVerdicts(wanted: Readonly<Record<Operation, string | null>>): Promise<void> {
  for (const operation of OPERATIONS) {
    const answer = await verify(operation);
    const code = wanted[operation];
    if (code === null) assert.equal(answer.status, 200, `${operation} ${answer.text}`);
    else noVerdict(answer, code);
  }
}

test("all is well: the lock verifies and may be claimed", async () => {
  assert.equal((await verify("verify-lock")).body["verified"], true);
  assert.ok(actionsOf(await dealOf(stage, deal.dealHash)).includes("buyer claim_pearl"));
});

test("two RPCs that do not agree on a final block: no verdict, no marked action, no take; indexing goes on", async () => {
  await stage.stopService();
  proxy.twist = ({ method }) =>
    method === "eth_getBlockByNumber" || method === "eth_getBlockByHash" ? withOtherHash : "pass";
  await stage.startService({ "--evm-rpc-urls": `${stage.anvil.url},${proxy.url}` }, false);
  await stage.caughtUp();
  await stage.until("disagreement", async () => (await verify("verify-evm-refund")).status === 503);
  const EVM = "EVM_RPC_UNAVAILABLE";
  await expectVerdicts({ "verify-lock": EVM, "verify-refund": null, "verify-evm-refund": EVM });
  assert.deepEqual(actionsOf(await dealOf(stage, deal.dealHash)), [
    "seller refund_pearl",
    "buyer refund_usdc",
  ]);
  // Blocks are indexed, and none of them becomes final (S-07).
  const then = stage.service.swapSides()?.tips.evm;
  await stage.anvil.mine(2);
  await stage.until("two more blocks", async () => {
    const now = stage.service.swapSides()?.tips.evm;
    return now?.height === (then?.height ?? 0) + 2 && now.finalHeight === then?.finalHeight;
  });
  const offer = await signAsk(stage, party(stage, 2), { nonce: 2n, pearlSat: 1_000_000n });
  assert.equal((await post("/asks", offer.body)).body["error"], EVM);
  proxy.twist = () => "pass";
  await stage.until("agreement", async () => (await verify("verify-evm-refund")).status === 200);
  await stage.until("actions again", async () =>
    actionsOf(await dealOf(stage, deal.dealHash)).includes("buyer claim_pearl"),
  );
});

function withOtherHash(answer: unknown): unknown {
  const block = Object(answer);
  return typeof block.hash === "string" ? { ...block, hash: `0x${"7".repeat(64)}` } : answer;
}

test("an EVM index that is behind: no verdict about it, no marked action, and nothing dies", async () => {
  await stage.stopService();
  await stage.startService({ "--evm-rpc-urls": proxy.url });
  const seller = party(stage, 2);
  const short = await postAsk(stage, seller, {
    nonce: 3n,
    pearlSat: 1_000_000n,
    expiry: (await nowOf(stage)) + 300,
  });
  proxy.twist = ({ method }) => (method === "eth_getLogs" ? "fail" : "pass");
  await stage.anvil.increaseTo((await stage.anvil.time()) + 600n);
  await stage.until("lag", async () => (await verify("verify-evm-refund")).status === 503);
  const BEHIND = "INDEXER_NOT_SYNCED";
  await expectVerdicts({ "verify-lock": BEHIND, "verify-refund": null, "verify-evm-refund": BEHIND });
  assert.ok(!actionsOf(await dealOf(stage, deal.dealHash)).includes("buyer claim_pearl"));
  const pearlTime = stage.pearlTime;
  for (let i = 0; i < 12; i += 1) stage.pearl.generate(1, { time: pearlTime + 600 + i });
  await stage.until("PEARL read", async () => {
    const answer = await stage.http.get(`${SWAPS}/stats`);
    return answer.headers.get("x-indexed-height") === String(stage.pearl.chain.tip.height);
  });
  const asks = (await stage.http.get(`${SWAPS}/asks/${short.askId}`)).body;
  assert.equal(asks["status"], "ASK_OPEN", "now is past its expiry, and the index is behind");
  proxy.twist = () => "pass";
  await stage.caughtUp();
  await stage.until("dead", async () => {
    const row = (await stage.http.get(`${SWAPS}/asks/${short.askId}`)).body;
    return row["status"] === "ASK_CANCELLED";
  });
  assert.equal((await verify("verify-evm-refund")).status, 200);
});

test("silence of a side for 30 s: its verdicts end, PEARL named first; the other side's go on", async () => {
  const real = Date.now.bind(Date);
  let ahead = 0;
  mock.method(Date, "now", () => real() + ahead);
  // An answer that was under way when its side fell silent still counts, from the time at which it comes. So time
  // goes on until no side that should be silent was heard, and a side that answers is then heard at once again.
  const silent = (what: string, sides: readonly Operation[]): Promise<void> =>
    stage.until(what, async () => {
      ahead += 40_000;
      await new Promise((done) => setTimeout(done, 200));
      const answers = await Promise.all(sides.map(verify));
      return answers.every(({ status }) => status === 503);
    });
  stage.pearl.faults.freeze();
  const PEARL = "PEARL_NODE_UNAVAILABLE";
  await silent("PEARL silent", ["verify-refund"]);
  await stage.until("EVM heard", async () => (await verify("verify-evm-refund")).status === 200);
  await expectVerdicts({ "verify-lock": PEARL, "verify-refund": PEARL, "verify-evm-refund": null });
  proxy.isDown = true;
  const EVM = "EVM_RPC_UNAVAILABLE";
  await silent("EVM silent", ["verify-refund", "verify-evm-refund"]);
  await expectVerdicts({ "verify-lock": PEARL, "verify-refund": PEARL, "verify-evm-refund": EVM });
  const body = takeBody(party(stage, 1), seededSecret(9).hashlock, await times(stage));
  const taken = await post(`/asks/${deal.offer.askId}/take`, body);
  assert.equal(taken.body["error"], "ASK_PAUSED", taken.text);
  proxy.isDown = false;
  stage.pearl.faults.thaw();
  await stage.until("both heard", async () => (await verify("verify-lock")).status === 200);
  mock.restoreAll();
});

test("no RPC since the start: /health and the metrics say so, and all goes on by itself when one answers", async () => {
  await stage.stopService();
  proxy.isDown = true;
  await stage.startService({ "--evm-rpc-urls": proxy.url, "--metrics-port": "0" }, false);
  const metrics = new Http(`http://127.0.0.1:${stage.service.metricsPort}`);
  const said = async () => {
    const { status, reasons, evm } = (await stage.http.get("/health")).body;
    const { text } = await metrics.get("/metrics");
    const gauges = [/^strand_evm_stalled (.)$/m, /^strand_condition\{code="EVM_STALLED"\} (.)$/m];
    return [status, reasons, Object(evm).indexing_status, ...gauges.map((one) => one.exec(text)?.[1])];
  };
  assert.deepEqual(await said(), ["degraded", ["EVM_STALLED"], "stalled", "1", "1"]);
  proxy.isDown = false;
  await stage.caughtUp();
  assert.deepEqual(await said(), ["ok", [], "synced", "0", "0"]);
});

test("without EVM_RPC_URLS swaps are off, other swap settings warn, and tokens are served", async () => {
  const warnings: { readonly fields: unknown; readonly text: string }[] = [];
  const flags = new Map([
    ["--strand-network", "simnet"],
    ["--pearl-rpc-url", stage.pearl.url],
    ["--pearl-rpc-user", "user"],
    ["--pearl-rpc-password", "secret"],
    ["--database-url", `sqlite:${join(stage.folder, "other.db")}`],
    ["--host", "127.0.0.1"],
    ["--port", "0"],
    ["--prc20-fee-bps", "0"],
    ["--prc20-start-height", "1"],
    ["--escrow-address", stage.escrow.address.toLowerCase()],
    ["--take-max", "7"],
  ]);
  const config = readConfig({ flags, environment: {}, readFile: () => null });
  if (!config.ok) throw new Error(config.error.join("\n"));
  const service = await startService(config.value, {
    log: logOf((level, text, fields) => void (level === "warn" && warnings.push({ fields, text }))),
  });
  try {
    const http = new Http(`http://127.0.0.1:${service.port}`);
    for (const answer of [
      await http.get(`${SWAPS}/deals`),
      await http.post(`${SWAPS}/asks`, {}),
      await http.get(`${SWAPS}/asks/nonsense`),
    ]) {
      assert.deepEqual([answer.status, answer.body["error"]], [503, "SWAPS_DISABLED"], answer.text);
      assert.ok(answer.headers.get("retry-after") !== null);
    }
    assert.equal((await http.get("/health")).body["evm"], null);
    assert.equal((await http.get("/api/v1/prc20/tokenlist")).status, 200);
    const [warning] = warnings.filter(({ text }) => text.includes("EVM_RPC_URLS"));
    assert.deepEqual(warning?.fields, { settings: ["ESCROW_ADDRESS", "TAKE_MAX"] });
  } finally {
    await service.stop();
  }
});
