// Reads the network, chain id and escrow contract that the swap tables of this database belong to (S-26).

import type { EvmAddress } from "../../../primitives/brands.ts";
import type { SwapIdentity } from "../../../swaps/ledger/ports.ts";
import { CellReader } from "../../store-rows/cells.ts";
import type { Connection } from "../connection.ts";

/** The stored identity, or null in a database without swaps. */
export function storedIdentity(connection: Connection): SwapIdentity | null {
  const row = connection.first("SELECT network, chain_id, escrow FROM swap_identity");
  if (row === null) return null;
  const cells = new CellReader(row);
  return { network: cells.text(), chainId: cells.int(), escrow: cells.text() as EvmAddress };
}
