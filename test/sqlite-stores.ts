// Keeps several databases for tests of the SQLite engine in one folder that goes with the test file. What they opened
// is closed then, also where a test has failed in between.

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before } from "node:test";
import { openSqliteStore, type SqliteStoreOptions } from "../src/adapters/store-sqlite/sqlite-store.ts";
import type { IndexStore } from "../src/index/ports.ts";

/** Databases by name. */
export interface SqliteStores {
  open(name: string, options?: Omit<SqliteStoreOptions, "file">): Promise<IndexStore>;
  /** The file of a database; only while tests run. */
  path(name: string): string;
}

/** Registers the hooks of the calling test file. */
export function sqliteStores(): SqliteStores {
  let folder = "";
  const opened: IndexStore[] = [];
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "strand-stores-"));
  });
  after(async () => {
    await Promise.all(opened.map((store) => store.close()));
    await rm(folder, { recursive: true, force: true });
  });
  const path = (name: string): string => join(folder, name);
  return {
    path,
    open: async (name, options = {}) => {
      const store = await openSqliteStore({ file: path(name), ...options });
      opened.push(store);
      return store;
    },
  };
}
