// Holds the numbers that define the private chain: Pearl's simnet parameters (the network meant for development: no
// proof of work, constant difficulty) and its genesis block, byte for byte.
import { concat, fromHex, toHex } from "../../bytes.ts";

/** Names of the networks that this node can be. Only simnet has `generate` without proofs. */
export type NetworkName = "simnet";

/** Parameters of a network. Amounts in grains (1e-8 PRL), times in unix seconds. */
export interface Network {
  readonly name: NetworkName;
  readonly hrp: string;
  readonly magic: number;
  readonly bits: number;
  readonly genesisHash: string;
  readonly genesisBlock: Uint8Array;
  /** A block may be at most this many seconds ahead of the node's clock. */
  readonly maxFutureSeconds: number;
  readonly certificateVersion: number;
}

/** Largest value of one output and of a transaction's outputs together. */
export const MAX_GRAINS = 2_100_000_000_000_000_000n;

/** Blocks before a coinbase output may be spent: spending height − coinbase height. */
export const COINBASE_MATURITY = 100;

/** Largest block, in vbytes; the certificate is not counted. */
export const MAX_BLOCK_VSIZE = 1_000_000;

const GENESIS_COINBASE =
  "01000000010000000000000000000000000000000000000000000000000000000000000000ffffffffea04ffff001d01044ce154" +
  "6865206e61746976652063757272656e637920666f72206d616368696e657320616e642068756d616e732e20546f74616c20322e" +
  "31653920506561726c732c2043756d756c617469766520656d697373696f6e20682f28682b363530323236292c205754454d4120" +
  "336d3134732037642c20426974636f696e20626c6f636b20233934363834322077697468204d5450203137373732373035323420" +
  "697320303030303030303030303030303030303030303033613932323138363165633734313134323764643234663937396662393161" +
  "336238663732363565316462632effffffff010000000000000000016a00000000";

const GENESIS_HASH = "78d0ab27df6a51a8e9dbbdefffca1ebbbeb3818cb083ce2c2f43b047247e5832";
const GENESIS_MERKLE = "302f59c6f1239648bd38eddf16b22acc8c8df3c96de2e4f552bd2f38371675c1";

function reversed(hex: string): string {
  return hex.match(/../g)?.toReversed().join("") ?? "";
}

function genesisBlock(): Uint8Array {
  const hash = reversed(GENESIS_HASH);
  const certificate = `01000000${hash}${"00".repeat(164)}04000000deadbeef`;
  const time = toHex(new Uint8Array(new Uint32Array([1_776_675_600]).buffer));
  const header = `01000000${"00".repeat(32)}${reversed(GENESIS_MERKLE)}${time}0000011e${"00".repeat(32)}`;
  const parts = [certificate, header, "01", GENESIS_COINBASE].map((hex) => {
    const bytes = fromHex(hex);
    if (bytes === null) throw new Error("a genesis constant is not hex");
    return bytes;
  });
  return concat(...parts);
}

/** Pearl's simnet as current nodes run it: dummy V4 certificates from block 1. */
export const SIMNET: Network = {
  name: "simnet",
  hrp: "rprl",
  magic: 0x50524c53,
  bits: 0x1e010000,
  genesisHash: GENESIS_HASH,
  genesisBlock: genesisBlock(),
  maxFutureSeconds: 120 * 60,
  certificateVersion: 4,
};
