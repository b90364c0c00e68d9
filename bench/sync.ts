// Measures how fast a chain is indexed, against the obvious stack: dense blocks, durable on SQLite, each run in a
// process of its own, in turns, best of three; with memory and disk per operation.

import { type Figure, ratioFigure } from "./figure.ts";
import { jsonLine } from "./processes.ts";
import { bestOf, inTurns } from "./rounds.ts";
import type { SyncLine } from "./sync-line.ts";
import { DATA_FOLDER, dense, type Workload } from "./workload.ts";

const AGAINST = "bitcoinjs-lib + better-sqlite3";

/** A database of ours that a run has left. */
export interface IndexedWorkload {
  readonly work: Workload;
  readonly database: string;
}

/** Indexes `blocks` dense blocks with ours, once; for figures that need a database only. */
export async function indexOnce(blocks: number): Promise<IndexedWorkload> {
  const work = dense(blocks);
  const database = `${DATA_FOLDER}strand-${blocks}.db`;
  checkCounts(work, [await jsonLine<SyncLine>("ours-sync.ts", work.index, database)]);
  return { work, database };
}

/** The comparison; the database of the last run stays. */
export async function syncFigures(
  blocks: number,
  rounds: number,
): Promise<{ readonly figures: readonly Figure[]; readonly indexed: IndexedWorkload }> {
  const work = dense(blocks);
  const database = `${DATA_FOLDER}strand-${blocks}.db`;
  const { ours, peer } = await inTurns(
    rounds,
    () => jsonLine<SyncLine>("ours-sync.ts", work.index, database),
    () => jsonLine<SyncLine>("peer-stack.ts", work.index),
  );
  checkCounts(work, [...ours, ...peer]);
  const fast = bestOf(ours, "less", (line) => line.seconds);
  const peerFast = bestOf(peer, "less", (line) => line.seconds);
  return { figures: figuresOf(work, fast, peerFast), indexed: { work, database } };
}

/** Everybody must have found what the generator made, and come to the same balances. */
function checkCounts(work: Workload, lines: readonly SyncLine[]): void {
  const [first] = lines;
  for (const line of lines) {
    if (line.operations !== work.operations)
      throw new Error(`sync: ${line.operations} operations counted, ${work.operations} made`);
    if (line.valid !== first?.valid || line.balances.digest !== first.balances.digest)
      throw new Error(`sync: results differ: ${JSON.stringify(line)} and ${JSON.stringify(first)}`);
  }
}

const megabytes = (bytes: number | null): number => (bytes ?? 0) / 1e6;

function figuresOf(work: Workload, ours: SyncLine, peer: SyncLine): readonly Figure[] {
  const { operations } = work;
  const size = `${operations.toLocaleString("en-US")} operations`;
  const perOperation = (bytes: number): number => bytes / operations;
  return [
    ratioFigure(
      {
        name: `dense-mint, durable, ${size}`,
        unit: "ops/s",
        ours: operations / ours.seconds,
        theirs: operations / peer.seconds,
        against: AGAINST,
        details: { operations, valid: ours.valid, ours, peer },
      },
      "more",
      2,
    ),
    ratioFigure(
      {
        name: "  CPU of the same",
        unit: "s",
        ours: ours.cpuSeconds,
        theirs: peer.cpuSeconds,
        against: AGAINST,
      },
      "less",
      null,
    ),
    ratioFigure(
      {
        name: "  resident memory, peak",
        unit: "MB",
        ours: megabytes(ours.rssBytes),
        theirs: megabytes(peer.rssBytes),
        against: AGAINST,
      },
      "less",
      null,
    ),
    ratioFigure(
      {
        name: "  disk per operation",
        unit: "B",
        ours: perOperation(ours.diskBytes),
        theirs: perOperation(peer.diskBytes),
        against: AGAINST,
      },
      "less",
      null,
    ),
  ];
}
