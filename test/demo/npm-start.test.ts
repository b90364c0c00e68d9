// Does `npm start` do what it promises: a story at once, commands that work as printed, a second start and a start
// after SIGKILL that go on with the same chain, keys and tokens, and an end that leaves nothing behind?

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { promisify } from "node:util";
import { type DemoProcess, isAlive, isGone, isPortFree, npmStart, pause, programOf } from "./demo-process.ts";
import { judgeChain } from "./reference-digest.ts";

const run = promisify(execFile);
const BLOCK_SECONDS = "0.3";

interface Envelope {
  readonly message: string;
  readonly result: readonly Readonly<Record<string, unknown>>[];
}

/** What must not change from one start to the next. */
interface Landmarks {
  readonly keys: string;
  readonly height: number;
  readonly genesisDigest: unknown;
  readonly settled: unknown;
  readonly tokens: readonly string[];
}

async function rows(base: string, path: string): Promise<Envelope["result"]> {
  const response = await fetch(`${base}/api/v1/prc20/${path}`);
  assert.equal(response.status, 200, path);
  const { message, result } = (await response.json()) as Envelope;
  assert.equal(message, "Success");
  return result;
}

async function indexedHeight(base: string): Promise<number> {
  const health = (await (await fetch(`${base}/health`)).json()) as Record<string, unknown>;
  return Number(health["indexed_height"]);
}

describe("npm start", () => {
  const work = mkdtempSync(join(tmpdir(), "strand-demo-"));
  const folder = join(work, "demo");
  const foreignDatabase = join(work, "foreign.db");
  const flags = ["--folder", folder, "--block-seconds", BLOCK_SECONDS];
  let demo: DemoProcess | null = null;
  let base = "";
  let port = 0;
  let marks: Landmarks | null = null;

  async function start(wanted: number): Promise<DemoProcess> {
    const started = npmStart(["--port", `${wanted}`, ...flags], foreignDatabase);
    demo = started;
    const line = await started.line(/^The index over it: http:/);
    base = /http:\/\/127\.0\.0\.1:[0-9]+/.exec(line)?.[0] ?? "";
    port = Number(new URL(base).port);
    return started;
  }

  async function landmarks(height: number): Promise<Landmarks> {
    const tokens = await rows(base, "tokenlist?limit=100");
    return {
      keys: readFileSync(join(folder, "keys.json"), "utf8"),
      height,
      genesisDigest: await rows(base, "digest/0"),
      // Deeper than the demo's reorganisations reach.
      settled: await rows(base, "digest/112"),
      tokens: tokens.map((row) => `${String(row["tick"])} ${String(row["deploy_txid"])}`).toReversed(),
    };
  }

  /** The folder must show what the one before showed, and more. */
  async function goesOn(earlier: Landmarks): Promise<void> {
    const height = await indexedHeight(base);
    assert.ok(height >= earlier.height, `height ${height} after ${earlier.height}`);
    const now = await landmarks(height);
    assert.deepEqual(
      { ...now, height: 0, tokens: now.tokens.slice(0, earlier.tokens.length) },
      { ...earlier, height: 0 },
    );
  }

  before(async () => {
    const started = await start(0);
    await started.line(/^In another terminal:/);
    await started.line(/^block 121:/);
  });

  after(async () => {
    demo?.child.kill("SIGKILL");
    const pid = existsSync(join(folder, "running.pid")) ? programOf(folder) : 0;
    if (pid > 0 && isAlive(pid)) process.kill(pid, "SIGKILL");
    rmSync(work, { recursive: true, force: true });
  });

  test("tells deploys, mints, moves, listings, fills, cancels, mistakes and an invalid spend", () => {
    const told = demo?.output() ?? "";
    for (const words of [
      /^ {2}Ada deployed GRAIN: at most 21,000,000, 1,000 per mint$/m,
      /^ {2}\w+ minted 1,000 GRAIN/m,
      /^ {2}\w+ sent [0-9,.]+ [A-Z]+ to \w+$/m,
      /^ {2}\w+ burned [0-9,.]+ [A-Z]+$/m,
      /^ {2}\w+ listed [0-9,.]+ GRAIN for [0-9.]+ PEARL$/m,
      /^ {2}\w+ listed [0-9,.]+ GRAIN for [0-9.]+ PEARL, until block [0-9]+$/m,
      /^ {2}\w+ filled 2 listings at once: .+ from .+ and .+ from .+, for [0-9.]+ PEARL$/m,
      /^ {2}\w+ cancelled the listing of [0-9,.]+ GRAIN$/m,
      /^ {2}invalid: Dan's transfer of GRAIN — BALANCE_INSUFFICIENT$/m,
      /^ {2}invalid spend: \w+ was paid [0-9.]+ PEARL without a send/m,
      /^ {2}Ben's listing of [0-9,.]+ GRAIN expired/m,
    ]) {
      assert.match(told, words);
    }
    assert.doesNotMatch(told, /note:/);
  });

  test("reorganises the chain, and the index follows", async () => {
    const line = await demo?.line(/^reorg: [1-3] blocks? replaced from height [0-9]+$/);
    const [, count, height] = /^reorg: ([1-3]) blocks? replaced from height ([0-9]+)$/.exec(line ?? "") ?? [];
    assert.equal(Number(height) + Number(count), 124);
    await demo?.line(/^block 125:/);
  });

  test("the printed commands work as printed and show rows", async (context) => {
    const printed = (demo?.output() ?? "").split("\n").filter((line) => line.startsWith("  curl "));
    assert.equal(printed.length, 4);
    const hasCurl = await run("curl", ["--version"]).then(
      () => true,
      () => false,
    );
    if (!hasCurl) return context.skip("curl is not installed (apt-get install curl)");
    for (const command of printed) {
      const { stdout } = await run("sh", ["-c", `${command.trim()} -w '\\n%{http_code}'`]);
      const [body = "", status] = stdout.split("\n");
      assert.equal(status, "200", command);
      assert.ok((JSON.parse(body) as Envelope).result.length > 0, command);
    }
  });

  test("a second demo on the folder and a taken port are refused with the flag that helps", async () => {
    const onFolder = npmStart(["--port", "0", ...flags], foreignDatabase);
    assert.deepEqual(await onFolder.ended, [1, null]);
    assert.match(onFolder.output(), /another demo \(process [0-9]+\) is running on .+--folder/);
    const onPort = npmStart(["--port", `${port}`, "--folder", join(work, "other")], foreignDatabase);
    assert.deepEqual(await onPort.ended, [1, null]);
    assert.match(onPort.output(), new RegExp(`port ${port} is taken; choose another with --port`));
    assert.equal(existsSync(join(work, "other")), false);
  });

  test("SIGTERM leaves no process and no port within 5 seconds", async () => {
    marks = await landmarks(await indexedHeight(base));
    const pid = programOf(folder);
    const started = performance.now();
    demo?.child.kill("SIGTERM");
    assert.ok(await isGone(pid, 5_000));
    await demo?.ended;
    assert.ok(performance.now() - started < 5_000);
    assert.equal(await isPortFree(port), true);
    assert.match(demo?.output() ?? "", /^Stopped at block [0-9]+\.$/m);
  });

  test("a second start goes on with the same chain, keys and tokens", async () => {
    assert.ok(marks);
    const again = await start(port);
    await again.line(/^In another terminal:/);
    await goesOn(marks);
    assert.match(again.output(), /goes on at block [0-9]+/);
    marks = await landmarks(await indexedHeight(base));
    await again.line(new RegExp(`^block ${marks.height + 3}:`));
  });

  test("a start after SIGKILL of the program goes on as well", async () => {
    marks = await landmarks(await indexedHeight(base));
    const pid = programOf(folder);
    process.kill(pid, "SIGKILL");
    assert.ok(await isGone(pid, 5_000));
    await demo?.ended;
    const again = await start(port);
    await again.line(/^In another terminal:/);
    await goesOn(marks);
    await again.line(new RegExp(`^block ${marks.height + 3}:`));
    assert.doesNotMatch(again.output(), /note:/);
  });

  test("everything that was indexed is what the reference says about the chain, block by block", async () => {
    const [collector] = (
      JSON.parse(readFileSync(join(folder, "keys.json"), "utf8")) as {
        people: { name: string; address: string }[];
      }
    ).people.filter(({ name }) => name === "Otto");
    const said = new Map<number, unknown>();
    const height = await indexedHeight(base);
    for (let at = 100; at <= height - 4; at += 1) {
      const [row] = await rows(base, `digest/${at}`);
      said.set(at, row?.["value"]);
    }
    const pid = programOf(folder);
    process.kill(pid, "SIGINT");
    assert.ok(await isGone(pid, 5_000));
    await demo?.ended;
    await pause(50);
    const { digests, reasons } = await judgeChain(join(folder, "chain"), collector?.address ?? "");
    assert.ok(said.size > 20);
    for (const [at, value] of said) assert.equal(value, digests.get(at), `digest of block ${at}`);
    assert.ok(reasons.has("BALANCE_INSUFFICIENT"));
  });

  test("the database that DATABASE_URL names was not touched", () => {
    assert.equal(existsSync(foreignDatabase), false);
  });
});
