// Writes a snapshot of an index, also beside the service that writes it: SQLite copies one committed state. What belongs
// to this service and not to the chain is left out: swaps, the ids of events, and the seed of the address hash.

import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
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
import { CLOSED_TABLES } from "../../store-rows/closed-cells.ts";
import { storedTip } from "../block-rows.ts";
import { Connection, openPassingReader } from "../connection.ts";
import { assertReadable } from "../migrate.ts";
import { storedParameters } from "../parameters.ts";
import { removeDatabase } from "./index-contents.ts";
import { renewSeed } from "./make-own.ts";
import { manifestFile, manifestText, partFile, sha256Hex, type SnapshotManifest } from "./manifest.ts";

/** Bytes of the database in one part. */
const PART_BYTES = 16 * 1024 * 1024;
/** Tables that are emptied, with whatever their rows left in the pages of the file. */
const OWN_TABLES = [
  "swap_identity",
  "swap_fact",
  ...CLOSED_TABLES,
  "swap_checkpoint",
  "swap_event",
  "event_log",
];

/** What an export has written. */
export type Exported = Omit<SnapshotManifest, "format">;

/**
 * Writes the index of a database file into a folder, which is made where it is not there; a snapshot in it is replaced.
 * Needs room for one copy of the database beside the parts. @throws a sentence where there is no index.
 */
export function exportSnapshot(file: string, folder: string, partBytes = PART_BYTES): Exported {
  if (!existsSync(file)) throw new Error(`the database ${file} does not exist: check DATABASE_URL`);
  const copy = join(folder, "copy.db");
  mkdirSync(folder, { recursive: true });
  removeDatabase(copy);
  try {
    copyIndex(file, copy);
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

function copyIndex(file: string, copy: string): void {
  const reader = openPassingReader(file);
  try {
    assertReadable(reader, file);
    // A folder without a manifest is unfinished: what is written from here on must not look whole.
    rmSync(manifestFile(join(copy, "..")), { force: true });
    reader.run("VACUUM INTO ?", copy);
  } finally {
    reader.close();
  }
  const own = new Connection(new DatabaseSync(copy), "little");
  try {
    own.exec("PRAGMA secure_delete = ON");
    own.transaction(() => {
      for (const table of OWN_TABLES) own.run(`DELETE FROM ${table}`);
      own.run("DELETE FROM meta WHERE key NOT IN ('parameters', 'address_seed', 'last_event_id')");
      // This service goes on with its own.
      renewSeed(own);
    });
    own.exec("VACUUM");
  } finally {
    own.close();
  }
}

function describe(copy: string): Omit<Exported, "parts" | "partBytes" | "sha256"> {
  const database = new DatabaseSync(copy, { readOnly: true });
  const connection = new Connection(database);
  try {
    const [parameters, tip] = [storedParameters(connection), storedTip(connection)];
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
