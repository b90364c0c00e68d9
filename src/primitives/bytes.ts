// Small things about byte arrays that the pure folders share: joining, comparing, little-endian numbers and
// Bitcoin's variable-length integer.

/** One array with the parts in order. */
export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const joined = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** True where both have the same length and content. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && equalRange(a, 0, b, 0, a.length);
}

/** True where `a[aAt, aAt + length)` equals `b[bAt, bAt + length)`; false where a range leaves its array. */
export function equalRange(a: Uint8Array, aAt: number, b: Uint8Array, bAt: number, length: number): boolean {
  if (aAt + length > a.length || bAt + length > b.length) return false;
  for (let i = 0; i < length; i += 1) if (a[aAt + i] !== b[bAt + i]) return false;
  return true;
}

/** Little-endian uint32 at `at`; bytes beyond the end count as zero. */
export function readUint32(bytes: Uint8Array, at: number): number {
  const low = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16);
  return (low | ((bytes[at + 3] ?? 0) << 24)) >>> 0;
}

/** Little-endian uint64 at `at`; bytes beyond the end count as zero. */
export function readUint64(bytes: Uint8Array, at: number): bigint {
  return (BigInt(readUint32(bytes, at + 4)) << 32n) | BigInt(readUint32(bytes, at));
}

/** The four bytes of a uint32, little-endian. */
export function uint32Bytes(value: number): Uint8Array {
  return Uint8Array.of(value & 0xff, (value >>> 8) & 0xff, (value >>> 16) & 0xff, (value >>> 24) & 0xff);
}

/** The eight bytes of a uint64, little-endian; `value` is 0 to 2^64 - 1. */
export function uint64Bytes(value: bigint): Uint8Array {
  const low = Number(value & 0xffff_ffffn);
  const high = Number((value >> 32n) & 0xffff_ffffn);
  return concatBytes(uint32Bytes(low), uint32Bytes(high));
}

/** The shortest variable-length integer for `value`, an integer from 0 to 2^32 - 1. */
export function varintBytes(value: number): Uint8Array {
  if (value < 0xfd) return Uint8Array.of(value);
  if (value <= 0xffff) return Uint8Array.of(0xfd, value & 0xff, value >>> 8);
  return concatBytes(Uint8Array.of(0xfe), uint32Bytes(value));
}
