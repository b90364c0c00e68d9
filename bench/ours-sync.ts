// Our indexer over a workload, as its own process: a node's answers in, a durable database out, through the same answer
// reader, follower, rules and store as the service; only the network is left out, as it is for the peer.
// node ours-sync.ts INDEX.json DATABASE.db -> one JSON line; DATABASE.db is made anew and stays. With `postgresql` in
// its place: into a cluster of its own that waits for the disk at each commit and goes with the process.

import { mkdirSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { readHexResults } from "../src/adapters/pearl-node/hex-results.ts";
import { openPostgresStore } from "../src/adapters/store-postgres/postgres-store.ts";
import { Session } from "../src/adapters/store-postgres/session.ts";
import { isRecord } from "../src/primitives/plain-json.ts";
import { openSqliteStore } from "../src/adapters/store-sqlite/sqlite-store.ts";
import { systemClock } from "../src/adapters/system/clock.ts";
import { sha256, sha256d } from "../src/adapters/system/hashes.ts";
import { openSha256Lanes } from "../src/adapters/system/sha256-lanes.ts";
import { SignaturePool } from "../src/adapters/system/signature-pool.ts";
import { NETWORKS } from "../src/chain/networks.ts";
import type { BlockHash } from "../src/primitives/brands.ts";
import { CommitFeed } from "../src/follow/commit-feed.ts";
import { FOLLOWER_DEFAULTS, IndexFollower } from "../src/index/follower.ts";
import { BlockIndexer } from "../src/index/index-block.ts";
import { parametersOf } from "../src/index/parameters.ts";
import type { FollowedStore, IndexStore } from "../src/index/ports.ts";
import type { PearlNode } from "../src/follow/ports.ts";
import { IndexProgress } from "../src/follow/progress.ts";
import { CellReader } from "../src/adapters/store-rows/cells.ts";
import { startPostgres } from "../testkit/doubles/postgres.ts";
import { SIMNET } from "../testkit/doubles/pearl-node/network.ts";
import { type BalanceFact, balanceDigest } from "./balance-digest.ts";
import { GENESIS } from "./block-maker.ts";
import { peakRss } from "./processes.ts";
import type { SyncLine } from "./sync-line.ts";
import { bodyReader, workloadOf } from "./workload.ts";

const work = workloadOf(process.argv[2] ?? "");
const file = process.argv[3] ?? "";
const bodyOf = bodyReader(work);
const blocks = new Map(work.blocks.map((block) => [block.hash, block]));
const hashes = [GENESIS, ...blocks.keys()];
let reading = 0;

/** The bytes of a node's answer to `getblock`. */
function answerBody(hash: string): Buffer {
  const block = blocks.get(hash);
  const raw = block === undefined ? Buffer.from(SIMNET.genesisBlock) : bodyOf(block);
  return Buffer.from(`{"result":"${raw.toString("hex")}","error":null,"id":1}`, "latin1");
}

async function rawBlock(hash: BlockHash): Promise<Uint8Array> {
  const before = performance.now();
  const body = answerBody(hash);
  reading += performance.now() - before;
  const { json, itemOf } = readHexResults(body);
  const reply = itemOf({ ok: true, value: isRecord(json) ? json["result"] : null });
  if (typeof reply === "string" || !reply.ok) throw new Error(`the answer for ${hash} cannot be read`);
  return reply.value;
}

const node: PearlNode = {
  checkIdentity: () => Promise.resolve(),
  tip: () => Promise.resolve({ height: hashes.length - 1, hash: hashes[hashes.length - 1] as BlockHash }),
  blockHash: (height) => Promise.resolve((hashes[height] ?? null) as BlockHash | null),
  blockHashes: (from, count) => Promise.resolve(hashes.slice(from, from + count) as BlockHash[]),
  rawBlock,
  mempoolTxids: () => Promise.resolve([]),
  rawTransactions: () => Promise.resolve([]),
  onTipChange: () => undefined,
  close: () => Promise.resolve(),
};

async function index(store: FollowedStore): Promise<void> {
  const network = NETWORKS.simnet;
  const { hrp, genesisHash } = network;
  const rules = {
    hrp,
    genesisHash,
    marker: "prc-20",
    startHeight: 1,
    feeBps: 100,
    feeAddress: work.feeAddress,
  };
  await store.initialise(parametersOf(network.name, rules));
  const signatures = new SignaturePool({ workers: 1 });
  const indexer = new BlockIndexer(
    { network, rules, sha256, sha256d, sha256dAll: openSha256Lanes(sha256d), signatures },
    store,
    1,
  );
  const follower = new IndexFollower(
    {
      node,
      store,
      indexer,
      progress: new IndexProgress(systemClock),
      feed: new CommitFeed(),
      clock: systemClock,
      log: { info: () => undefined, warn: console.error, error: console.error, debug: () => undefined },
      metrics: { committed: () => undefined, rewound: () => undefined, failed: () => undefined },
    },
    { ...FOLLOWER_DEFAULTS, undoBlocks: 1000 },
  );
  await follower.run(AbortSignal.timeout(3_600_000), "tip");
  await signatures.close();
}

/** What a run writes to, and what is read from it when it is closed. */
interface Target {
  readonly store: IndexStore;
  /** Balances above 0. */
  balances(): Promise<readonly BalanceFact[]>;
  diskBytes(): Promise<number>;
  end(): Promise<void>;
}

const BALANCES = `SELECT tick, text AS address, balance FROM balance JOIN address ON address.id = address_id WHERE`;

async function sqliteTarget(): Promise<Target> {
  // What stands there is deleted: nothing but a database may be named by mistake.
  if (!file.endsWith(".db")) throw new Error("usage: ours-sync.ts INDEX.json (DATABASE.db | postgresql)");
  mkdirSync(dirname(file), { recursive: true });
  for (const ending of ["", "-wal", "-shm"]) rmSync(`${file}${ending}`, { force: true });
  return {
    store: await openSqliteStore({ file }),
    balances: () => {
      const database = new DatabaseSync(file, { readOnly: true });
      const rows = database.prepare(`${BALANCES} balance <> '0'`).all();
      database.close();
      return Promise.resolve(
        rows.map((row) => ({
          tick: String(row["tick"]),
          address: String(row["address"]),
          balance: String(row["balance"]),
        })),
      );
    },
    diskBytes: () => Promise.resolve(statSync(file).size),
    end: () => Promise.resolve(),
  };
}

async function postgresTarget(): Promise<Target> {
  const cluster = await startPostgres({ durable: true, sharedBuffersMb: 1024 });
  const url = await cluster.newUrl();
  const asked = async <Value>(ask: (session: Session) => Promise<Value>): Promise<Value> => {
    const session = await Session.open(url, "bench");
    try {
      return await ask(session);
    } finally {
      await session.close();
    }
  };
  return {
    store: await openPostgresStore({ url }),
    balances: () =>
      asked(async (session) => {
        const rows = await session.all(`${BALANCES} balance <> 0`);
        return rows.map((row) => {
          const cells = new CellReader(row);
          return { tick: cells.text(), address: cells.text(), balance: cells.text() };
        });
      }),
    diskBytes: () =>
      asked(async (session) => {
        const row = await session.first(
          `SELECT sum(pg_total_relation_size(quote_ident(tablename)::regclass))::bigint FROM pg_tables
             WHERE schemaname = current_schema()`,
        );
        return row === null ? 0 : new CellReader(row).int();
      }),
    end: () => cluster.stop(),
  };
}

const target = file === "postgresql" ? await postgresTarget() : await sqliteTarget();
const { store } = target;
const cpu = process.cpuUsage();
const started = performance.now();
await index(store);
const seconds = (performance.now() - started) / 1000;
const used = process.cpuUsage(cpu);
const totals = (await store.tip())?.totals;
const rssBytes = peakRss("self");
await store.close();
const line: SyncLine = {
  operations: totals?.eventsTotal ?? 0,
  valid: totals?.eventsValid ?? 0,
  balances: balanceDigest(await target.balances()),
  seconds,
  cpuSeconds: (used.user + used.system) / 1e6,
  rssBytes,
  diskBytes: await target.diskBytes(),
  readingSeconds: reading / 1000,
  // The writer thread works meanwhile, so taking it off would flatter us.
  readingTakenOff: false,
};
await target.end();
console.log(JSON.stringify(line));
process.exit(0);
