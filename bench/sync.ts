// Measures how fast a chain is indexed, against the obvious stack: dense blocks, durable on SQLite, each run in a
// process of its own, in turns, best of three; with memory and disk per operation. PostgreSQL against SQLite, too.

import { type Figure, ratioFigure } from "./figure.ts";
import { jsonLine } from "./processes.ts";
import { bestOf, inTurns } from "./rounds.ts";
import type { SyncLine } from "./sync-line.ts";
import { DATA_FOLDER, dense, type Workload } from "./workload.ts";

/** Least speed of PostgreSQL, of that of SQLite. */
const POSTGRES_LEAST = 0.5;

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
  const server: SyncLine[] = [];
  for (let round = 0; round < rounds; round += 1)
    server.push(await jsonLine<SyncLine>("ours-sync.ts", work.index, "postgresql"));
  checkCounts(work, [...ours.slice(0, 1), ...server]);
  const fast = bestOf(ours, "less", (line) => line.seconds);
  const peerFast = bestOf(peer, "less", (line) => line.seconds);
  const figures = [
    ...figuresOf(work, fast, peerFast),
    ...serverFigures(
      work,
      fast,
      bestOf(server, "less", (line) => line.seconds),
    ),
  ];
  return { figures, indexed: { work, database } };
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

/** CPU and memory are those of our process: the server's own are not in them. */
function serverFigures({ operations }: Workload, file: SyncLine, server: SyncLine): readonly Figure[] {
  const against = "Strand on SQLite, same run";
  return [
    ratioFigure(
      {
        name: "  the same into PostgreSQL, durable",
        unit: "ops/s",
        ours: operations / server.seconds,
        theirs: operations / file.seconds,
        against,
        details: { server },
      },
      "more",
      POSTGRES_LEAST,
    ),
    ratioFigure(
      {
        name: "  disk per operation, PostgreSQL",
        unit: "B",
        ours: server.diskBytes / operations,
        theirs: file.diskBytes / operations,
        against,
      },
      "less",
      null,
    ),
  ];
}
