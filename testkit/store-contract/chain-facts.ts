// Holds the tests' addresses, tickers and hashes: fixed values that every part of the suite shares.

import { createHash } from "node:crypto";
import type { BlockHash, Hex32, PearlAddress, Tick } from "../../src/primitives/brands.ts";
import type { BaseBlock } from "../../src/index/ports.ts";

/** Largest amount of P-20. */
export const AMOUNT_MAX = (1n << 128n) - 1n;

const CHARSET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
/** Deterministic 64 hex digits. */
export function hash32(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** An address-like text from a number; neighbours in number are strangers in text. */
export function numberedAddress(index: number): PearlAddress {
  const bytes = createHash("sha512").update(`address ${index}`).digest();
  const tail = Array.from(bytes.subarray(0, 58), (byte) => CHARSET[byte % 32]).join("");
  return `rprl1p${tail}` as PearlAddress;
}

/** Addresses that the model uses. */
export const ADDRESSES: readonly PearlAddress[] = Array.from({ length: 9 }, (_, index) =>
  numberedAddress(index),
);
/** Tickers that the model may deploy. */
export const TICKS = [
  "A",
  "AB",
  "ABC",
  "ABCDEFGHIJKLMNOP",
  "B",
  "B2",
  "Z9",
] as readonly string[] as readonly Tick[];
/** The block before the first one. */
export const BASE: BaseBlock = {
  height: 9,
  hash: hash32("base") as BlockHash,
  time: 1_700_000_000,
  digest: hash32("base digest") as Hex32,
};
