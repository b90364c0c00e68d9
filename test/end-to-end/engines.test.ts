// Both storage engines under one random chain with reorganisations: every answer of the service over PostgreSQL is that
// of the service over SQLite, to the byte, cursors, ETags and event ids included.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { openPostgresStore } from "../../src/adapters/store-postgres/postgres-store.ts";
import { openSqliteStore } from "../../src/adapters/store-sqlite/sqlite-store.ts";
import { needsPostgres, startPostgres } from "../../testkit/doubles/postgres.ts";
import { ForkingChain } from "./chains.ts";
import { withIndex } from "./live-index.ts";
import { assertSameAnswers } from "./same-answers.ts";
import { truthOf } from "./truth.ts";

describe("both storage engines", needsPostgres(), () => {
  test("give the same bytes for the same chain, before and after reorganisations", async () => {
    const cluster = await startPostgres();
    try {
      const chain = new ForkingChain(4100, { actors: 6, transactions: 8 }).grow(24);
      const { params } = chain.branch();
      const file = await openSqliteStore({ file: ":memory:" });
      const server = await openPostgresStore({ url: await cluster.newUrl() });
      await withIndex(params, { store: file }, (one) =>
        withIndex(params, { store: server }, async (other) => {
          for (const [depth, length] of [
            [0, 0],
            [1, 2],
            [9, 10],
          ] as const) {
            if (depth > 0) chain.reorganise(depth, length);
            const { blocks, base, counted } = chain.branch();
            await Promise.all([one.follow(blocks), other.follow(blocks)]);
            await assertSameAnswers(one, other, truthOf(params, base, counted));
            const [mine, theirs] = await Promise.all([file.dump(), server.dump()]);
            assert.deepEqual(mine, theirs);
            const groups = await file.queries.eventGroups(0, 10_000);
            assert.ok(groups.length > 20);
            assert.deepEqual(await server.queries.eventGroups(0, 10_000), groups);
            assert.deepEqual(await server.audit(), []);
          }
        }),
      );
    } finally {
      await cluster.stop();
    }
  });
});
