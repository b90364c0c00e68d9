// The database files of the simulation: in memory where the machine has such a place, and made once, because migrations
// take longer than many a story.

import { copyFileSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteStore } from "../../../src/adapters/store-sqlite/sqlite-store.ts";
import { Gate } from "./gate.ts";
import { MortalWriter } from "./mortal-writer.ts";

/** Files that this process has named. */
let files = 0;

/** A path that no other story has. */
export function newDatabaseFile(): string {
  files += 1;
  return join(folder(), `${process.pid}-${files}.db`);
}

/** An empty database with its schema. */
let emptyDatabase: Promise<string> | null = null;

/** Copies it to this path. */
export async function layEmptyDatabase(file: string): Promise<void> {
  emptyDatabase ??= makeEmptyDatabase();
  copyFileSync(await emptyDatabase, file);
}

async function makeEmptyDatabase(): Promise<string> {
  const file = join(folder(), `${process.pid}-empty.db`);
  const store = await openSqliteStore({
    file,
    memory: "little",
    openWriter: async (start) => new MortalWriter(start, new Gate(), () => undefined),
  });
  await store.close();
  process.once("exit", () => rmSync(file, { force: true }));
  return file;
}

/** In memory where the machine has such a place: nothing has to outlive the process. */
function folder(): string {
  const path = join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "strand-simulation");
  mkdirSync(path, { recursive: true });
  return path;
}
