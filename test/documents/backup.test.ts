// The command that docs/operations.md gives for a copy of a SQLite database makes a whole one beside a service that goes on
// writing. SQLite's `.backup`, which begins again after every write of another process, is none that ends.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { openSqliteStore } from "../../src/adapters/store-sqlite/sqlite-store.ts";
import { elementAt } from "../../src/primitives/elements.ts";
import { fact, IDENTITY, keys, swapTransaction } from "../../testkit/store-contract/swap-drafts.ts";
import { readDocument } from "./documents.ts";

const folder = mkdtempSync(join(tmpdir(), "strand-copy-"));
after(() => rmSync(folder, { recursive: true, force: true }));

/** The one statement that is given to sqlite3, and the file that it makes. */
function copying(): { readonly statement: string; readonly copy: string } {
  const found = [...readDocument("docs/operations.md").text.matchAll(/^sqlite3 data\/mainnet\.db "(.+)"$/gm)];
  assert.equal(found.length, 1);
  const statement = elementAt(elementAt(found, 0), 1);
  return { statement, copy: elementAt(/'(.+)'/.exec(statement) ?? [], 1) };
}

test("the documented copy is made while the service writes, and holds one state of it", async () => {
  const file = join(folder, "index.db");
  const store = await openSqliteStore({ file });
  await store.swaps.initialise(IDENTITY);
  await store.swaps.commit(swapTransaction({ put: [fact("ask", "before", null, null)] }));
  const writes = Promise.all(
    Array.from({ length: 200 }, (_, i) =>
      store.swaps.commit(swapTransaction({ put: [fact("ask", `later ${i}`, null, null)] })),
    ),
  );
  const { statement, copy } = copying();
  const beside = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
  beside.exec(statement.replace(copy, join(folder, copy)));
  beside.close();
  await writes;
  const expected = await keys(store.swaps);
  await store.close();
  const copied = await openSqliteStore({ file: join(folder, copy) });
  try {
    await assert.rejects(copied.swaps.initialise({ ...IDENTITY, chainId: 1 }), /not of/);
    const found = await keys(copied.swaps);
    assert.deepEqual(found, expected.slice(0, found.length));
    assert.ok(found.length > 0);
  } finally {
    await copied.close();
  }
});
