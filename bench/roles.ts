// Measures what several processes over one PostgreSQL bring: answers by two readers beside answers by one, under the same
// load, and how long it takes from SIGKILL of the writer until a new block is shown by a reader, because another writer
// has taken over. The answers are pages of deals, which a reader makes of its own memory: kept answers cost the generator
// as much as the reader, and other pages cost the database as much, so that two cores could not tell readers apart.

import type { ChildProcess } from "node:child_process";
import { writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { openPostgresStore } from "../src/adapters/store-postgres/postgres-store.ts";
import { parametersOf } from "../src/index/parameters.ts";
import { testRules } from "../testkit/builders/core-index/index.ts";
import { type PostgresCluster, startPostgres } from "../testkit/doubles/postgres.ts";
import { type Figure, limitFigure, ratioFigure } from "./figure.ts";
import type { LoadOrder, LoadResult } from "./load.ts";
import { jsonLine, readyLine, start, stop } from "./processes.ts";
import { bestOf, inTurns } from "./rounds.ts";
import { HttpClient, NodeProcess, portIn, STRAND, StrandProcess, visibleAt } from "./service.ts";
import { escrow, writeDeals } from "./swap-deals.ts";
import { CHAIN_ID } from "./swap-orders.ts";
import { DATA_FOLDER, pulses, type Workload } from "./workload.ts";

/** Of one reader's answers, where two cores are there for readers and generators. */
const LEAST = 1.4;
/** From SIGKILL of the writer to the block. */
const LIMIT_MS = 5_000;
const BLOCKS_BEFORE = 5;
const CONNECTIONS = 16;
/** The service's and the database's own work of the start is over then. */
const REST_MS = 1_000;
const DEALS = 2_000;
const PATH = "/api/v1/swaps/deals?limit=100";
/** Until a reader that has started shows the deals. */
const PATIENCE_MS = 60_000;

/** How long and how often. */
interface RolesOptions {
  readonly rounds: number;
  readonly seconds: number;
  /** Writers that are killed. */
  readonly kills: number;
}

/** All figures about roles. */
export async function rolesFigures(options: RolesOptions): Promise<readonly Figure[]> {
  const cluster = await startPostgres({ durable: true });
  try {
    return [await readFigure(cluster, options), await takeOverFigure(cluster, options)];
  } finally {
    await cluster.stop();
  }
}

/** A reader of swaps, without a writer: nothing changes under it. */
interface SwapReader {
  readonly child: ChildProcess;
  readonly client: HttpClient;
}

async function startReader(url: string): Promise<SwapReader> {
  const { PATH: path, HOME } = process.env;
  const env = {
    PATH: path,
    HOME,
    STRAND_NETWORK: "simnet",
    PEARL_RPC_URL: "http://127.0.0.1:1",
    PRC20_FEE_BPS: "0",
    DATABASE_URL: url,
    PORT: "0",
    EVM_RPC_URLS: "http://127.0.0.1:1",
    EVM_CHAIN_ID: `${CHAIN_ID}`,
    ESCROW_ADDRESS: escrow,
    ESCROW_FIRST_BLOCK: "0",
  };
  const child = start([STRAND, "serve"], { env });
  const client = new HttpClient(await readyLine("strand serve", child, portIn), child.pid ?? 0);
  const patience = AbortSignal.timeout(PATIENCE_MS);
  while (!(await showsDeals(client))) {
    if (patience.aborted) throw new Error("roles: a reader does not show the deals");
    await pause(50);
  }
  return { child, client };
}

async function showsDeals(client: HttpClient): Promise<boolean> {
  const { status, body } = await client.get(PATH);
  return status === 200 && (JSON.parse(body.toString("utf8")) as { result: unknown[] }).result.length === 100;
}

/** A page of deals, asked of one reader by all connections, and of two by half of them each. */
async function readFigure(cluster: PostgresCluster, { rounds, seconds }: RolesOptions): Promise<Figure> {
  const url = await cluster.newUrl();
  const store = await openPostgresStore({ url });
  await store.initialise(parametersOf("simnet", testRules("simnet", null, 0)));
  await writeDeals(store.swaps, DEALS);
  await store.close();
  const readers = [await startReader(url), await startReader(url)];
  try {
    await pause(REST_MS);
    const sides = await inTurns(
      rounds,
      () => load(readers, CONNECTIONS / 2, seconds),
      () => load(readers.slice(0, 1), CONNECTIONS, seconds),
    );
    const [both, one] = [sides.ours, sides.peer].map((all) => bestOf(all, "more", perSecond));
    if (both === undefined || one === undefined) throw new Error("no rounds");
    const compared = {
      name: "pages of 100 deals from two readers",
      unit: "req/s",
      ours: perSecond(both),
      theirs: perSecond(one),
      against: "the same from one reader",
      details: { both, one },
    };
    return ratioFigure(compared, "more", availableParallelism() < 2 ? null : LEAST);
  } finally {
    for (const { child, client } of readers) {
      client.close();
      await stop(child);
    }
  }
}

function perSecond(results: readonly LoadResult[]): number {
  return results.reduce((sum, result) => sum + result.perSecond, 0);
}

/** Loads readers at the same time, each by a generator of its own. */
function load(
  readers: readonly SwapReader[],
  connections: number,
  seconds: number,
): Promise<readonly LoadResult[]> {
  return Promise.all(
    readers.map(async ({ client: { port, pid } }, at) => {
      const order: LoadOrder = { port, pid, paths: [PATH], connections, seconds };
      const file = `${DATA_FOLDER}load-${at}.json`;
      writeFileSync(file, JSON.stringify(order));
      const result = await jsonLine<LoadResult>("load.ts", file);
      if (result.bad > 0) throw new Error(`roles: ${result.bad} bad answers from port ${port}`);
      return result;
    }),
  );
}

/** Kills one writer after the other while another one waits; the node has a new block at that very moment. */
async function takeOverFigure(cluster: PostgresCluster, { kills }: RolesOptions): Promise<Figure> {
  const work = pulses(BLOCKS_BEFORE, kills);
  const node = await NodeProcess.start(work, BLOCKS_BEFORE);
  try {
    const stage = { work, node, database: await cluster.newUrl() };
    let writer = await started(stage, "index");
    const reader = await started(stage, "serve");
    const times: number[] = [];
    for (const { height } of work.blocks.slice(BLOCKS_BEFORE)) {
      const next = await started(stage, "index");
      await pause(REST_MS);
      const killedAt = process.hrtime.bigint();
      await writer.kill();
      node.announce(height);
      times.push(Number((await visibleAt(reader, height)) - killedAt) / 1e6);
      writer = next;
    }
    await writer.stop();
    await reader.stop();
    return takeOverOf(times.toSorted((one, other) => one - other));
  } finally {
    await node.stop();
  }
}

interface Stage {
  readonly work: Workload;
  readonly node: NodeProcess;
  readonly database: string;
}

function started({ work, node, database }: Stage, role: "index" | "serve"): Promise<StrandProcess> {
  return StrandProcess.start(work, node, database, BLOCKS_BEFORE, role);
}

/** `ms`: ascending. */
function takeOverOf(ms: readonly number[]): Figure {
  const compared = {
    name: `SIGKILL of the writer to a new block at a reader, longest of ${ms.length}`,
    unit: "ms",
    ours: ms.at(-1) ?? Infinity,
    theirs: LIMIT_MS,
    against: "the limit",
    details: { ms },
  };
  return limitFigure(compared, 1);
}
