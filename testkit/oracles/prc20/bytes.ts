// Turns text and numbers into bytes and hashes for the reference, with plain node:crypto and Buffer. Nothing here knows
// about tokens.
import { createHash } from "node:crypto";

/** SHA-256 of the given pieces, one after the other; 32 bytes. */
export function sha256(...pieces: Uint8Array[]): Buffer {
  const hash = createHash("sha256");
  for (const piece of pieces) hash.update(piece);
  return hash.digest();
}

/** LP(x) of P-80: the length of x as 4 bytes big-endian, then x. Text is UTF-8. */
export function lengthPrefixed(x: string | Uint8Array): Buffer {
  const bytes = typeof x === "string" ? Buffer.from(x, "utf8") : Buffer.from(x);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** Lower-case hex of the bytes. */
export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

/** The bytes of a 64-digit hash as it is displayed (P-80: "32 bytes as displayed"). Throws on other text. */
export function displayedHash(hex: string): Buffer {
  if (!/^[0-9a-f]{64}$/.test(hex)) throw new Error(`not a displayed hash: ${hex}`);
  return Buffer.from(hex, "hex");
}
