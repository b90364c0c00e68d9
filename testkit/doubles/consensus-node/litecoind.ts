// Litecoin Core (Debian's litecoind) on a private regtest chain: Taproot as on Pearl. MWEB is put off for ever (its block
// creation breaks at height 432), so that blocks keep Bitcoin's format; non-standard transactions are let in, because the
// node's policy otherwise refuses every annex.

import { existsSync } from "node:fs";
import { Block } from "bitcoinjs-lib";
import { addressOfSigner } from "../../../src/wallet/index.ts";
import type { ConsensusNode, NodeProgram } from "./consensus-node.ts";
import { startProcess } from "./node-process.ts";
import type { RpcAddress, RpcClient } from "./rpc.ts";

/** The bech32m prefix of litecoin's regtest. */
const HRP = "rltc";

/** The program itself: the launcher of the Debian package would write into the home folder. */
const PACKAGED = "/usr/lib/litecoin/litecoind";

/** LITECOIND overrides the place of the Debian package. */
export const litecoind: NodeProgram = {
  name: "litecoind",
  missing: "litecoind is not installed; on Debian: apt-get install litecoind",
  isRequired: true,
  path,
  start,
};

function path(): string | null {
  const place = process.env["LITECOIND"] ?? PACKAGED;
  return existsSync(place) ? place : null;
}

function flags(folder: string, address: RpcAddress): readonly string[] {
  return [
    "-regtest",
    `-datadir=${folder}`,
    "-server",
    "-listen=0",
    "-connect=0",
    "-dnsseed=0",
    "-disablewallet",
    "-printtoconsole=0",
    "-txindex",
    // One script thread: only then does block validation name the reason of a refusal.
    "-par=1",
    "-acceptnonstdtxn=1",
    "-vbparams=mweb:4000000000:4000000001",
    "-rpcbind=127.0.0.1",
    "-rpcallowip=127.0.0.1",
    // A kept connection must not be closed under a question that comes late on a busy machine.
    "-rpcservertimeout=600",
    `-rpcport=${address.port}`,
    `-rpcuser=${address.user}`,
    `-rpcpassword=${address.password}`,
  ];
}

async function start(): Promise<ConsensusNode> {
  const program = path();
  if (program === null) throw new Error("litecoind is not installed");
  const { rpc, address, stop } = await startProcess("litecoind", program, flags);
  return {
    rpc,
    address,
    hrp: HRP,
    network: "litecoin-regtest",
    words: {
      signature: /Invalid Schnorr signature/,
      equality: /OP_EQUALVERIFY/,
      "lock time": /Locktime requirement not satisfied/,
      commitment: /Witness program hash mismatch/,
      "not final": /non-final|bad-txns-nonfinal/,
    },
    addressOf: (key) => addressOfSigner(key, HRP),
    height: () => rpc.integer("getblockcount"),
    block: async (hash) => {
      const block = Block.fromHex(await rpc.text("getblock", [hash, 0]));
      return { time: block.timestamp, transactions: (block.transactions ?? []).map((tx) => tx.toBuffer()) };
    },
    // A fee rate of 0: no rate is too high.
    relay: (transaction) => rpc.text("sendrawtransaction", [transaction, 0]),
    mineEmpty: async (count, to) => hashes(await rpc.call("generatetoaddress", [count, to])),
    mineExactly: (to, transactions) => mineExactly(rpc, to, transactions),
    moveClock: async (seconds) => void (await rpc.call("setmocktime", [seconds])),
    stop,
  };
}

function hashes(result: unknown): readonly string[] {
  if (!Array.isArray(result)) throw new Error("generatetoaddress: expected a list of hashes");
  return result.map(String);
}

async function mineExactly(
  rpc: RpcClient,
  address: string,
  transactions: readonly string[],
): Promise<string> {
  const result = await rpc.call("generateblock", [address, transactions]);
  if (typeof result !== "object" || result === null || !("hash" in result)) {
    throw new Error("generateblock: expected a hash");
  }
  return String(result.hash);
}
