// The writer's lock of a database. It keeps a second process from writing the same index: an exclusive transaction on a
// side database, held as long as the writer lives, which the operating system releases even after SIGKILL.

import { DatabaseSync } from "node:sqlite";

/** A held lock. */
export interface WriteLock {
  release(): void;
}

/**
 * Takes the writer's lock of a database file, which need not be there yet; its folder must be. Throws a sentence where
 * another writer holds it.
 */
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
