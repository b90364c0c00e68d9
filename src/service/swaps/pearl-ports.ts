// What do swaps ask of the PEARL node beyond what the index asks? Headers for times without bodies, and how well the
// node is connected; all of it with methods of pearld's limited user.

import type { BlockHash } from "../../primitives/brands.ts";
import type { PearlNode } from "../ports.ts";

/** Questions about headers and peers. Methods reject with `NodeError` like those of `PearlNode`. */
export interface HeaderNode {
  /** Bare headers of blocks, also of side-chain ones, in order; unverified. Rejects where one is unknown. */
  rawHeaders(hashes: readonly BlockHash[]): Promise<readonly Uint8Array[]>;
  /** Present number of connections (`getinfo`). */
  connections(): Promise<number>;
}

/** The node as the swap watch needs it. */
export type SwapNode = PearlNode & HeaderNode;

/** A balance that cannot be told (S-34: `BALANCE_UNAVAILABLE`); the message says why and names the request. */
export class BalanceUnavailable extends Error {
  override readonly name = "BalanceUnavailable";
}
