// Final blocks of a real EVM chain are replaced (S-05). New actions stop, and stay stopped over restarts, until an
// operator lifts the alarm with the real command beside the running service, which shows both hashes.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { SwapStage } from "../../testkit/worlds/swap-stage/swap-stage.ts";
import { endAll, type Ended, startStrand } from "../process/service-process.ts";

let stage: SwapStage;

before(async () => {
  stage = await SwapStage.open();
});

after(async () => {
  await endAll();
  await stage?.close();
});

async function reasons(): Promise<readonly unknown[]> {
  const { body } = await stage.http.get("/health");
  return Array.isArray(body["reasons"]) ? body["reasons"] : [];
}

/** Runs `strand alarms` as an operator does. */
function alarms(...args: readonly string[]): Promise<Ended> {
  return startStrand(process.execPath, ["alarms", ...args], {
    STRAND_NETWORK: "simnet",
    PEARL_RPC_URL: stage.pearl.url,
    PRC20_FEE_BPS: "0",
    DATABASE_URL: `sqlite:${join(stage.folder, "index.db")}`,
  }).ended;
}

async function evmCall(method: string, params: readonly unknown[]): Promise<unknown> {
  const response = await fetch(stage.anvil.url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const answer: Record<string, unknown> = Object(await response.json());
  assert.equal(answer["error"], undefined, JSON.stringify(answer));
  return answer["result"];
}

test("S-05: a replaced final block stops actions over restarts, until it is lifted", async () => {
  await stage.mineEvm(20);
  assert.deepEqual(await reasons(), []);
  assert.match((await alarms()).stdout, /no alarm stands/);
  const final = Object(await evmCall("eth_getBlockByNumber", ["finalized", false]));
  await evmCall("anvil_reorg", [12, []]);
  await evmCall("anvil_mine", ["0x3"]);
  const now = Object(await evmCall("eth_getBlockByNumber", [final.number, false]));
  assert.notEqual(now.hash, final.hash, "the final block was really replaced");
  const isTold = async (): Promise<boolean> => (await reasons()).includes("EVM_FINAL_BLOCK_REPLACED");
  await stage.until("the alarm", isTold);
  const asks = await stage.http.post("/api/v1/swaps/asks", {});
  assert.notEqual(asks.status, 201);

  await stage.stopService();
  await stage.startService();
  assert.ok(await isTold(), "a restart forgets the alarm");
  assert.equal(stage.service.swapSides()?.evm.finalReplaced, true);

  const shown = await alarms();
  assert.equal(shown.code, 0, shown.stderr);
  assert.ok(shown.stdout.includes(String(final.hash)), shown.stdout);
  assert.ok(shown.stdout.includes(String(now.hash)), shown.stdout);
  const id = /^final-\S+(?=:)/m.exec(shown.stdout)?.[0] ?? "";
  const wrong = await alarms("--lift", "final-0-none");
  assert.deepEqual([wrong.code, wrong.stderr.includes(id)], [1, true], wrong.stderr);
  assert.ok(await isTold());

  const lifted = await alarms("--lift", id);
  assert.equal(lifted.code, 0, lifted.stderr);
  assert.ok(lifted.stdout.includes(String(final.hash)) && lifted.stdout.includes(String(now.hash)));
  await stage.until("the running service sees it", async () => !(await isTold()));
  assert.match((await alarms()).stdout, /no alarm stands/);
  await stage.stopService();
  await stage.startService();
  assert.equal(await isTold(), false, "a restart brings it back");
});
