// Both storage engines under one random chain with reorganisations: every answer of the service over PostgreSQL is that
// of the service over SQLite, to the byte, cursors, ETags and event ids included. STRAND_SEEDS=n compares n chains, with
// every request that they give rise to; STRAND_SEED=n one of them.

import assert from "node:assert/strict";
import { after, before, describe } from "node:test";
import { Transaction } from "bitcoinjs-lib";
import { openPostgresStore } from "../../src/adapters/store-postgres/postgres-store.ts";
import { openSqliteStore } from "../../src/adapters/store-sqlite/sqlite-store.ts";
import type { IndexStore } from "../../src/index/ports.ts";
import { needsPostgres, type PostgresCluster, startPostgres } from "../../testkit/doubles/postgres.ts";
import { Random } from "../../testkit/random.ts";
import { manySeeds, seededTest } from "../../testkit/seeds.ts";
import { CONTRACT } from "../http/table.ts";
import { ForkingChain } from "./chains.ts";
import { EventStream } from "./event-stream.ts";
import { type LiveIndex, withIndex } from "./live-index.ts";
import { assertSameAnswers } from "./same-answers.ts";
import { truthOf } from "../../testkit/oracles/answers/truth.ts";

const SEEDS = manySeeds(1, 4100);
const isWhole = process.env["STRAND_SEEDS"] !== undefined || process.env["STRAND_SEED"] !== undefined;

/** The requests of the contract, well-formed ones and others: what they ask for is mostly not there. */
const OF_CONTRACT = [
  ...CONTRACT.flatMap(({ found, absent }) => (absent === null ? [found] : [found, absent])),
  ...CONTRACT.flatMap(({ malformed }) => malformed.filter((_, at) => isWhole || at % 6 === 0)),
];

/** The two services under comparison, and their stores. */
interface Both {
  readonly one: LiveIndex;
  readonly other: LiveIndex;
  readonly file: IndexStore;
  readonly server: IndexStore;
}

/** All events after the first one are the same bytes. */
async function assertSameEvents({ one, other, file, server }: Both): Promise<void> {
  const { lowest, highest } = await file.queries.eventBounds();
  assert.deepEqual(await server.queries.eventBounds(), { lowest, highest });
  const groups = await file.queries.eventGroups(0, 10_000);
  assert.ok(groups.length > 15);
  assert.deepEqual(await server.queries.eventGroups(0, 10_000), groups);
  const told: string[][] = [];
  for (const index of [one, other]) {
    const stream = await EventStream.open(index, "", lowest);
    while (stream.events.at(-1)?.id !== highest) await stream.settled(stream.events.length + 1);
    told.push(stream.events.map(({ raw }) => raw));
    stream.close();
  }
  assert.ok((told[0]?.length ?? 0) > 15);
  assert.deepEqual(told[1], told[0]);
}

/** Every path of the contract was among those that were asked and had rows in the end. */
function assertAllAsked(paths: readonly string[]): void {
  for (const { path } of CONTRACT) {
    const shape = new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/?]+")}(\\?|$)`);
    assert.ok(
      paths.some((asked) => shape.test(asked)),
      `${path} was not asked`,
    );
  }
}

async function compareEngines(seed: number, { file, server }: Omit<Both, "one" | "other">): Promise<void> {
  const random = new Random(seed);
  const chain = new ForkingChain(seed, { actors: 6, transactions: 8 }).grow(18 + random.below(10));
  const { params } = chain.branch();
  await withIndex(params, { store: file }, (one) =>
    withIndex(params, { store: server }, async (other) => {
      const both = { one, other, file, server };
      for (const depth of [0, 1 + random.below(3), 5 + random.below(8)]) {
        const left = chain.branch().blocks.at(-1);
        if (depth > 0) chain.reorganise(depth, depth + 1);
        const { blocks, base, counted } = chain.branch();
        await Promise.all([one.follow(blocks), other.follow(blocks)]);
        // The operations of a block that left the chain wait to be confirmed again.
        const waiting = new Map(
          (depth === 0 ? [] : (left?.transactions.slice(1) ?? [])).map((raw) => [
            Transaction.fromBuffer(raw).getId(),
            raw,
          ]),
        );
        for (const index of [one, other]) await index.setMempool(waiting);
        const paths = await assertSameAnswers(one, other, truthOf(params, base, counted), {
          every: isWhole ? 1 : 16,
          limit: isWhole ? 3 + random.below(38) : 40,
          more: ["/api/v1/prc20/reorgs?limit=1", "/api/v1/prc20/mempool?limit=3", ...OF_CONTRACT],
        });
        assertAllAsked(paths);
        const [mine, theirs] = await Promise.all([file.dump(), server.dump()]);
        assert.deepEqual(mine, theirs);
        await assertSameEvents(both);
        assert.deepEqual(await server.audit(), []);
      }
    }),
  );
}

describe("both storage engines", needsPostgres(), () => {
  let cluster: PostgresCluster;
  before(async () => {
    cluster = await startPostgres();
  });
  after(() => cluster.stop());

  for (const seed of SEEDS) {
    seededTest(
      `the same bytes for the same chain, before and after reorganisations (${seed})`,
      seed,
      async () => {
        const file = await openSqliteStore({ file: ":memory:" });
        const server = await openPostgresStore({ url: await cluster.newUrl() });
        await compareEngines(seed, { file, server });
      },
    );
  }
});
