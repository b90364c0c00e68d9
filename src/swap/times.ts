// Which values are times (S-01)? Unix seconds within bounds that a block height and a time in milliseconds miss.

import { err, ok, type Result } from "../primitives/result.ts";

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
