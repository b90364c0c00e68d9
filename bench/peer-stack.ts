// The reference indexer: bitcoinjs-lib, a P-12 parser on its witnesses, BigInt balances in a Map and better-sqlite3,
// one durable transaction per block. Run as its own process: node peer-stack.ts INDEX.json -> one JSON line.

import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bech32m } from "@scure/base";
import Database from "better-sqlite3";
import { type BalanceFact, balanceDigest } from "./balance-digest.ts";
import { parseBlock, type PeerOperation, peerOperations } from "./peer-blocks.ts";
import { peakRss } from "./processes.ts";
import type { SyncLine } from "./sync-line.ts";
import { bodyReader, workloadOf } from "./workload.ts";

const work = workloadOf(process.argv[2] ?? "");
const bodyOf = bodyReader(work);
const folder = mkdtempSync(join(tmpdir(), "strand-peer-"));
const database = new Database(join(folder, "peer.db"));
database.pragma("journal_mode=WAL");
database.pragma("synchronous=FULL");
database.pragma("cache_size=-262144");
database.exec(
  "create table ops(id integer primary key,height int,txid text,vout int,op text,tick text,valid int,payload text);" +
    "create index i1 on ops(tick,id);create index i2 on ops(txid);" +
    "create table bal(addr text,tick text,bal text,primary key(tick,addr)) without rowid",
);
const insert = database.prepare(
  "insert into ops(height,txid,vout,op,tick,valid,payload) values(?,?,?,?,?,?,?)",
);
const upsert = database.prepare(
  "insert into bal values(?,?,?) on conflict(tick,addr) do update set bal=excluded.bal",
);
const balances = new Map<string, bigint>();
const addresses = new Map<string, string>();
const count = { operations: 0, valid: 0 };

/** The sender's address; each key is encoded once. */
function addressOf(keyHex: string): string {
  let address = addresses.get(keyHex);
  if (address === undefined) {
    address = bech32m.encode("rprl", [1, ...bech32m.toWords(Buffer.from(keyHex, "hex"))]);
    addresses.set(keyHex, address);
  }
  return address;
}

/** Rows of the block under way: what changed, by key. */
type Touched = Map<string, readonly [address: string, tick: string]>;

function change(touched: Touched, address: string, tick: string, delta: bigint): void {
  const key = `${tick}:${address}`;
  balances.set(key, (balances.get(key) ?? 0n) + delta);
  touched.set(key, [address, tick]);
}

/** Applies one operation; the workload's deploys and mints are all within their limits. */
function apply(touched: Touched, { keyHex, fields }: PeerOperation): boolean {
  const { op, tick = "", amt, to } = fields as Record<string, string>;
  const amount = BigInt(amt ?? "0");
  const sender = addressOf(keyHex);
  if (op === "mint") change(touched, to ?? sender, tick, amount);
  if (op !== "transfer") return true;
  if ((balances.get(`${tick}:${sender}`) ?? 0n) < amount) return false;
  change(touched, sender, tick, -amount);
  change(touched, to ?? "", tick, amount);
  return true;
}

function index(height: number, body: Buffer): void {
  const answer = JSON.parse(body.toString("latin1")) as { result: string };
  const block = parseBlock(Buffer.from(answer.result, "hex"));
  const touched: Touched = new Map();
  database.exec("begin");
  for (const { txid, vout, operation } of peerOperations(block)) {
    const isValid = apply(touched, operation);
    const { op, tick } = operation.fields;
    insert.run(height, txid, vout, op, tick, isValid ? 1 : 0, operation.text);
    count.operations += 1;
    count.valid += isValid ? 1 : 0;
  }
  for (const [key, [address, tick]] of touched)
    upsert.run(address, tick, (balances.get(key) ?? 0n).toString());
  database.exec("commit");
}

const started = performance.now();
const cpu = process.cpuUsage();
let reading = 0;
for (const block of work.blocks) {
  const before = performance.now();
  const body = Buffer.from(`{"result":"${bodyOf(block).toString("hex")}","error":null,"id":1}`, "latin1");
  reading += performance.now() - before;
  index(block.height, body);
}
const seconds = (performance.now() - started - reading) / 1000;
const used = process.cpuUsage(cpu);
const rssBytes = peakRss("self");
const facts = database.prepare("select tick, addr address, bal balance from bal where bal <> '0'").all();
database.close();
const line: SyncLine = {
  ...count,
  balances: balanceDigest(facts as BalanceFact[]),
  seconds,
  cpuSeconds: (used.user + used.system) / 1e6,
  rssBytes,
  diskBytes: readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0),
  readingSeconds: reading / 1000,
  readingTakenOff: true,
};
console.log(JSON.stringify(line));
rmSync(folder, { recursive: true });
