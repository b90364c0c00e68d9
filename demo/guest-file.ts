// Writes down what a wallet of the reader's own needs to play along: where both nodes are, who may ask them, and a key
// with money on each chain. The nodes are on other ports after each start, so the file is made anew by each.

import type { PearlNode } from "../testkit/doubles/pearl-node/index.ts";
import { type DemoFolder, writeSecret } from "./folder.ts";
import type { EvmSide } from "./swaps/opening.ts";

/** Parts of a run that the file is about. */
export interface GuestParts {
  readonly folder: DemoFolder;
  readonly node: PearlNode;
  /** Null: tokens alone. */
  readonly side: EvmSide | null;
  /** Account of the PEARL node that may send transactions. */
  readonly user: string;
  readonly password: string;
}

/** Writes the file. */
export function writeGuestFile({ folder, node, side, user, password }: GuestParts): void {
  const { address, key } = folder.cast.guest;
  writeSecret(folder.walletFile, {
    note: "Nodes of the demo as of its last start, and keys with money on its private chains. Worthless elsewhere.",
    pearl: {
      rpc_url: node.url,
      rpc_user: user,
      rpc_password: password,
      address,
      output_private_key: Buffer.from(key.privateKey).toString("hex"),
    },
    evm:
      side === null
        ? null
        : {
            rpc_url: side.chain.anvil.url,
            address: side.people.guest.evm,
            private_key: side.people.guest.privateKey,
          },
  });
}
