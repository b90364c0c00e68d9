// The program starts and stops as people and service managers start and stop it. Real processes over an embedded Pearl
// node show which Node runs it, what signals do, and what is said when it cannot start.

import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { freePort, isFree } from "../../testkit/free-port.ts";
import { type PearlNode, startPearlNode } from "../../testkit/doubles/pearl-node/index.ts";
import {
  endAll,
  health,
  isAlive,
  oldNode,
  REPOSITORY,
  startStrand,
  StartedProcess,
} from "./service-process.ts";
import { needsPostgres, startPostgres } from "../../testkit/doubles/postgres.ts";
import { until } from "../../testkit/until.ts";

const RPC = { rpcUser: "u", rpcPassword: "p", limitUser: "limited", limitPassword: "limited-password" };
const miningScript = Uint8Array.of(0x51, 0x20, ...new Uint8Array(32).fill(0x11));
const old = oldNode();
const launchers = [process.execPath, ...(old === null ? [] : [old])];

let folder = "";
let node: PearlNode;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "strand-launcher-"));
  node = await startPearlNode({ ...RPC, miningScript });
  node.generate(20);
});

after(async () => {
  await endAll();
  await node.close();
  rmSync(folder, { recursive: true, force: true });
});

function environment(name: string, port: number, more: Record<string, string> = {}): Record<string, string> {
  return {
    STRAND_NETWORK: "simnet",
    PEARL_RPC_URL: node.url,
    PEARL_RPC_USER: RPC.limitUser,
    PEARL_RPC_PASSWORD: RPC.limitPassword,
    PRC20_FEE_BPS: "0",
    DATABASE_URL: `sqlite:${join(folder, `${name}.db`)}`,
    PORT: `${port}`,
    ...more,
  };
}

async function synced(port: number): Promise<void> {
  await until("the index is synced", async () => {
    const state = await health(port);
    return state?.["indexing_status"] === "synced" && state["indexed_height"] === node.chain.tip.height;
  });
}

describe("launcher", () => {
  for (const [index, launcher] of launchers.entries()) {
    for (const signal of index === 0 ? (["SIGTERM"] as const) : (["SIGTERM", "SIGINT", "SIGHUP"] as const)) {
      test(`${signal} to the launcher under ${index === 0 ? "Node 24" : "an old Node"} stops everything within 5 s`, async () => {
        const port = await freePort();
        const strand = startStrand(launcher, ["start"], environment(`signal-${index}-${signal}`, port));
        await synced(port);
        const worker = strand.workerPid();
        assert.equal(worker === strand.pid, index === 0, "an old Node starts the packaged one");
        const started = Date.now();
        strand.child.kill(signal);
        const { code, signal: endedBy, stdout } = await strand.ended;
        assert.ok(Date.now() - started < 5000);
        assert.deepEqual({ code, endedBy }, { code: 0, endedBy: null });
        assert.match(stdout, /"msg":"stopped"/);
        assert.ok(!isAlive(worker));
        assert.ok(await isFree(port));
      });
    }
  }

  test("a launcher that is killed takes the program with it", { skip: old === null }, async () => {
    if (old === null) return;
    const port = await freePort();
    const strand = startStrand(old, ["start"], environment("orphan", port));
    await synced(port);
    const worker = strand.workerPid();
    strand.child.kill("SIGKILL");
    await until("the program has ended", () => !isAlive(worker), 5000);
    assert.ok(await isFree(port));
  });

  test("the program that is killed ends the launcher by the same signal", {
    skip: old === null,
  }, async () => {
    if (old === null) return;
    const port = await freePort();
    const strand = startStrand(old, ["start"], environment("mirror", port));
    await synced(port);
    process.kill(strand.workerPid(), "SIGKILL");
    assert.equal((await strand.ended).signal, "SIGKILL");
  });

  test("it works through a link, as npx and npm make them", async () => {
    const link = join(folder, "strand");
    symlinkSync(join(REPOSITORY, "bin", "strand"), link);
    for (const launcher of launchers) {
      const { code, stdout } = await new StartedProcess(launcher, [link, "--version"], {}).ended;
      assert.equal(code, 0);
      assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
    }
  });

  test("the exit code of the program is that of the launcher", async () => {
    for (const launcher of launchers)
      assert.equal((await startStrand(launcher, ["strat"], {}).ended).code, 2);
  });

  test("a flag that there is not, or one that is missing, is a wrong command line, as an unknown command is", async () => {
    for (const words of [
      ["start", "--prot", "1"],
      ["alarms", "--to", "folder"],
      ["export"],
      ["import", "--from", "folder"],
      ["import", "--from", "folder", "--replay", "none"],
    ]) {
      const { code, stderr } = await startStrand(process.execPath, words, {}).ended;
      assert.equal(code, 2, `${words.join(" ")}: ${stderr}`);
      assert.match(stderr, /^strand: .*--(prot is no flag: did you mean --port\?|to|digest-url|replay)/);
    }
  });
});

describe("start", () => {
  test("HTTP serves while the node is down, and the index goes on when it comes", async () => {
    const port = await freePort();
    const nodePort = await freePort();
    const strand = startStrand(
      process.execPath,
      ["start"],
      environment("late-node", port, { PEARL_RPC_URL: `http://127.0.0.1:${nodePort}` }),
    );
    await until("health says stalled", async () => (await health(port))?.["indexing_status"] === "stalled");
    assert.equal((await health(port))?.["indexed_height"], -1);
    const late = await startPearlNode({ ...RPC, miningScript, port: nodePort });
    late.generate(3);
    await until("the index is synced", async () => (await health(port))?.["indexed_height"] === 3);
    strand.child.kill("SIGTERM");
    assert.equal((await strand.ended).code, 0);
    await late.close();
  });

  test("a taken port is named with the flag that changes it", async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
    const address = taken.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    const { code, stderr } = await startStrand(process.execPath, ["start"], environment("taken", port)).ended;
    assert.equal(code, 1);
    assert.match(stderr, new RegExp(`port ${port} on 127\\.0\\.0\\.1 is taken.*--port`));
    const free = await freePort();
    const metrics = await startStrand(
      process.execPath,
      ["start", "--metrics-port", `${port}`],
      environment("taken", free),
    ).ended;
    assert.match(metrics.stderr, /is taken.*--metrics-port/);
    await new Promise<void>((resolve) => taken.close(() => resolve()));
  });

  test("P-01: other parameters on the same database are refused with both values", async () => {
    const port = await freePort();
    const first = startStrand(process.execPath, ["start"], environment("parameters", port));
    await synced(port);
    first.child.kill("SIGTERM");
    await first.ended;
    const other = environment("parameters", port, { PRC20_START_HEIGHT: "7" });
    const { code, stderr } = await startStrand(process.execPath, ["start"], other).ended;
    assert.equal(code, 1);
    assert.match(stderr, /built with 1 as the start height.*but 7 is configured/);
  });

  test("P-01: a node of another network is refused", async () => {
    const port = await freePort();
    const { code, stderr } = await startStrand(
      process.execPath,
      ["start"],
      environment("network", port, { STRAND_NETWORK: "mainnet" }),
    ).ended;
    assert.equal(code, 1);
    assert.match(stderr, /another network/);
  });

  test("a second service on the same database is refused", async () => {
    const port = await freePort();
    const first = startStrand(process.execPath, ["start"], environment("double", port));
    await synced(port);
    const second = await startStrand(process.execPath, ["start"], environment("double", await freePort()))
      .ended;
    assert.equal(second.code, 1);
    assert.match(second.stderr, /in use by another process/);
    first.child.kill("SIGTERM");
    await first.ended;
  });

  test("all configuration problems are said at once, and no secret", async () => {
    const { code, stderr } = await startStrand(process.execPath, ["start", "--prot", "1"], {
      PORT: "x",
      PEARL_RPC_PASSWORD: "hunter2",
      DATABASE_URL: "mysql://u:hunter2@h/d",
    }).ended;
    assert.equal(code, 2);
    for (const name of [
      "--prot",
      "PORT",
      "PEARL_RPC_URL",
      "PEARL_RPC_USER",
      "DATABASE_URL",
      "PRC20_FEE_ADDRESS",
    ]) {
      assert.match(stderr, new RegExp(`^strand: ${name} `, "m"));
    }
    assert.ok(!stderr.includes("hunter2"));
  });
});

describe("jobs", () => {
  test("verify finds nothing in a sound index, reindex builds the same one, verify finds a change", async () => {
    const port = await freePort();
    const settings = environment("jobs", port);
    const service = startStrand(process.execPath, ["start"], settings);
    await synced(port);
    // Beside the service, and killed in the middle: the next run goes on with what there is, and leaves nothing.
    const killed = startStrand(process.execPath, ["verify"], settings);
    const replays = (): string[] => readdirSync(folder).filter((name) => name.startsWith("jobs.db.verify-"));
    await until("a replay has begun", async () => replays().length > 0);
    killed.child.kill("SIGKILL");
    await killed.ended;
    assert.ok(replays().length > 0);
    const sound = await startStrand(process.execPath, ["verify"], settings).ended;
    assert.equal(sound.code, 0, sound.stderr);
    assert.match(sound.stdout, /the index is right\n$/);
    assert.deepEqual(replays(), []);
    service.child.kill("SIGTERM");
    await service.ended;
    const again = await startStrand(process.execPath, ["reindex"], settings).ended;
    assert.equal(again.code, 0, again.stderr);
    const afterwards = await startStrand(process.execPath, ["verify"], settings).ended;
    assert.equal(afterwards.code, 0, afterwards.stderr);
    const { DatabaseSync } = await import("node:sqlite");
    const database = new DatabaseSync(join(folder, "jobs.db"));
    database.exec("UPDATE block SET digest = zeroblob(32) WHERE height = 9");
    database.close();
    const broken = await startStrand(process.execPath, ["verify"], settings).ended;
    assert.equal(broken.code, 1);
    assert.match(broken.stdout, /^block 9: the digest is [0-9a-f]{64}, the index holds 0{64}$/m);
  });

  test(
    "verify reads PostgreSQL beside the service, too, and says which digest is wrong",
    needsPostgres(),
    async () => {
      await using cluster = await startPostgres();
      const port = await freePort();
      const url = await cluster.newUrl();
      const settings = environment("unused", port, { DATABASE_URL: url });
      const service = startStrand(process.execPath, ["start"], settings);
      await synced(port);
      const sound = await startStrand(process.execPath, ["verify"], settings).ended;
      assert.equal(sound.code, 0, sound.stderr);
      assert.match(sound.stdout, /the index is right\n$/);
      assert.ok(!readdirSync(".").some((name) => name.includes(".verify-")), "the replay is removed");
      service.child.kill("SIGTERM");
      await service.ended;
      await cluster.run(url, "UPDATE block SET digest = decode(repeat('00', 32), 'hex') WHERE height = 9");
      const broken = await startStrand(process.execPath, ["verify"], settings).ended;
      assert.equal(broken.code, 1);
      assert.match(broken.stdout, /^block 9: the digest is [0-9a-f]{64}, the index holds 0{64}$/m);
      const empty = { ...settings, DATABASE_URL: await cluster.newUrl() };
      const refused = await startStrand(process.execPath, ["verify"], empty).ended;
      assert.equal(refused.code, 1);
      assert.match(refused.stderr, /holds no index yet/);
    },
  );
});
