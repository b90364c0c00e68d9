// A stranger makes a transaction of as many operations as a block takes, some ten thousand, and asks for it again and
// again: as a whole, and for the page that says whether it is there. Neither may keep everybody else waiting (H-11).

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { answered } from "../../src/adapters/store-postgres/answered.ts";
import { openPostgresStore } from "../../src/adapters/store-postgres/postgres-store.ts";
import { operationsOf } from "../../src/adapters/store-postgres/read/query-operations.ts";
import { Session } from "../../src/adapters/store-postgres/session.ts";
import type { Value } from "../../src/adapters/store-rows/cells.ts";
import { AddressFinder } from "../../src/adapters/store-sqlite/address-ids.ts";
import { sqliteQueries } from "../../src/adapters/store-sqlite/read/queries.ts";
import type { BlockChanges } from "../../src/prc20/state.ts";
import type { Tick, Txid } from "../../src/primitives/brands.ts";
import { needsPostgres, startPostgres } from "../../testkit/doubles/postgres.ts";
import { BASE, numberedAddress } from "../../testkit/store-contract/chain-facts.ts";
import { ChainModel } from "../../testkit/store-contract/chain-model.ts";
import { CountingConnection } from "../../testkit/store-contract/counting-connection.ts";
import { harness, richIndex } from "../http/harness.ts";
import { sqliteStores } from "../sqlite-stores.ts";

const TICK = "MANY" as Tick;
const OWNER = numberedAddress(0);
const TXID = "ab".repeat(32) as Txid;
const OPERATIONS = 1000;
const stores = sqliteStores();

/** A block whose mints are all of one transaction. */
function blockOfOne(chain: ChainModel): BlockChanges {
  const draft = chain.open(200);
  draft.deploy(TICK, OWNER, OWNER, 10n);
  for (let count = 0; count < OPERATIONS; count += 1) draft.mint(TICK, OWNER, OWNER, 1n);
  const block = chain.close(draft);
  const operations = block.operations.map((row, at) =>
    row.op === "mint" ? { ...row, txid: TXID, vout: at } : row,
  );
  return { ...block, operations };
}

describe("a transaction has as many operations as fit into it", () => {
  test("H-11: all of them are read in steps of one state, and its page reads one", async () => {
    const chain = new ChainModel(74);
    const block = blockOfOne(chain);
    const store = await stores.open("one-transaction.db");
    await store.commitBase(BASE);
    await store.commit([block], 10);
    const connection = new CountingConnection(stores.path("one-transaction.db"));
    const queries = sqliteQueries(connection, new AddressFinder(connection));
    const { app, commit } = await harness(richIndex(), { queries });
    const whole = await app.inject(`/api/v1/prc20/op/${TXID}`);
    const rows: { readonly vout: number }[] = whole.json().result;
    assert.deepEqual(
      rows.map(({ vout }) => vout),
      Array.from({ length: OPERATIONS }, (_, at) => at + 1),
    );
    assert.ok(connection.largest <= 256, `${connection.largest} rows at once`);
    connection.rows = 0;
    assert.equal((await app.inject(`/tx/${TXID}`)).statusCode, 200);
    assert.ok(connection.rows <= 5, `the page read ${connection.rows} rows`);

    // A block that comes between two steps: the answer is of the state after it, all of it.
    const next = chain.close(chain.open(200));
    commit();
    const asked = app.inject(`/api/v1/prc20/op/${TXID}`);
    const committed = store.commit([next], 10);
    const answer = await asked;
    await committed;
    const confirmations = new Set(
      answer.json().result.map((row: { readonly confirmations: number }) => row.confirmations),
    );
    assert.equal(confirmations.size, 1);
    assert.equal(answer.json().result.length, OPERATIONS);
    await app.close();
    connection.close();
  });
});

test(
  "a step looks up in PostgreSQL what belongs to its own operations, and not to all of them",
  needsPostgres(),
  async () => {
    await using cluster = await startPostgres();
    const url = await cluster.newUrl();
    const store = await openPostgresStore({ url });
    await store.commitBase(BASE);
    await store.commit([blockOfOne(new ChainModel(74))], 10);
    await store.close();
    const session = await Session.open(url, "test");
    const plan: string[] = [];
    const explaining: Session = Object.assign(Object.create(session), {
      all: async (sql: string, ...values: readonly Value[]) => {
        for (const [line] of await session.all(`EXPLAIN (ANALYZE, TIMING OFF) ${sql}`, ...values))
          plan.push(String(line));
        return [];
      },
    });
    await answered(explaining, operationsOf(TXID, null, { after: -1, limit: 10 }));
    const joined = plan.flatMap(
      (line) => /(?:Join|Nested Loop).*actual rows=([0-9.]+)/.exec(line)?.[1] ?? [],
    );
    assert.ok(joined.length > 0);
    for (const rows of joined) assert.ok(Number(rows) <= 10, plan.join("\n"));
    await session.close();
  },
);
