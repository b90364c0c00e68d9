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
import { pathToFileURL } from "node:url";
import { startService } from "../../src/app/main.ts";
import { FEE_BPS } from "../../demo/acts/list.ts";
import { takeFolder } from "../../demo/folder.ts";
import { type EvmSide, openEvmSide } from "../../demo/swaps/opening.ts";
import type { Config } from "../../src/app/config/config.ts";
import { serviceConfig } from "../../demo/service-config.ts";
import type { ConsensusNode } from "../../testkit/doubles/consensus-node/consensus-node.ts";
import { handIn, pearld, startPearld } from "../../testkit/doubles/consensus-node/pearld.ts";
import { NodeRefusal, type RpcAddress } from "../../testkit/doubles/consensus-node/rpc.ts";
import { type PearlNode, startPearlNode } from "../../testkit/doubles/pearl-node/index.ts";

/**
 * Lists whose rows must be the same over both nodes; what tells of time and reorganisations is each node's own. Asks are
 * no part of a chain.
 */
const LISTS = [
  "prc20/tokenlist",
  "prc20/oplist",
  "prc20/markets",
  "prc20/blocks",
  "swaps/bids",
  "swaps/deals",
];
const STAND_IN = join(import.meta.dirname, "../../testkit/doubles/consensus-node/stand-in-pearld.ts");
/** The demo mines a block a second at most; each is so long after the one before. */
const PEARL_BLOCK_SECONDS = 194;
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
  const clock = pathToFileURL(join(import.meta.dirname, "past-clock.ts")).href;
  const env = {
    ...process.env,
    NODE_OPTIONS: `--import=${clock}`,
    SHADOW_SECONDS_AGO: String(forSeconds * PEARL_BLOCK_SECONDS),
  };
  const demo = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"], env });
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
  const program = pearld.path();
  if (program === null)
    console.log("skipped: pearld — not at hand (PEARLD names one); a second embedded node stands in for it");
  const target = await startPearld(program ?? STAND_IN);
  const evm = await openEvmSide(demo, source, console.log);
  try {
    const { handed, refused } = await handOver(source, target);
    for (const line of refused.slice(0, 10)) console.log(`REFUSED ${line}`);
    const name = program === null ? "a second embedded node" : "pearld";
    console.log(`${handed} blocks handed to ${name}, ${refused.length} refused`);
    if (refused.length > 0) return false;
    if (handed < LEAST_BLOCKS) throw new Error(`only ${handed} blocks were made: let the demo play longer`);
    const over = (node: RpcAddress, file: string) =>
      rowsOver(serviceOver(node, join(folder, file), demo.cast.collector.address, evm), source, evm);
    const { rpcUser: user, rpcPassword: password } = login;
    const own = await over({ port: source.port, user, password }, "own.db");
    const theirs = await over(target.address, "theirs.db");
    for (const [list, rows] of own)
      if (rows === "[]" && ["prc20/oplist", "swaps/deals"].includes(list))
        throw new Error(`${list} is empty: let the demo play longer`);
    const different = [...own.keys()].filter((path) => own.get(path) !== theirs.get(path));
    for (const path of different) console.log(`DIFFERENT ${path}`);
    console.log(`${own.size} lists and digests compared over both nodes, ${different.length} different`);
    return different.length === 0;
  } finally {
    await target.stop();
    await evm?.chain.close();
    await source.close();
    demo.release();
  }
}

/** Hands all blocks over in the order in which the demo's node had them; then both must have the same tip. */
async function handOver(
  source: PearlNode,
  target: ConsensusNode,
): Promise<{ readonly handed: number; readonly refused: readonly string[] }> {
  const blocks = [...source.chain.index.all()]
    .filter(({ parent }) => parent !== null)
    .toSorted((a, b) => a.arrival - b.arrival);
  const refused: string[] = [];
  for (const { hash, height, raw } of blocks) {
    try {
      await handIn(target.rpc, raw);
    } catch (error) {
      if (!(error instanceof NodeRefusal)) throw error;
      refused.push(`block ${hash} at ${height}: ${error.message}`);
    }
  }
  const tip = await target.rpc.text("getbestblockhash");
  if (tip !== source.chain.tip.hash) refused.push(`the tip is ${tip}, not ${source.chain.tip.hash}`);
  return { handed: blocks.length, refused };
}

/** The configuration of a service over a node and, where the demo had one, its EVM chain. */
function serviceOver(
  { port, user: rpcUser, password: rpcPassword }: RpcAddress,
  databaseFile: string,
  feeAddress: string,
  evm: EvmSide | null,
): Config {
  const settings = {
    rpcUser,
    rpcPassword,
    databaseFile,
    port: 0,
    environment: {},
    feeAddress,
    feeBps: FEE_BPS,
  };
  return serviceConfig({
    ...settings,
    nodeUrl: `http://127.0.0.1:${port}`,
    evm:
      evm === null
        ? null
        : { url: evm.chain.anvil.url, escrow: evm.escrow.address, firstBlock: evm.escrow.block },
  });
}

/** What a service shows when it has reached both tips: each list from end to end as one text. */
async function rowsOver(
  config: Config,
  source: PearlNode,
  evm: EvmSide | null,
): Promise<ReadonlyMap<string, string>> {
  const service = await startService(config);
  try {
    const base = `http://127.0.0.1:${service.port}`;
    const rows = new Map([["digest", await digestAt(base, source.chain.tip)]]);
    if (evm !== null) await untilAtTipOf(base, evm.chain.anvil.url);
    for (const list of LISTS)
      if (evm !== null || list.startsWith("prc20/")) rows.set(list, await walk(base, list));
    return rows;
  } finally {
    await service.stop();
  }
}

async function digestAt(
  base: string,
  tip: { readonly height: number; readonly hash: string },
): Promise<string> {
  return until(`block ${tip.height} of PEARL`, async () => {
    const text = await (await fetch(`${base}/api/v1/prc20/digest/${tip.height}`)).text();
    return text.includes(tip.hash) ? text : null;
  });
}

/** Until the service has read the whole EVM chain, which stands still. */
async function untilAtTipOf(base: string, evmUrl: string): Promise<void> {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [] });
  const headers = { "content-type": "application/json" };
  const { result }: { result: string } = JSON.parse(
    await (await fetch(evmUrl, { method: "POST", headers, body })).text(),
  );
  await until(`block ${Number(result)} of the EVM chain`, async () => {
    const health: { evm?: { indexed_height: number } } = JSON.parse(
      await (await fetch(`${base}/health`)).text(),
    );
    return health.evm?.indexed_height === Number(result) ? true : null;
  });
}

/** What `look` gives as soon as it gives something. @throws after two minutes. */
async function until<Value>(what: string, look: () => Promise<Value | null>): Promise<Value> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const seen = await look();
    if (seen !== null) return seen;
    if (performance.now() > deadline) throw new Error(`${what} was not indexed`);
    await wait(100);
  }
}

async function walk(base: string, path: string): Promise<string> {
  const pages: string[] = [];
  let next: string | null = null;
  do {
    const cursor: string = next === null ? "" : `&next=${encodeURIComponent(next)}`;
    const answer = await fetch(`${base}/api/v1/${path}?limit=100${cursor}`);
    if (answer.status !== 200) throw new Error(`${path}: HTTP ${answer.status}`);
    const body: { next: string | null; result: unknown } = JSON.parse(await answer.text());
    pages.push(JSON.stringify(body.result));
    next = body.next;
  } while (next !== null);
  return pages.join("\n");
}
