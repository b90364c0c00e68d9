// The dev node does what the tests that stand on it assume of its time, finality, reorganisations and end.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { type Anvil, ANVIL_CHAIN_ID, FINALITY_LAG, startAnvil } from "./node.ts";

let anvil: Anvil;
before(async () => {
  anvil = await startAnvil({ genesisTime: 1_790_000_000 });
});
after(() => anvil.stop());

test("chain id and accounts are fixed", async () => {
  assert.equal(await anvil.publicClient.getChainId(), ANVIL_CHAIN_ID);
  assert.equal(anvil.account(0).address, "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266");
});

test("the finalized block stays two behind the tip", async () => {
  await anvil.mine(5);
  const tip = await anvil.publicClient.getBlockNumber();
  const final = await anvil.publicClient.getBlock({ blockTag: "finalized" });
  assert.equal(tip - final.number, BigInt(FINALITY_LAG));
});

test("time goes where it is set", async () => {
  const target = (await anvil.time()) + 5000n;
  await anvil.increaseTo(target);
  assert.equal(await anvil.time(), target);
  await anvil.setNextTime(target + 7n);
  await anvil.mine();
  assert.equal(await anvil.time(), target + 7n);
});

test("a reorganisation replaces blocks, drops their transactions and does not turn time back", async () => {
  const wallet = anvil.walletClient(0);
  const to = anvil.account(5).address;
  const hash = await wallet.sendTransaction({ to, value: 1n });
  const receipt = await anvil.publicClient.waitForTransactionReceipt({ hash });
  await anvil.mine(2);
  const old = await anvil.publicClient.getBlock({ blockTag: "latest" });
  const kept = await anvil.publicClient.getBlock({ blockNumber: receipt.blockNumber - 1n });
  await anvil.reorg(3);
  const tip = await anvil.publicClient.getBlock({ blockTag: "latest" });
  assert.equal(tip.number, old.number);
  assert.notEqual(tip.hash, old.hash);
  const same = await anvil.publicClient.getBlock({ blockNumber: kept.number });
  assert.equal(same.hash, kept.hash);
  await assert.rejects(anvil.publicClient.getTransactionReceipt({ hash }));
  await anvil.mine();
  assert.ok((await anvil.time()) >= old.timestamp);
});

test("an empty branch of the same length has other hashes", async () => {
  await anvil.mine(3);
  const old = await anvil.publicClient.getBlock({ blockTag: "latest" });
  await anvil.reorg(1);
  assert.notEqual((await anvil.publicClient.getBlock({ blockTag: "latest" })).hash, old.hash);
});

test("a replaced block can hold another transaction", async () => {
  const wallet = anvil.walletClient(1);
  await anvil.mine(3);
  const request = await wallet.prepareTransactionRequest({ to: anvil.account(6).address, value: 2n });
  const raw = await wallet.signTransaction(request);
  await anvil.reorg(2, [{ raw, block: 1 }]);
  const tip = await anvil.publicClient.getBlock({ blockTag: "latest" });
  assert.equal(tip.transactions.length, 1);
});

test("the node ends when its owner is killed", async () => {
  const source = `import { startAnvil } from ${JSON.stringify(new URL("node.ts", import.meta.url).href)};
    const anvil = await startAnvil(); console.log(anvil.pid); setInterval(() => undefined, 1000);`;
  const owner = spawn(process.execPath, ["--input-type=module", "-e", source], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const pid = await new Promise<number>((resolve) => {
    owner.stdout.once("data", (chunk: Buffer) => resolve(Number(chunk.toString())));
  });
  assert.equal(isAlive(pid), true);
  owner.kill("SIGKILL");
  for (let tries = 0; isAlive(pid) && tries < 3000; tries += 1) await delay(20);
  assert.equal(isAlive(pid), false);
});

/** A process that ended and that nobody has asked for its result (in a container without an init) is no live one. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== "linux" || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
