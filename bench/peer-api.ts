// The reference API: fastify and better-sqlite3 over a file database with the same rows and the same fields, a
// keyset page and JSON.stringify for each request. node peer-api.ts STRAND.db PEER.db -> prints its port when ready.
// It copies the operation rows out of a Strand database once, into the layout that such a service would choose.

import Database from "better-sqlite3";
import fastify from "fastify";

const source = process.argv[2] ?? "";
const target = process.argv[3] ?? "";
const database = new Database(target);
database.pragma("journal_mode=WAL");
database.pragma("cache_size=-262144");
database.pragma("mmap_size=1073741824");
const known = database.prepare("select count(*) n from sqlite_master where name='ops'").get() as {
  n: number;
};
if (known.n === 0) {
  database.exec(
    "create table ops(id integer primary key,block_height int,tx_index int,txid text,vout int,op text,tick text," +
      "valid int,reason text,payload_json text,block_hash text,time int,from_address text,to_address text,amount text,listing_id text)",
  );
  const { rows } = (await import("./strand-rows.ts")) as typeof import("./strand-rows.ts");
  const insert = database.prepare(`insert into ops values(${"?,".repeat(15)}?)`);
  database.transaction(() => {
    for (const row of rows(source)) insert.run(...row);
  })();
  database.exec("create index i1 on ops(tick,id);create index i2 on ops(txid)");
}

const tip = (database.prepare("select max(block_height) h from ops").get() as { h: number }).h;
const columns =
  "id,block_height,tx_index,txid,vout,op,tick,valid,reason,payload_json,block_hash,time," +
  'from_address as "from",to_address as "to",amount,listing_id';
const byTick = database.prepare(`select ${columns} from ops where tick=? and id<? order by id desc limit ?`);
const all = database.prepare(`select ${columns} from ops where id<? order by id desc limit ?`);

const server = fastify();
server.get("/api/v1/prc20/oplist", (request) => {
  const query = request.query as Record<string, string | undefined>;
  const limit = Number(query["limit"] ?? "25");
  const before = Number(query["next"] ?? "9007199254740991");
  const found = (
    query["tick"] === undefined ? all.all(before, limit + 1) : byTick.all(query["tick"], before, limit + 1)
  ) as (Record<string, unknown> & { id: number; block_height: number })[];
  const page = found.slice(0, limit);
  const last = page[page.length - 1];
  return {
    message: "Success",
    prev: null,
    next: found.length > limit && last !== undefined ? String(last.id) : null,
    result: page.map(({ id: _id, ...row }) => ({ ...row, confirmations: tip - row.block_height + 1 })),
  };
});
await server.listen({ port: 0, host: "127.0.0.1" });
const address = server.server.address();
console.log(typeof address === "object" && address !== null ? address.port : 0);
process.on("SIGTERM", () => process.exit(0));
