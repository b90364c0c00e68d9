// Turns bytes into hexadecimal text and back, without Buffer and fast enough for every row. "Display" order is the
// reversed byte order in which RPC prints transaction ids and block hashes.

/** Character codes of the two digits of every byte. */
const HIGH_DIGIT = new Uint8Array(256);
const LOW_DIGIT = new Uint8Array(256);
/** What stands for a value where a character is no hex digit. */
const NO_DIGIT = 0xff;
/** Value of a character code as a hex digit; both letter cases are digits. */
const DIGIT_VALUE = new Uint8Array(256).fill(NO_DIGIT);

for (let value = 0; value < 16; value += 1) {
  const digit = value.toString(16);
  DIGIT_VALUE[digit.charCodeAt(0)] = value;
  DIGIT_VALUE[digit.toUpperCase().charCodeAt(0)] = value;
}
for (let byte = 0; byte < 256; byte += 1) {
  HIGH_DIGIT[byte] = (byte >> 4).toString(16).charCodeAt(0);
  LOW_DIGIT[byte] = (byte & 15).toString(16).charCodeAt(0);
}

/** Bytes per piece: `String.fromCharCode` takes its characters as arguments, whose number engines limit. */
const PIECE = 2048;

function pieceToHex(bytes: Uint8Array, start: number, end: number): string {
  const codes = Array<number>((end - start) * 2);
  let at = 0;
  for (let i = start; i < end; i += 1) {
    const byte = bytes[i] ?? 0;
    codes[at] = HIGH_DIGIT[byte] ?? 0;
    codes[at + 1] = LOW_DIGIT[byte] ?? 0;
    at += 2;
  }
  return String.fromCharCode.apply(null, codes);
}

/** Lower-case hex of `bytes[start, end)`; the range must lie within the bytes. */
export function bytesToHex(bytes: Uint8Array, start = 0, end = bytes.length): string {
  if (end - start <= PIECE) return pieceToHex(bytes, start, end);
  let text = "";
  for (let at = start; at < end; at += PIECE) text += pieceToHex(bytes, at, Math.min(end, at + PIECE));
  return text;
}

/** Lower-case hex of the 32 bytes at `offset`, which must lie within the bytes, in reversed order, as RPC prints a hash. */
export function displayHex(bytes: Uint8Array, offset = 0): string {
  const codes = Array<number>(64);
  for (let i = 0; i < 32; i += 1) {
    const byte = bytes[offset + 31 - i] ?? 0;
    codes[2 * i] = HIGH_DIGIT[byte] ?? 0;
    codes[2 * i + 1] = LOW_DIGIT[byte] ?? 0;
  }
  return String.fromCharCode.apply(null, codes);
}

/** Values 0 to 15 of character codes as hex digits of either letter case, 0xff for those that are none. */
export function digitValues(codes: Uint8Array): Uint8Array {
  const values = new Uint8Array(codes.length);
  for (let i = 0; i < codes.length; i += 1) values[i] = DIGIT_VALUE[codes[i] ?? 0] ?? NO_DIGIT;
  return values;
}

/** Value 0 to 255 of the two hex digits at `at`, or a number above 255 where they are none. */
function byteAt(text: string, at: number): number {
  const high = DIGIT_VALUE[text.charCodeAt(at)] ?? NO_DIGIT;
  const low = DIGIT_VALUE[text.charCodeAt(at + 1)] ?? NO_DIGIT;
  // A high digit that is none makes the number larger by itself.
  return low === NO_DIGIT ? 0x100 : (high << 4) | low;
}

/**
 * Writes the bytes of hex text to `into` at `at`, which must have room for them. The text must be hex of an even
 * length: nothing is checked here, this is for texts that we made ourselves.
 */
export function writeHex(text: string, into: Uint8Array, at: number): void {
  const { length } = text;
  let to = at;
  for (let i = 0; i < length; i += 2) {
    // By a table: the processor would mispredict every other comparison of a digit.
    into[to] = ((DIGIT_VALUE[text.charCodeAt(i)] ?? 0) << 4) | (DIGIT_VALUE[text.charCodeAt(i + 1)] ?? 0);
    to += 1;
  }
}

/** Bytes of hex text (either letter case), or null where it is no hex or has an odd length. */
export function hexToBytes(text: string): Uint8Array | null {
  if (text.length % 2 !== 0) return null;
  const bytes = new Uint8Array(text.length / 2);
  for (let i = 0; i < bytes.length; i += 1) {
    const value = byteAt(text, 2 * i);
    if (value > 255) return null;
    bytes[i] = value;
  }
  return bytes;
}

/** The bytes of a hash given in display order, in wire order; null where the text is not 64 hex digits. */
export function displayHexToBytes(text: string): Uint8Array | null {
  return text.length === 64 ? (hexToBytes(text)?.toReversed() ?? null) : null;
}
