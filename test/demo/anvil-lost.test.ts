// The EVM dev node under a demo ends, or stands still, as on a computer that was asleep: the demo says so in a sentence, and
// the next start goes on.

import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { createPublicClient, http } from "viem";
import { isAnvilSilent } from "../../demo/swaps/evm-chain.ts";
import { serveRpc } from "../../testkit/doubles/rpc-server.ts";
import { freePort } from "../../testkit/free-port.ts";
import { foundryProgram } from "../../testkit/programs.ts";
import { until } from "../../testkit/until.ts";
import { isAlive, startStrand } from "../process/service-process.ts";
import { programOf } from "./demo-process.ts";

let folder = "";
before(() => {
  folder = mkdtempSync(join(tmpdir(), "strand-demo-anvil-"));
});
after(() => rmSync(folder, { recursive: true, force: true }));

/** Processes of this machine below that one. */
function below(pid: number): readonly number[] {
  const children = readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const [, parent] = /\) \S (\d+) /.exec(readFileSync(`/proc/${name}/stat`, "utf8")) ?? [];
      return Number(parent) === pid ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
  return children.flatMap((child) => [child, ...below(child)]);
}

function isAnvil(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8").startsWith("anvil");
  } catch {
    return false;
  }
}

const skip =
  process.platform !== "linux"
    ? "not required: the node is found by /proc"
    : foundryProgram("anvil") === null
      ? "there is no anvil"
      : false;

test("a demo whose EVM dev node is gone ends with one sentence and the exit code 1", { skip }, async () => {
  const words = ["demo", "--port", String(await freePort()), "--folder", join(folder, "demo")];
  const demo = startStrand(process.execPath, words, {});
  try {
    await until("the demo serves", () => demo.stdout.includes("http://"));
    const anvils = below(programOf(join(folder, "demo"))).filter(isAnvil);
    assert.ok(anvils.length > 0);
    for (const pid of anvils) process.kill(pid, "SIGKILL");
    await until("the demo ends", () => !isAlive(demo.pid));
  } finally {
    demo.child.kill();
  }
  const { code, stderr } = await demo.ended;
  assert.match(stderr, /^strand demo: the EVM dev node \(anvil\) no longer answers: .*Start the demo again/m);
  assert.doesNotMatch(stderr, /\n\s+at /);
  assert.equal(code, 1, stderr);
});

/** What it was rejected with. */
function failure(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => null,
    (error: unknown) => error,
  );
}

test("a node that stands still is one that does not answer, and one that refuses is not", async () => {
  const rpc = await serveRpc((request) => {
    if (request.calls[0]?.method === "eth_chainId") request.reply([{ error: { code: -1, message: "no" } }]);
  });
  try {
    const client = createPublicClient({ transport: http(rpc.url, { retryCount: 0, timeout: 50 }) });
    assert.equal(isAnvilSilent(await failure(client.getBlock({ blockTag: "latest" }))), true);
    assert.equal(isAnvilSilent(await failure(client.getChainId())), false);
  } finally {
    await rpc.close();
  }
});
