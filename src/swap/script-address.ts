// Which address does an output script have? Taproot scripts only: PEARL's other outputs have none here (P-15).

import { addressOfKey } from "../primitives/address.ts";
import type { PearlAddress } from "../primitives/brands.ts";

/** The bech32m address of `OP_1 <32 bytes>`; null for null and for any other script. */
export function lockAddressOf(script: string | null, hrp: string): PearlAddress | null {
  if (script === null || script.length !== 68 || !script.startsWith("5120")) return null;
  return addressOfKey(script.slice(4), hrp);
}
