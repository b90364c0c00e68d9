// Holds the byte-level steps that every part of the node shares: hex, hashes in display order, compact sizes and
// comparisons. Hashing is the runtime's own; nothing here knows about Pearl.
import { createHash } from "node:crypto";

/** Lower-case hex of `bytes`. */
export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
}

/** Bytes of a hex text of even length in either case, or null when it is anything else. */
export function fromHex(text: string): Uint8Array | null {
  if (text.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(text)) return null;
  return new Uint8Array(Buffer.from(text, "hex"));
}

/** Hash as people read it: the bytes reversed, in hex (txid, block hash). */
export function toDisplay(hash: Uint8Array): string {
  return toHex(hash.toReversed());
}

/** The 32 bytes behind a displayed hash; null when the text is not 64 hex digits. */
export function fromDisplay(text: string): Uint8Array | null {
  const bytes = fromHex(text);
  return bytes === null || bytes.length !== 32 ? null : bytes.toReversed();
}

/** SHA-256. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(createHash("sha256").update(bytes).digest());
}

/** SHA-256 of SHA-256: ids, block hashes, merkle nodes. */
export function hash256(bytes: Uint8Array): Uint8Array {
  return sha256(sha256(bytes));
}

/** One array holding all parts in order. */
export function concat(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

/** Whether two byte strings are the same. */
export function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && Buffer.compare(a, b) === 0;
}

/** Little-endian uint32. */
export function uint32(value: number): Uint8Array {
  const out = new Uint8Array(4);
  new DataView(out.buffer).setUint32(0, value >>> 0, true);
  return out;
}

/** Compact size ("varint") of a count below 2^32. */
export function compactSize(value: number): Uint8Array {
  if (value < 0xfd) return Uint8Array.of(value);
  if (value <= 0xffff) return Uint8Array.of(0xfd, value & 0xff, value >> 8);
  return concat([Uint8Array.of(0xfe), uint32(value)]);
}

/** Compact size at `offset`: its value and the offset after it; null when truncated, too long or above 2^32 − 1. */
export function readCompactSize(bytes: Uint8Array, offset: number): { value: number; next: number } | null {
  const first = bytes[offset];
  if (first === undefined || first === 0xff) return null;
  if (first < 0xfd) return { value: first, next: offset + 1 };
  const width = first === 0xfd ? 2 : 4;
  if (offset + 1 + width > bytes.length) return null;
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset + 1, width);
  const value = width === 2 ? view.getUint16(0, true) : view.getUint32(0, true);
  const shortest = width === 2 ? value >= 0xfd : value > 0xffff;
  return shortest ? { value, next: offset + 1 + width } : null;
}
