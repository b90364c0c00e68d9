// Makes the keys by which amounts and addresses are ordered. Engines compare those of amounts byte by byte, and they are
// exact up to 2^128 - 1: no amount of this index is ordered by its decimal text or in floating point.

const UNIT_KEY_BYTES = 40;
const RANK_HEX_DIGITS = 32;
const SMALL = 0xffff_ffff_ffff;

/** Characters behind the separator of an address: 52 of the key, 6 of the checksum. The version is no help. */
const DATA_LENGTH = 58;
const HEAD_CHARACTERS = 9;
/** What follows the head of the key. The checksum follows from both. */
const TAIL_CHARACTERS = 43;
const TAIL_BYTES = 27;
const ABOVE_HEADS = 32 ** HEAD_CHARACTERS;
/** Rank of a character of the address alphabet in the order of texts. */
const ORDER = new Uint8Array(128);
for (const [rank, character] of Array.from("023456789acdefghjklmnpqrstuvwxyz").entries()) {
  ORDER[character.charCodeAt(0)] = rank;
}

/**
 * floor(priceSat * 2^256 / amount) as 40 bytes, big end first. Two different quotients of a price below 2^64 by an
 * amount below 2^128 differ by more than 2^-256, so the keys order them exactly; equal quotients have equal keys.
 */
export function unitPriceKey(priceSat: bigint, amount: bigint): Uint8Array {
  const key = (priceSat << 256n) / amount;
  return Buffer.from(key.toString(16).padStart(UNIT_KEY_BYTES * 2, "0"), "hex");
}

/**
 * Key that puts larger totals first: the complement of (number of bytes, then the bytes without leading zeros).
 * Shorter than a fixed width and of the same order.
 */
export function rankOf(total: bigint): Uint8Array {
  if (total <= SMALL) return rankOfSmall(Number(total));
  const hex = total.toString(16);
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, "hex");
  const rank = new Uint8Array(bytes.length + 1);
  rank[0] = 255 - bytes.length;
  for (let at = 0; at < bytes.length; at += 1) rank[at + 1] = 255 - (bytes[at] ?? 0);
  return rank;
}

function rankOfSmall(total: number): Uint8Array {
  let length = 0;
  for (let rest = total; rest >= 1; rest /= 256) length += 1;
  const rank = new Uint8Array(length + 1);
  rank[0] = 255 - length;
  let rest = total;
  for (let at = length; at > 0; at -= 1) {
    rank[at] = 255 - (rest % 256);
    rest = Math.floor(rest / 256);
  }
  return rank;
}

/**
 * The first characters of an address's data part as a number of the same order among the addresses of one network:
 * an index over numbers is smaller and faster than one over texts. A text that is no address comes before or after
 * all of them, as it does in the order of texts.
 */
export function headOf(address: string): number {
  const start = address.length - DATA_LENGTH;
  if (start < 0) return address < "a" ? -1 : ABOVE_HEADS;
  let head = 0;
  for (let at = start; at < start + HEAD_CHARACTERS; at += 1) {
    head = head * 32 + (ORDER[address.charCodeAt(at) & 127] ?? 0);
  }
  return head;
}

/**
 * The characters behind the head as bytes of the same order, five bits each: head and tail are the whole key. Anybody may
 * send units to a hundred thousand addresses that begin alike. Empty for a text that is no address.
 */
export function tailOf(address: string): Uint8Array {
  const start = address.length - DATA_LENGTH + HEAD_CHARACTERS;
  if (start < HEAD_CHARACTERS) return new Uint8Array(0);
  const tail = new Uint8Array(TAIL_BYTES);
  let [held, bits, at] = [0, 0, 0];
  for (let character = start; character < start + TAIL_CHARACTERS; character += 1) {
    held = ((held << 5) | (ORDER[address.charCodeAt(character) & 127] ?? 0)) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    tail[at] = held >> bits;
    at += 1;
  }
  tail[at] = held << (8 - bits);
  return tail;
}

/** A total as the page key of the holders list has it: 32 hex digits. */
export function totalHex(total: bigint): string {
  return total.toString(16).padStart(RANK_HEX_DIGITS, "0");
}

/** The total of a page key's form; 0 for a text that is no hex number below 2^128. */
export function totalOfHex(hex: string): bigint {
  return /^[0-9a-f]{1,32}$/.test(hex) ? BigInt(`0x${hex}`) : 0n;
}

/** Compares priceA / amountA with priceB / amountB exactly: negative, 0 or positive. */
export function compareQuotients(
  a: { readonly priceSat: bigint; readonly amount: bigint },
  b: { readonly priceSat: bigint; readonly amount: bigint },
): number {
  const left = a.priceSat * b.amount;
  const right = b.priceSat * a.amount;
  return left < right ? -1 : left > right ? 1 : 0;
}
