// Makes the figures of swaps, each measured by a program of its own: how long it takes to say how many deals stand, how
// long to index the escrow's logs, how soon a block shows in a deal, how much memory watched deals take.

import { type Figure, limitFigure, reportFigure } from "./figure.ts";
import { jsonLine } from "./processes.ts";
import type { IndexLine } from "./swap-index.ts";
import type { MemoryLine } from "./swap-memory.ts";
import type { ProjectionLine } from "./swap-projection.ts";
import type { SwapTipLine } from "./swap-tip.ts";

/** How much is done. Limits of time and memory go with the numbers. */
export interface SwapSize {
  readonly projectedDeals: number;
  readonly logs: number;
  readonly blocks: number;
  readonly watchedDeals: number;
}

/** Seconds for 100,000 deals. */
const PROJECTION_S = 2;
/** Seconds for 200,000 logs. */
const INDEX_S = 60;
/** Milliseconds beyond one polling interval. */
const SHOWN_BEYOND_MS = 100;
/** Megabytes for 100,000 deals. */
const MEMORY_MB = 300;
/** Default of EVM_POLL_MS with that of PEARL_POLL_MS, and a quick pair. */
const POLLS = [
  [1000, 250],
  [100, 50],
] as const;

/** All four figures with their reports. */
export async function swapFigures(size: SwapSize): Promise<readonly Figure[]> {
  return [
    ...projection(await jsonLine<ProjectionLine>("swap-projection.ts", String(size.projectedDeals))),
    ...indexing(await jsonLine<IndexLine>("swap-index.ts", String(size.logs))),
    ...(await shown(size.blocks)),
    ...memory(await jsonLine<MemoryLine>("swap-memory.ts", String(size.watchedDeals))),
  ];
}

const thousands = (count: number): string => count.toLocaleString("en-US");

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(1);
}

function projection(line: ProjectionLine): readonly Figure[] {
  const { deals, judged, rows, json, ...details } = line;
  const theirs = (PROJECTION_S * deals) / 100_000;
  const shared = { unit: "s", theirs, against: "the limit, one core" };
  return [
    limitFigure(
      {
        ...shared,
        name: `status, legs and actions of ${thousands(deals)} deals`,
        ours: judged.ms / 1000,
        details: { ...details, cpuMs: judged.cpuMs },
      },
      1,
    ),
    limitFigure(
      {
        ...shared,
        name: `whole rows of ${thousands(deals)} deals`,
        ours: rows.ms / 1000,
        details: { cpuMs: rows.cpuMs },
      },
      1,
    ),
    reportFigure("the same rows as JSON", "s", json.ms / 1000, "", {
      cpuMs: json.cpuMs,
      megabytes: details.jsonMegabytes,
    }),
  ];
}

function indexing(line: IndexLine): readonly Figure[] {
  const { logs, ms, rawMs, waitedMs, nodeCpuMs } = line;
  const nodes = nodeCpuMs === null ? "" : `, ${seconds(nodeCpuMs)} s of its CPU`;
  return [
    limitFigure(
      {
        name: `${thousands(logs)} escrow logs into an empty database`,
        unit: "s",
        ours: ms / 1000,
        theirs: (INDEX_S * logs) / 200_000,
        against: `the limit (the dev node: waited for ${seconds(waitedMs)} s${nodes})`,
        details: { ...line },
      },
      1,
    ),
    reportFigure("the dev node alone: the same questions, answers dropped", "s", rawMs / 1000, ""),
  ];
}

async function shown(blocks: number): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const [evmPollMs, pearlPollMs] of POLLS) {
    const line = await jsonLine<SwapTipLine>(
      "swap-tip.ts",
      String(blocks),
      String(evmPollMs),
      String(pearlPollMs),
    );
    const { load, cpuMs } = line;
    for (const [chain, pollMs] of [
      ["evm", evmPollMs],
      ["pearl", pearlPollMs],
    ] as const) {
      const times = line[chain];
      const medianMs = times[Math.floor(times.length / 2)] ?? Number.NaN;
      figures.push(
        limitFigure(
          {
            name: `${chain.toUpperCase()} block in a deal, longest of ${times.length}, poll ${pollMs} ms`,
            unit: "ms",
            ours: times.at(-1) ?? Number.NaN,
            theirs: pollMs + SHOWN_BEYOND_MS,
            against: `the limit (median ${medianMs.toFixed(0)} ms)`,
            details: { medianMs, cpuMs, load },
          },
          1,
        ),
      );
    }
  }
  return figures;
}

function memory(line: MemoryLine): readonly Figure[] {
  const { deals, scripts, rssMb, rowsMs, ...details } = line;
  if (scripts !== deals) throw new Error(`${scripts} scripts watched for ${deals} deals`);
  return [
    limitFigure(
      {
        name: `memory of ${thousands(deals)} watched deals`,
        unit: "MB",
        ours: rssMb,
        theirs: (MEMORY_MB * deals) / 100_000,
        against: `the limit (heap ${details.heapMb.toFixed(0)} MB)`,
        details,
      },
      1,
    ),
    reportFigure("loading them from SQLite", "s", details.loadMs / 1000, ""),
    reportFigure(
      "one PEARL block for them, 100 waiting, median",
      "ms",
      details.blockMs,
      `(longest ${details.blockMostMs.toFixed(0)} ms)`,
    ),
    reportFigure("all their rows, from the ledger", "s", rowsMs / 1000, ""),
  ];
}
