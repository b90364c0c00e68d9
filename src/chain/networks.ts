// The chains that can be indexed, and what differs between them for a reader of blocks. Parameters are data: adding a
// network is adding a row. Genesis hashes are in display order.

import type { BlockHash } from "../primitives/brands.ts";

/** Names as in configuration, RPC and the stored parameters. `litecoin-regtest` exists for tests only. */
export type NetworkName =
  | "mainnet"
  | "testnet"
  | "testnet2"
  | "signet"
  | "simnet"
  | "regtest"
  | "litecoin-regtest";

/** What a reader of blocks must know of a network. */
export interface Network {
  readonly name: NetworkName;
  /** Human-readable part of addresses. */
  readonly hrp: string;
  readonly genesisHash: BlockHash;
  /** 108 with Pearl's proof commitment, 80 as in Bitcoin. */
  readonly headerBytes: 108 | 80;
  /** Whether a block begins with a proof certificate. */
  readonly certificate: "pearl" | "none";
  /** What `getcurrentnet` must answer; null where the node has no such method, which is then not asked. */
  readonly currentNet: number | null;
}

/** Networks whose coins are worth nothing and whose blocks are made by hand. */
const PLAY_NETWORKS: ReadonlySet<string> = new Set<NetworkName>(["simnet", "regtest", "litecoin-regtest"]);

/** Whether blocks of the network are made by hand: margins may be lowered there, and its pace says nothing (S-02, S-03). */
export function isPlayNetwork(name: string): boolean {
  return PLAY_NETWORKS.has(name);
}

function pearl(name: NetworkName, hrp: string, genesis: string, magic: number): Network {
  return {
    name,
    hrp,
    genesisHash: genesis as BlockHash,
    headerBytes: 108,
    certificate: "pearl",
    currentNet: magic,
  };
}

const SIMNET_GENESIS = "78d0ab27df6a51a8e9dbbdefffca1ebbbeb3818cb083ce2c2f43b047247e5832";

/** Every network by name. */
export const NETWORKS: Readonly<Record<NetworkName, Network>> = {
  mainnet: pearl(
    "mainnet",
    "prl",
    "a18d3093b7ff618f0cdd073fa3d10374e2e0105fe7ef53ff48b55f41c58dadd7",
    0x50524c4d,
  ),
  testnet: pearl(
    "testnet",
    "tprl",
    "10f0be7be9950f74021d0f7c62989d1e2541c4d46f3c95b74e61679864b43d18",
    0x50524c31,
  ),
  testnet2: pearl(
    "testnet2",
    "tprl",
    "b0c86d0cd8825f4d72260d2de46f470429eece413811d5d82b5f2e2ea0336f96",
    0x50524c32,
  ),
  signet: pearl(
    "signet",
    "tprl",
    "2fef231e6125467452c9fb569e2f78c9dd534d04111fcf2cd28d9d0e93b00f34",
    0x40cf030a,
  ),
  simnet: pearl("simnet", "rprl", SIMNET_GENESIS, 0x50524c53),
  regtest: pearl("regtest", "rprl", SIMNET_GENESIS, 0x50524c52),
  "litecoin-regtest": {
    name: "litecoin-regtest",
    hrp: "rltc",
    genesisHash: "530827f38f93b43ed12af0b3ad25a288dc02ed74d6d7857862df51fc56c416f9" as BlockHash,
    headerBytes: 80,
    certificate: "none",
    currentNet: null,
  },
};
