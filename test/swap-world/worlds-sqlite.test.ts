// The same worlds with the facts in SQLite: restarts and crashes at commits go through the real tables.

import { test } from "node:test";
import { openSqliteStore } from "../../src/adapters/store-sqlite/sqlite-store.ts";
import { runWorld } from "../../testkit/worlds/swap-world/run.ts";

for (const seed of [1000, 1001, 1002, 1003]) {
  test(`S-50, S-54: world ${seed} over SQLite`, async () => {
    const store = await openSqliteStore({ file: ":memory:" });
    try {
      await runWorld(seed, { store: store.swaps });
    } finally {
      await store.close();
    }
  });
}
