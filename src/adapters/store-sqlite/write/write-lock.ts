// The writer's lock of a database. It keeps a second process from writing the same index: an exclusive transaction on a
// side database, held as long as the writer lives, which the operating system releases even after SIGKILL.

import { readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** A held lock. */
export interface WriteLock {
  release(): void;
}

/**
 * Takes the writer's lock of a database file, which need not be there yet; its folder must be. Throws a sentence where
 * another writer holds it, also by another name of the file: `held`, where that says better what is held.
 */
export function takeWriteLock(file: string, held = inUse(file)): WriteLock {
  const database = new DatabaseSync(`${fileItself(file)}.lock`, { timeout: 0 });
  try {
    database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (error instanceof Error && /locked|busy/i.test(error.message)) {
      throw new Error(held, { cause: error });
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

function inUse(file: string): string {
  return (
    `The database ${file} is in use by another process (or twice in this one): ` +
    "stop that one first, or choose another DATABASE_URL."
  );
}

/**
 * The path without symbolic links, also where the last one points to nothing yet: all names of a file have one lock, or
 * two writers would each trust their own memory of it.
 */
function fileItself(path: string): string {
  try {
    return realpathSync(path);
  } catch (error) {
    if (!isCode(error, "ENOENT")) throw error;
  }
  let target: string;
  try {
    target = readlinkSync(path);
  } catch (error) {
    // No link, or nothing at all.
    if (!isCode(error, "EINVAL") && !isCode(error, "ENOENT")) throw error;
    return join(realpathSync(dirname(path)), basename(path));
  }
  return fileItself(resolve(dirname(path), target));
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
