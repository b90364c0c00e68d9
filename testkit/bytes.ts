// The byte-level steps that everything made for tests shares: hex, hashes, compact sizes, pushes of a script. Hashing is
// the runtime's own, and nothing of src/ is used, so that what checks the service is not made of it.

import { hash as digestOf } from "node:crypto";

/** Lower-case hex of `bytes`. */
export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex");
}

/** Bytes of a hex text of even length in either case, or null when it is anything else. */
export function fromHex(text: string): Uint8Array | null {
  if (text.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(text)) return null;
  return new Uint8Array(Buffer.from(text, "hex"));
}

/** Bytes of a hex text with or without 0x. @throws RangeError where it is none: a bug of the test. */
export function bytesOf(hex: string): Uint8Array {
  const bytes = fromHex(hex.replace(/^0x/, ""));
  if (bytes === null) throw new RangeError(`not hex: ${hex}`);
  return bytes;
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

/** SHA-256 of the pieces, one after the other. */
export function sha256(...pieces: readonly Uint8Array[]): Uint8Array {
  const [only, ...others] = pieces;
  const whole = only !== undefined && others.length === 0 ? only : Buffer.concat(pieces);
  return new Uint8Array(digestOf("sha256", whole, "buffer"));
}

/** SHA-256 of SHA-256: ids, block hashes, merkle nodes. */
export function hash256(bytes: Uint8Array): Uint8Array {
  return sha256(sha256(bytes));
}

/** One array holding all parts in order. */
export function concat(...parts: readonly (Uint8Array | readonly number[])[]): Uint8Array {
  const arrays = parts.map((part) => (part instanceof Uint8Array ? part : Uint8Array.from(part)));
  return new Uint8Array(Buffer.concat(arrays));
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
  return concat([0xfe], uint32(value));
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

/** The ways to push bytes: the shortest possible form, or a longer one that consensus allows unexecuted. */
export type PushForm = "shortest" | "pushdata1" | "pushdata2" | "pushdata4";

/** A push of up to 65,535 bytes. An empty one is never OP_0, which begins the body of an envelope (P-12). */
export function push(content: Uint8Array | string, form: PushForm = "shortest"): Uint8Array {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  const { length } = bytes;
  if (form === "pushdata4") return concat([0x4e], uint32(length), bytes);
  if (form === "pushdata2" || length > 255) return concat([0x4d, length & 0xff, length >>> 8], bytes);
  if (form === "pushdata1" || length > 75 || length === 0) return concat([0x4c, length], bytes);
  return concat([length], bytes);
}
