// `strand export` beside a running service and `strand import` by another operator, who starts with what he has checked:
// by the first one's digest, or by the last blocks of his own node.

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { openPostgresStore } from "../../src/adapters/store-postgres/postgres-store.ts";
import { openSqliteStore } from "../../src/adapters/store-sqlite/sqlite-store.ts";
import { CommandRefused } from "../../src/app/cli/ending.ts";
import { runExport, runImport } from "../../src/app/cli/snapshot-commands.ts";
import type { StoreDump } from "../../src/index/ports.ts";
import { needsPostgres, startPostgres } from "../../testkit/doubles/postgres.ts";
import { freePort } from "../../testkit/free-port.ts";
import { until } from "../../testkit/until.ts";
import { SimulatedWorld } from "../../testkit/worlds/simulation/simulated-world.ts";
import { serveWorld, settingsOver, type WorldServer } from "../../testkit/worlds/simulation/world-server.ts";
import { type Ended, endAll, health, startStrand } from "./service-process.ts";

let folder = "";
let world: SimulatedWorld;
let server: WorldServer;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), "strand-export-"));
  world = new SimulatedWorld(612);
  world.grow(40);
  server = await serveWorld(world);
});

after(async () => {
  await endAll();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

function settings(name: string, port: number): Readonly<Record<string, string>> {
  return settingsOver(world, server, { database: `sqlite:${join(folder, `${name}.db`)}`, port });
}

function run(name: string, ...words: readonly string[]): Promise<Ended> {
  return startStrand(process.execPath, words, settings(name, 0)).ended;
}

async function dumpOf(name: string): Promise<StoreDump> {
  const store = await openSqliteStore({ file: join(folder, `${name}.db`) });
  try {
    assert.deepEqual(await store.audit(), []);
    return await store.dump();
  } finally {
    await store.close();
  }
}

test("a new operator starts from a snapshot that he has checked", async () => {
  const port = await freePort();
  const service = startStrand(process.execPath, ["start"], settings("first", port));
  const isAtTip = async (): Promise<boolean> => (await health(port))?.["indexed_height"] === world.tip.height;
  await until("the tip is reached", isAtTip);
  const parts = join(folder, "snapshot");
  const exported = await run("first", "export", "--to", parts);
  assert.equal(exported.code, 0, exported.stderr);
  assert.match(exported.stdout, /^block 40 [0-9a-f]{64}, digest [0-9a-f]{64}, in 1 parts/);

  const url = `http://127.0.0.1:${port}`;
  // Killed before it has said anything of the rows: what it left is gone on with, and no database stands there yet.
  const killed = startStrand(
    process.execPath,
    ["import", "--from", parts, "--digest-url", url],
    settings("second", 0),
  );
  await until("it works", () => Promise.resolve(existsSync(join(folder, "second.db.import"))));
  process.kill(killed.workerPid(), "SIGKILL");
  assert.equal((await killed.ended).signal, "SIGKILL");
  assert.equal(existsSync(join(folder, "second.db")), false);
  const asked = await run("second", "import", "--from", parts, "--digest-url", url);
  assert.equal(asked.code, 0, asked.stderr);
  assert.match(asked.stdout, /the rows of 40 blocks give digest/);
  const replayed = await run("third", "import", "--from", parts, "--replay", "12");
  assert.equal(replayed.code, 0, replayed.stderr);
  const whole = await dumpOf("second");
  assert.deepEqual(await dumpOf("third"), whole);

  // Another chain has another digest at the height: nothing is kept.
  world.reorganise(2, 3);
  await until("the other branch is followed", isAtTip);
  const lie = await run("fourth", "import", "--from", parts, "--digest-url", url);
  assert.equal(lie.code, 1);
  assert.match(lie.stderr, /the snapshot is wrong, or 127\.0\.0\.1:[0-9]+ is/);
  assert.equal(existsSync(join(folder, "fourth.db")), false);

  service.child.kill("SIGTERM");
  assert.equal((await service.ended).code, 0);
  // The service goes on from an import as from any index, also over blocks that have left the chain since.
  const other = await freePort();
  const second = startStrand(process.execPath, ["start"], settings("second", other));
  await until(
    "the second is at the tip",
    async () => (await health(other))?.["indexed_height"] === world.tip.height,
  );
  second.child.kill("SIGTERM");
  assert.equal((await second.ended).code, 0);
  assert.deepEqual(await dumpOf("second"), await dumpOf("first"));
});

test("a snapshot moves an index from one storage engine to the other and back", needsPostgres(), async () => {
  const cluster = await startPostgres();
  try {
    const url = await cluster.newUrl();
    const at = (database: string): Readonly<Record<string, string>> => ({
      ...settings("moved", 0),
      DATABASE_URL: database,
    });
    const moved = async (database: string, ...words: readonly string[]): Promise<string> => {
      const { code, stdout, stderr } = await startStrand(process.execPath, words, at(database)).ended;
      assert.equal(code, 0, stderr);
      return stdout;
    };
    const file = `sqlite:${join(folder, "moved.db")}`;
    const port = await freePort();
    const service = startStrand(process.execPath, ["start"], { ...at(file), PORT: `${port}` });
    const isAtTip = async (of: number): Promise<boolean> =>
      (await health(of))?.["indexed_height"] === world.tip.height;
    await until("the tip is reached", () => isAtTip(port));
    const [first, second] = [join(folder, "from-sqlite"), join(folder, "from-postgres")];
    const said = await moved(file, "export", "--to", first);
    assert.match(await moved(url, "import", "--from", first, "--replay", "12"), /storing ledger/);
    const taken = await startStrand(process.execPath, ["import", "--from", first, "--replay", "12"], at(url))
      .ended;
    assert.equal(taken.code, 1);
    assert.match(taken.stderr, /there is a database at postgres:/);

    // The digest is that of the rows, so both exports say the same but for how their files were laid out.
    const again = await moved(url, "export", "--to", second);
    assert.equal(again.split(", in ")[0], said.split(", in ")[0]);
    await moved(
      `sqlite:${join(folder, "back.db")}`,
      "import",
      "--from",
      second,
      "--digest-url",
      `http://127.0.0.1:${port}`,
    );
    service.child.kill("SIGTERM");
    assert.equal((await service.ended).code, 0);
    const whole = await dumpOf("moved");
    assert.deepEqual(await dumpOf("back"), whole);
    const store = await openPostgresStore({ url });
    assert.deepEqual(await store.audit(), []);
    assert.deepEqual(await store.dump(), whole);
    await store.close();

    // What was imported is an index like any other: it undoes blocks and appends others.
    world.reorganise(3, 4);
    const other = await freePort();
    const next = startStrand(process.execPath, ["start"], { ...at(url), PORT: `${other}` });
    await until("the other branch is followed", () => isAtTip(other));
    next.child.kill("SIGTERM");
    assert.equal((await next.ended).code, 0);
    assert.equal((await startStrand(process.execPath, ["verify"], at(url)).ended).code, 0);
  } finally {
    await cluster.stop();
  }
});

function refused(command: Promise<number>, sentence: RegExp): Promise<void> {
  return assert.rejects(command, (error) => {
    assert.ok(error instanceof CommandRefused);
    assert.match(error.sentences.join(" "), sentence);
    assert.doesNotMatch(error.sentences.join(" "), /secret/);
    return true;
  });
}

test("an import says what is missing, and touches no database", async () => {
  const database = join(folder, "held.db");
  await (await openSqliteStore({ file: database })).close();
  const flags = (more: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
    new Map(
      Object.entries({
        "--strand-network": "simnet",
        "--pearl-rpc-url": server.url,
        "--prc20-fee-address": world.feeAddress,
        "--database-url": `sqlite:${database}`,
        ...more,
      }),
    );
  const from = { "--from": join(folder, "nothing") };
  const imports = (more: Readonly<Record<string, string>>): Promise<number> => runImport(flags(more));
  await refused(imports({ "--replay": "5" }), /--from <folder> is missing/);
  await refused(imports(from), /say what shows that the snapshot is right/);
  await refused(imports({ ...from, "--replay": "5", "--digest-url": server.url }), /say what shows/);
  await refused(imports({ ...from, "--replay": "none" }), /none is no number of blocks/);
  for (const url of ["file:///etc", "us:secret@one.example", "http://us:secret@one.example:port"])
    await refused(imports({ ...from, "--digest-url": url }), /^--digest-url is no http\(s\) address: write/);
  await refused(imports({ ...from, "--replay": "5" }), /there is a database at/);
  const empty = `sqlite:${join(folder, "empty.db")}`;
  await refused(imports({ ...from, "--replay": "5", "--database-url": empty }), /holds no whole snapshot/);
  const remote = { "--database-url": "postgres://a:b@127.0.0.1:1/c" };
  await refused(imports({ ...from, ...remote, "--replay": "5" }), /PostgreSQL: .*ECONNREFUSED/);
  await refused(runExport(flags({ "--to": join(folder, "to") })), /holds no block yet/);
});
