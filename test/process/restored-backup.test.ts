// A backup is put back as docs/operations.md says, while consumers of events hold ids that were given after it: real
// processes over one file. Nobody is told that an event which was undone by the restore still stands.

import assert from "node:assert/strict";
import { mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, test } from "node:test";
import { freePort } from "../../testkit/free-port.ts";
import { type PearlNode, startPearlNode } from "../../testkit/doubles/pearl-node/index.ts";
import { until } from "../../testkit/until.ts";
import { EventStream } from "../end-to-end/event-stream.ts";
import { endAll, health, startStrand } from "./service-process.ts";

const RPC = { rpcUser: "u", rpcPassword: "p", limitUser: "limited", limitPassword: "limited-password" };
const miningScript = Uint8Array.of(0x51, 0x20, ...new Uint8Array(32).fill(0x11));

let folder = "";
let node: PearlNode;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "strand-restored-"));
  node = await startPearlNode({ ...RPC, miningScript });
  node.generate(5);
});
after(async () => {
  await endAll();
  await node.close();
  rmSync(folder, { recursive: true, force: true });
});

test("H-39: who resumes behind an event that a restored backup does not hold begins anew", async () => {
  const port = await freePort();
  const index = { host: "127.0.0.1", port } as const;
  const [file, backup] = [join(folder, "index.db"), join(folder, "copy.db")];
  const start = async () => {
    const strand = startStrand(process.execPath, ["start"], {
      STRAND_NETWORK: "simnet",
      PEARL_RPC_URL: node.url,
      PEARL_RPC_USER: RPC.limitUser,
      PEARL_RPC_PASSWORD: RPC.limitPassword,
      PRC20_FEE_BPS: "0",
      DATABASE_URL: `sqlite:${file}`,
      PORT: `${port}`,
    });
    await synced(port);
    return strand;
  };

  let strand = await start();
  const stream = await EventStream.open(index);
  node.generate(1);
  const held = (await stream.settled(1)).at(-1)?.id ?? 0;
  const database = new DatabaseSync(file, { readOnly: true });
  database.exec(`VACUUM INTO '${backup}'`);
  database.close();
  node.generate(3);
  const lost = (await stream.settled(4)).slice(1).map(({ id }) => id);
  assert.equal(lost.length, 3);
  strand.child.kill("SIGKILL");
  await strand.ended;

  for (const end of ["", "-wal", "-shm"]) rmSync(`${file}${end}`, { force: true });
  renameSync(backup, file);
  strand = await start();
  node.generate(4);
  await synced(port);
  for (const id of lost) {
    const resumed = await EventStream.open(index, "", id);
    assert.deepEqual(
      (await resumed.settled(1)).map(({ event }) => event),
      ["reset"],
    );
    resumed.close();
  }
  // What the backup holds is no other event now: behind it the same blocks come again, and the new ones.
  const resumed = await EventStream.open(index, "", held);
  const told = await resumed.settled(7);
  assert.deepEqual(
    told.map(({ event, data }) => [event, data.height]),
    [...Array(7).keys()].map((at) => ["block", 7 + at]),
  );
  assert.ok(told.every(({ id }) => id > Math.max(...lost)));
  resumed.close();
  strand.child.kill("SIGTERM");
  await strand.ended;
});

async function synced(port: number): Promise<void> {
  await until("the index is synced", async () => {
    const state = await health(port);
    return state?.["indexing_status"] === "synced" && state["indexed_height"] === node.chain.tip.height;
  });
}
