// Anybody may send a unit each to a hundred thousand addresses that he has made up, all with the same first characters: they
// are nobody's, and need not be. Where an index knows these characters alone, each page of the token's holders is made by
// sorting all of them (H-11, H-38).

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { openPostgresStore } from "../../src/adapters/store-postgres/postgres-store.ts";
import { Session } from "../../src/adapters/store-postgres/session.ts";
import { CellReader } from "../../src/adapters/store-rows/cells.ts";
import { AddressFinder } from "../../src/adapters/store-sqlite/address-ids.ts";
import { sqliteQueries } from "../../src/adapters/store-sqlite/read/queries.ts";
import type { PageStart } from "../../src/index/pages.ts";
import type { IndexQueries } from "../../src/index/queries.ts";
import type { BlockChanges } from "../../src/prc20/state.ts";
import type { PearlAddress, Tick } from "../../src/primitives/brands.ts";
import { needsPostgres, startPostgres } from "../../testkit/doubles/postgres.ts";
import { BASE, numberedAddress } from "../../testkit/store-contract/chain-facts.ts";
import { ChainModel } from "../../testkit/store-contract/chain-model.ts";
import { CountingConnection } from "../../testkit/store-contract/counting-connection.ts";
import { makeOld } from "../../testkit/worlds/crash/older-schema.ts";
import { sqliteStores } from "../sqlite-stores.ts";

const stores = sqliteStores();
const TICK = "ALIKE" as Tick;
const LIMIT = 100;
const HOLDERS = 1_500;
const SENDER = numberedAddress(0);
/** The version, and the nine characters that an index of numbers has. */
const BEGINNING = "rprl1pzzzzzzzzz";
const ALIKE: readonly PearlAddress[] = Array.from(
  { length: HOLDERS },
  (_, at) => (BEGINNING + numberedAddress(at + 1).slice(BEGINNING.length)) as PearlAddress,
);
/** For each row of a page and one behind it: its balance and its address, and what is asked beside them. */
const MOST_ROWS = 3 * (LIMIT + 1);
/** A process of the server tells what it has read at the end of a transaction, not more often than once a second. */
const TOLD_AFTER_MS = 1_200;
const COMMITTED_AFTER_MS = 200;
const ROWS_READ = `SELECT (sum(coalesce(idx_tup_fetch, 0) + coalesce(seq_tup_read, 0)))::bigint FROM pg_stat_user_tables
  WHERE schemaname = current_schema()`;

function blockOfAlike(): BlockChanges {
  const model = new ChainModel(141);
  const block = model.open(600);
  block.deploy(TICK, SENDER, SENDER, 5n);
  for (const address of ALIKE) block.mint(TICK, SENDER, address, 1n);
  return model.close(block);
}

/** All holders, page by page, in list order. */
async function walked(queries: IndexQueries, direction: "next" | "prev"): Promise<readonly string[]> {
  const seen: string[] = [];
  let start: PageStart | null = direction === "next" ? null : { direction, key: ["0".repeat(32), "~"] };
  do {
    const { value } = await queries.holders(TICK, { limit: LIMIT, start });
    const { page } = value ?? assert.fail();
    seen.splice(direction === "next" ? seen.length : 0, 0, ...page.rows.map(({ address }) => address));
    const key = page[direction];
    start = key === null ? null : { direction, key };
  } while (start !== null);
  return seen;
}

async function assertOrder(queries: IndexQueries): Promise<void> {
  const expected = [SENDER, ...ALIKE.toSorted()];
  assert.deepEqual(await walked(queries, "next"), expected);
  assert.deepEqual(await walked(queries, "prev"), expected);
}

describe("holders that begin alike", () => {
  test("H-11: no page of them is sorted in SQLite, and a database of an older program gets their order", async () => {
    const store = await stores.open("alike.db");
    await store.commitBase(BASE);
    await store.commit([blockOfAlike()], 10);
    await store.close();
    await makeOld(`sqlite:${stores.path("alike.db")}`);
    const again = await stores.open("alike.db");
    assert.deepEqual(await again.audit(), []);
    const connection = new CountingConnection(stores.path("alike.db"));
    await assertOrder(sqliteQueries(connection, new AddressFinder(connection)));
    assert.deepEqual([...connection.scans(), ...connection.sorts()], []);
    connection.close();
  });

  test(
    "H-11: PostgreSQL reads the rows of a page, in a database of an older program as well",
    needsPostgres(),
    async () => {
      await using cluster = await startPostgres();
      const url = await cluster.newUrl();
      const first = await openPostgresStore({ url });
      await first.commitBase(BASE);
      await first.commit([blockOfAlike()], 10);
      await first.close();
      await makeOld(url);
      const store = await openPostgresStore({ url });
      assert.deepEqual(await store.audit(), []);
      await assertOrder(store.queries);
      const session = await Session.open(url, "test");
      const rowsRead = async (): Promise<number> => {
        await wait(TOLD_AFTER_MS);
        await store.queries.state();
        await wait(COMMITTED_AFTER_MS);
        return new CellReader((await session.first(ROWS_READ)) ?? [0]).int();
      };
      let before = await rowsRead();
      for (const direction of ["next", "prev"] as const) {
        const key = ["0".repeat(31) + "1", ALIKE.toSorted()[HOLDERS / 2] ?? ""];
        await store.queries.holders(TICK, { limit: LIMIT, start: { direction, key } });
        const after = await rowsRead();
        const rows = after - before;
        before = after;
        assert.ok(rows > LIMIT && rows <= MOST_ROWS, `${direction}: ${rows} rows`);
      }
      await session.close();
      await store.close();
    },
  );
});
