// Anybody may send an address units of a hundred thousand tickers, or trade one ticker from it a million times. A page of
// what it holds, of what it did in another ticker, or of what it has on offer must cost what it shows, and no part of the
// rest (H-11).

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import {
  type OpenedPostgresStore,
  openPostgresStore,
} from "../../src/adapters/store-postgres/postgres-store.ts";
import { Session } from "../../src/adapters/store-postgres/session.ts";
import { AddressFinder } from "../../src/adapters/store-sqlite/address-ids.ts";
import { sqliteQueries } from "../../src/adapters/store-sqlite/read/queries.ts";
import { CellReader } from "../../src/adapters/store-rows/cells.ts";
import type { BlockChanges } from "../../src/prc20/state.ts";
import type { Tick } from "../../src/primitives/brands.ts";
import { needsPostgres, startPostgres } from "../../testkit/doubles/postgres.ts";
import { BASE, numberedAddress } from "../../testkit/store-contract/chain-facts.ts";
import { ChainModel } from "../../testkit/store-contract/chain-model.ts";
import { CountingConnection } from "../../testkit/store-contract/counting-connection.ts";
import { sqliteStores } from "../sqlite-stores.ts";

const stores = sqliteStores();
const WHALE = numberedAddress(0);
const TICKERS = 800;
const LISTINGS = 3_000;
/** Listings of another ticker, which are there first. */
const EARLY = 300;
/** So many that the index in the order of the market has a level more than another one that finds them. */
const OFFERED = 24_000;
/** What others hold, each of them. */
const HELD = 12;
const OTHERS = 300;
const LIMIT = 10;
const FIRST = { limit: LIMIT, start: null } as const;
/** Rows of all tables for a page and one row behind it, each with what is shown of it, and for the state. */
const MOST_ROWS = 8 * (LIMIT + 1);
/** A process of the server tells what it has read at the end of a transaction, not more often than once a second. */
const TOLD_AFTER_MS = 1_200;
/** And the end of a transaction is not waited for by whoever asks. */
const COMMITTED_AFTER_MS = 200;
const ROWS_READ = `SELECT (sum(coalesce(idx_tup_fetch, 0) + coalesce(seq_tup_read, 0)))::bigint FROM pg_stat_user_tables
  WHERE schemaname = current_schema()`;

function tickOf(index: number): Tick {
  return `T${index.toString().padStart(4, "0")}` as Tick;
}

/** Everything in one block. */
function crowded(): BlockChanges {
  const model = new ChainModel(131);
  const block = model.open(600);
  for (let at = 0; at < TICKERS; at += 1) block.deploy(tickOf(at), WHALE, WHALE, 1_000_000n);
  for (let at = 0; at < LISTINGS; at += 1)
    block.list(tickOf(0), WHALE, WHALE, { amount: 1n, price: 5_000n, exp: null });
  for (let at = 0; at < OTHERS * HELD; at += 1)
    block.mint(tickOf(at % HELD), WHALE, numberedAddress(1 + Math.floor(at / HELD)), 1n);
  return model.close(block);
}

/** Tells how many rows of all tables the reads of a store have taken so far. */
function rowsReadBy(store: OpenedPostgresStore, session: Session): () => Promise<number> {
  return async () => {
    await wait(TOLD_AFTER_MS);
    await store.queries.state();
    await wait(COMMITTED_AFTER_MS);
    return new CellReader((await session.first(ROWS_READ)) ?? [0]).int();
  };
}

describe("one address has everything", () => {
  test("H-11: SQLite finds its changes in one ticker by the index that has them", async () => {
    const store = await stores.open("everything.db");
    await store.commitBase(BASE);
    await store.commit(new ChainModel(132).many(30, { actions: 6 }), 10);
    const connection = new CountingConnection(stores.path("everything.db"));
    const queries = sqliteQueries(connection, new AddressFinder(connection));
    connection.statements.clear();
    for (const key of [null, 5])
      for (const direction of ["next", "prev"] as const)
        await queries.ledger(WHALE, tickOf(1), {
          limit: LIMIT,
          start: key === null ? null : { direction, key: [key] },
        });
    const searches = connection.plans().filter((line) => line.startsWith("SEARCH ledger"));
    assert.ok(searches.length > 0);
    for (const line of searches)
      assert.match(line, /USING INDEX ledger_by_tick \(address_id=\? AND tick=\? AND change_key[<>]\?\)/);
    connection.close();
  });

  test("H-11: PostgreSQL reads the rows of a page, whatever it has counted", needsPostgres(), async () => {
    await using cluster = await startPostgres();
    const url = await cluster.newUrl();
    const store = await openPostgresStore({ url });
    const session = await Session.open(url, "test");
    const rowsRead = rowsReadBy(store, session);
    await store.commitBase(BASE);
    await store.commit([crowded()], 10);
    const reads = {
      balances: () => store.queries.balances(WHALE, FIRST),
      "balances from the middle": () =>
        store.queries.balances(WHALE, { limit: LIMIT, start: { direction: "next", key: [tickOf(100)] } }),
      ledger: () => store.queries.ledger(WHALE, null, FIRST),
      "ledger of one ticker": () => store.queries.ledger(WHALE, tickOf(1), FIRST),
    };
    for (const counted of [false, true]) {
      if (counted) await session.exec("ANALYZE");
      let before = await rowsRead();
      for (const [name, read] of Object.entries(reads)) {
        await read();
        const after = await rowsRead();
        const rows = after - before;
        before = after;
        assert.ok(rows > 0 && rows <= MOST_ROWS, `${name}, ${counted ? "" : "not "}counted: ${rows} rows`);
      }
    }
    await session.close();
    await store.close();
  });

  test(
    "H-11: and what is on offer, where it has counted before that was there",
    needsPostgres(),
    async () => {
      await using cluster = await startPostgres();
      const url = await cluster.newUrl();
      const store = await openPostgresStore({ url });
      const session = await Session.open(url, "test");
      const model = new ChainModel(133);
      await store.commitBase(BASE);
      const early = model.open(600);
      for (const at of [0, 1]) early.deploy(tickOf(at), WHALE, WHALE, 1_000_000n);
      for (let at = 0; at < EARLY; at += 1)
        early.list(tickOf(1), WHALE, WHALE, { amount: 1n, price: 5_000n, exp: null });
      await store.commit([model.close(early)], 10);
      await session.exec("ANALYZE");
      const later = model.open(600);
      for (let at = 0; at < OFFERED; at += 1)
        later.list(tickOf(0), WHALE, WHALE, { amount: 1n, price: 5_000n, exp: null });
      await store.commit([model.close(later)], 10);
      const rowsRead = rowsReadBy(store, session);
      let before = await rowsRead();
      for (const read of [
        () => store.queries.market(tickOf(0), FIRST),
        () => store.queries.marketSummary(tickOf(0)),
      ]) {
        await read();
        const after = await rowsRead();
        assert.ok(after - before <= MOST_ROWS, `${after - before} rows: ${String(read)}`);
        before = after;
      }
      await session.close();
      await store.close();
    },
  );
});
