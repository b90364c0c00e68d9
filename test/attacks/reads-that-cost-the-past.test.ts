// A client asks every list with every filter, early and late pages, and an index that grows for years must not make it
// dearer (H-11): no statement of a read goes through a whole table or index, and none hands over more than a page.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AddressFinder } from "../../src/adapters/store-sqlite/address-ids.ts";
import { sqliteQueries } from "../../src/adapters/store-sqlite/read/queries.ts";
import type { BlockHash, ListingId, Txid } from "../../src/primitives/brands.ts";
import type { Page, PageRequest } from "../../src/index/pages.ts";
import { LIFECYCLE_STATES } from "../../src/index/views.ts";
import { ADDRESSES, BASE, hash32, TICKS } from "../../testkit/store-contract/chain-facts.ts";
import { ChainModel } from "../../testkit/store-contract/chain-model.ts";
import { CountingConnection } from "../../testkit/store-contract/counting-connection.ts";
import { sqliteStores } from "../sqlite-stores.ts";

const stores = sqliteStores();
const LIMIT = 3;
/** A page, the row behind it and the facts that an answer needs beside its rows. */
const MOST_ROWS = 24;

/** First pages forward and back. */
async function pages<Row>(fetch: (page: PageRequest) => Promise<Page<Row> | null>): Promise<void> {
  const first = await fetch({ limit: LIMIT, start: null });
  if (first === null || first.next === null) return;
  const second = await fetch({ limit: LIMIT, start: { direction: "next", key: first.next } });
  if (second?.prev) await fetch({ limit: LIMIT, start: { direction: "prev", key: second.prev } });
}

describe("reads of an index with a past", () => {
  test("H-11: every read searches by an index and takes a page's rows", async () => {
    const model = new ChainModel(75);
    const blocks = model.many(120, { actions: 9 });
    const store = await stores.open("past.db");
    await store.commitBase(BASE);
    await store.commit(blocks, 100);
    const connection = new CountingConnection(stores.path("past.db"));
    const queries = sqliteQueries(connection, new AddressFinder(connection));
    const bounded = async (what: string, read: () => Promise<unknown>): Promise<void> => {
      connection.largest = 0;
      await read();
      assert.ok(connection.largest <= MOST_ROWS, `${what}: ${connection.largest} rows at once`);
      assert.deepEqual([...connection.scans(), ...connection.sorts()], [], what);
    };
    const [address = assert.fail(), other = assert.fail()] = ADDRESSES;
    await bounded("state", () => queries.state());
    await bounded("stats", () => queries.stats());
    for (const prefix of [null, "A"])
      await bounded("tokens", () => pages(async (page) => (await queries.tokens(prefix, page)).value));
    await bounded("balances", () => pages(async (page) => (await queries.balances(address, page)).value));
    for (const tick of [null, TICKS[0] ?? assert.fail()]) {
      await bounded("balancesOf", () =>
        pages(async (page) => (await queries.balancesOf([address, other], tick, page)).value),
      );
      await bounded("ledger", () => pages(async (page) => (await queries.ledger(address, tick, page)).value));
    }
    for (const state of [null, ...LIFECYCLE_STATES])
      await bounded("listings of an address", () =>
        pages(async (page) => (await queries.sellerListings(null, address, state, page)).value),
      );
    await bounded("blocks", () => pages(async (page) => (await queries.blocks(page)).value));
    await bounded("reorgs", () => pages(async (page) => (await queries.reorgs(page)).value));
    await bounded("block", () => queries.block(hash32("no block") as BlockHash));
    await bounded("markets", () => pages(async (page) => (await queries.markets(page)).value));
    for (const tick of TICKS) {
      await bounded("token", () => queries.token(tick));
      await bounded("summary", () => queries.marketSummary(tick));
      await bounded("market", () => pages(async (page) => (await queries.market(tick, page)).value));
      await bounded("holders", () =>
        pages(async (page) => (await queries.holders(tick, page)).value?.page ?? null),
      );
      for (const state of [null, ...LIFECYCLE_STATES]) {
        await bounded("history", () =>
          pages(async (page) => (await queries.marketHistory(tick, state, page)).value),
        );
        await bounded("seller", () =>
          pages(async (page) => (await queries.sellerListings(tick, address, state, page)).value),
        );
      }
      for (const interval of [3600, 14_400, 86_400])
        await bounded("candles", () =>
          pages(async (page) => (await queries.candles(tick, interval, page)).value),
        );
    }
    for (const op of [undefined, "mint", "send", "foo"])
      for (const valid of [undefined, true, false])
        for (const tick of [undefined, TICKS[0]])
          for (const who of [undefined, address]) {
            const filter = {
              ...(op === undefined ? {} : { op }),
              ...(valid === undefined ? {} : { valid }),
              ...(tick === undefined ? {} : { tick }),
              ...(who === undefined ? {} : { address: who }),
            };
            for (const height of [undefined, 40, BASE.height + 121]) {
              const asked = height === undefined ? filter : { ...filter, height };
              await bounded(`operations ${JSON.stringify(asked)}`, () =>
                pages(async (page) => (await queries.operations(asked, page)).value),
              );
            }
          }
    const listing = model.listings()[0] ?? assert.fail();
    await bounded("listing", () => queries.listing(listing.id satisfies ListingId));
    await bounded("operationsOf", () => queries.operationsOf(listing.createdTxid satisfies Txid, null));
    await bounded("digest", () => queries.digest(50));
    await bounded("events", async () => {
      await queries.eventGroups(0, LIMIT);
      await queries.eventGroupOf(7);
      await queries.eventBounds();
      await queries.eventsAfter(1);
    });
    assert.ok(connection.statements.size > 60, `${connection.statements.size} statements were looked at`);
    connection.close();
  });
});
