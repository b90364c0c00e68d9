// `npm start` does what it promises: a story at once, commands that work as printed, and swaps that come to each of
// their ends, one of them followed with curl alone. A second start and a start after SIGKILL go on with the same
// chains, keys, tokens and swaps, and an end leaves nothing behind.

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { freePort, isFree } from "../../testkit/free-port.ts";
import { curl, curlEvents, hasCurl, run } from "./curl.ts";
import type { JsonRow } from "../../testkit/rows.ts";
import { type DemoProcess, isGone, npmStart, pause, programOf } from "./demo-process.ts";
import { judgeChain } from "./reference-digest.ts";
import { until } from "../../testkit/until.ts";
import { isAlive } from "../process/service-process.ts";

const BLOCK_SECONDS = "0.1";
/** Reorganisations of the demo replace fewer blocks: so far below the tip nothing changes. */
const SETTLED_BELOW = 4;
/** For what takes the demo some dozens of blocks, on a machine that has much else to do. */
const LONG_MS = 240_000;

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
  /** Swaps that are over, by hash: what is final does not change. */
  readonly ended: ReadonlyMap<string, unknown>;
}

async function swaps(base: string, path: string): Promise<JsonRow> {
  const response = await fetch(`${base}/api/v1/swaps/${path}`);
  assert.equal(response.status, 200, path);
  return (await response.json()) as JsonRow;
}

async function deals(base: string, query: string): Promise<readonly JsonRow[]> {
  return (await swaps(base, `deals?limit=100&${query}`))["result"] as readonly JsonRow[];
}

async function countDeals(base: string, query: string, wanted: (row: JsonRow) => boolean): Promise<number> {
  return (await deals(base, query)).filter(wanted).length;
}

/** The demo is asked over HTTP, often by a program of its own: ten times a second is enough. */
function patiently(what: string, question: () => Promise<boolean>): Promise<void> {
  return until(what, question, LONG_MS, 100);
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

/** What a node answers to a JSON-RPC call. The EVM node has no accounts and looks at none. */
async function askNode(node: JsonRow, method: string, params: readonly unknown[]): Promise<unknown> {
  const login = Buffer.from(`${String(node["rpc_user"])}:${String(node["rpc_password"])}`);
  const response = await fetch(String(node["rpc_url"]), {
    method: "POST",
    headers: { authorization: `Basic ${login.toString("base64")}`, "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  return ((await response.json()) as JsonRow)["result"];
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
  const starts: DemoProcess[] = [];

  async function start(wanted: number): Promise<DemoProcess> {
    const started = npmStart(["--port", `${wanted}`, ...flags], foreignDatabase);
    demo = started;
    starts.push(started);
    const line = await started.line(/^The index over it: http:/);
    base = /http:\/\/127\.0\.0\.1:[0-9]+/.exec(line)?.[0] ?? "";
    port = Number(new URL(base).port);
    return started;
  }

  function toldSoFar(): string {
    return starts.map((started) => started.output()).join("\n");
  }

  async function landmarks(height: number): Promise<Landmarks> {
    const listed = await rows(base, "tokenlist?limit=100");
    const tokens = await Promise.all(listed.map(({ tick }) => rows(base, `token/${String(tick)}`)));
    const deep = tokens.flat().filter((row) => Number(row["deploy_height"]) <= height - SETTLED_BELOW);
    const settled = await deals(base, "status=SETTLED");
    // What a late reorganisation could still change, of one chain or the other, is left out.
    const ended = settled.filter(({ pearl_release_verified: isVerified, evm_leg: leg }) => {
      return isVerified === true && (leg as JsonRow)["final"] === true;
    });
    return {
      keys: readFileSync(join(folder, "keys.json"), "utf8"),
      height,
      genesisDigest: await rows(base, "digest/0"),
      // Deeper than the demo's reorganisations reach.
      settled: await rows(base, "digest/112"),
      ended: new Map(ended.map((row) => [String(row["order_hash"]), row["secret_hex"]])),
      tokens: deep.map((row) => `${String(row["tick"])} ${String(row["deploy_txid"])}`).toReversed(),
    };
  }

  /** The folder must show what the one before showed, and more. */
  async function goesOn(earlier: Landmarks): Promise<void> {
    let height = 0;
    // While the index follows a reorganisation it stands at the fork for a moment.
    await patiently(`height ${earlier.height}`, async () => {
      height = await indexedHeight(base);
      return height >= earlier.height;
    });
    const now = await landmarks(height);
    for (const [hash, secret] of earlier.ended) {
      const deal = await swaps(base, `deals/${hash}`);
      assert.deepEqual([deal["status"], deal["secret_hex"]], ["SETTLED", secret]);
    }
    assert.deepEqual(
      { ...now, height: 0, tokens: now.tokens.slice(0, earlier.tokens.length), ended: null },
      { ...earlier, height: 0, ended: null },
    );
  }

  before(async () => {
    const started = await start(await freePort());
    // The last of the commands, which are printed line by line.
    await started.line(/^ {2}curl -s '.*\/swaps\/stats'$/);
    await started.line(/^block 121:/);
  });

  after(async () => {
    demo?.child.kill("SIGKILL");
    const pid = existsSync(join(folder, "running.pid")) ? programOf(folder) : 0;
    if (pid > 0 && isAlive(pid)) process.kill(pid, "SIGKILL");
    if (pid > 0) await isGone(pid, 5_000);
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
    const printed = (demo?.output() ?? "").split("\n").filter((line) => line.startsWith("  curl -s '"));
    assert.equal(printed.length, 7);
    if (!(await hasCurl())) return context.skip("curl is not installed (apt-get install curl)");
    for (const command of printed) {
      const { stdout } = await run("sh", ["-c", `${command.trim()} -w '\\n%{http_code}'`]);
      const [body = "", status] = stdout.split("\n");
      assert.equal(status, "200", command);
      const answer = JSON.parse(body) as Partial<Envelope> & { readonly ok?: boolean };
      assert.ok(answer.ok === true || (answer.result?.length ?? 0) > 0, command);
    }
  });

  test("a reader follows one swap from POST asks to SETTLED with curl alone", async (context) => {
    if (!(await hasCurl())) return context.skip("curl is not installed (apt-get install curl)");
    const events = curlEvents(base);
    context.after(() => events.stop());
    await patiently("the event stream", async () => events.isOpen());
    const post = await demo?.line(/^ {2}curl -s -H .*your-ask\.json/);
    const ask = await curl(post ?? "");
    assert.equal(ask["status"], "ASK_OPEN", JSON.stringify(ask));
    const api = `${base}/api/v1/swaps`;
    let hash = "";
    let isLocked = false;
    // The ask names its deal: another one where the EVM has lost the block of the first and its take has died.
    const locked = patiently("PEARL_LOCKED", async () => {
      const { deal_hash: found } = await curl(`curl -s '${api}/asks/${String(ask["ask_id"])}'`);
      if (typeof found === "string") hash = found;
      isLocked = events.statusesOf(hash).has("PEARL_LOCKED");
      return isLocked;
    });
    // Asked meanwhile, not afterwards: the buyer claims some blocks later, and then nothing is left to be verified.
    let good = "";
    const verified = patiently("a verified lock", async () => {
      const asked = hash;
      if (asked !== "" && good !== asked) {
        const verdict = await curl(`curl -s -X POST '${api}/deals/${asked}/verify-lock'`);
        if (verdict["verified"] === true) good = asked;
      }
      return isLocked && good === hash;
    });
    await Promise.all([locked, verified]);
    await patiently("SETTLED", async () => {
      return (await curl(`curl -s '${api}/deals/${hash}'`))["status"] === "SETTLED";
    });
    await patiently("the end in the stream", async () => events.statusesOf(hash).has("SETTLED"));
    const told = events.statusesOf(hash);
    for (const status of ["USDC_LOCKED", "LOCK_SUBMITTED", "PEARL_LOCKED", "USDC_CLAIMABLE"]) {
      assert.ok(told.has(status), `${status} in ${[...told].join(", ")}`);
    }
  });

  test("a program of the reader's own finds both nodes, and money on both chains, in one file", async () => {
    const path = join(folder, "your-wallet.json");
    assert.equal(statSync(path).mode & 0o777, 0o600);
    const { pearl, evm } = JSON.parse(readFileSync(path, "utf8")) as Record<"pearl" | "evm", JsonRow>;
    const hash = await askNode(pearl, "getblockhash", [17]);
    const block = (await askNode(pearl, "getblock", [hash, 1])) as { readonly tx: readonly string[] };
    const coin = JSON.stringify(await askNode(pearl, "gettxout", [block.tx[0], 0, true]));
    assert.ok(coin.includes(String(pearl["address"])), coin);
    assert.equal(await askNode(evm, "eth_getBalance", [evm["address"], "latest"]), "0x56bc75e2d63100000");
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
    assert.equal(await isFree(port), true);
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

  test("swaps come to each of their ends, those of the first start too", async () => {
    await patiently("settled from an ask and from a bid, refunded on both chains, cancelled", async () => {
      const { bids_by_status: bids } = await swaps(base, "stats");
      return (
        (await countDeals(base, "status=SETTLED", (row) => row["ask_id"] !== null)) > 0 &&
        (await countDeals(base, "status=SETTLED", (row) => row["ask_id"] === null)) > 0 &&
        (await countDeals(base, "status=USDC_REFUNDED", (row) => row["pearl_refund_txid"] !== null)) > 0 &&
        // One whose seller was silent until T_e, one sent back early.
        (await countDeals(base, "status=USDC_REFUNDED", (row) => row["pearl_lock_txid"] === null)) > 1 &&
        Number((bids as JsonRow)["BID_CANCELLED"]) > 0
      );
    });
    // What the interface shows is told a moment later, and an ask is paused and opens again when its turn comes.
    for (const line of [
      /^ask 0x[0-9a-f]{8}: paused: \w+'s PEARL is not there$/m,
      /^ask 0x[0-9a-f]{8}: open again: \w+ asks [0-9.,]+ USDC for [0-9.,]+ PEARL$/m,
      /\(PEARL_REFUNDED\)$/m,
    ])
      await patiently(String(line), async () => line.test(toldSoFar()));
    assert.doesNotMatch(toldSoFar(), /note:/);
  });

  test("everything that was indexed is what the reference says about the chain, block by block", async () => {
    const [collector] = (
      JSON.parse(readFileSync(join(folder, "keys.json"), "utf8")) as {
        people: { name: string; address: string }[];
      }
    ).people.filter(({ name }) => name === "Otto");
    const said = new Map<number, unknown>();
    const height = await indexedHeight(base);
    for (let at = 100; at <= height - SETTLED_BELOW; at += 1) {
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

  test("without an EVM chain the tokens go on alone, and swaps are off", async () => {
    flags.push("--tokens-only");
    const alone = await start(port);
    await alone.line(/^In another terminal:/);
    // The commands are printed line by line, and all of them before the first block is made.
    await alone.line(/^block [0-9]+:/);
    assert.match(alone.output(), /^No swaps this time/m);
    assert.equal(alone.output().match(/^ {2}curl /gm)?.length, 4);
    const answer = await fetch(`${base}/api/v1/swaps/asks`);
    assert.equal(answer.status, 503);
    assert.equal(((await answer.json()) as JsonRow)["error"], "SWAPS_DISABLED");
  });

  test("the database that DATABASE_URL names was not touched", () => {
    assert.equal(existsSync(foreignDatabase), false);
  });
});
