// Exact numbers as text: fixed-point texts from bigints, rounded down, never through floating point.

import type { Quotient } from "../../index/views.ts";

/** `value` / 10^digits with exactly `digits` fractional digits; negative values keep their sign, zero has none. */
export function fixedPoint(value: bigint, digits: number): string {
  const magnitude = (value < 0n ? -value : value).toString().padStart(digits + 1, "0");
  const whole = magnitude.slice(0, magnitude.length - digits);
  const sign = value < 0n ? "-" : "";
  return digits === 0 ? sign + whole : `${sign}${whole}.${magnitude.slice(-digits)}`;
}

/** Raw units as the decimal with `dec` places, trailing zeros cut, no point when whole (H-31). */
export function normalizedText(raw: bigint, dec: string): string {
  const text = fixedPoint(raw, Number(dec));
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** part / whole in percent with 4 fractional digits, truncated; "0.0000" where `whole` is 0. */
export function percentText(part: bigint, whole: bigint): string {
  return fixedPoint(whole === 0n ? 0n : (part * 1_000_000n) / whole, 4);
}

/** Satoshis per whole token with 8 fractional digits, rounded down (H-32). `amount` > 0. */
export function unitPriceText(quotient: Quotient, dec: string): string {
  return fixedPoint((quotient.priceSat * wholeToken(dec) * 100_000_000n) / quotient.amount, 8);
}

/** Satoshis per whole token, rounded down (H-33). `amount` > 0. */
export function unitPriceSat(quotient: Quotient, dec: string): bigint {
  return (quotient.priceSat * wholeToken(dec)) / quotient.amount;
}

/**
 * The change from `then` to `now` in percent, truncated toward zero to 4 digits (H-33); "0.0000" where either is
 * missing or `then` is 0.
 */
export function changePercentText(now: bigint | null, then: bigint | null): string {
  if (now === null || then === null || then === 0n) return "0.0000";
  // bigint division truncates toward zero, as the rule wants; fixedPoint gives a zero no sign.
  return fixedPoint(((now - then) * 1_000_000n) / then, 4);
}

/** Raw units of one whole token. */
function wholeToken(dec: string): bigint {
  return 10n ** BigInt(dec);
}
