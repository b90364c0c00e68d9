// Runs every comparison of the benchmark, prints a JSON line per figure and a table, and exits 1 where counts differ or
// a required ratio is missed. `npm run bench -- --quick` is the short form, `--only PART` runs one of scan, reading, sync,
// tip, pages, roles, swaps and paint. `--only large` runs what is no part of the whole, because it takes hours: an index
// of `--operations` (10,000,000 unless told) in `--engine sqlite` (unless told) or `postgresql`.

import { mkdirSync, readFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg, totalmem } from "node:os";
import { parseArgs } from "node:util";
import { type Figure, printFigure, ratioFigure, table } from "./figure.ts";
import { pageFigures } from "./pages.ts";
import { paintFigures } from "./paint.ts";
import { type LargeSize, largeFigures } from "./large.ts";
import { jsonLines } from "./processes.ts";
import { readingFigures } from "./reading.ts";
import { rolesFigures } from "./roles.ts";
import type { ScanLine } from "./scan.ts";
import { swapFigures, type SwapSize } from "./swaps.ts";
import { type IndexedWorkload, indexOnce, syncFigures } from "./sync.ts";
import { tipFigures } from "./tip.ts";
import { DATA_FOLDER } from "./workload.ts";

/** How much each part does. */
interface Size {
  /** Blocks of the scan sets, small ones that are read over TLS, and those of the dense chain (4,000 operations each). */
  readonly scanBlocks: number;
  readonly readBlocks: number;
  readonly syncBlocks: number;
  readonly rounds: number;
  readonly pulses: number;
  readonly loadSeconds: number;
  readonly deepPage: number;
  /** Writers that are killed. */
  readonly kills: number;
  readonly swaps: SwapSize;
}

const FULL: Size = {
  scanBlocks: 25,
  readBlocks: 8000,
  syncBlocks: 250,
  rounds: 3,
  pulses: 20,
  loadSeconds: 3,
  deepPage: 10_000,
  kills: 5,
  swaps: { projectedDeals: 100_000, logs: 200_000, blocks: 20, watchedDeals: 100_000 },
};
const QUICK: Size = {
  scanBlocks: 5,
  readBlocks: 2000,
  syncBlocks: 25,
  rounds: 2,
  pulses: 20,
  loadSeconds: 1,
  deepPage: 1000,
  kills: 3,
  swaps: { projectedDeals: 100_000, logs: 20_000, blocks: 10, watchedDeals: 100_000 },
};
const PARTS = ["scan", "reading", "sync", "tip", "pages", "roles", "swaps", "paint"] as const;
type Part = (typeof PARTS)[number] | "large";

const RAW_SCAN_LEAST = 8;
const VERIFIED_SCAN_LEAST = 1.5;

async function scanFigures({ scanBlocks }: Size): Promise<readonly Figure[]> {
  const lines = await jsonLines<ScanLine>("scan.ts", String(scanBlocks));
  return lines.map(({ name, megabytes, operations, ours, peer, ...counted }) => {
    const { oursOperations, peerOperations } = counted;
    if (oursOperations !== operations || peerOperations !== operations) {
      throw new Error(
        `${name}: ${oursOperations} of ours, ${peerOperations} of the peer's, ${operations} made`,
      );
    }
    const compared = {
      name,
      unit: "MB/s",
      ours: megabytes / (ours.ms / 1000),
      theirs: megabytes / (peer.ms / 1000),
      against: "bitcoinjs-lib",
      details: { megabytes, operations, ours, peer },
    };
    return ratioFigure(compared, "more", name.startsWith("raw") ? RAW_SCAN_LEAST : VERIFIED_SCAN_LEAST);
  });
}

const USAGE = `usage: run.ts [--quick] [--only ${PARTS.join("|")}|large [--operations N] [--engine sqlite|postgresql]]`;

/** What was asked for on the command line. */
interface Wanted {
  readonly size: Size;
  readonly parts: readonly Part[];
  readonly large: LargeSize;
}

function wanted(words: readonly string[]): Wanted {
  const options = { quick: { type: "boolean" }, only: { type: "string" } } as const;
  const large = { operations: { type: "string" }, engine: { type: "string" } } as const;
  const { values } = parseArgs({ args: [...words], options: { ...options, ...large } });
  const { quick = false, only, operations = "10000000", engine = "sqlite" } = values;
  const parts = only === undefined ? PARTS : ([...PARTS, "large"] as const).filter((part) => part === only);
  const isEngine = engine === "sqlite" || engine === "postgresql";
  if (parts.length === 0 || !isEngine || !(Number(operations) > 0)) throw new Error(USAGE);
  return { size: quick ? QUICK : FULL, parts, large: { operations: Number(operations), engine } };
}

function machine(): string {
  const [first] = cpus();
  const [busy = 0] = loadavg();
  const { version } = process;
  const gigabytes = Math.round(totalmem() / 1e9);
  const packages = JSON.parse(readFileSync(new URL("./package.json", import.meta.url), "utf8")) as {
    dependencies: Record<string, string>;
  };
  const peers = Object.entries(packages.dependencies).map(([name, pinned]) => `${name} ${pinned}`);
  return (
    `${availableParallelism()} cores (${first?.model ?? "unknown"}), ${gigabytes} GB, Node ${version}, ${process.platform}; ` +
    `load average ${busy.toFixed(1)} at the start; ${peers.join(", ")}`
  );
}

async function main(): Promise<void> {
  const { size, parts, large } = wanted(process.argv.slice(2));
  mkdirSync(DATA_FOLDER, { recursive: true });
  const started = performance.now();
  const figures: Figure[] = [];
  const faults: string[] = [];
  let indexed: IndexedWorkload | null = null;
  const make: Record<Part, () => Promise<readonly Figure[]>> = {
    scan: () => scanFigures(size),
    // A round takes half a second: the first ones are those of a program that has not warmed up.
    reading: () => readingFigures(size.readBlocks, 3 * size.rounds),
    sync: async () => {
      const { figures: found, ...left } = await syncFigures(size.syncBlocks, size.rounds);
      ({ indexed } = left);
      return found;
    },
    tip: () => tipFigures(size.pulses),
    pages: async () => {
      const { rounds, loadSeconds, deepPage } = size;
      return pageFigures(indexed ?? (await indexOnce(size.syncBlocks)), {
        rounds,
        seconds: loadSeconds,
        deepPage,
      });
    },
    roles: () => rolesFigures({ rounds: size.rounds, seconds: size.loadSeconds, kills: size.kills }),
    swaps: () => swapFigures(size.swaps),
    paint: () => paintFigures(),
    large: () => largeFigures(large),
  };
  console.log(machine());
  for (const part of parts) {
    try {
      const found = await make[part]();
      // A part that takes long has printed its own.
      if (part !== "large") for (const figure of found) printFigure(figure);
      figures.push(...found);
    } catch (error) {
      faults.push(`${part}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  console.log(`\n${table(figures)}\n`);
  const missed = figures.filter(({ met }) => met === false);
  for (const fault of faults) console.log(`FAILED ${fault}`);
  for (const { name, ratio, required } of missed)
    console.log(`MISSED ${name}: ${ratio?.toFixed(2)}, required ${required}`);
  const seconds = Math.round((performance.now() - started) / 1000);
  console.log(
    `${figures.length} figures, ${missed.length} missed, ${faults.length} parts failed, in ${seconds} s`,
  );
  process.exit(missed.length + faults.length > 0 ? 1 : 0);
}

await main();
