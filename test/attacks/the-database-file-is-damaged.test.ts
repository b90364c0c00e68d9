// The file of a SQLite database is damaged under a running service, or before it starts: by a disk, or by a copy that was
// put into place wrongly. Whatever such a file still answers may be wrong, so the process ends, with 1 and a sentence.

import assert from "node:assert/strict";
import { closeSync, fstatSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { freePort } from "../../testkit/free-port.ts";
import { until } from "../../testkit/until.ts";
import { SimulatedWorld } from "../../testkit/worlds/simulation/simulated-world.ts";
import { serveWorld, settingsOver, type WorldServer } from "../../testkit/worlds/simulation/world-server.ts";
import { endAll, health, type StartedProcess, startStrand } from "../process/service-process.ts";

const PAGE_BYTES = 4096;

let folder = "";
let world: SimulatedWorld;
let server: WorldServer;

before(async () => {
  world = new SimulatedWorld(17);
  world.grow(40);
  server = await serveWorld(world);
});

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "strand-damaged-"));
});

after(async () => {
  await endAll();
  await server.close();
});

const file = (): string => join(folder, "index.db");

function start(port: number): StartedProcess {
  return startStrand(
    process.execPath,
    ["start"],
    settingsOver(world, server, { database: `sqlite:${file()}`, port }),
  );
}

/** A service that has indexed all, ended. */
async function indexed(): Promise<void> {
  const port = await freePort();
  const service = start(port);
  await until("all is indexed", async () => (await health(port))?.["indexed_height"] === world.tip.height);
  service.child.kill("SIGTERM");
  assert.equal((await service.ended).code, 0);
}

/** Overwrites the pages from this one on; the first of all has the header of the file. */
function damage(from: number): void {
  const opened = openSync(file(), "r+");
  const pages = fstatSync(opened).size / PAGE_BYTES;
  assert.ok(pages > from, `${pages} pages`);
  for (let page = from; page < pages; page += 1) {
    writeSync(opened, Buffer.alloc(PAGE_BYTES, 0xa5), 0, PAGE_BYTES, page * PAGE_BYTES);
  }
  closeSync(opened);
}

async function assertEndsAsDamaged(service: StartedProcess): Promise<void> {
  const { code, stdout, stderr } = await service.ended;
  assert.equal(code, 1, stdout + stderr);
  assert.match(stderr, /index\.db.* damaged/);
  assert.match(stderr, /copy|backup/);
  rmSync(folder, { recursive: true, force: true });
}

test("under a running service: it ends", async () => {
  await indexed();
  const port = await freePort();
  const service = start(port);
  await until("it serves", async () => (await health(port))?.["indexed_height"] === world.tip.height);
  damage(2);
  world.grow(3);
  await assertEndsAsDamaged(service);
});

test("behind its first pages before a start: the service ends, at once or when it comes upon it", async () => {
  await indexed();
  damage(8);
  const service = start(await freePort());
  world.grow(1);
  await assertEndsAsDamaged(service);
});
