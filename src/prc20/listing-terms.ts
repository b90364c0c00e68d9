// Computes what a listing costs and how listings compare: fee split (P-52), policy hash (P-54), and the exact
// arithmetic of unit prices (H-32, H-33). No floating point: every result is a floored integer or its digits.

import type { Hex32, Sat } from "../primitives/brands.ts";
import type { Sha256 } from "../primitives/hashing.ts";
import { bytesToHex } from "../primitives/hex.ts";
import { DUST_LIMIT_SAT, type ProtocolRules } from "./rules.ts";
import type { ListingRow } from "./state.ts";

export { unitPriceKey } from "../primitives/amount.ts";

/** How a price is divided between the protocol and the seller. Both parts sum to the price. */
export interface FeeSplit {
  readonly protocolFeeSat: Sat;
  readonly sellerNetSat: Sat;
}

/** Divides a price (P-52): the fee is floored, and 0 where such an output would be dust. */
export function splitPrice(priceSat: Sat, feeBps: number): FeeSplit {
  const share = (priceSat * BigInt(feeBps)) / 10_000n;
  const fee = share < DUST_LIMIT_SAT ? 0n : share;
  return { protocolFeeSat: fee as Sat, sellerNetSat: (priceSat - fee) as Sat };
}

/** The terms that the policy hash covers. */
export type PolicyTerms = Pick<
  ListingRow,
  "id" | "tick" | "amount" | "priceSat" | "protocolFeeSat" | "sellerNetSat" | "seller" | "anchor" | "exp"
>;

/** SHA-256 over the terms of a listing, one per line (P-54). */
export function policyHash(terms: PolicyTerms, rules: ProtocolRules, sha256: Sha256): Hex32 {
  const feeAddress = terms.protocolFeeSat === 0n ? "-" : (rules.feeAddress ?? "-");
  const lines = [
    "prc20-policy/1",
    rules.genesisHash,
    terms.id,
    terms.tick,
    terms.amount,
    "PEARL",
    terms.priceSat,
    terms.protocolFeeSat,
    feeAddress,
    terms.sellerNetSat,
    terms.seller,
    terms.anchor,
    terms.exp ?? "-",
  ];
  const hash = sha256(new TextEncoder().encode(`${lines.join("\n")}\n`));
  return bytesToHex(hash) as Hex32;
}

/** Price per whole token in satoshis with 8 decimals, rounded down (H-32). `dec` is "0" .. "18". */
export function unitPriceSat8(priceSat: bigint, amount: bigint, dec: string): string {
  const scaled = (priceSat * 10n ** (BigInt(dec) + 8n)) / amount;
  const digits = scaled.toString().padStart(9, "0");
  return `${digits.slice(0, -8)}.${digits.slice(-8)}`;
}

/** Price per whole token in whole satoshis, rounded down (H-33). `dec` is "0" .. "18". */
export function floorUnitPriceSat(priceSat: bigint, amount: bigint, dec: string): bigint {
  return (priceSat * 10n ** BigInt(dec)) / amount;
}
