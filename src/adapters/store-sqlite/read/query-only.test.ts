// A reader beside the store sees what the store sees, also after the index began anew with other address ids.

import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ADDRESSES, BASE } from "../../../../testkit/store-contract/chain-facts.ts";
import { ChainModel } from "../../../../testkit/store-contract/chain-model.ts";
import type { IndexQueries } from "../../../index/queries.ts";
import { openSqliteStore } from "../sqlite-store.ts";
import { openReadOnlyIndex } from "./query-only.ts";

const FIRST = { limit: 100, start: null };

async function answers(queries: IndexQueries): Promise<unknown[]> {
  const histories = ADDRESSES.map((address) => queries.operations({ address }, FIRST));
  const balances = ADDRESSES.map((address) => queries.balances(address, FIRST));
  return Promise.all([queries.state(), queries.operations({}, FIRST), ...histories, ...balances]);
}

test("a reader of its own follows commits and a wipe", async (context) => {
  const folder = await mkdtemp(join(tmpdir(), "strand-reader-"));
  const file = join(folder, "index.db");
  const store = await openSqliteStore({ file });
  await store.commitBase(BASE);
  const reader = openReadOnlyIndex(file);
  context.after(async () => {
    reader.close();
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  const same = async (): Promise<void> => {
    assert.deepEqual(await answers(reader.queries), await answers(store.queries));
  };
  for (const seed of [91, 92, 93]) {
    for (const block of new ChainModel(seed).many(6, { actions: 8 })) {
      await store.commit([block], 100);
      await same();
    }
    await store.wipe();
    await store.commitBase(BASE);
  }
  assert.equal((await reader.queries.state()).height, BASE.height);
});
