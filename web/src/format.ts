// One number format and one time format for every page, whatever the browser's language: thousands by comma, a point
// before the fraction, times in UTC. Amounts are texts and stay texts: no amount passes through a floating-point number.

/** `1234567.5` becomes `1,234,567.5`. Takes any decimal text, with or without a sign. */
export function grouped(decimal: string): string {
  const [, sign = "", whole = "", fraction = ""] = /^(-?)(\d+)(\.\d+)?$/.exec(decimal) ?? [];
  if (whole === "") return decimal;
  return sign + whole.replace(/\B(?=(\d{3})+$)/g, ",") + fraction;
}

/**
 * Raw units as whole ones with `decimals` places: zeros at the end are cut, but at least `least` places stay. The text
 * is exact.
 */
export function wholeUnits(raw: string, decimals: number, least = 0): string {
  const sign = raw.startsWith("-") ? "-" : "";
  const digits = raw.slice(sign.length).padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  let fraction = decimals === 0 ? "" : digits.slice(-decimals);
  fraction = fraction.replace(/0+$/, "").padEnd(least, "0");
  return grouped(`${sign}${whole}${fraction === "" ? "" : `.${fraction}`}`);
}

/** A decimal text without the zeros at its end, but with at least two places. */
function trimmed(decimal: string): string {
  const [whole = "0", fraction = ""] = decimal.split(".");
  return grouped(`${whole}.${fraction.replace(/0+$/, "").padEnd(2, "0")}`);
}

/** Satoshis as PEARL. */
export function pearl(satoshis: string): string {
  return wholeUnits(satoshis, 8, 2);
}

/** Raw USDC as USDC. */
export function usdc(raw: string): string {
  return wholeUnits(raw, 6, 2);
}

/** USDC for one PEARL, rounded down to six digits, with its unit. Nothing is given away, so that zero is a small price. */
export function usdcPrice(decimal: string): string {
  return /[1-9]/.test(decimal) ? `${trimmed(decimal)} USDC` : "below 0.000001 USDC";
}

/** What a seller receives of raw USDC: the fee goes off his side alone, rounded down (S-23). */
export function usdcAfterFee(raw: string, feeBps: number): string {
  return String(BigInt(raw) - (BigInt(raw) * BigInt(feeBps)) / 10_000n);
}

/**
 * A unit price in satoshis for the eye, with its unit: in PEARL from 0.01 PEARL on, else in satoshis, with two places
 * from 100 on and all that say something below. What is cut is on demand in the title of the place that shows it. Nothing
 * is given away, so that zero is a price below the last digit that the service shows.
 */
export function unitPrice(decimal: string): string {
  if (!/[1-9]/.test(decimal)) return "below 0.00000001 sat";
  const [whole = "0", fraction = ""] = decimal.split(".");
  if (whole.length > 6) return `${pearl(whole)} PEARL`;
  const kept = whole.length >= 3 ? fraction.slice(0, 2) : fraction.replace(/0+$/, "");
  return `${grouped(kept === "" ? whole : `${whole}.${kept.padEnd(2, "0")}`)} sat`;
}

/** From here on, ten million PEARL for one token, an axis has no room for every digit. */
const MOST_AXIS_SAT = 1e15;

/** A unit price at the axis of a chart, for the eye: an axis goes on below zero, and there are no such prices. */
export function axisPrice(sat: number): string {
  if (sat < 0) return "";
  if (sat === 0) return "0 sat";
  return sat < MOST_AXIS_SAT ? unitPrice(sat.toFixed(8)) : `${(sat / 1e8).toPrecision(3)} PEARL`;
}

/** The steps of an axis are hundredths of a satoshi, or smaller where prices are: two digits behind their first one. */
export function axisStep(lowestSat: number): number {
  const fitting = 10 ** (Math.floor(Math.log10(lowestSat)) - 2);
  return Math.max(1e-8, Math.min(0.01, fitting));
}

/** A percentage as the API gives it (four places), two places for the eye, and all of them where two say nothing. */
export function percent(decimal: string): string {
  const [whole = "0", fraction = ""] = decimal.split(".");
  const isSmall = !/[1-9]/.test(whole + fraction.slice(0, 2)) && /[1-9]/.test(fraction);
  return `${grouped(whole)}.${isSmall ? fraction : fraction.padEnd(2, "0").slice(0, 2)} %`;
}

/**
 * The change of a floor in a day, null where there is nothing to tell it by: no floor now, floors of so few satoshis that
 * rounding them to whole ones (H-33) is more than the change, or a change of zero, which a market has too that had no floor
 * a day ago.
 */
export function floorChange({
  floor_price_sat: floorSat,
  floor_change_24h_pct: change,
}: {
  readonly floor_price_sat: string;
  readonly floor_change_24h_pct: string;
}): string | null {
  const now = BigInt(floorSat);
  if (now < LEAST_FLOOR_SAT || !/[1-9]/.test(change)) return null;
  const before = (now * 1_000_000n) / (1_000_000n + BigInt(change.replace(".", "")));
  return before < LEAST_FLOOR_SAT ? null : change;
}

/** One satoshi of so many is one percent. */
const LEAST_FLOOR_SAT = 100n;

/** Quotient of two whole numbers as a decimal text with `places` digits, rounded down; "0" where it cannot be formed. */
export function quotient(dividend: bigint, divisor: bigint, places: number): string {
  if (divisor === 0n) return "0";
  const scaled = (dividend * 10n ** BigInt(places)) / divisor;
  return wholeUnits(String(scaled), places, 2);
}

/**
 * What raw units cost at a unit price (satoshis for one whole token), in whole satoshis, rounded down; null where the price
 * is so small that the rounding of its last digit (H-32) is more than a hundredth of it.
 */
export function satAtUnitPrice(raw: string, decimals: number, unitPriceSat: string): string | null {
  const [whole = "0", fraction = ""] = unitPriceSat.split(".");
  const price = BigInt(whole + fraction);
  if (price < LEAST_OF_PRICE) return null;
  return String((BigInt(raw) * price) / 10n ** BigInt(decimals + fraction.length));
}

/** One of so many last digits of a price is one percent. */
const LEAST_OF_PRICE = 100n;

/** How much of `whole` `part` is, in percent, for the length of a bar. Never beyond 0 to 100. */
export function barLength(part: bigint, whole: bigint): number {
  if (whole <= 0n || part <= 0n) return 0;
  return part >= whole ? 100 : Number((part * 10_000n) / whole) / 100;
}

/**
 * Hashes and addresses in the middle shortened; the parts that differ between neighbours stay. Of a listing's id and of an
 * outpoint as much of the hash stays as of a hash: fewer digits could be met by anybody who tries for a moment.
 */
export function shortened(id: string): string {
  if (id.length <= 18) return id;
  const [, before, hash, after] = /^(list:)?([0-9a-f]{64})(:\d+)$/.exec(id) ?? [];
  if (hash !== undefined) return `${before ?? ""}${shortened(hash)}${after ?? ""}`;
  const head = id.startsWith("0x") ? 8 : /^[a-z]+1/.test(id) ? 9 : 7;
  return `${id.slice(0, head)}…${id.slice(-6)}`;
}

/** A unix time as `2026-11-23 09:12:33 UTC`. */
export function utc(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

const UNITS = [
  ["d", 86_400],
  ["h", 3_600],
  ["min", 60],
  ["s", 1],
] as const;

/** A length of time in its two greatest units: `2 h 5 min`. */
export function duration(seconds: number): string {
  let left = Math.max(0, Math.floor(seconds));
  const parts: string[] = [];
  for (const [unit, size] of UNITS) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count > 0) parts.push(`${count} ${unit}`);
    else if (parts.length > 0) break;
    if (parts.length === 2) break;
  }
  return parts.length === 0 ? "0 s" : parts.join(" ");
}

/** `3 min ago`, `in 2 h 5 min`, `now`. */
export function relative(seconds: number, now: number): string {
  const distance = seconds - now;
  if (Math.abs(distance) < 5) return "now";
  return distance < 0 ? `${duration(-distance)} ago` : `in ${duration(distance)}`;
}

/** A count in words: `1 block`, `2 blocks`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${grouped(String(count))} ${count === 1 ? one : many}`;
}

/**
 * A text that others wrote, as it stands: characters that are seen nowhere, or that turn the direction of writing, as JSON
 * escapes them. Else an inscription could read as another one.
 */
export function visible(text: string): string {
  return text.replace(/(?![\n\t])[\p{C}\p{DI}\p{Zl}\p{Zp}\u2800]/gu, (character) =>
    Array.from({ length: character.length }, (_, index) => {
      const code = character.charCodeAt(index).toString(16).padStart(4, "0");
      return `\\u${code}`;
    }).join(""),
  );
}
