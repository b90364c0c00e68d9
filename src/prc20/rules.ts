// The parameters that are consensus (P-01) and the constants of the protocol, in one place.

import type { PearlAddress } from "../primitives/brands.ts";

/** The consensus parameters of one index (P-01). Two indexes that differ in one differ in every digest. */
export interface ProtocolRules {
  /** bech32m prefix of the network. */
  readonly hrp: string;
  /** Genesis block hash, display hex. */
  readonly genesisHash: string;
  /** Envelope marker and `p` value. */
  readonly marker: string;
  /** First block whose operations count, >= 1. */
  readonly startHeight: number;
  /** Protocol fee of the token market in basis points, 0 .. 10000. */
  readonly feeBps: number;
  /** Where the fee goes; null only where `feeBps` is 0. */
  readonly feeAddress: PearlAddress | null;
}

/** Marker of envelope and payload on every network (open answer of P-01). */
export const MARKER = "prc-20";
/** Content type of the envelope (P-12). */
export const CONTENT_TYPE = "application/json";
/** Smallest relayable output in satoshis (P-52). */
export const DUST_LIMIT_SAT = 333n;
/** Largest price in satoshis (P-50). */
export const PRICE_MAX_SAT = 2_100_000_000_000_000_000n;
/** Smallest body in bytes (P-12). */
export const BODY_MIN_BYTES = 2;
/** Largest body in bytes (P-12). */
export const BODY_MAX_BYTES = 4096;
/** The ticker that nobody can deploy (P-21). */
export const RESERVED_TICK = "PEARL";
