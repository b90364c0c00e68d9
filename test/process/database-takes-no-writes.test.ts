// The database takes no writes while the service runs, as with a full disk: rows are answered, /health names the database,
// not the node that has nothing to do with it, and all goes on by itself when it takes writes again.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { freePort } from "../../testkit/free-port.ts";
import { until } from "../../testkit/until.ts";
import { SimulatedWorld } from "../../testkit/worlds/simulation/simulated-world.ts";
import { serveWorld, settingsOver, type WorldServer } from "../../testkit/worlds/simulation/world-server.ts";
import { endAll, health, startStrand } from "./service-process.ts";

let folder = "";
let world: SimulatedWorld;
let server: WorldServer;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "strand-no-writes-"));
  world = new SimulatedWorld(89);
  world.grow(5);
  server = await serveWorld(world);
});

after(async () => {
  await endAll();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

test("H-20: what cannot be written is told as the database's trouble until it can be again", async () => {
  const file = join(folder, "index.db");
  const port = await freePort();
  const strand = startStrand(
    process.execPath,
    ["start"],
    settingsOver(world, server, { database: `sqlite:${file}`, port }),
  );
  const isIndexed = async (): Promise<boolean> =>
    (await health(port))?.["indexed_height"] === world.tip.height;
  await until("the tip is reached", isIndexed);

  // Another program that writes keeps the service's writes out as a full disk does.
  const other = new DatabaseSync(file);
  other.exec("BEGIN IMMEDIATE");
  world.grow(1);
  await until("it is told", async () => (await health(port))?.["status"] === "degraded");
  await until("a write has failed", () => strand.stdout.includes("did not acknowledge"));
  const told = await health(port);
  assert.deepEqual(told?.["reasons"], ["STORE_SILENT"]);
  assert.equal(told["indexing_status"], "stalled");
  assert.match(JSON.stringify(told["conditions"]), /disk/);
  const ready = await fetch(`http://127.0.0.1:${port}/health/ready`);
  assert.equal(ready.status, 503);
  const row = await fetch(`http://127.0.0.1:${port}/api/v1/prc20/digest/${world.tip.height - 1}`);
  assert.equal(row.status, 200);

  other.exec("ROLLBACK");
  other.close();
  await until("the service goes on", isIndexed);
  await until("all is well", async () => JSON.stringify((await health(port))?.["reasons"]) === "[]");
  strand.child.kill("SIGTERM");
  assert.equal((await strand.ended).code, 0, strand.stderr);
});
