// Puts a database together from the parts of a snapshot. Each part is checked before it is unpacked, the whole when it
// is there. A run that was ended goes on with the part at which it stood. Nothing here says that the rows are right.

import { createHash } from "node:crypto";
import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gunzipSync } from "node:zlib";
import { Connection } from "../connection.ts";
import { makeFolder } from "../make-folder.ts";
import { assertReadable } from "../migrate.ts";
import { schemaDifferences } from "../schema-differences.ts";
import { removeBeside } from "./index-contents.ts";
import { partFile, sha256Hex, type SnapshotManifest } from "./manifest.ts";

/**
 * Makes `file` of a snapshot. `onPart` hears how many parts are there. @throws a sentence where a part is missing or
 * damaged: what was written before stays, and the next call goes on behind it.
 */
export function assembleSnapshot(
  folder: string,
  manifest: SnapshotManifest,
  file: string,
  onPart: (parts: number) => void = () => undefined,
): void {
  makeFolder(dirname(file));
  // A run that ended later on, when the database was whole and in use, has left a log of changes that belongs to it alone.
  removeBeside(file);
  if (assembled(folder, manifest, file, onPart)) return;
  // An earlier run has changed its file, or was given another snapshot: nothing of it is taken over.
  if (assembled(folder, manifest, file, onPart)) return;
  throw new Error(`${folder}: the parts together are not the database of the manifest; fetch them again`);
}

/** Puts the missing parts behind what is there; empties the file and returns false where that is not the database. */
function assembled(
  folder: string,
  manifest: SnapshotManifest,
  file: string,
  onPart: (parts: number) => void,
): boolean {
  const { partBytes } = manifest;
  const target = openSync(file, existsSync(file) ? "r+" : "w+");
  try {
    const whole = Math.floor(statSync(file).size / partBytes);
    const first = Math.min(whole, manifest.parts.length);
    for (const [part, sha256] of manifest.parts.entries()) {
      if (part < first) continue;
      const piece = unpacked(partFile(folder, part), sha256, partBytes);
      if (piece.length !== Math.min(partBytes, manifest.bytes - part * partBytes))
        throw new Error(`${partFile(folder, part)} has another length than the manifest says`);
      for (let at = 0; at < piece.length; )
        at += writeSync(target, piece, at, piece.length - at, part * partBytes + at);
      fsyncSync(target);
      onPart(part + 1);
    }
    ftruncateSync(target, manifest.bytes);
    const isRight = fileHash(target, manifest.bytes) === manifest.sha256;
    if (!isRight) ftruncateSync(target, 0);
    fsyncSync(target);
    return isRight;
  } finally {
    closeSync(target);
  }
}

/**
 * Opens what was assembled, to be checked. Its schema came with it: what that brings besides this program's tables would
 * run within the writes of the service. @throws a sentence where the schema is of another version, or not this program's.
 */
export function openAssembled(file: string): Connection {
  const connection = new Connection(new DatabaseSync(file), "little");
  try {
    // Until it was looked at, nothing that stands in the schema may call a function with effects.
    connection.exec("PRAGMA trusted_schema = OFF");
    assertReadable(connection, file);
    const [difference] = schemaDifferences(connection);
    if (difference !== undefined)
      throw new Error(`the snapshot is wrong: ${difference} Take another one, from somebody else.`);
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

function unpacked(file: string, sha256: string, partBytes: number): Buffer {
  if (!existsSync(file)) throw new Error(`${file} is missing: fetch it, then import again`);
  const packed = readFileSync(file);
  if (sha256Hex(packed) !== sha256) throw new Error(`${file} is damaged: fetch it again, then import again`);
  return gunzipSync(packed, { maxOutputLength: partBytes });
}

function fileHash(target: number, bytes: number): string {
  const hash = createHash("sha256");
  const piece = Buffer.alloc(1024 * 1024);
  for (let at = 0; at < bytes; ) {
    const count = readSync(target, piece, 0, piece.length, at);
    if (count === 0) break;
    hash.update(piece.subarray(0, count));
    at += count;
  }
  return hash.digest("hex");
}
