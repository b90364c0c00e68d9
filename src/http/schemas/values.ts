// Schemas of single values: amounts, heights, hashes, ids, times, in the PRC20 and in the swap form (S-06: EVM forms
// with 0x, PEARL forms without), and nullable forms of them, each with its description. Used by every row schema.

import { type TSchema, Type } from "typebox";

/** An exact count of raw units or satoshis, as text (H-01). */
export function amount(description: string) {
  return Type.String({ pattern: "^(0|[1-9][0-9]*)$", description });
}

/** A difference of two amounts, as text: with a minus where it takes away. */
export function signedAmount(description: string) {
  return Type.String({ pattern: "^(0|-?[1-9][0-9]*)$", description });
}

/** A decimal text with exactly `digits` fractional digits. */
export function decimal(digits: number, description: string) {
  return Type.String({ pattern: `^-?(0|[1-9][0-9]*)\\.[0-9]{${digits}}$`, description });
}

/** A count or an index, never negative. */
export function count(description: string) {
  return Type.Integer({ minimum: 0, description });
}

/** A block height; -1 where nothing is indexed yet (H-09). */
export function height(description: string) {
  return Type.Integer({ minimum: -1, description });
}

/** 32 bytes as 64 lower-case hex digits without 0x. */
export function hex32(description: string) {
  return Type.String({ pattern: "^[0-9a-f]{64}$", description });
}

/** Bytes as lower-case hex with 0x. */
export function prefixedHex(description: string) {
  return Type.String({ pattern: "^0x([0-9a-f]{2})+$", description });
}

/** Bytes as lower-case hex without 0x. */
export function hexBytes(description: string) {
  return Type.String({ pattern: "^([0-9a-f]{2})+$", description });
}

/** A bech32m address in lower case (P-22). */
export function address(description: string) {
  return Type.String({ pattern: "^[a-z0-9]+1[a-z0-9]+$", description });
}

/** A canonical ticker (P-21). */
export function ticker() {
  return Type.String({ pattern: "^[A-Z0-9]{1,16}$", description: "Ticker in canonical (upper) case." });
}

/** A listing id (P-51). */
export function listingId(description: string) {
  return Type.String({ pattern: "^list:[0-9a-f]{64}:(0|[1-9][0-9]{0,9})$", description });
}

/** The value or null. Declared as a union, since serialisers turn an undeclared null into an empty text. */
export function nullable<Schema extends TSchema>(schema: Schema) {
  return Type.Union([schema, Type.Null()]);
}

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
