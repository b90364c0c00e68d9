// What an import does not believe, although checksums, digests, books and another service agree; and what it leaves alone.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chdir, cwd } from "node:process";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";
import { openPostgresStore } from "../../src/adapters/store-postgres/postgres-store.ts";
import { openPassingReader } from "../../src/adapters/store-sqlite/connection.ts";
import { lastEventId } from "../../src/adapters/store-sqlite/event-log.ts";
import { assembleSnapshot } from "../../src/adapters/store-sqlite/snapshot/import-snapshot.ts";
import {
  manifestFile,
  manifestText,
  partFile,
  readManifest,
  sha256Hex,
} from "../../src/adapters/store-sqlite/snapshot/manifest.ts";
import { eventFloor } from "../../src/index/event-groups.ts";
import { openSqliteStore } from "../../src/adapters/store-sqlite/sqlite-store.ts";
import { CommandRefused } from "../../src/app/cli/ending.ts";
import type { Config } from "../../src/app/config/config.ts";
import { startService } from "../../src/app/main.ts";
import { exportIndex, importIndex } from "../../src/app/snapshots.ts";
import type { StoreDump } from "../../src/index/ports.ts";
import { needsPostgres, startPostgres } from "../../testkit/doubles/postgres.ts";
import { freePort } from "../../testkit/free-port.ts";
import { until } from "../../testkit/until.ts";
import { SimulatedWorld } from "../../testkit/worlds/simulation/simulated-world.ts";
import { serveWorld, settingsOver, type WorldServer } from "../../testkit/worlds/simulation/world-server.ts";
import { type DigestWitness, startDigestWitness } from "./digest-witness.ts";
import { ServiceStage, silentConfig, soundDump } from "./service-stage.ts";

const BLOCKS = 40;
const quiet = (): void => undefined;

const stage = new ServiceStage(612, BLOCKS, async () => {
  witness = await startDigestWitness();
  await followed("source");
});
const { world } = stage;
let witness: DigestWitness;

after(() => witness.close());

const file = (name: string): string => stage.file(name);

function configOf(name: string, over?: readonly [SimulatedWorld, WorldServer]): Config {
  const database = stage.sqlite(name);
  return over === undefined
    ? stage.config(database)
    : silentConfig(settingsOver(...over, { database, port: 0 }));
}

/** Runs a service until it has what the node has; what `look` found meanwhile. */
async function followed<Found>(name: string, look?: (url: string) => Promise<Found>): Promise<Found | null> {
  const service = await startService(configOf(name));
  try {
    const { height } = world.tip;
    await until("the tip is reached", () => Promise.resolve(service.status().indexedHeight === height));
    return look === undefined ? null : await look(`http://127.0.0.1:${service.port}`);
  } finally {
    await service.stop();
  }
}

const dumpOf = (name: string): Promise<StoreDump> => soundDump(openSqliteStore({ file: file(name) }));

/** How many groups of events a database holds, and whether it goes on behind those of the source. */
function eventsIn(name: string): { readonly groups: number; readonly seen: boolean } {
  const [own, of] = [openPassingReader(file(name)), openPassingReader(file("source"))];
  try {
    const groups = own.all("SELECT first_id FROM event_log").length;
    return { groups, seen: lastEventId(own) > lastEventId(of) };
  } finally {
    own.close();
    of.close();
  }
}

/** A snapshot of the source in which `sql` has changed something; the witness says its digest. */
async function snapshotWith(name: string, sql: string): Promise<string> {
  const database = new DatabaseSync(file("source"));
  database.exec("VACUUM INTO '" + file(name) + "'");
  database.close();
  const changed = new DatabaseSync(file(name));
  changed.exec(sql);
  changed.close();
  const parts = join(stage.folder, `${name}-parts`);
  witness.says = await exportIndex(configOf(name), parts);
  return parts;
}

/** A snapshot of the source with rows that no export writes: `sql` changes the database that its parts make. */
async function forged(name: string, sql: string): Promise<string> {
  const parts = await snapshotWith(name, "");
  const manifest = readManifest(parts);
  const put = file(`${name}-put`);
  assembleSnapshot(parts, manifest, put);
  const changed = new DatabaseSync(put);
  changed.exec(sql);
  changed.close();
  const whole = readFileSync(put);
  const packed = gzipSync(whole);
  writeFileSync(partFile(parts, 0), packed);
  const sums = { bytes: whole.length, sha256: sha256Hex(whole), parts: [sha256Hex(packed)] };
  writeFileSync(manifestFile(parts), manifestText({ ...manifest, ...sums }));
  return parts;
}

function byWitness(name: string, parts: string): Promise<void> {
  return importIndex(configOf(name), parts, { kind: "url", url: witness.url }, quiet);
}

function refused(command: Promise<void>, sentence: RegExp): Promise<void> {
  return assert.rejects(command, (error) => {
    assert.ok(error instanceof CommandRefused, String(error));
    assert.match(error.sentences.join(" "), sentence);
    return true;
  });
}

test("an undo record of a snapshot takes no effect", async () => {
  // Each record says of everybody that he had more.
  const parts = await snapshotWith("false-undo", `UPDATE undo SET record = replace(record, '0\\n', '00\\n')`);
  await byWitness("undone", parts);
  world.reorganise(4, 6);
  await followed("undone");
  await followed("honest");
  assert.deepEqual(await dumpOf("undone"), await dumpOf("honest"));
});

test("a login in the other service's address reaches that service, and no line of ours", async () => {
  const parts = await snapshotWith("guarded", "");
  const imported = (port: string): Promise<void> => {
    const url = `http://us%40er:top%3Asecret@127.0.0.1:${port}/strand`;
    return importIndex(configOf("let-in"), parts, { kind: "url", url }, quiet);
  };
  const { port } = new URL(witness.url);
  const silent = await freePort();
  await refused(
    imported(`${silent}`),
    new RegExp(`^127\\.0\\.0\\.1:${silent} does not answer[^@]*ECONNREFUSED[^@]*$`),
  );
  await imported(port);
  assert.equal(witness.login, `Basic ${Buffer.from("us@er:top:secret").toString("base64")}`);
});

test("a replay compares every row, also those of which the digest does not speak", async () => {
  const parts = await snapshotWith(
    "false-text",
    "UPDATE op SET payload = payload || ' ' WHERE place = (SELECT max(place) FROM op)",
  );
  const replay = { kind: "replay", blocks: 12 } as const;
  const other = new SimulatedWorld(612);
  other.grow(BLOCKS);
  const node = await serveWorld(other);
  try {
    const config = configOf("text", [other, node]);
    await refused(
      importIndex(config, parts, replay, quiet),
      /your node's blocks give other rows: operations/,
    );
    assert.equal(existsSync(file("text")), false);
  } finally {
    await node.close();
  }
});

test("terms of a token that nobody inscribed do not pass, whatever another service says of the digest", async () => {
  // A price in whole tokens would be worked out with a number of a hundred million digits.
  const absurd = "UPDATE token SET dec = '99999999' WHERE tick = (SELECT min(tick) FROM token)";
  const parts = await snapshotWith("absurd", absurd);
  await refused(
    byWitness("taken-absurd", parts),
    /the snapshot is wrong: The operation at place \d+ did not do what its text says/,
  );
  assert.equal(existsSync(file("taken-absurd")), false);
});

/** Less than a thousand places are left before a number of the ledger is too large. */
const SHIFT = 2 ** 52 - 2000;
/** Numbers of rows that no text and no digest speaks of, and that this program would never have given. */
const NUMBERS: Readonly<Record<string, string>> = {
  "addresses below nothing": `UPDATE address SET id = id - 1000000;
    UPDATE op SET from_id = from_id - 1000000, to_id = to_id - 1000000, filled_owner_id = filled_owner_id - 1000000;
    UPDATE op_address SET address_id = address_id - 1000000; UPDATE token SET deployer_id = deployer_id - 1000000;
    UPDATE balance SET address_id = address_id - 1000000; UPDATE ledger SET address_id = address_id - 1000000;
    UPDATE listing SET owner_id = owner_id - 1000000, seller_id = seller_id - 1000000, buyer_id = buyer_id - 1000000`,
  "an address behind which there is no number":
    "INSERT INTO address (id, hash, text) SELECT 9007199254740991, hash, text FROM address WHERE id = 1",
  "an operation's name behind which there is none": "INSERT INTO op_name VALUES (9007199254740991, 'x')",
  "places that are soon at their end": `UPDATE block SET next_place = next_place + ${SHIFT};
    UPDATE op SET place = place + ${SHIFT}, listing_place = listing_place + ${SHIFT};
    UPDATE op_address SET place = place + ${SHIFT}; UPDATE ledger SET change_key = change_key + 2 * ${SHIFT};
    UPDATE token SET deploy_place = deploy_place + ${SHIFT};
    UPDATE token_prefix SET deploy_place = deploy_place + ${SHIFT};
    UPDATE listing SET place = place + ${SHIFT}, close_place = close_place + ${SHIFT}, change_key = change_key + 2 * ${SHIFT}`,
};

for (const [name, sql] of Object.entries(NUMBERS)) {
  test(`a snapshot's rows are numbered as this program numbers them: ${name}`, async () => {
    const to = `numbered-${Object.keys(NUMBERS).indexOf(name)}`;
    await refused(byWitness(to, await forged(`forged-${to}`, sql)), /the snapshot is wrong: /);
    assert.equal(existsSync(file(to)), false);
  });
}

test("as many blocks are replayed as were asked for, however few can be undone later", async () => {
  const other = new SimulatedWorld(612);
  other.grow(BLOCKS);
  const node = await serveWorld(other);
  const imported = (name: string, parts: string, say: (line: string) => void): Promise<void> => {
    const config = { ...configOf(name, [other, node]), undoBlocks: 5 };
    return importIndex(config, parts, { kind: "replay", blocks: 30 }, say);
  };
  try {
    const said: string[] = [];
    await imported("few", await snapshotWith("few-honest", ""), (line) => said.push(line));
    const kept = new DatabaseSync(file("few"));
    const records = kept.prepare("SELECT count(*) AS records FROM undo").get()?.["records"];
    kept.close();
    assert.deepEqual(
      [said.at(-1), records],
      ["the last 30 blocks give the same digest and the same rows", 5],
    );
    const lie = await snapshotWith(
      "few-false",
      `UPDATE op SET payload = payload || ' '
         WHERE place = (SELECT max(place) FROM op WHERE height <= ${BLOCKS - 20})`,
    );
    await refused(imported("fooled", lie, quiet), /your node's blocks give other rows: operations/);
  } finally {
    await node.close();
  }
});

/** Swaps that nobody made, with the blocks in which they would stand read already; and numbers at which a writer ends. */
const OWN_ROWS = `
  INSERT INTO swap_identity VALUES (1, 'simnet', 31337, '0x00000000000000000000000000000000000000aa', '00');
  INSERT INTO swap_fact (seq, kind, key, body) VALUES (9223372036854775807, 'secret', 'false', '{}');
  INSERT INTO swap_checkpoint VALUES (0, 9, '0xff', 9);
  INSERT INTO swap_event VALUES (7, 'deal', NULL, NULL, 0, NULL, '[]', '{}');
  INSERT INTO swap_closed VALUES (1, 1, 1);
  INSERT INTO event_log (seq, first_id, last_id, kind, height) VALUES (9223372036854775807, 7, 7, 2, 0);
  INSERT INTO meta VALUES ('wipes', '5');
  UPDATE meta SET value = '9007199254740990' WHERE key = 'last_event_id';`;

test("nothing is taken over of a snapshot that an export does not write", async () => {
  const parts = await forged("more", OWN_ROWS);
  await byWitness("more-taken", parts);
  const taken = new DatabaseSync(file("more-taken"));
  const rows = (table: string): unknown[] => taken.prepare(`SELECT * FROM ${table}`).all();
  const tables = taken.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name LIKE 'swap%'");
  const names = tables.all().map((row) => String(row["name"]));
  assert.ok(names.includes("swap_fact"));
  for (const table of [...names, "event_log", "sqlite_sequence"]) assert.deepEqual(rows(table), [], table);
  const meta = taken.prepare("SELECT key FROM meta ORDER BY key").all();
  assert.deepEqual(
    meta.map((row) => row["key"]),
    ["address_seed", "last_event_id", "parameters"],
  );
  taken.close();
  // What follows the chain from there on has ids, and goes on.
  const own = openPassingReader(file("more-taken"));
  const last = lastEventId(own);
  own.close();
  assert.ok(last > 0 && last <= eventFloor(Date.now() + 86_400_000) + 1, String(last));
  await followed("more-taken");

  const fee = await forged(
    "other-fee",
    `UPDATE meta SET value = replace(value, '"feeBps":100', '"feeBps":7') WHERE key = 'parameters'`,
  );
  await refused(byWitness("fee", fee), /built with 7 as the fee rate .* but 100 is configured/);
});

test("a service that answers no question is not said to lack the block", async () => {
  const parts = await snapshotWith("asked", "");
  const proof = { kind: "url", url: new URL("/busy", witness.url).href } as const;
  await refused(
    importIndex(configOf("asked-busy"), parts, proof, quiet),
    /does not answer .*: HTTP status 429/,
  );
});

test("a node that has not the block of the snapshot yet makes no liar of it", async () => {
  const parts = await snapshotWith("early", "");
  const small = new SimulatedWorld(612);
  small.grow(BLOCKS - 5);
  const node = await serveWorld(small);
  const imported = (blocks: number): Promise<void> =>
    importIndex(configOf("late", [small, node]), parts, { kind: "replay", blocks }, quiet);
  try {
    for (const blocks of [3, 12])
      await refused(imported(blocks), /^your node is at block 35, the snapshot at 40: wait until/);
    small.grow(5);
    await imported(12);
    assert.deepEqual(eventsIn("late"), { groups: 0, seen: true }, "what was replayed happened to nobody");
    small.reorganise(2, 4);
    await refused(
      importIndex(configOf("other", [small, node]), parts, { kind: "replay", blocks: 12 }, quiet),
      /^your node has another block 40 than the snapshot/,
    );
  } finally {
    await node.close();
  }
  assert.deepEqual(await dumpOf("late"), await dumpOf("source"));
});

test("nobody begins a database in the place of an import while it works", async () => {
  const parts = await snapshotWith("plain", "");
  const found: unknown[] = [];
  const failure = (attempt: Promise<unknown>): Promise<void> =>
    attempt.then(
      () => void found.push("let in"),
      (error: unknown) => void found.push(String(error)),
    );
  witness.asked = async () => {
    await failure(startService(configOf("owned")));
    await failure(byWitness("owned", parts));
  };
  try {
    await byWitness("owned", parts);
  } finally {
    witness.asked = () => Promise.resolve();
  }
  assert.equal(found.length, 2);
  for (const sentence of found) assert.match(String(sentence), /in use by another process/);
  // A file that a hand put there during the work is not written over.
  witness.asked = async () => writeFileSync(file("copied"), "somebody's");
  try {
    await refused(byWitness("copied", parts), /there is a database at/);
  } finally {
    witness.asked = () => Promise.resolve();
  }
  assert.equal(readFileSync(file("copied"), "utf8"), "somebody's");
  assert.deepEqual(await dumpOf("owned"), await dumpOf("source"));
});

test("the log of a database that is gone does not become part of the imported one", async () => {
  const parts = await snapshotWith("whole", "");
  for (const end of ["-wal", "-shm", "-journal"]) {
    const left = `${file("left")}${end}`;
    writeFileSync(left, "changes");
    await refused(byWitness("left", parts), /left\.db-[a-z]+ was left by a database that is gone.*remove it/);
    assert.equal(readFileSync(left, "utf8"), "changes");
    rmSync(left);
  }
  await byWitness("left", parts);
  assert.deepEqual(await dumpOf("left"), await dumpOf("source"));
});

test(
  "parameters that a PostgreSQL database was begun with are not written over",
  needsPostgres(),
  async () => {
    const parts = await snapshotWith("moved", "");
    await using cluster = await startPostgres();
    const present = cwd();
    try {
      const url = await cluster.newUrl();
      const begun = await openPostgresStore({ url });
      const other = {
        network: "simnet",
        genesisHash: "x",
        marker: "prc-20",
        startHeight: 5,
        feeBps: 7,
        feeAddress: "",
      };
      await begun.initialise(other);
      await begun.close();
      const config: Config = {
        ...configOf("unused"),
        database: { engine: "postgresql", url, primaryUrl: url },
      };
      // The files of the work are made where the command runs.
      chdir(stage.folder);
      await refused(
        importIndex(config, parts, { kind: "url", url: witness.url }, quiet),
        /begun with other parameters than the snapshot's/,
      );
      assert.deepEqual(
        readdirSync(stage.folder).filter((name) => name.endsWith(".lock") && name.startsWith("strand-")),
        [],
      );
      const kept = await openPostgresStore({ url });
      assert.deepEqual(await kept.parameters(), other);
      assert.equal(await kept.tip(), null);
      await kept.close();
    } finally {
      chdir(present);
    }
  },
);
