// Measures the memory of a reader over PostgreSQL: the process `strand serve` with so many deals and with none, how long it
// takes to have them, and what it answers of a deal then. node swap-reader.ts DEALS [OPEN] -> one JSON line; with
// OPEN all but so many are over.

import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { openPostgresStore } from "../src/adapters/store-postgres/postgres-store.ts";
import { parametersOf } from "../src/index/parameters.ts";
import { startPostgres } from "../testkit/doubles/postgres.ts";
import { freePort } from "../testkit/free-port.ts";
import { testRules } from "../testkit/builders/core-index/index.ts";
import { until } from "../testkit/until.ts";
import { endDeals, escrow, writeDeals } from "./swap-deals.ts";
import { bytes32, CHAIN_ID } from "./swap-orders.ts";

const STRAND = fileURLToPath(new URL("../bin/strand", import.meta.url));
const PATIENCE_MS = 600_000;

interface ReaderMemory {
  /** Anonymous memory now, and the highest resident size so far, in MB. */
  readonly ownMb: number;
  readonly highestMb: number;
  /** From the start of the process until it answers, and until it has the deals. */
  readonly readyMs: number;
}

async function measure(url: string, order: string | null): Promise<ReaderMemory> {
  const port = await freePort();
  const environment = {
    STRAND_NETWORK: "simnet",
    PEARL_RPC_URL: "http://127.0.0.1:1",
    PRC20_FEE_BPS: "0",
    DATABASE_URL: url,
    PORT: `${port}`,
    EVM_RPC_URLS: "http://127.0.0.1:1",
    EVM_CHAIN_ID: `${CHAIN_ID}`,
    ESCROW_ADDRESS: escrow,
    ESCROW_FIRST_BLOCK: "0",
  };
  const started = performance.now();
  const env = { PATH: process.env["PATH"], HOME: process.env["HOME"], ...environment };
  const child = spawn(process.execPath, [STRAND, "serve"], { env, stdio: "ignore" });
  try {
    const path = order === null ? "/api/v1/prc20/tokenlist" : `/api/v1/swaps/${order}`;
    const is200 = (): Promise<boolean> =>
      fetch(`http://127.0.0.1:${port}${path}`).then(
        ({ status }) => status === 200,
        () => false,
      );
    await until("the reader answers", is200, PATIENCE_MS, 100);
    const readyMs = performance.now() - started;
    // The collector has had time to look at what is not needed any more.
    await new Promise((resolve) => setTimeout(resolve, 10_000));
    const status = readFileSync(`/proc/${workerOf(child)}/status`, "utf8");
    return { ownMb: megabytes(status, "RssAnon"), highestMb: megabytes(status, "VmHWM"), readyMs };
  } finally {
    child.kill("SIGKILL");
  }
}

function workerOf({ pid = 0 }: ChildProcess): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  return children === "" ? pid : Number(children.split(" ").at(-1));
}

function megabytes(status: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status)?.[1] ?? Number.NaN) / 1e3;
}

const deals = Number(process.argv[2] ?? 100_000);
const open = process.argv[3];
const cluster = await startPostgres();
try {
  const lines: ReaderMemory[] = [];
  for (const count of [0, deals]) {
    const url = await cluster.newUrl();
    const store = await openPostgresStore({ url });
    await store.initialise(parametersOf("simnet", testRules("simnet", null, 0)));
    await writeDeals(store.swaps, count);
    if (count > 0 && open !== undefined) await endDeals(store.swaps, count - Number(open));
    await store.close();
    lines.push(await measure(url, count === 0 ? null : bytes32("order 7")));
  }
  const [without, full] = lines;
  console.log(JSON.stringify({ deals, without, with: full }));
} finally {
  await cluster.stop();
}
