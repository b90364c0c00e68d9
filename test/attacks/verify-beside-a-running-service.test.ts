// An operator verifies a large index while its service writes, follows a reorganisation, and is in need of memory; or
// stops it half-way; or has a database in which one row of some table is wrong.

import assert from "node:assert/strict";
import { copyFile } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { after, before, describe, test } from "node:test";
import { auditSteps } from "../../src/adapters/store-sqlite/audit/audit.ts";
import { rowsOf } from "../../src/adapters/store-sqlite/audit/dump.ts";
import { compareIndexes } from "../../src/adapters/store-rows/compare-rows.ts";
import { openIndexReader as openPostgresIndex } from "../../src/adapters/store-postgres/read/index-reader.ts";
import { openPostgresStore } from "../../src/adapters/store-postgres/postgres-store.ts";
import { openIndexReader, openReplay } from "../../src/adapters/store-sqlite/read/index-reader.ts";
import { systemClock } from "../../src/adapters/system/clock.ts";
import type { BlockHash } from "../../src/primitives/brands.ts";
import { BlockIndexer } from "../../src/index/index-block.ts";
import type { FollowedStore } from "../../src/index/ports.ts";
import { type IndexUnderTest, verifyIndex } from "../../src/index/verify.ts";
import { testRules, simnetContext } from "../../testkit/builders/core-index/index.ts";
import { SimulatedWorld } from "../../testkit/worlds/simulation/simulated-world.ts";
import { CountingConnection } from "../../testkit/store-contract/counting-connection.ts";
import { sqliteStores } from "../sqlite-stores.ts";
import { SILENT } from "../../testkit/doubles/log.ts";
import { needsPostgres, type PostgresCluster, startPostgres } from "../../testkit/doubles/postgres.ts";

const stores = sqliteStores();

/** Where an index is kept, by the name that a test gives it. */
interface Engine {
  open(name: string): Promise<FollowedStore>;
  reader(name: string): Promise<IndexUnderTest>;
}

const SQLITE: Engine = {
  open: (name) => stores.open(name),
  reader: async (name) => openIndexReader(stores.path(name)),
};

function indexerOver(world: SimulatedWorld, store: FollowedStore): BlockIndexer {
  return new BlockIndexer(simnetContext(testRules("simnet", world.feeAddress)), store, 1, 50);
}

/** An index over a world, written as a service does. */
class Written {
  readonly world: SimulatedWorld;
  readonly store: FollowedStore;
  readonly reader: () => Promise<IndexUnderTest>;
  readonly #indexer: BlockIndexer;

  private constructor(world: SimulatedWorld, store: FollowedStore, reader: () => Promise<IndexUnderTest>) {
    this.world = world;
    this.store = store;
    this.reader = reader;
    this.#indexer = indexerOver(world, store);
  }

  static async of(name: string, seed: number, blocks: number, engine = SQLITE): Promise<Written> {
    const store = await engine.open(name);
    const written = new Written(new SimulatedWorld(seed), store, () => engine.reader(name));
    const [genesis = assert.fail()] = written.world.best;
    const base = written.#indexer.readBase(genesis.raw, genesis.hash);
    assert.ok(base.ok);
    await written.store.initialise(written.#indexer.parameters);
    await written.store.commitBase(base.value);
    await written.#indexer.reset(0);
    written.world.grow(blocks);
    await written.follow();
    return written;
  }

  /** Goes to the world's best block, by undoing and appending. */
  async follow(): Promise<void> {
    const { best, tip } = this.world;
    const held = await this.store.tip();
    let height = Math.min(held?.height ?? 0, tip.height);
    while ((await this.store.blockHash(height)) !== best[height]?.hash) height -= 1;
    if (height < (held?.height ?? 0)) {
      const toHash = best[height]?.hash ?? assert.fail();
      await this.store.rewind({ toHeight: height, toHash, newTip: tip });
      await this.#indexer.reset(height);
    }
    for (const block of best.slice(height + 1)) {
      const previous = (await this.store.tip()) ?? assert.fail();
      const decided = await this.#indexer.decide(block, previous);
      assert.ok(decided.ok);
      await this.store.commit([decided.value], 100);
      this.#indexer.acknowledge(block.height);
    }
  }
}

interface Run {
  readonly findings: readonly string[];
  /** Heights of the blocks that the node was asked for, in order. */
  readonly asked: readonly number[];
  readonly replay: FollowedStore;
}

/** One run of `verify`. `onBlock` is called before the node answers for a block. */
async function run(
  { world, reader }: Pick<Written, "world" | "reader">,
  replayName: string,
  onBlock: (height: number, count: number) => Promise<void> = async () => undefined,
): Promise<Run> {
  const replay = await stores.open(replayName, { memory: "little", layout: "compared" });
  const index = await reader();
  const asked: number[] = [];
  const node = {
    rawBlock: async (hash: BlockHash) => {
      const block = world.block(hash) ?? assert.fail("a block that no branch has");
      asked.push(block.height);
      await onBlock(block.height, asked.length);
      return block.raw;
    },
  };
  const indexer = indexerOver(world, replay);
  const replayFile = stores.path(replayName);
  const parts = {
    index,
    replay,
    replayFile,
    indexer,
    node,
    clock: systemClock,
    log: SILENT,
    segmentBlocks: 6,
  };
  const findings: string[] = [];
  try {
    for await (const finding of verifyIndex(parts)) findings.push(finding);
    return { findings, asked, replay };
  } finally {
    await index.close();
    await replay.close();
  }
}

/** A node that goes away before its answer to the `last`th block. */
function stoppedAt(last: number): (height: number, count: number) => Promise<void> {
  return async (_, count) => {
    if (count === last) throw new Error("stopped");
  };
}

/** One wrong row per kind of rows that an index keeps. */
const WRONG_ROWS: Readonly<Record<string, string>> = {
  "block: digest": "UPDATE block SET digest = zeroblob(32) WHERE height = 20",
  "block: totals": "UPDATE block SET events_total = events_total + 1 WHERE height = 20",
  "block: holders": "UPDATE block SET distinct_holders = distinct_holders + 1 WHERE height = 20",
  "block: link": "UPDATE block SET previous_hash = zeroblob(32) WHERE height = 20",
  "block: missing": "DELETE FROM block WHERE height = 20",
  address: "UPDATE address SET hash = hash + 1 WHERE id = 2",
  op: "UPDATE op SET amount = amount || '0' WHERE amount IS NOT NULL AND place = (SELECT min(place) FROM op WHERE amount > '0')",
  "op: payload": "UPDATE op SET payload = payload || ' ' WHERE place = (SELECT max(place) FROM op)",
  "op: missing": "DELETE FROM op WHERE place = (SELECT max(place) FROM op)",
  op_name: "UPDATE op_name SET text = text || '!' WHERE id = 1",
  "op_address: missing": "DELETE FROM op_address WHERE place = (SELECT max(place) FROM op)",
  "op_address: surplus":
    "INSERT INTO op_address SELECT max(address_id) + 1, scope, kind, place FROM op_address",
  token: "UPDATE token SET minted = minted || '0'",
  "token: cid": "UPDATE token SET cid = 'x'",
  token_prefix: "DELETE FROM token_prefix WHERE deploy_place = (SELECT min(deploy_place) FROM token)",
  balance: "UPDATE balance SET balance = balance || '0' WHERE balance <> '0'",
  "balance: rank": "UPDATE balance SET rank = x'ff00'",
  "balance: missing": "DELETE FROM balance WHERE address_id = (SELECT min(address_id) FROM balance)",
  listing: "UPDATE listing SET price = price || '0'",
  "listing: order": "UPDATE listing SET unit_key = x'00'",
  "listing: state": "UPDATE listing SET state = 1 - state WHERE state < 2",
  "listing: history": "UPDATE listing SET change_key = change_key + 100000",
  expired_open: "INSERT OR REPLACE INTO expired_open SELECT tick, 77 FROM token LIMIT 1",
  floor: "UPDATE floor SET price = price || '0' WHERE price IS NOT NULL",
  candle: "UPDATE candle SET volume = volume || '0'",
  block_fills: "UPDATE block_fills SET fills = fills + 1",
  undo: "UPDATE undo SET record = replace(record, ' ', ' 1') WHERE height = (SELECT max(height) FROM undo)",
  "undo: missing": "DELETE FROM undo WHERE height = (SELECT max(height) - 2 FROM undo)",
  event_log: "UPDATE event_log SET first_id = first_id - 1 WHERE seq = 5",
};

describe("verify", () => {
  test("finds one wrong row of every table, and nothing in a sound index", async () => {
    const written = await Written.of("sound.db", 61, 110);
    await written.store.close();
    assert.deepEqual((await run(written, "sound.verify")).findings, []);
    for (const [what, sql] of Object.entries(WRONG_ROWS)) {
      const name = `wrong ${what}.db`;
      await copyFile(stores.path("sound.db"), stores.path(name));
      const database = new DatabaseSync(stores.path(name));
      assert.ok(Number(database.prepare(sql).run().changes) > 0, `${what}: the damage must hit a row`);
      database.close();
      const wrong = { world: written.world, reader: () => SQLITE.reader(name) };
      // The replay is that of the sound one: only what is stored has to be read.
      const { findings } = await run(wrong, "sound.verify");
      assert.notDeepEqual(findings, [], what);
    }
  });

  test("H-09: beside a service that writes and reorganises it ends at its tip and finds nothing", async () => {
    const written = await Written.of("busy.db", 62, 40);
    const { world } = written;
    const { findings, replay, asked } = await run(written, "busy.verify", async (_, count) => {
      if (count === 10) world.grow(9);
      if (count === 20) world.reorganise(35, 40);
      if (count === 45) world.reorganise(3, 12);
      if ([10, 20, 45].includes(count)) await written.follow();
    });
    assert.ok(asked.length > world.tip.height, "blocks of the old branch had been replayed");
    assert.deepEqual(findings, []);
    await replay.close();
    const reopened = await stores.open("busy.verify");
    assert.equal((await reopened.tip())?.hash, world.tip.hash);
  });

  test("goes on where it was stopped, also when the index has gone back below that meanwhile", async () => {
    const written = await Written.of("stopped.db", 63, 60);
    await assert.rejects(run(written, "stopped.verify", stoppedAt(40)), /stopped/);
    await assert.rejects(run(written, "stopped.verify", stoppedAt(12)), /stopped/);
    const third = await run(written, "stopped.verify");
    assert.deepEqual(third.findings, []);
    assert.ok((third.asked[0] ?? 0) > 24, `it went on at ${third.asked[0]}`);
    written.world.reorganise(45, 46);
    await written.follow();
    const fourth = await run(written, "stopped.verify");
    assert.deepEqual(fourth.findings, []);
    assert.equal(fourth.asked[0], 16, "from the last common block on");
  });

  test("H-11: of no table it holds more than some rows at once", async () => {
    await Written.of("large.db", 64, 90);
    const index = new CountingConnection(stores.path("large.db"));
    const other = new CountingConnection(stores.path("large.db"));
    index.exec("BEGIN");
    let steps = 0;
    const compared = compareIndexes(rowsOf(index), rowsOf(other));
    for (const looked of [auditSteps(index), compared]) {
      for await (const step of looked) {
        assert.ok(!("finding" in step));
        steps += 1;
      }
    }
    const operations = index.first("SELECT count(*) FROM op")?.[0];
    assert.ok(Number(operations) > 200, `${String(operations)} operations, ${steps} steps`);
    assert.ok(index.rows > 3000 && other.rows > 1000, `${index.rows} and ${other.rows} rows`);
    assert.ok(index.largest < 100, `${index.largest} rows were held at once`);
    index.close();
    other.close();
  });
});

/** The same for PostgreSQL: the statement, and the table that it damages. */
const WRONG_ROWS_OF_POSTGRES: Readonly<Record<string, readonly [table: string, sql: string]>> = {
  "block: digest": ["block", "UPDATE block SET digest = decode(repeat('00', 32), 'hex') WHERE height = 20"],
  "block: totals": ["block", "UPDATE block SET events_total = events_total + 1 WHERE height = 20"],
  "block: holders": ["block", "UPDATE block SET distinct_holders = distinct_holders + 1 WHERE height = 20"],
  "block: link": [
    "block",
    "UPDATE block SET previous_hash = decode(repeat('00', 32), 'hex') WHERE height = 20",
  ],
  "block: missing": ["block", "DELETE FROM block WHERE height = 20"],
  "address: text": [
    "address",
    "UPDATE address SET text = text || 'q' WHERE id = (SELECT min(id) FROM address)",
  ],
  "address: held": ["address", "UPDATE address SET held = held + 1 WHERE id = (SELECT min(id) FROM address)"],
  op: ["op", "UPDATE op SET amount = amount + 1 WHERE place = (SELECT min(place) FROM op WHERE amount > 0)"],
  "op: payload": ["op", "UPDATE op SET payload = payload || ' ' WHERE place = (SELECT max(place) FROM op)"],
  "op: missing": ["op", "DELETE FROM op WHERE place = (SELECT max(place) FROM op)"],
  op_name: ["op_name", "UPDATE op_name SET text = text || '!'"],
  "op_address: missing": [
    "op_address",
    "DELETE FROM op_address WHERE place = (SELECT max(place) FROM op_address)",
  ],
  "op_address: surplus": [
    "op_address",
    "INSERT INTO op_address SELECT (SELECT max(id) FROM address), scope, kind, max(place) + 1 FROM op_address GROUP BY 2, 3",
  ],
  token: ["token", "UPDATE token SET minted = minted + 1"],
  "token: cid": ["token", "UPDATE token SET cid = 'x'"],
  token_prefix: [
    "token_prefix",
    "DELETE FROM token_prefix WHERE prefix = (SELECT min(prefix) FROM token_prefix)",
  ],
  balance: ["balance", "UPDATE balance SET balance = balance + 1 WHERE balance <> 0"],
  "balance: rank": ["balance", "UPDATE balance SET rank = decode('ff00', 'hex')"],
  "balance: missing": [
    "balance",
    "DELETE FROM balance WHERE address_id = (SELECT min(address_id) FROM balance)",
  ],
  ledger: [
    "ledger",
    "UPDATE ledger SET balance = balance + 1 WHERE change_key = (SELECT max(change_key) FROM ledger)",
  ],
  listing: ["listing", "UPDATE listing SET price = price + 1"],
  "listing: order": ["listing", "UPDATE listing SET unit_key = decode('00', 'hex')"],
  "listing: state": ["listing", "UPDATE listing SET state = 1 - state WHERE state < 2"],
  "listing: history": ["listing", "UPDATE listing SET change_key = change_key + 100000"],
  floor: ["floor", "UPDATE floor SET price = price + 1 WHERE price IS NOT NULL"],
  candle: ["candle", "UPDATE candle SET volume = volume + 1"],
  block_fills: ["block_fills", "UPDATE block_fills SET fills = fills + 1"],
  undo: [
    "undo",
    "UPDATE undo SET record = replace(record, ' ', ' 1') WHERE height = (SELECT max(height) FROM undo)",
  ],
  "undo: missing": ["undo", "DELETE FROM undo WHERE height = (SELECT max(height) - 2 FROM undo)"],
};

describe("verify, PostgreSQL", needsPostgres(), () => {
  let cluster: PostgresCluster;
  const urls = new Map<string, string>();
  const urlOf = (name: string): string => urls.get(name) ?? assert.fail(name);
  const POSTGRES: Engine = {
    open: async (name) => {
      const url = await cluster.newUrl();
      urls.set(name, url);
      return openPostgresStore({ url });
    },
    reader: (name) => openPostgresIndex(urlOf(name), openReplay),
  };

  before(async () => {
    cluster = await startPostgres();
  });
  after(() => cluster.stop());

  test("finds one wrong row of every table, and nothing in a sound index", async () => {
    const written = await Written.of("sound", 61, 110, POSTGRES);
    assert.deepEqual((await run(written, "postgres-sound.verify")).findings, []);
    const url = urlOf("sound");
    for (const [what, [table, sql]] of Object.entries(WRONG_ROWS_OF_POSTGRES)) {
      await cluster.run(url, `CREATE TABLE kept AS SELECT * FROM ${table}`);
      assert.ok((await cluster.run(url, sql)) > 0, `${what}: the damage must hit a row`);
      // The replay is that of the sound one: only what is stored has to be read.
      const { findings } = await run(written, "postgres-sound.verify");
      assert.notDeepEqual(findings, [], what);
      await cluster.run(
        url,
        `DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM kept; DROP TABLE kept`,
      );
    }
    assert.deepEqual((await run(written, "postgres-sound.verify")).findings, []);
    await written.store.close();
  });

  test("H-09: beside a service that writes and reorganises it ends at its tip and finds nothing", async () => {
    const written = await Written.of("busy", 62, 40, POSTGRES);
    const { world } = written;
    const { findings, asked } = await run(written, "postgres-busy.verify", async (_, count) => {
      if (count === 10) world.grow(9);
      if (count === 20) world.reorganise(35, 40);
      if (count === 45) world.reorganise(3, 12);
      if ([10, 20, 45].includes(count)) await written.follow();
    });
    assert.ok(asked.length > world.tip.height, "blocks of the old branch had been replayed");
    assert.deepEqual(findings, []);
    await written.store.close();
  });

  test("a database that holds no index is refused", async () => {
    await assert.rejects(openPostgresIndex(await cluster.newUrl(), openReplay), /holds no index/);
  });
});
