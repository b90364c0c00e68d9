// Checks whether a block is valid by itself and on its parent: everything that can be said before its inputs are looked
// up.
import { sameBytes } from "../../bytes.ts";
import type { Block } from "./block-codec.ts";
import type { BlockNode } from "./block-index.ts";
import { announcedCommitment, startsWithHeight, txMerkleRoot, witnessCommitment } from "./coinbase.ts";
import { isFinal } from "./locks.ts";
import { MAX_BLOCK_VSIZE, type Network } from "./network.ts";
import { sanityFault } from "./transaction.ts";

/** Rules without context: certificate version, size, coinbase first and alone, each transaction, merkle root. */
export function blockFault(
  block: Block,
  network: Network,
  isInvented: (txid: string) => boolean,
): string | undefined {
  if (block.certificateVersion !== network.certificateVersion) {
    return `block certificate version ${block.certificateVersion} is not ${network.certificateVersion}`;
  }
  if (block.txs.length === 0) return "block does not contain any transactions";
  if (block.vsize > MAX_BLOCK_VSIZE)
    return `serialized block is too big - got ${block.vsize}, max ${MAX_BLOCK_VSIZE}`;
  for (const [index, tx] of block.txs.entries()) {
    if (tx.tx.isCoinbase() !== (index === 0)) {
      return index === 0
        ? "first transaction in block is not a coinbase"
        : `block contains second coinbase at index ${index}`;
    }
    const fault = isInvented(tx.txid) ? undefined : sanityFault(tx);
    if (fault !== undefined) return fault;
  }
  const root = txMerkleRoot(block.txs);
  if (root !== block.header.merkleRoot) {
    return `block merkle root is invalid - block header indicates ${block.header.merkleRoot}, but calculated value is ${root}`;
  }
  if (new Set(block.txs.map((tx) => tx.txid)).size !== block.txs.length)
    return "block contains duplicate transaction";
  return undefined;
}

/** Rules that need the parent and the clock: bits, time, height in the coinbase, finality, witness commitment. */
export function contextFault(
  block: Block,
  parent: BlockNode,
  network: Network,
  now: number,
): string | undefined {
  const { header } = block;
  const height = parent.height + 1;
  if (header.bits !== network.bits)
    return `block difficulty of ${header.bits} is not the expected value of ${network.bits}`;
  if (header.time <= parent.header.time) {
    return `block timestamp of ${header.time} is not after its parent's ${parent.header.time}`;
  }
  if (header.time > now + network.maxFutureSeconds)
    return `block timestamp of ${header.time} is too far in the future`;
  const coinbase = block.txs[0];
  if (coinbase === undefined || !startsWithHeight(coinbase.tx.ins[0]?.script ?? new Uint8Array(0), height)) {
    return `the coinbase signature script does not start with the serialized block height ${height}`;
  }
  for (const tx of block.txs) {
    if (!isFinal(tx.tx, height, parent.medianTime))
      return `block contains unfinalized transaction ${tx.txid}`;
  }
  return commitmentFault(block);
}

function commitmentFault(block: Block): string | undefined {
  const [coinbase, ...others] = block.txs;
  if (coinbase === undefined || !block.txs.some((tx) => tx.tx.hasWitnesses())) return undefined;
  const announced = announcedCommitment(coinbase);
  if (announced === null)
    return "block contains transaction with witness data, yet no witness commitment present";
  const witness = coinbase.tx.ins[0]?.witness ?? [];
  const reserved = witness[0];
  if (witness.length !== 1 || reserved?.length !== 32) {
    return "the coinbase transaction must have exactly one witness item of 32 bytes";
  }
  const expected = witnessCommitment(others, reserved);
  return sameBytes(expected, announced) ? undefined : "witness commitment does not match";
}
