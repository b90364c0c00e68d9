// Reads amounts, tickers and addresses from strings: section 3 of the specification (P-15, P-20 to P-22). Each function
// gives the canonical value, or null where the text breaks the rule.
import { bech32m } from "@scure/base";

const LARGEST_AMOUNT = 2n ** 128n - 1n;

/** P-20: the amount, 0 to 2^128 - 1, or null. */
export function parseAmount(text: string): bigint | null {
  if (!/^(0|[1-9][0-9]*)$/.test(text)) return null;
  const value = BigInt(text);
  return value <= LARGEST_AMOUNT ? value : null;
}

/** P-20: the amount, 1 to 2^128 - 1, or null. An absent text (undefined) is null, too. */
export function parsePositiveAmount(text: string | undefined): bigint | null {
  if (text === undefined) return null;
  const value = parseAmount(text);
  return value === null || value === 0n ? null : value;
}

/** P-21: the ticker in its canonical (upper-case) form, or null. */
export function parseTick(text: string | undefined): string | null {
  if (text === undefined) return null;
  return /^[A-Za-z0-9]{1,16}$/.test(text) ? text.toUpperCase() : null;
}

/** P-21: the ticker that nobody can deploy, in canonical form. */
export const RESERVED_TICK = "PEARL";

/** P-22: the address in lower case, or null. */
export function parseAddress(text: string | undefined, hrp: string): string | null {
  if (text === undefined) return null;
  if (!/^[\x21-\x7e]+$/.test(text)) return null;
  const lower = text.toLowerCase();
  const upper = text.toUpperCase();
  if (text !== lower && text !== upper) return null;
  const decoded = bech32m.decodeUnsafe(lower);
  if (decoded === undefined) return null;
  if (decoded.prefix !== hrp) return null;
  const [version, ...words] = decoded.words;
  if (version !== 1) return null;
  const program = bech32m.fromWordsUnsafe(words);
  if (program === undefined || program.length !== 32) return null;
  return lower;
}

/** P-15: the address text of the output `OP_1 <key>`. `key` is 32 bytes. */
export function addressOfKey(key: Uint8Array, hrp: string): string {
  return bech32m.encode(hrp, [1, ...bech32m.toWords(key)]);
}

/** The script of an address that parseAddress has accepted, as lower-case hex. */
export function scriptHexOfAddress(address: string): string {
  const decoded = bech32m.decodeUnsafe(address);
  if (decoded === undefined) throw new Error(`not an address: ${address}`);
  const program = bech32m.fromWords(decoded.words.slice(1));
  return `5120${Buffer.from(program).toString("hex")}`;
}
