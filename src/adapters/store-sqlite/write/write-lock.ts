// Keeps a second process from writing the same index. The lock is an exclusive transaction on a side database, held as
// long as the writer lives: the operating system releases it even after SIGKILL.

import { DatabaseSync } from "node:sqlite";

/** A held lock. */
export interface WriteLock {
  release(): void;
}

/** Takes the writer's lock of a database file; throws a sentence where another writer holds it. */
export function takeWriteLock(file: string): WriteLock {
  const database = new DatabaseSync(`${file}.lock`, { timeout: 0 });
  try {
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (error instanceof Error && /locked|busy/i.test(error.message)) {
      throw new Error(
        `The database ${file} is in use by another process (or twice in this one): ` +
          "stop that one first, or choose another DATABASE_URL.",
        { cause: error },
      );
    }
    throw error;
  }
  return {
    release: () => {
      if (database.isTransaction) database.exec("ROLLBACK");
      database.close();
    },
  };
}
