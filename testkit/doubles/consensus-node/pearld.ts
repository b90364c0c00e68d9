// A real pearld on a private simnet with mainnet's rules for what is relayed. It has no call that mines what one wants and
// no clock that can be set: blocks are put together here, with a certificate that simnet does not look into, and handed
// in. Their times are the chain's clock.

import { join } from "node:path";
import { isExecutable, programOnPath } from "../../programs.ts";
import { addressOfSigner } from "../../../src/wallet/index.ts";
import {
  certificateLength,
  dummyCertificate,
  encodeBlock,
  encodeHeader,
  parseBlock,
} from "../pearl-node/block-codec.ts";
import { decodeAddress, programScript } from "../pearl-node/address.ts";
import { buildCoinbase, subsidy, txMerkleRoot } from "../pearl-node/coinbase.ts";
import { parseTransaction } from "../pearl-node/transaction.ts";
import type { ConsensusNode, NodeProgram } from "./consensus-node.ts";
import { startProcess } from "./node-process.ts";
import { NodeRefusal, type RpcAddress, type RpcClient } from "./rpc.ts";

const HRP = "rprl";
const BLOCK_VERSION = 0x20000000;
/** Certificate of a simnet block for a pearld of version 1.0: version 1, zeros, a proof of no bytes. */
const CERTIFICATE_V1 = Buffer.concat([Buffer.from([1, 0, 0, 0]), Buffer.alloc(200)]);

/** PEARLD names the program; else it is looked for on the PATH. */
export const pearld: NodeProgram = {
  name: "pearld",
  missing: "not required: pearld is not at hand (PEARLD names one, or it is on the PATH)",
  isRequired: false,
  path,
  start,
};

function path(): string | null {
  const named = process.env["PEARLD"] ?? "";
  if (named === "") return programOnPath("pearld");
  return isExecutable(named) ? named : null;
}

function flags(folder: string, { port, user, password }: RpcAddress): readonly string[] {
  const args = ["--simnet", "--rejectnonstd", "--txindex", "--nolisten", "--nodnsseed", "--notls"];
  args.push(`--datadir=${join(folder, "chain")}`, `--logdir=${join(folder, "logs")}`);
  return [...args, `--rpcuser=${user}`, `--rpcpass=${password}`, `--rpclisten=127.0.0.1:${port}`];
}

async function start(): Promise<ConsensusNode> {
  const program = path();
  if (program === null) throw new Error("pearld is not at hand");
  return startPearld(program);
}

/** Starts a program that takes pearld's flags. @throws as `pearld.start` does. */
export async function startPearld(program: string): Promise<ConsensusNode> {
  const { rpc, address, stop } = await startProcess("pearld", program, flags);
  const clock = { earliest: 0 };
  const mine = async (to: string, transactions: readonly string[]): Promise<string> => {
    const { raw, hash } = await nextBlock(rpc, to, transactions, clock.earliest);
    await handIn(rpc, raw);
    return hash;
  };
  return {
    rpc,
    address,
    hrp: HRP,
    network: "simnet",
    words: {
      // A failed check of a script stands behind "failed to validate input", which nothing else is said with.
      signature: /failed to validate input/,
      equality: /OP_EQUALVERIFY/,
      "lock time": /failed to validate input/,
      commitment: /failed to validate input/,
      "not final": /not finalized|unfinalized|non-final/,
    },
    addressOf: (key) => addressOfSigner(key, HRP),
    height: () => rpc.integer("getblockcount"),
    block: async (hash) => readBlock(await rpc.text("getblock", [hash, 0])),
    // The second parameter allows any fee.
    relay: (transaction) => rpc.text("sendrawtransaction", [transaction, true]),
    mineEmpty: async (count, to) => {
      const hashes: string[] = [];
      while (hashes.length < count) hashes.push(await mine(to, []));
      return hashes;
    },
    mineExactly: mine,
    moveClock: async (seconds) => {
      clock.earliest = seconds;
    },
    stop,
  };
}

function readBlock(hex: string): { readonly time: number; readonly transactions: readonly Uint8Array[] } {
  const parsed = parseBlock(Buffer.from(hex, "hex"));
  if (!parsed.ok) throw new Error(`getblock: ${parsed.reject.message}`);
  return { time: parsed.value.header.time, transactions: parsed.value.txs.map(({ raw }) => raw) };
}

/** A block on the tip. Its coinbase takes the subsidy alone, so that nothing needs to be known of fees. */
async function nextBlock(
  rpc: RpcClient,
  to: string,
  transactions: readonly string[],
  earliest: number,
): Promise<{ readonly raw: Uint8Array; readonly hash: string }> {
  const paid = decodeAddress(to, HRP);
  if (paid === null) throw new Error(`${to} is no address of simnet`);
  const previous = await rpc.text("getbestblockhash");
  const parent = parseBlock(Buffer.from(await rpc.text("getblock", [previous, 0]), "hex"));
  if (!parent.ok) throw new Error(`getblock: ${parent.reject.message}`);
  const height = (await rpc.integer("getblockcount")) + 1;
  const others = transactions.map((hex) => {
    const parsed = parseTransaction(Buffer.from(hex, "hex"));
    if (!parsed.ok) throw new Error(`a transaction for the block is unreadable: ${parsed.reject.message}`);
    return parsed.value;
  });
  const txs = [buildCoinbase(height, subsidy(height), programScript(paid), others), ...others];
  const { time, bits } = parent.value.header;
  const header = encodeHeader({
    version: BLOCK_VERSION,
    previous,
    merkleRoot: txMerkleRoot(txs),
    time: Math.max(time + 1, earliest),
    bits,
    proofCommitment: "00".repeat(32),
  });
  const raw = encodeBlock(
    dummyCertificate(),
    header,
    txs.map((tx) => tx.raw),
  );
  const block = parseBlock(raw);
  if (!block.ok) throw new Error(`an unreadable block was made: ${block.reject.message}`);
  return { raw, hash: block.value.hash };
}

/**
 * Hands a block in, with its own certificate or, as pearld 1.0 wants it, with one of version 1.
 * @throws NodeRefusal with the node's words where it is refused.
 */
export async function handIn(rpc: RpcClient, raw: Uint8Array): Promise<void> {
  const first = await refusalOf(rpc, raw);
  const length = certificateLength(raw);
  const isOfTheCertificate = first !== null && length !== null && /certificate/i.test(first);
  const last = isOfTheCertificate
    ? await refusalOf(rpc, Buffer.concat([CERTIFICATE_V1, raw.subarray(length)]))
    : first;
  if (last !== null) throw new NodeRefusal("submitblock", -25, last);
}

async function refusalOf(rpc: RpcClient, raw: Uint8Array): Promise<string | null> {
  try {
    const answer = await rpc.call("submitblock", [Buffer.from(raw).toString("hex")]);
    return answer === null ? null : JSON.stringify(answer);
  } catch (error) {
    if (error instanceof NodeRefusal) return error.message;
    throw error;
  }
}
