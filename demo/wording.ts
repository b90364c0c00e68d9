// Writes amounts for people: exact decimals from raw units, with thousands apart and no zero too many.

/** Grains in one PEARL are 10^8. */
const PEARL_DECIMALS = 8;

/** "1,000.5" for raw units with `decimals` fractional digits. */
export function decimal(raw: bigint, decimals: number): string {
  const digits = raw.toString().padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals).replace(/\B(?=([0-9]{3})+$)/g, ",");
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "");
  return fraction === "" ? whole : `${whole}.${fraction}`;
}

/** "1,000.5 GRAIN" for raw units of a token with `decimals`. */
export function tokens(raw: bigint, decimals: number, tick: string): string {
  return `${decimal(raw, decimals)} ${tick}`;
}

/** "0.02 PEARL" for grains. */
export function pearl(grains: bigint): string {
  return `${decimal(grains, PEARL_DECIMALS)} PEARL`;
}

/** "1 operation", "2 operations", "no operations". */
export function counted(count: number, noun: string): string {
  return `${count === 0 ? "no" : count} ${noun}${count === 1 ? "" : "s"}`;
}
