// `strand export` beside a running service and `strand import` by another operator, who starts with what he has checked:
// by the first one's digest, or by the last blocks of his own node.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { openPostgresStore } from "../../src/adapters/store-postgres/postgres-store.ts";
import { openSqliteStore } from "../../src/adapters/store-sqlite/sqlite-store.ts";
import { CommandRefused } from "../../src/app/cli/ending.ts";
import { runExport, runImport } from "../../src/app/cli/snapshot-commands.ts";
import type { StoreDump } from "../../src/index/ports.ts";
import { needsPostgres, startPostgres } from "../../testkit/doubles/postgres.ts";
import { until } from "../../testkit/until.ts";
import { ServiceStage, soundDump } from "./service-stage.ts";

const stage = new ServiceStage(612, 40);
const { world } = stage;

const dumpOf = (name: string): Promise<StoreDump> => soundDump(openSqliteStore({ file: stage.file(name) }));

test("a new operator starts from a snapshot that he has checked", async () => {
  const service = await stage.start(stage.sqlite("first"));
  await service.atTip();
  const parts = join(stage.folder, "snapshot");
  const exported = await stage.run(stage.sqlite("first"), "export", "--to", parts);
  assert.equal(exported.code, 0, exported.stderr);
  assert.match(exported.stdout, /^block 40 [0-9a-f]{64}, digest [0-9a-f]{64}, in 1 part$/m);

  const { url } = service;
  // Killed before it has said anything of the rows: what it left is gone on with, and no database stands there yet.
  const killed = stage.command(stage.sqlite("second"), "import", "--from", parts, "--digest-url", url);
  await until("it works", () => existsSync(`${stage.file("second")}.import`));
  process.kill(killed.workerPid(), "SIGKILL");
  assert.equal((await killed.ended).signal, "SIGKILL");
  assert.equal(existsSync(stage.file("second")), false);
  const asked = await stage.run(stage.sqlite("second"), "import", "--from", parts, "--digest-url", url);
  assert.equal(asked.code, 0, asked.stderr);
  assert.match(asked.stdout, /the rows of 40 blocks give digest/);
  const replayed = await stage.run(stage.sqlite("third"), "import", "--from", parts, "--replay", "12");
  assert.equal(replayed.code, 0, replayed.stderr);
  const whole = await dumpOf("second");
  assert.deepEqual(await dumpOf("third"), whole);

  // Another chain has another digest at the height: nothing is kept.
  world.reorganise(2, 3);
  await service.atTip();
  const lie = await stage.run(stage.sqlite("fourth"), "import", "--from", parts, "--digest-url", url);
  assert.equal(lie.code, 1);
  assert.match(lie.stderr, /the snapshot is wrong, or 127\.0\.0\.1:[0-9]+ is/);
  assert.equal(existsSync(stage.file("fourth")), false);

  await service.end();
  // The service goes on from an import as from any index, also over blocks that have left the chain since.
  const second = await stage.start(stage.sqlite("second"));
  await second.atTip();
  await second.end();
  assert.deepEqual(await dumpOf("second"), await dumpOf("first"));
});

test("a snapshot moves an index from one storage engine to the other and back", needsPostgres(), async () => {
  await using cluster = await startPostgres();
  const url = await cluster.newUrl();
  const moved = async (database: string, ...words: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await stage.run(database, ...words);
    assert.equal(code, 0, stderr);
    return stdout;
  };
  const file = stage.sqlite("moved");
  const service = await stage.start(file);
  await service.atTip();
  const [first, second] = [join(stage.folder, "from-sqlite"), join(stage.folder, "from-postgres")];
  const said = await moved(file, "export", "--to", first);
  assert.match(await moved(url, "import", "--from", first, "--replay", "12"), /storing ledger/);
  const taken = await stage.run(url, "import", "--from", first, "--replay", "12");
  assert.equal(taken.code, 1);
  assert.match(taken.stderr, /there is a database at postgres:/);

  // The digest is that of the rows, so both exports say the same but for how their files were laid out.
  const again = await moved(url, "export", "--to", second);
  assert.equal(again.split(", in ")[0], said.split(", in ")[0]);
  await moved(stage.sqlite("back"), "import", "--from", second, "--digest-url", service.url);
  await service.end();
  const whole = await dumpOf("moved");
  assert.deepEqual(await dumpOf("back"), whole);
  assert.deepEqual(await soundDump(openPostgresStore({ url })), whole);

  // What was imported is an index like any other: it undoes blocks and appends others.
  world.reorganise(3, 4);
  const next = await stage.start(url);
  await next.atTip();
  await next.end();
  assert.equal((await stage.run(url, "verify")).code, 0);
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
  const database = stage.file("held");
  await (await openSqliteStore({ file: database })).close();
  const flags = (more: Readonly<Record<string, string>>): ReadonlyMap<string, string> =>
    new Map(
      Object.entries({
        "--strand-network": "simnet",
        "--pearl-rpc-url": stage.node.url,
        "--prc20-fee-address": world.feeAddress,
        "--database-url": `sqlite:${database}`,
        ...more,
      }),
    );
  const from = { "--from": join(stage.folder, "nothing") };
  const imports = (more: Readonly<Record<string, string>>): Promise<number> => runImport(flags(more));
  await refused(imports({ "--replay": "5" }), /--from <folder> is missing/);
  await refused(imports(from), /say what shows that the snapshot is right/);
  await refused(imports({ ...from, "--replay": "5", "--digest-url": stage.node.url }), /say what shows/);
  await refused(imports({ ...from, "--replay": "none" }), /none is no number of blocks/);
  for (const url of ["file:///etc", "us:secret@one.example", "http://us:secret@one.example:port"])
    await refused(imports({ ...from, "--digest-url": url }), /^--digest-url is no http\(s\) address: write/);
  await refused(imports({ ...from, "--replay": "5" }), /there is a database at/);
  const empty = stage.sqlite("empty");
  await refused(imports({ ...from, "--replay": "5", "--database-url": empty }), /holds no whole snapshot/);
  const remote = { "--database-url": "postgres://a:b@127.0.0.1:1/c" };
  await refused(imports({ ...from, ...remote, "--replay": "5" }), /PostgreSQL: .*ECONNREFUSED/);
  await refused(runExport(flags({ "--to": join(stage.folder, "to") })), /holds no block yet/);
});
