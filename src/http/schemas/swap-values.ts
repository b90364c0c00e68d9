// Which shapes do the values of swap rows have on the wire (S-06)? EVM forms with 0x, PEARL forms without.

import { Type } from "typebox";

/** 32 bytes: 0x and 64 lower-case hex digits. */
export function bytes32(description: string) {
  return Type.String({ pattern: "^0x[0-9a-f]{64}$", description });
}

/** An EVM address: 0x and 40 lower-case hex digits. */
export function evmAddress(description: string) {
  return Type.String({ pattern: "^0x[0-9a-f]{40}$", description });
}

/** A unix time in seconds. */
export function unixTime(description: string) {
  return Type.Integer({ minimum: 0, description: `${description} Unix seconds.` });
}

/** Raw units of USDC (6 decimals), as text. */
export function usdcAmount(description: string) {
  return Type.String({ pattern: "^(0|[1-9][0-9]*)$", description: `${description} Raw units, 6 decimals.` });
}

/** Satoshis, as text. */
export function satAmount(description: string) {
  return Type.String({ pattern: "^(0|[1-9][0-9]*)$", description: `${description} Satoshis.` });
}

/** A time as requests write it (S-01). */
export function timeField(description: string) {
  return Type.Union([Type.Integer(), Type.String({ pattern: "^[0-9]{1,10}$" })], {
    description: `${description} Unix seconds (500000000 to 4294967295), an integer or a decimal string.`,
  });
}
