// Measures how soon a new block is visible over HTTP, from its announcement by the node to the first answer of the
// service that shows it, less the node's own answer time; for blocks of mints and transfers, and of listings.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Figure, limitFigure, reportFigure } from "./figure.ts";
import { type Envelope, NodeProcess, POLL_PAUSE_MS, StrandProcess, visibleAt } from "./service.ts";
import { listings, pulses, type Workload } from "./workload.ts";

/** Longest wait for the median block of 2,000 mints and transfers. */
const LIMIT_MS = 150;
/** Blocks whose operations give the later ones balances to move. */
const BLOCKS_BEFORE = 5;
/** The first announced blocks find code that is not compiled yet. */
const WARM_UP_BLOCKS = 3;
const BLOCK_PAUSE_MS = 200;

interface Latencies {
  /** Announcement to visible, the node's answer time taken off, ascending. */
  readonly ms: readonly number[];
  readonly nodeMs: readonly number[];
  readonly operationsPerBlock: number;
  readonly peakRssBytes: number | null;
}

/** Both figures; `measured` blocks of mints and transfers count. */
export async function tipFigures(measured: number): Promise<readonly Figure[]> {
  const pulse = await latencies(pulses(BLOCKS_BEFORE, WARM_UP_BLOCKS + measured), null);
  const listed = await latencies(listings(BLOCKS_BEFORE, WARM_UP_BLOCKS + 5), "list");
  const detailsOf = ({ ms, nodeMs, operationsPerBlock, peakRssBytes }: Latencies) => ({
    blocks: ms.length,
    operationsPerBlock,
    medianMs: median(ms),
    p90Ms: ms[Math.floor(ms.length * 0.9)],
    maxMs: ms.at(-1),
    nodeAnswerMs: median(nodeMs),
    peakRssBytes,
  });
  return [
    limitFigure(
      {
        name: `2,000 mints and transfers visible, median of ${measured}`,
        unit: "ms",
        ours: median(pulse.ms),
        theirs: LIMIT_MS,
        against: `the limit (node's ${median(pulse.nodeMs).toFixed(1)} ms taken off)`,
        details: detailsOf(pulse),
      },
      1,
    ),
    reportFigure(
      `2,000 listings visible, median of ${listed.ms.length}`,
      "ms",
      median(listed.ms),
      `(node's ${median(listed.nodeMs).toFixed(1)} ms taken off)`,
      detailsOf(listed),
    ),
  ];
}

const byTime = (one: number, other: number): number => one - other;

/** Announces the workload's blocks one by one to a fresh service and waits for each. */
async function latencies(work: Workload, op: "list" | null): Promise<Latencies> {
  const folder = mkdtempSync(join(tmpdir(), "strand-tip-"));
  const node = await NodeProcess.start(work, BLOCKS_BEFORE);
  const service = await StrandProcess.start(work, node, join(folder, "strand.db"), BLOCKS_BEFORE);
  try {
    const ms: number[] = [];
    const nodeMs: number[] = [];
    const announced = work.blocks.slice(BLOCKS_BEFORE);
    for (const [turn, { height }] of announced.entries()) {
      await pause(BLOCK_PAUSE_MS);
      node.announce(height);
      const seenAt = await visibleAt(service, height);
      await pause(POLL_PAUSE_MS);
      const { announcedAt, answerMs } = node.timesOf(height);
      if (turn < WARM_UP_BLOCKS) continue;
      ms.push(Number(seenAt - announcedAt) / 1e6 - answerMs);
      nodeMs.push(answerMs);
    }
    await checkCounts(service, work, op);
    const operationsPerBlock = announced.at(-1)?.operations ?? 0;
    return {
      ms: ms.toSorted(byTime),
      nodeMs: nodeMs.toSorted(byTime),
      operationsPerBlock,
      peakRssBytes: service.peakRss(),
    };
  } finally {
    await service.stop();
    await node.stop();
    rmSync(folder, { recursive: true });
  }
}

/** The service must have recorded what was made, and have opened every listing. */
async function checkCounts(service: StrandProcess, work: Workload, op: "list" | null): Promise<void> {
  const operations = await service.operations();
  if (operations !== work.operations) {
    throw new Error(`${work.name}: ${operations} operations counted, ${work.operations} made`);
  }
  if (op === null) return;
  const path = `/api/v1/prc20/oplist?op=${op}&valid=0&limit=1`;
  const refused = await service.client.json<Envelope<{ reason: string }>>(path);
  const [first] = refused.result;
  if (first !== undefined) throw new Error(`${work.name}: a ${op} is ${first.reason}`);
}

function median(ascending: readonly number[]): number {
  const middle = Math.floor(ascending.length / 2);
  const upper = ascending[middle] ?? 0;
  return ascending.length % 2 === 1 ? upper : (upper + (ascending[middle - 1] ?? upper)) / 2;
}
