// Reads the texts that are amounts (P-20), and writes amounts so that text order equals number order. Everything is
// bigint: a token amount goes up to 2^128 - 1, a PEARL amount to 2.1e18 grains.

import type { RawAmount } from "./brands.ts";

/** 2^128 - 1, the largest token amount (P-20). */
export const MAX_RAW_AMOUNT = (1n << 128n) - 1n;
/** 39 digits are as many as 2^128 - 1 has; the length check keeps long digit strings away from BigInt. */
const AMOUNT_TEXT = /^(?:0|[1-9][0-9]{0,38})$/;

/** The amount that the text writes (P-20: `0|[1-9][0-9]*`, at most 2^128 - 1), or null. */
export function parseAmount(text: string): RawAmount | null {
  if (!AMOUNT_TEXT.test(text)) return null;
  const value = BigInt(text);
  return value <= MAX_RAW_AMOUNT ? (value as RawAmount) : null;
}

/** Satoshis (grains) as a decimal of PEARL with exactly 8 fractional digits (H-01). Zero or positive. */
export function formatPearl(sat: bigint): string {
  const digits = sat.toString().padStart(9, "0");
  return `${digits.slice(0, -8)}.${digits.slice(-8)}`;
}

/** 32 hex digits (16 bytes, big-endian) whose text order is the order of amounts 0 to 2^128 - 1. */
export function amountKey16(amount: bigint): string {
  return amount.toString(16).padStart(32, "0");
}

/**
 * 80 hex digits (40 bytes, big-endian) of floor(price * 2^256 / amount): tells any two different unit prices
 * apart and orders them exactly. `price` is 0 to 2.1e18 grains, `amount` 1 to 2^128 - 1 raw units.
 */
export function unitPriceKey(price: bigint, amount: bigint): string {
  return ((price << 256n) / amount).toString(16).padStart(80, "0");
}
