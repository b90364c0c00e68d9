// A stranger fills thousands of dust listings within a day and everybody asks for the summary (H-33, H-11). The sum of
// a day has to be exact and must not read the fills.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AddressFinder } from "../../src/adapters/store-sqlite/address-ids.ts";
import { sqliteQueries } from "../../src/adapters/store-sqlite/read/queries.ts";
import type { BlockHash, Tick } from "../../src/primitives/brands.ts";
import type { BlockChanges } from "../../src/prc20/state.ts";
import { numberedAddress, BASE } from "../../testkit/store-contract/chain-facts.ts";
import { ChainModel } from "../../testkit/store-contract/chain-model.ts";
import { CountingConnection } from "../../testkit/store-contract/counting-connection.ts";
import { valueOf } from "../../testkit/store-contract/engine.ts";
import { NaiveIndex } from "../../testkit/store-contract/naive-index.ts";
import { sqliteStores } from "../sqlite-stores.ts";

const TICK = "DUST" as Tick;
const OWNER = numberedAddress(0);
const FILLS_PER_BLOCK = 250;
const stores = sqliteStores();

/** Two days in steps of some 194 s; a burst of listings is filled every few hours, times go back now and then. */
function busyChain(): BlockChanges[] {
  const chain = new ChainModel(71);
  const blocks: BlockChanges[] = [];
  const deployed = chain.open(194);
  deployed.deploy(TICK, OWNER, OWNER, 10n ** 9n);
  blocks.push(chain.close(deployed));
  for (let turn = 0; turn < 8; turn += 1) {
    const listed = chain.open(19_000);
    for (let count = 0; count < FILLS_PER_BLOCK; count += 1) {
      const price = BigInt(1000 + ((turn * 37 + count * 11) % 501));
      listed.list(TICK, OWNER, OWNER, { amount: BigInt(1 + (count % 7)), price, exp: null });
    }
    blocks.push(chain.close(listed));
    const filled = chain.open(turn % 2 === 0 ? 194 : -194);
    for (const listing of filled.openListings()) filled.end(listing, "filled", OWNER, numberedAddress(1));
    blocks.push(chain.close(filled));
  }
  return blocks;
}

describe("one token has thousands of fills a day", () => {
  test("H-33, H-11: its summary is exact and reads some rows per hour, none per fill; also after a reorganisation", async () => {
    const blocks = busyChain();
    const store = await stores.open("busy.db");
    await store.commitBase(BASE);
    for (const block of blocks) await store.commit([block], 100);
    const connection = new CountingConnection(stores.path("busy.db"));
    const queries = sqliteQueries(connection, new AddressFinder(connection));
    for (let height = blocks.length; height > blocks.length - 6; height -= 1) {
      const chain = blocks.slice(0, height);
      const tip = chain.at(-1) ?? assert.fail();
      if (height < blocks.length) {
        const newTip = { height: tip.height + 9, hash: "1".repeat(64) as BlockHash };
        await store.rewind({ toHeight: tip.height, toHash: tip.hash, newTip });
      }
      connection.rows = 0;
      const summary = await valueOf(queries.marketSummary(TICK));
      const rows = connection.rows;
      const fills = new NaiveIndex(chain).fillsOfLastDay(TICK);
      assert.ok(fills.length > 2 * FILLS_PER_BLOCK);
      assert.equal(summary.fills24h, fills.length);
      assert.equal(
        summary.volume24hSat,
        fills.reduce((sum, { priceSat }) => sum + priceSat, 0n),
      );
      assert.ok(rows < 40, `${rows} rows were read for ${fills.length} fills`);
    }
    assert.deepEqual(connection.scans(), []);
    assert.deepEqual(await store.audit(), []);
    connection.close();
  });
});
