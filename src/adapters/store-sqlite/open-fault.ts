// Says why a database file could not be opened: SQLite's "unable to open database file" names neither the file nor the
// reason. The file system is asked afterwards.

import { constants } from "node:fs";
import { access, stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";

/** The reason and the advice, or null where the file system knows none. */
interface Fault {
  readonly reason: string;
  readonly advice: string;
}

const FAULTS = {
  missing: { reason: "its folder does not exist", advice: "create the folder" },
  noFolder: { reason: "a file stands where its folder should be", advice: "choose another path" },
  directory: { reason: "it is a directory", advice: "give the path of a file in it" },
  forbidden: {
    reason: "this user may not write there",
    advice: "give the file and its folder to the user that runs strand",
  },
  readOnly: { reason: "the file system is read-only", advice: "mount it for writing or choose another path" },
  full: { reason: "the disk is full", advice: "free some space" },
  damaged: {
    reason: "it is damaged, or no SQLite database",
    advice: "choose another path, or restore the file from a backup",
  },
} as const satisfies Record<string, Fault>;

/** Endings of the files beside a database. */
const BESIDE = [".lock", "-wal", "-shm"];

const BY_CODE: Readonly<Record<string, Fault>> = {
  EACCES: FAULTS.forbidden,
  EPERM: FAULTS.forbidden,
  EROFS: FAULTS.readOnly,
  ENOENT: FAULTS.missing,
  ENOTDIR: FAULTS.noFolder,
  EEXIST: FAULTS.noFolder,
  EISDIR: FAULTS.directory,
  ENOSPC: FAULTS.full,
  EDQUOT: FAULTS.full,
};

/** SQLite's words for a file whose pages are not what they must be. */
const DAMAGED = /database disk image is malformed|malformed database schema|file is not a database/i;

/** Whether SQLite has come upon damage in the file: whatever else it answers from it may be wrong. */
export function isDamage(error: unknown): boolean {
  return error instanceof Error && DAMAGED.test(error.message);
}

/** SQLite's words for a file that takes no writes now: a disk that is full or gone, another program that writes. */
const WRITES_NOTHING = /disk is full|readonly database|database is locked|disk I\/O error/i;

/** Whether a write failed because the file takes none now, and may pass later. */
export function isPassing(error: unknown): boolean {
  return error instanceof Error && WRITES_NOTHING.test(error.message);
}

/** A database that was open turned out to be damaged; the message names the file and says what to do. */
export class DatabaseDamaged extends Error {
  override readonly name = "DatabaseDamaged";

  constructor(file: string, cause: Error) {
    super(
      `the database ${file} is damaged (${cause.message}): put a copy in its place, or remove it to build the index anew ` +
        "(docs/operations.md, Backups)",
      { cause },
    );
  }
}

/** The message names the file, the reason and what to do. */
class DatabaseUnopenable extends Error {
  override readonly name = "DatabaseUnopenable";
}

/** What keeps this user from using a file, or null; a file that does not exist keeps nobody. */
type FileLook = (path: string) => Promise<Fault | null>;

/** The failure of an opening with its reason, or as it was where the file system does not explain it. */
export async function explained(file: string, error: unknown, look: FileLook = fileFault): Promise<unknown> {
  const fault = await faultOf(file, error, look);
  if (fault === null) return error;
  // Without the cause: it says the same in fewer words, and would be repeated behind this sentence.
  return new DatabaseUnopenable(
    `${file}: ${fault.reason}; ${fault.advice}, or set DATABASE_URL to another file`,
  );
}

async function faultOf(file: string, error: unknown, look: FileLook): Promise<Fault | null> {
  const message = error instanceof Error ? error.message : String(error);
  const known = BY_CODE[codeOf(error)];
  if (known !== undefined) return known;
  if (/disk is full/i.test(message)) return FAULTS.full;
  if (isDamage(error)) return FAULTS.damaged;
  if (!/unable to open|readonly|read-only|disk I\/O/i.test(message)) return null;
  const folder = dirname(file);
  const found = (await accessFault(folder)) ?? (await look(file));
  if (found !== null) return found;
  if (await isFull(folder)) return FAULTS.full;
  // The writer's lock and SQLite's own files stand beside the database.
  for (const other of BESIDE) {
    const fault = await look(`${file}${other}`);
    if (fault !== null) return { reason: `of ${file}${other}, ${fault.reason}`, advice: adviceBeside(fault) };
  }
  return { reason: message, advice: "check the path, its owner and the disk" };
}

/**
 * What to do about a file beside the database. None of them is to be removed: the write-ahead log holds what was
 * committed last, and without it the database may be damaged.
 */
function adviceBeside(fault: Fault): string {
  if (fault.reason === FAULTS.directory.reason) return "move that directory away";
  if (fault.reason !== FAULTS.forbidden.reason) return fault.advice;
  return (
    "give all files of the database to the user that runs strand, and remove none of them: " +
    "the one that ends in -wal holds what was committed last"
  );
}

async function accessFault(path: string): Promise<Fault | null> {
  try {
    await access(path, constants.R_OK | constants.W_OK);
    return null;
  } catch (error) {
    return BY_CODE[codeOf(error)] ?? null;
  }
}

/** Of the file itself; one that does not exist is no fault. */
async function fileFault(file: string): Promise<Fault | null> {
  try {
    if ((await stat(file)).isDirectory()) return FAULTS.directory;
  } catch (error) {
    return codeOf(error) === "ENOENT" ? null : (BY_CODE[codeOf(error)] ?? null);
  }
  return accessFault(file);
}

async function isFull(folder: string): Promise<boolean> {
  try {
    return (await statfs(folder)).bavail === 0;
  } catch {
    return false;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
}
