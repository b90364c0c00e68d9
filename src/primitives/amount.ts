// Reads the texts that are token amounts (P-20) and writes those of PEARL. Everything is bigint: a token amount goes up
// to 2^128 - 1, a PEARL amount to 2.1e18 grains.

import type { RawAmount } from "./brands.ts";

/** Largest token amount in raw units: 2^128 - 1 (P-20). */
export const AMOUNT_MAX = (1n << 128n) - 1n;
/** 39 digits are as many as 2^128 - 1 has; the length check keeps long digit strings away from BigInt. */
const AMOUNT_TEXT = /^(?:0|[1-9][0-9]{0,38})$/;

/** The amount that the text writes (P-20: `0|[1-9][0-9]*`, at most 2^128 - 1), or null. */
export function parseAmount(text: string): RawAmount | null {
  if (!AMOUNT_TEXT.test(text)) return null;
  const value = BigInt(text);
  return value <= AMOUNT_MAX ? (value as RawAmount) : null;
}

/** Satoshis (grains) as a decimal of PEARL with exactly 8 fractional digits (H-01). Zero or positive. */
export function formatPearl(sat: bigint): string {
  const digits = sat.toString().padStart(9, "0");
  return `${digits.slice(0, -8)}.${digits.slice(-8)}`;
}
