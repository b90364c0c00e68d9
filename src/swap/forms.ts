// Parsers of the texts and numbers in requests of the swap API (S-06), times included (S-01). Every function takes what
// JSON gave and answers the value in the form in which it is shown, or a sentence that says what was expected. Absent
// values (`isAbsent`) are for the caller to judge.

import { elementAt } from "../primitives/elements.ts";
import { parseAddress } from "../primitives/address.ts";
import type { Bytes32, EvmAddress, PearlAddress, Txid } from "../primitives/brands.ts";
import { hexToBytes } from "../primitives/hex.ts";
import { err, ok, type Result } from "../primitives/result.ts";
import type { Keccak256 } from "./crypto.ts";
import { ZERO_ADDRESS, ZERO_BYTES32 } from "./terms.ts";

/** A value, or one sentence for people that says what was expected. */
export type Parsed<T> = Result<T, string>;

/** Bounds of `pearl_amount_sat`, satoshis. */
const MIN_PEARL_SAT = 10_000n;
const MAX_PEARL_SAT = 2_100_000_000_000_000_000n;
/** Greatest `usdc_amount`, raw units. */
const MAX_USDC = (1n << 128n) - 1n;
/** Greatest nonce of Terms: what a uint256 holds. */
export const MAX_TERMS_NONCE = (1n << 256n) - 1n;
/** Greatest nonce of an ask: one less, because `revokeAsks` names a bound above it (S-21). */
export const MAX_ASK_NONCE = MAX_TERMS_NONCE - 1n;
/** Greatest fee, in hundredths of a per cent. */
const MAX_FEE_BPS = 500;

/** Whether a field was left out: `null` counts as absent (S-06). */
export function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

/** EIP-55: the address in the letter case that carries its checksum. `address` is lower case. */
export function checksumAddress(address: EvmAddress, keccak256: Keccak256): string {
  const digits = address.slice(2);
  const hash = keccak256(new TextEncoder().encode(digits));
  let text = "0x";
  for (let i = 0; i < digits.length; i += 1) {
    const nibble = (elementAt(hash, i >> 1) >> (i % 2 === 0 ? 4 : 0)) & 15;
    text += nibble >= 8 ? digits.charAt(i).toUpperCase() : digits.charAt(i);
  }
  return text;
}

/** 0x and 40 hex digits: all lower, all upper or with a right EIP-55 checksum; not zero. Shown in lower case. */
export function parseEvmAddress(value: unknown, keccak256: Keccak256): Parsed<EvmAddress> {
  if (typeof value !== "string" || !/^0x[0-9a-fA-F]{40}$/.test(value)) {
    return err("expected an EVM address: 0x and 40 hex digits");
  }
  const digits = value.slice(2);
  const lower = `0x${digits.toLowerCase()}` as EvmAddress;
  if (lower === ZERO_ADDRESS) return err("the zero address is nobody's");
  const oneCase = digits === digits.toLowerCase() || digits === digits.toUpperCase();
  return oneCase || value === checksumAddress(lower, keccak256)
    ? ok(lower)
    : err("the letter case of the EVM address is no right EIP-55 checksum");
}

/** `{ask_id}`, `{deal_hash}`, `{order_hash}`, `evm_order_hash`: 0x and 64 hex digits. Shown in lower case. */
export function parseId(value: unknown): Parsed<Bytes32> {
  return typeof value === "string" && /^0x[0-9a-fA-F]{64}$/.test(value)
    ? ok(value.toLowerCase() as Bytes32)
    : err("expected 0x and 64 hex digits");
}

/** The lower-case digits of 32 bytes written with or without 0x in any letter case, or null. */
function digits64(value: unknown): string | null {
  if (typeof value !== "string") return null;
  const match = /^(?:0[xX])?([0-9a-fA-F]{64})$/.exec(value);
  return match?.[1]?.toLowerCase() ?? null;
}

/** A SHA-256 hash, not all zero (S-40), with or without 0x. */
export function parseHashlock(value: unknown): Parsed<Bytes32> {
  const digits = digits64(value);
  if (digits === null) return err("expected a SHA-256 hash: 64 hex digits, with or without 0x");
  const hashlock = `0x${digits}` as Bytes32;
  return hashlock === ZERO_BYTES32 ? err("an all-zero hashlock is refused") : ok(hashlock);
}

/** A PEARL transaction id in display order, with or without 0x; shown without. */
export function parseTxid(value: unknown): Parsed<Txid> {
  const digits = digits64(value);
  return digits === null
    ? err("expected a transaction id: 64 hex digits, with or without 0x")
    : ok(digits as Txid);
}

/** An address of the network with this prefix, by P-22; shown in lower case. */
export function parsePearlAddress(value: unknown, hrp: string): Parsed<PearlAddress> {
  const address = typeof value === "string" ? parseAddress(value, hrp) : null;
  return address === null ? err(`expected a PEARL address of this network (${hrp}1p...)`) : ok(address);
}

/** An amount string within [min, max]; a JSON number is refused, because it may have passed through a float. */
function parseAmountString(value: unknown, min: bigint, max: bigint, unit: string): Parsed<bigint> {
  const sentence = `expected a string of decimal digits without leading zeros, ${min} to ${max} ${unit}`;
  if (typeof value !== "string" || !/^(?:0|[1-9][0-9]{0,38})$/.test(value)) return err(sentence);
  const amount = BigInt(value);
  return amount >= min && amount <= max ? ok(amount) : err(sentence);
}

/** `pearl_amount_sat`: a string, 10,000 to 2.1e18 satoshis. */
export function parsePearlSat(value: unknown): Parsed<bigint> {
  return parseAmountString(value, MIN_PEARL_SAT, MAX_PEARL_SAT, "satoshis");
}

/** `usdc_amount`: a string, 0 to 2^128 - 1 raw units (what is too small has a code of its own). */
export function parseUsdc(value: unknown): Parsed<bigint> {
  return parseAmountString(value, 0n, MAX_USDC, "raw units of USDC");
}

/** `nonce`: a decimal string up to `max` (MAX_TERMS_NONCE or MAX_ASK_NONCE), or a JSON integer up to 2^53 - 1. */
export function parseNonce(value: unknown, max: bigint): Parsed<bigint> {
  const sentence = "expected a nonce: a decimal string below 2^256, or an integer up to 2^53 - 1";
  if (typeof value === "number") {
    return Number.isSafeInteger(value) && value >= 0 ? ok(BigInt(value)) : err(sentence);
  }
  if (typeof value !== "string" || !/^(?:0|[1-9][0-9]{0,77})$/.test(value)) return err(sentence);
  const nonce = BigInt(value);
  return nonce <= max ? ok(nonce) : err(`the greatest nonce is ${max}`);
}

function parseInteger(value: unknown, max: number): Parsed<number> {
  const isInside = typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= max;
  // -0 is an integer of JSON; adding 0 makes it the plain one.
  return isInside ? ok(value + 0) : err(`expected an integer, 0 to ${max}`);
}

/** `fee_bps`: a JSON integer, 0 to 500. */
export function parseFeeBps(value: unknown): Parsed<number> {
  return parseInteger(value, MAX_FEE_BPS);
}

/** `pearl_lock_vout`: a JSON integer, 0 to 4294967295. */
export function parseVout(value: unknown): Parsed<number> {
  return parseInteger(value, 0xffff_ffff);
}

/** Printable ASCII (0x20 to 0x7e), `min` to `max` characters: `settlement_mode`, `seller_post_source`, `ref`. */
export function parsePrintable(value: unknown, max = 64, min = 1): Parsed<string> {
  const isGood =
    typeof value === "string" && value.length >= min && value.length <= max && /^[\x20-\x7e]*$/.test(value);
  return isGood ? ok(value) : err(`expected ${min} to ${max} printable ASCII characters`);
}

/** `origin` of S-64: 1 to 64 of a-z, 0-9, dot, underscore, hyphen. */
export function parseOrigin(value: unknown): Parsed<string> {
  return typeof value === "string" && /^[a-z0-9._-]{1,64}$/.test(value)
    ? ok(value)
    : err("expected 1 to 64 characters of a-z, 0-9, '.', '_' and '-'");
}

/**
 * Bytes of a signature as hex with 0x, any letter case, at most `maxBytes`; null where the text is another one. None at all
 * are a signature, too: a contract account whose owners have agreed to a digest on the chain takes that (S-31).
 */
export function hexSignature(text: string, maxBytes: number): Uint8Array | null {
  if (!text.startsWith("0x") || text.length > 2 + 2 * maxBytes) return null;
  return hexToBytes(text.slice(2));
}

/** The 64 bytes of a BIP340 signature, hex with or without 0x, any letter case; null for anything else (S-32). */
export function schnorrSignature(text: string): Uint8Array | null {
  const match = /^(?:0[xX])?([0-9a-fA-F]{128})$/.exec(text);
  return match?.[1] === undefined ? null : hexToBytes(match[1]);
}

/** Smallest time of S-01, unix seconds: below it a lock time would be a block height (BIP65). */
const MIN_TIME = 500_000_000;
/** Greatest time of S-01, unix seconds: 2^32 - 1, the greatest lock time. */
const MAX_TIME = 4_294_967_295;

const SENTENCE = `expected unix time in seconds (not milliseconds), ${MIN_TIME} to ${MAX_TIME}`;
const MILLISECONDS = `this looks like milliseconds: ${SENTENCE}`;

/**
 * The time in unix seconds that a JSON integer or a string of 1 to 10 digits writes (S-01). Fails with a sentence
 * that names seconds and milliseconds.
 */
export function parseTime(value: unknown): Result<number, string> {
  const seconds = numberOf(value);
  if (seconds === null) return err(looksLikeMilliseconds(value) ? MILLISECONDS : SENTENCE);
  if (seconds > MAX_TIME) return err(MILLISECONDS);
  return seconds < MIN_TIME ? err(SENTENCE) : ok(seconds);
}

function numberOf(value: unknown): number | null {
  if (typeof value === "number") return Number.isSafeInteger(value) ? value : null;
  // At most ten digits: exact as a number.
  return typeof value === "string" && /^[0-9]{1,10}$/.test(value) ? Number(value) : null;
}

function looksLikeMilliseconds(value: unknown): boolean {
  return typeof value === "string" && /^[0-9]{11,16}$/.test(value);
}
