// Measures how much memory 100,000 watched deals take, how long a start takes to read them, and what a new block costs.
// One process writes synthetic orders with one lock output each to a database, another loads them.
// node swap-memory.ts DEALS [OPEN] -> one JSON line; with OPEN all but so many are over.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openSqliteStore } from "../src/adapters/store-sqlite/sqlite-store.ts";
import { systemClock } from "../src/adapters/system/clock.ts";
import { withSteadyHeap } from "../src/adapters/system/steady-heap.ts";
import type { SwapLedger } from "../src/swaps/ledger/ledger.ts";
import { dealRow } from "../src/swap/rows.ts";
import { endDeals, openLedger, pearlTip, rules, writeDeals } from "./swap-deals.ts";
import { syncedAt } from "../testkit/builders/swap-ledger/ledger-facts.ts";

/** What this program prints. Megabytes are beyond the same process with an empty ledger. */
export interface MemoryLine {
  readonly deals: number;
  readonly scripts: number;
  /** Resident after loading and collecting garbage. */
  readonly rssMb: number;
  /** Resident when the load has just ended. */
  readonly rssAtOnceMb: number;
  /** Of `rssMb`: not mapped files. */
  readonly ownMb: number;
  readonly heapMb: number;
  readonly loadMs: number;
  /** A new PEARL block with some deals waiting for confirmations: median and longest of 40. */
  readonly blockMs: number;
  readonly blockMostMs: number;
  /** Every subject from the ledger, made into its row. */
  readonly rowsMs: number;
  readonly load: number;
}

/** Loads them, changes the tip, and asks for every row. */
async function load(file: string): Promise<MemoryLine> {
  const store = await openSqliteStore({ file });
  globalThis.gc?.();
  const before = process.memoryUsage();
  const ownBefore = ownMemoryMb();
  const started = performance.now();
  const ledger = await withSteadyHeap(() => openLedger(store.swaps));
  const loadMs = performance.now() - started;
  const rssAtOnceMb = (process.memoryUsage.rss() - before.rss) / 1e6;
  globalThis.gc?.();
  await systemClock.sleep(500);
  globalThis.gc?.();
  const after = process.memoryUsage();
  const ownMb = ownMemoryMb() - ownBefore;
  const blockMs = await blockTimes(ledger);
  const from = performance.now();
  const context = syncedAt(ledger.tips(), ledger.tips().evm.time);
  let rows = 0;
  for (const hash of ledger.orders()) {
    const subject = ledger.subject(hash);
    if (subject !== null && dealRow(subject, context, rules)?.status !== undefined) rows += 1;
  }
  const line: MemoryLine = {
    deals: rows,
    scripts: ledger.watch.size,
    rssMb: (after.rss - before.rss) / 1e6,
    rssAtOnceMb,
    ownMb,
    heapMb: (after.heapUsed - before.heapUsed) / 1e6,
    loadMs,
    blockMs: blockMs[Math.floor(blockMs.length / 2)] ?? Number.NaN,
    blockMostMs: blockMs.at(-1) ?? Number.NaN,
    rowsMs: performance.now() - from,
    load: loadavg()[0] ?? Number.NaN,
  };
  await store.close();
  return line;
}

/** How long new PEARL blocks take, ascending; in some of them the rows of all waiting deals change. */
async function blockTimes(ledger: SwapLedger): Promise<readonly number[]> {
  const { height } = ledger.tips().pearl;
  const times: number[] = [];
  for (let next = height + 1; next <= height + 40; next += 1) {
    const from = performance.now();
    const nothing = { facts: [], sightings: [], secrets: [], checkpoints: [], leftOut: [], reached: null };
    await ledger.applyPearl({ ...nothing, rewindTo: null, tip: pearlTip(next) });
    times.push(performance.now() - from);
  }
  return times.toSorted((one, other) => one - other);
}

/** Anonymous memory: RSS without mapped files, whose pages the system takes back as it likes. */
function ownMemoryMb(): number {
  const line = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync("/proc/self/status", "utf8"));
  return Number(line?.[1] ?? Number.NaN) / 1e3;
}

const [mode = "100000", file = "", count = "", open = ""] = process.argv.slice(2);
if (mode === "build") {
  const store = await openSqliteStore({ file });
  await writeDeals(store.swaps, Number(count));
  if (open !== "") await endDeals(store.swaps, Number(count) - Number(open));
  await store.close();
} else if (mode === "load") console.log(JSON.stringify(await load(file)));
else {
  const folder = await mkdtemp(join(tmpdir(), "strand-swap-memory-"));
  const program = fileURLToPath(import.meta.url);
  const run = (...given: string[]) =>
    execFileSync(process.execPath, ["--expose-gc", program, ...given], { stdio: "inherit" });
  try {
    // After the number of deals, how many of them are open; without it all are.
    run("build", join(folder, "index.db"), mode, file);
    run("load", join(folder, "index.db"));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
