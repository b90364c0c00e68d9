// What a snapshot is: a folder with the database of an index at one height, cut into compressed parts, and a manifest
// with the checksum of each part and of the whole. The manifest is written last: a folder without one is unfinished.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { StoredParameters } from "../../../index/ports.ts";

const FORMAT = "strand-snapshot/1";
const FILE = "manifest.json";
/** A part is unpacked in memory. */
const MOST_PART_BYTES = 256 * 1024 * 1024;
const HASH = /^[0-9a-f]{64}$/;

/** A snapshot's table of contents. Hashes are lower-case hex, of SHA-256. */
export interface SnapshotManifest {
  readonly format: typeof FORMAT;
  /** The parameters that the index was built with (P-01). */
  readonly parameters: StoredParameters;
  /** The last indexed block, and D(height) (P-80). */
  readonly height: number;
  readonly hash: string;
  readonly digest: string;
  /** Size of the database in bytes, and its hash. */
  readonly bytes: number;
  readonly sha256: string;
  /** Bytes of the database in one part; the last one may be shorter. */
  readonly partBytes: number;
  /** Hash of each compressed part in order. */
  readonly parts: readonly string[];
}

/** The file of a part, counted from 0. */
export function partFile(folder: string, part: number): string {
  return join(folder, `part-${String(part + 1).padStart(5, "0")}.gz`);
}

/** The file of the manifest. */
export function manifestFile(folder: string): string {
  return join(folder, FILE);
}

/** The manifest's text. */
export function manifestText(manifest: Omit<SnapshotManifest, "format">): string {
  return `${JSON.stringify({ format: FORMAT, ...manifest }, null, 1)}\n`;
}

/** SHA-256 in hex. */
export function sha256Hex(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Reads the manifest of a folder. @throws a sentence where there is none, or it is not one of ours. */
export function readManifest(folder: string): SnapshotManifest {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(manifestFile(folder), "utf8"));
  } catch (cause) {
    throw new Error(`${folder} holds no whole snapshot: its ${FILE} cannot be read`, { cause });
  }
  if (!isManifest(value))
    throw new Error(`${folder} holds no snapshot that this version can read: ${FILE} has another form`);
  return value;
}

function isManifest(value: unknown): value is SnapshotManifest {
  if (typeof value !== "object" || value === null) return false;
  const {
    format,
    parameters,
    height,
    hash,
    digest,
    bytes,
    sha256,
    partBytes,
    parts,
  }: Partial<Record<string, unknown>> = {
    ...value,
  };
  return (
    format === FORMAT &&
    typeof parameters === "object" &&
    parameters !== null &&
    Number.isSafeInteger(height) &&
    Number.isSafeInteger(bytes) &&
    [hash, digest, sha256].every(isHash) &&
    Array.isArray(parts) &&
    parts.every(isHash) &&
    Number.isSafeInteger(partBytes) &&
    Number(partBytes) > 0 &&
    Number(partBytes) <= MOST_PART_BYTES &&
    parts.length === Math.ceil(Number(bytes) / Number(partBytes))
  );
}

function isHash(value: unknown): boolean {
  return typeof value === "string" && HASH.test(value);
}
