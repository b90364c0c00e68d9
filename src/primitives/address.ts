// Reads the texts that are addresses (P-22), and makes the address that belongs to an output key (P-15). Bech32m
// (BIP350) for witness version 1 with a 32-byte program only: everything else is no address here.

import type { PearlAddress } from "./brands.ts";
import { bytesToHex, hexToBytes } from "./hex.ts";

const CHARSET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
/** Final checksum constant of BIP350. */
const BECH32M = 0x2bc830a3;
/** Version character, 52 characters for 256 bits, 6 checksum characters. */
const DATA_LENGTH = 1 + 52 + 6;

/** What stands for a value where a character is none of the 32. */
const NO_VALUE = 0xff;
/** Five-bit value of a lower-case character code. */
const VALUE = new Uint8Array(128).fill(NO_VALUE);
/** Character code of a five-bit value. */
const CODE = new Uint8Array(32);
/** What the five bits that leave the checksum register feed back into it. */
const FEEDBACK = new Int32Array(32);

for (let value = 0; value < 32; value += 1) {
  const code = CHARSET.charCodeAt(value);
  VALUE[code] = value;
  CODE[value] = code;
  let feedback = 0;
  if (value & 1) feedback ^= 0x3b6a57b2;
  if (value & 2) feedback ^= 0x26508e6d;
  if (value & 4) feedback ^= 0x1ea119fa;
  if (value & 8) feedback ^= 0x3d4233dd;
  if (value & 16) feedback ^= 0x2a1462b3;
  FEEDBACK[value] = feedback;
}

function step(checksum: number, value: number): number {
  return ((checksum & 0x1ffffff) << 5) ^ value ^ (FEEDBACK[checksum >>> 25] ?? 0);
}

/** Checksum register after the human-readable part. */
function startChecksum(hrp: string): number {
  let checksum = 1;
  for (let i = 0; i < hrp.length; i += 1) checksum = step(checksum, hrp.charCodeAt(i) >> 5);
  checksum = step(checksum, 0);
  for (let i = 0; i < hrp.length; i += 1) checksum = step(checksum, hrp.charCodeAt(i) & 31);
  return checksum;
}

/**
 * The address that the text writes for the network's prefix, in lower case, or null (P-22): bech32m, witness
 * version 1, 32-byte program, padding bits zero, all lower or all upper case.
 */
export function parseAddress(text: string, hrp: string): PearlAddress | null {
  if (text.length !== hrp.length + 1 + DATA_LENGTH) return null;
  const lower = text.toLowerCase();
  // Compared through the lower-case form: a Kelvin sign lowers to a plain k, but no plain k rises to it.
  if (text !== lower && text !== lower.toUpperCase()) return null;
  if (!lower.startsWith(hrp) || lower.charCodeAt(hrp.length) !== 0x31) return null;
  const dataStart = hrp.length + 1;
  let checksum = startChecksum(hrp);
  for (let i = dataStart; i < lower.length; i += 1) {
    const value = VALUE[lower.charCodeAt(i)] ?? NO_VALUE;
    if (value === NO_VALUE) return null;
    checksum = step(checksum, value);
  }
  if (checksum !== BECH32M) return null;
  if (lower.charCodeAt(dataStart) !== CODE[1]) return null;
  // 52 characters hold 260 bits; the last four are padding and must be zero (BIP173).
  const lastData = VALUE[lower.charCodeAt(dataStart + 52)] ?? NO_VALUE;
  return (lastData & 15) === 0 ? (lower as PearlAddress) : null;
}

/**
 * The Taproot address of an output key (P-15). `keyHex`: 64 hex digits.
 * @throws RangeError where the text is not 64 hex digits (a bug of the caller).
 */
export function addressOfKey(keyHex: string, hrp: string): PearlAddress {
  const key = hexToBytes(keyHex);
  if (key === null || key.length !== 32) throw new RangeError("an output key has 64 hex digits");
  const codes = Array<number>(DATA_LENGTH);
  let checksum = step(startChecksum(hrp), 1);
  codes[0] = CODE[1] ?? 0;
  let at = 1;
  let held = 0;
  let heldBits = 0;
  for (let i = 0; i < 32; i += 1) {
    held = ((held << 8) | (key[i] ?? 0)) & 0xfff;
    heldBits += 8;
    while (heldBits >= 5) {
      heldBits -= 5;
      const value = (held >>> heldBits) & 31;
      checksum = step(checksum, value);
      codes[at] = CODE[value] ?? 0;
      at += 1;
    }
  }
  const last = (held << (5 - heldBits)) & 31;
  checksum = step(checksum, last);
  codes[at] = CODE[last] ?? 0;
  for (let i = 0; i < 6; i += 1) checksum = step(checksum, 0);
  checksum ^= BECH32M;
  for (let i = 0; i < 6; i += 1) codes[at + 1 + i] = CODE[(checksum >>> (5 * (5 - i))) & 31] ?? 0;
  return `${hrp}1${String.fromCharCode.apply(null, codes)}` as PearlAddress;
}

/** The output key of an address, 64 hex digits. The address was made by `parseAddress` or `addressOfKey`. */
export function keyOfAddress(address: PearlAddress): string {
  const key = new Uint8Array(32);
  const dataStart = address.length - DATA_LENGTH + 1;
  let held = 0;
  let heldBits = 0;
  let at = 0;
  // 52 characters hold 260 bits: the 32 bytes and the padding.
  for (let i = 0; i < 52; i += 1) {
    held = ((held << 5) | (VALUE[address.charCodeAt(dataStart + i)] ?? 0)) & 0xfff;
    heldBits += 5;
    if (heldBits >= 8) {
      heldBits -= 8;
      key[at] = (held >>> heldBits) & 0xff;
      at += 1;
    }
  }
  return bytesToHex(key);
}

/** The output script of an address, lower-case hex: OP_1 and a push of the key. */
export function scriptHexOfAddress(address: PearlAddress): string {
  return `5120${keyOfAddress(address)}`;
}
