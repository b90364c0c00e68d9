// Writes a snapshot of an index, also beside the service that writes it: SQLite copies one committed state. What belongs
// to this service and not to the chain is left out: swaps, the ids of events, and the seed of the address hash.

import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gzipSync } from "node:zlib";
import { storedTip } from "../block-rows.ts";
import { Connection, openPassingReader } from "../connection.ts";
import { makeFolder } from "../make-folder.ts";
import { assertReadable } from "../migrate.ts";
import { answered } from "../answered.ts";
import { storedParameters } from "../../store-rows/parameters.ts";
import { takeWriteLock } from "../write/write-lock.ts";
import { removeDatabase } from "./index-contents.ts";
import { removeOwn, renewSeed } from "./make-own.ts";
import { manifestFile, manifestText, partFile, sha256Hex, type SnapshotManifest } from "./manifest.ts";

/** Bytes of the database in one part. */
const PART_BYTES = 16 * 1024 * 1024;

/** What an export has written. */
export type Exported = Omit<SnapshotManifest, "format">;

/**
 * Writes the index of a database file into a folder, which is made where it is not there; a snapshot in it is replaced.
 * Needs room for two copies of the database in the folder; the first is gone before the parts are written. @throws a
 * sentence where there is no index, no folder can be made, or another export writes there.
 */
export function exportSnapshot(file: string, folder: string, partBytes = PART_BYTES): Exported {
  if (!existsSync(file)) throw new Error(`the database ${file} does not exist: check DATABASE_URL`);
  makeTarget(folder);
  const place = join(folder, "export");
  const lock = takeWriteLock(
    place,
    `another export writes into ${folder}: let it end, or choose another folder`,
  );
  try {
    return exportOwned(file, folder, partBytes);
  } finally {
    rmSync(`${place}.lock`, { force: true });
    lock.release();
  }
}

function makeTarget(folder: string): void {
  try {
    makeFolder(folder);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`the folder ${folder} cannot be made: ${reason}; give another one with --to`, { cause });
  }
}

/** The export, while nobody else writes into the folder. */
function exportOwned(file: string, folder: string, partBytes: number): Exported {
  const copy = join(folder, "copy.db");
  removeDatabase(copy);
  try {
    copyIndex(file, folder, copy);
    const described = describe(copy);
    const { parts, sha256 } = writeParts(copy, folder, described.bytes, partBytes);
    const exported = { ...described, sha256, partBytes, parts };
    const unfinished = `${manifestFile(folder)}.new`;
    writeFileSync(unfinished, manifestText(exported), { flush: true });
    renameSync(unfinished, manifestFile(folder));
    return exported;
  } finally {
    removeDatabase(copy);
  }
}

/**
 * Copies the rows of the index alone: all of one state first, which the service can then leave behind, and of that what
 * is to be published. A copy is compact, so nothing of what was emptied is in the second one.
 */
function copyIndex(file: string, folder: string, copy: string): void {
  const whole = join(folder, "whole.db");
  removeDatabase(whole);
  try {
    const reader = openPassingReader(file);
    try {
      assertReadable(reader, file);
      // A folder without a manifest is unfinished: what is written from here on must not look whole.
      rmSync(manifestFile(folder), { force: true });
      // A folder that others are shown holds all of this service until then: nobody else may read it.
      writeFileSync(whole, "", { mode: 0o600 });
      reader.run("VACUUM INTO ?", whole);
    } finally {
      reader.close();
    }
    copyPublished(whole, copy);
  } finally {
    removeDatabase(whole);
  }
}

/** Empties what belongs to this service in `whole`, which nobody needs afterwards, and copies the rest. */
function copyPublished(whole: string, copy: string): void {
  const own = new Connection(new DatabaseSync(whole), "little");
  try {
    own.transaction(() => {
      removeOwn(own);
      // This service goes on with its own.
      renewSeed(own);
    });
    // In place it would take a journal and a temporary file, each of the size of a copy, at a time.
    own.run("VACUUM INTO ?", copy);
  } finally {
    own.close();
  }
}

function describe(copy: string): Omit<Exported, "parts" | "partBytes" | "sha256"> {
  const database = new DatabaseSync(copy, { readOnly: true });
  const connection = new Connection(database);
  try {
    const [parameters, tip] = [answered(connection, storedParameters()), storedTip(connection)];
    if (parameters === null || tip === null) throw new Error("the database holds no block yet");
    const { height, hash, digest } = tip;
    return { parameters, height, hash, digest, bytes: statSync(copy).size };
  } finally {
    connection.close();
  }
}

function writeParts(
  copy: string,
  folder: string,
  bytes: number,
  partBytes: number,
): Pick<Exported, "parts" | "sha256"> {
  const whole = createHash("sha256");
  const parts: string[] = [];
  const source = openSync(copy, "r");
  try {
    for (let at = 0; at < bytes; at += partBytes) {
      const piece = Buffer.alloc(Math.min(partBytes, bytes - at));
      if (readSync(source, piece, 0, piece.length, at) !== piece.length)
        throw new Error(`${copy} has become shorter`);
      whole.update(piece);
      const packed = gzipSync(piece, { level: 6 });
      const target = openSync(partFile(folder, parts.length), "w");
      writeFileSync(target, packed);
      fsyncSync(target);
      closeSync(target);
      parts.push(sha256Hex(packed));
    }
  } finally {
    closeSync(source);
  }
  return { parts, sha256: whole.digest("hex") };
}
