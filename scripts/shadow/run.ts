// Plays the demo (`npm run shadow`, `-- 300` for 300 seconds), hands every block of its chain, those of lost branches
// too, to a real pearld one by one, and compares two services: one over the demo's own node, one over pearld. Exit code 1
// where pearld refuses a block or the services show different rows. Without pearld (PEARLD names one, else the PATH) a
// second embedded node stands in for it, which tries this program and nothing of pearld: one line says so.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { startService } from "../../src/app/main.ts";
import { FEE_BPS } from "../../demo/acts/list.ts";
import { takeFolder } from "../../demo/folder.ts";
import { serviceConfig } from "../../demo/service-config.ts";
import { certificateLength } from "../../testkit/doubles/pearl-node/block-codec.ts";
import { type PearlNode, startPearlNode } from "../../testkit/doubles/pearl-node/index.ts";
import { call, pearldPath, type ShadowNode, startPearld } from "./pearld.ts";

/** Lists whose rows must be the same over both nodes; what tells of time and reorganisations is each node's own. */
const LISTS = ["tokenlist", "oplist", "markets", "blocks"];
/** Certificate of a simnet block for a pearld of version 1.0: version 1, zeros, a proof of no bytes. */
const CERTIFICATE_V1 = Buffer.concat([Buffer.from([1, 0, 0, 0]), Buffer.alloc(200)]);
const PATIENCE_MS = 120_000;
/** Fewer show nothing: the first hundred of the demo hold coinbases alone. */
const LEAST_BLOCKS = 120;

const seconds = Number(process.argv[2] ?? "180");
const folder = mkdtempSync(join(tmpdir(), "strand-shadow-"));
try {
  await playDemo(join(folder, "demo"), seconds);
  if (!(await shadow(join(folder, "demo")))) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit();

async function playDemo(place: string, forSeconds: number): Promise<void> {
  const args = ["bin/strand", "demo", "--port", "0", "--quiet", "--block-seconds", "1", "--folder", place];
  const demo = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] });
  const ended = once(demo, "exit");
  await Promise.race([ended, wait(forSeconds * 1000)]);
  if (demo.exitCode !== null) throw new Error(`the demo ended with ${demo.exitCode}`);
  demo.kill("SIGTERM");
  await ended;
}

async function shadow(place: string): Promise<boolean> {
  const demo = takeFolder(place, false);
  if (demo === null) throw new Error("the demo still has its folder");
  const login = { rpcUser: "strand", rpcPassword: "shadow", miningScript: demo.cast.collector.key.script };
  const source = await startPearlNode({ ...login, folder: demo.chainFolder });
  const target = await openTarget(login);
  try {
    const { handed, refused } = await handOver(source, target);
    for (const line of refused.slice(0, 10)) console.log(`REFUSED ${line}`);
    console.log(`${handed} blocks handed to ${target.name}, ${refused.length} refused`);
    if (refused.length > 0) return false;
    if (handed < LEAST_BLOCKS) throw new Error(`only ${handed} blocks were made: let the demo play longer`);
    const over = (node: Pick<ShadowNode, "url" | "user" | "password">, name: string) =>
      rowsOver(node, join(folder, name), demo.cast.collector.address, source.chain.tip);
    const own = await over({ url: source.url, user: login.rpcUser, password: login.rpcPassword }, "own.db");
    const theirs = await over(target, "theirs.db");
    const different = [...own.keys()].filter((path) => own.get(path) !== theirs.get(path));
    for (const path of different) console.log(`DIFFERENT ${path}`);
    console.log(`${own.size} lists and digests compared over both nodes, ${different.length} different`);
    return different.length === 0;
  } finally {
    await target.stop();
    await source.close();
    demo.release();
  }
}

async function openTarget(login: {
  readonly rpcUser: string;
  readonly rpcPassword: string;
  readonly miningScript: Uint8Array;
}): Promise<ShadowNode> {
  const program = pearldPath();
  if (program !== null) return startPearld(program, folder);
  console.log("skipped: pearld — not at hand (PEARLD names one); a second embedded node stands in for it");
  const node = await startPearlNode(login);
  const { rpcUser: user, rpcPassword: password } = login;
  return { name: "a second embedded node", url: node.url, user, password, stop: () => node.close() };
}

/** Hands all blocks over in the order in which the demo's node had them; then both must have the same tip. */
async function handOver(
  source: PearlNode,
  target: ShadowNode,
): Promise<{ readonly handed: number; readonly refused: readonly string[] }> {
  const blocks = [...source.chain.index.all()]
    .filter(({ parent }) => parent !== null)
    .toSorted((a, b) => a.arrival - b.arrival);
  const refused: string[] = [];
  for (const { hash, height, raw } of blocks) {
    const answer = await submit(target, raw);
    if (answer !== null) refused.push(`block ${hash} at ${height}: ${answer}`);
  }
  const tip = await call(target, "getbestblockhash", []);
  if (tip !== source.chain.tip.hash)
    refused.push(`the tip is ${JSON.stringify(tip)}, not ${source.chain.tip.hash}`);
  return { handed: blocks.length, refused };
}

/** Null where the block is taken, with its own certificate or, as pearld 1.0 wants it, with one of version 1. */
async function submit(target: ShadowNode, raw: Uint8Array): Promise<string | null> {
  const first = await outcome(target, raw);
  const length = certificateLength(raw);
  if (first === null || length === null || !/certificate/i.test(first)) return first;
  return outcome(target, Buffer.concat([CERTIFICATE_V1, raw.subarray(length)]));
}

async function outcome(target: ShadowNode, raw: Uint8Array): Promise<string | null> {
  try {
    const answer = await call(target, "submitblock", [Buffer.from(raw).toString("hex")]);
    return answer === null ? null : JSON.stringify(answer);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** What a service over this node shows when it has reached the tip: each list from end to end as one text. */
async function rowsOver(
  node: Pick<ShadowNode, "url" | "user" | "password">,
  databaseFile: string,
  feeAddress: string,
  tip: { readonly height: number; readonly hash: string },
): Promise<ReadonlyMap<string, string>> {
  const { url: nodeUrl, user: rpcUser, password: rpcPassword } = node;
  const settings = { nodeUrl, rpcUser, rpcPassword, databaseFile, port: 0, environment: {} };
  const service = await startService(serviceConfig({ ...settings, feeAddress, feeBps: FEE_BPS, evm: null }));
  try {
    const base = `http://127.0.0.1:${service.port}/api/v1/prc20`;
    const rows = new Map([["digest", await digestAt(base, tip)]]);
    for (const list of LISTS) rows.set(list, await walk(base, list));
    return rows;
  } finally {
    await service.stop();
  }
}

async function digestAt(
  base: string,
  tip: { readonly height: number; readonly hash: string },
): Promise<string> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const text = await (await fetch(`${base}/digest/${tip.height}`)).text();
    if (text.includes(tip.hash)) return text;
    if (performance.now() > deadline) throw new Error(`block ${tip.height} was not indexed: ${text}`);
    await wait(100);
  }
}

async function walk(base: string, path: string): Promise<string> {
  const pages: string[] = [];
  let next: string | null = null;
  do {
    const cursor: string = next === null ? "" : `&next=${encodeURIComponent(next)}`;
    const answer = await fetch(`${base}/${path}?limit=100${cursor}`);
    if (answer.status !== 200) throw new Error(`${path}: HTTP ${answer.status}`);
    const body: { next: string | null; result: unknown } = JSON.parse(await answer.text());
    pages.push(JSON.stringify(body.result));
    next = body.next;
  } while (next !== null);
  return pages.join("\n");
}
