// A stranger opens thousands of listings that expire late or never. A reorganisation of one block must cost what that
// block did, not what is open (P-90).

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { IndexWriter } from "../../src/adapters/store-sqlite/write/index-writer.ts";
import type { BlockHash, Tick } from "../../src/primitives/brands.ts";
import { numberedAddress, BASE } from "../../testkit/store-contract/chain-facts.ts";
import { ChainModel } from "../../testkit/store-contract/chain-model.ts";
import { CountingConnection } from "../../testkit/store-contract/counting-connection.ts";
import { sqliteStores } from "../sqlite-stores.ts";

const TICK = "MANY" as Tick;
const OWNER = numberedAddress(0);
const stores = sqliteStores();

describe("thousands of listings are open", () => {
  test("P-90: undoing a block reads and counts what is undone only, and keeps every count exact", async () => {
    const chain = new ChainModel(72);
    const crowded = chain.open(200);
    crowded.deploy(TICK, OWNER, OWNER, 10n ** 9n);
    for (let count = 0; count < 3000; count += 1) {
      const exp = count % 2 === 0 ? 1_000_000 + count : null;
      crowded.list(TICK, OWNER, OWNER, { amount: 1n, price: BigInt(1000 + count), exp });
    }
    crowded.list(TICK, OWNER, OWNER, { amount: 3n, price: 777n, exp: crowded.height });
    const kept = chain.close(crowded);
    const undone = chain.open(200);
    const [first = assert.fail(), second = assert.fail()] = undone.openListings();
    undone.end(first, "filled", OWNER, numberedAddress(1));
    undone.end(second, "cancelled", OWNER, OWNER);
    undone.list(TICK, OWNER, OWNER, { amount: 1n, price: 5n, exp: null });
    const gone = chain.close(undone);
    const never = await stores.open("never.db");
    await never.commitBase(BASE);
    await never.commit([kept], 10);
    const expected = await never.dump();
    const store = await stores.open("open.db");
    await store.commitBase(BASE);
    await store.commit([kept], 10);
    await store.commit([gone], 10);
    await store.close();
    const connection = new CountingConnection(stores.path("open.db"), false);
    const writer = new IndexWriter(connection);
    connection.statements.clear();
    connection.rows = 0;
    const newTip = { height: gone.height, hash: "1".repeat(64) as BlockHash };
    writer.rewind({ toHeight: kept.height, toHash: kept.hash, newTip });
    assert.ok(connection.rows < 60, `${connection.rows} rows were read`);
    assert.deepEqual(connection.scans(), []);
    const byExpiry = connection.plans().filter((line) => line.includes("listing_expiry"));
    assert.equal(byExpiry.length, 1);
    assert.match(byExpiry[0] ?? "", /exp>\? AND exp<\?/, "not up to the latest expiry");
    connection.close();
    const again = await stores.open("open.db");
    assert.deepEqual(await again.dump(), expected);
    assert.deepEqual(await again.audit(), []);
  });
});
