// A stranger makes thousands of listings by one transaction, and another one names them all. Each must be found by itself,
// without going through its neighbours: what a block costs is what it names, and not that squared (H-11).

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AddressFinder } from "../../src/adapters/store-sqlite/address-ids.ts";
import { BalanceFilter } from "../../src/adapters/store-sqlite/read/balance-filter.ts";
import { answered } from "../../src/adapters/store-sqlite/answered.ts";
import { listingPlace } from "../../src/adapters/store-rows/market-reads.ts";
import { loadState } from "../../src/adapters/store-sqlite/read/load-state.ts";
import { sqliteQueries } from "../../src/adapters/store-sqlite/read/queries.ts";
import type { Tick } from "../../src/primitives/brands.ts";
import { BASE, numberedAddress } from "../../testkit/store-contract/chain-facts.ts";
import { ChainModel } from "../../testkit/store-contract/chain-model.ts";
import { CountingConnection } from "../../testkit/store-contract/counting-connection.ts";
import { sqliteStores } from "../sqlite-stores.ts";

const TICK = "MANY" as Tick;
const OWNER = numberedAddress(0);
const stores = sqliteStores();

describe("thousands of listings are of one transaction", () => {
  test("H-11: a listing is found by its transaction and its output at once, by its id and by its anchor", async () => {
    const chain = new ChainModel(73);
    const block = chain.open(200);
    block.deploy(TICK, OWNER, OWNER, 10n);
    block.list(TICK, OWNER, OWNER, { amount: 1n, price: 1000n, exp: null });
    const [listing = assert.fail()] = block.openListings();
    const store = await stores.open("one-transaction.db");
    await store.commitBase(BASE);
    await store.commit([chain.close(block)], 10);
    const connection = new CountingConnection(stores.path("one-transaction.db"));
    const finder = new AddressFinder(connection);
    const none = { tokens: [], balances: [], listings: [], anchors: [] };
    for (const keys of [
      { ...none, listings: [listing.id] },
      { ...none, anchors: [listing.anchor] },
    ])
      assert.equal(loadState(connection, finder, new BalanceFilter(), keys).listings[0]?.id, listing.id);
    assert.equal(answered(connection, listingPlace(listing.id)), listing.createdPlace);
    assert.ok((await sqliteQueries(connection, finder).listing(listing.id)).value !== null);
    const looks = connection.plans().filter((line) => /^SEARCH listing .*substr\(listing\.txid/s.test(line));
    assert.equal(looks.length, 3);
    for (const look of looks) assert.match(look, /^SEARCH listing USING INDEX \w+ \(<expr>=\? AND vout=\?\)/);
    connection.close();
  });
});
