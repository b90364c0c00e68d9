// The reference API: fastify and better-sqlite3 over a file database with the same rows and the same fields, a
// keyset page and JSON.stringify for each request. node peer-api.ts STRAND.db PEER.db -> prints its port when ready.
// It copies the operation rows out of a Strand database first, into the layout that such a service would choose.

import { rmSync } from "node:fs";
import Database from "better-sqlite3";
import fastify from "fastify";
import { rows } from "./strand-rows.ts";

const source = process.argv[2] ?? "";
const target = process.argv[3] ?? "";
for (const ending of ["", "-wal", "-shm"]) rmSync(`${target}${ending}`, { force: true });
const database = new Database(target);
database.pragma("journal_mode=WAL");
database.pragma("cache_size=-262144");
database.pragma("mmap_size=1073741824");
database.exec(
  "create table ops(id integer primary key,block_height int,tx_index int,txid text,vout int,op text,tick text," +
    "valid int,reason text,payload_json text,block_hash text,time int,from_address text,to_address text,amount text,listing_id text)",
);
const insert = database.prepare(`insert into ops values(${"?,".repeat(15)}?)`);
database.exec("begin");
for await (const row of rows(source)) insert.run(...row);
database.exec("commit; create index i1 on ops(tick,id); create index i2 on ops(txid)");
database.pragma("wal_checkpoint(TRUNCATE)");

const { tip } = database.prepare("select max(block_height) tip from ops").get() as { tip: number };
const columns =
  "id,block_height,txid,vout,op,tick,valid,reason,payload_json,tx_index,block_hash,time," +
  'from_address as "from",to_address as "to",amount,listing_id';
const byTick = database.prepare(`select ${columns} from ops where tick=? and id<? order by id desc limit ?`);
const all = database.prepare(`select ${columns} from ops where id<? order by id desc limit ?`);

type Row = Record<string, unknown> & { readonly id: number; readonly block_height: number };

const server = fastify();
server.get("/api/v1/prc20/oplist", (request) => {
  const query = request.query as Record<string, string | undefined>;
  const limit = Number(query["limit"] ?? "25");
  const before = Number(query["next"] ?? "9007199254740991");
  const tick = query["tick"];
  const found = (
    tick === undefined ? all.all(before, limit + 1) : byTick.all(tick, before, limit + 1)
  ) as Row[];
  const page = found.slice(0, limit);
  const last = page[page.length - 1];
  return {
    message: "Success",
    prev: null,
    next: found.length > limit && last !== undefined ? String(last.id) : null,
    result: page.map(({ id: _id, ...row }) => ({ ...row, confirmations: tip - row.block_height + 1 })),
  };
});
server.get("/api/v1/prc20/stats", () => database.prepare("select count(*) events_total from ops").all());
await server.listen({ port: 0, host: "127.0.0.1" });
const address = server.server.address();
console.log(typeof address === "object" && address !== null ? address.port : 0);
process.on("SIGTERM", () => process.exit(0));
