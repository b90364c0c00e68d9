// Knows what a coinbase must carry, and makes this node's own: BIP34 height, Pearl's subsidy curve, the BIP141 witness
// commitment, and the merkle roots that both commitments need.
import { Transaction, script as bscript } from "bitcoinjs-lib";
import { concat, fromDisplay, hash256, sameBytes, toDisplay } from "../../bytes.ts";
import { parseTransaction, type NodeTx } from "./transaction.ts";

const TOTAL_EMISSION = 210_000_000_000_000_000n;
const HALF_HEIGHT = 650_226n;
const COMMITMENT_PREFIX = Uint8Array.of(0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed);
const TEMPLATE_NAME = new TextEncoder().encode("/P2SH/pearld/");

/** New grains that block `height` may create: ⌊2.1e17·C / ((h+C)(h−1+C))⌋ with C = 650226; 0 for genesis. */
export function subsidy(height: number): bigint {
  if (height === 0) return 0n;
  const h = BigInt(height);
  return (TOTAL_EMISSION * HALF_HEIGHT) / ((h + HALF_HEIGHT) * (h - 1n + HALF_HEIGHT));
}

/** Script bytes that BIP34 wants at the start of the coinbase of `height`: OP_1..OP_16 or a minimal push. */
function heightPush(height: number): Uint8Array {
  if (height >= 1 && height <= 16) return Uint8Array.of(0x50 + height);
  return bscript.compile([bscript.number.encode(height)]);
}

/** Whether a coinbase script starts with its height (heights 1 to 16 also as a one-byte push, as btcd reads it). */
export function startsWithHeight(script: Uint8Array, height: number): boolean {
  const wanted = heightPush(height);
  if (sameBytes(script.subarray(0, wanted.length), wanted)) return true;
  return height >= 1 && height <= 16 && script[0] === 1 && script[1] === height;
}

/** Merkle root of hashes in their natural byte order; an odd last one is paired with itself. */
function merkleRoot(hashes: readonly Uint8Array[]): Uint8Array {
  let level = [...hashes];
  while (level.length > 1) {
    const upper: Uint8Array[] = [];
    for (let i = 0; i < level.length; i += 2) {
      const left = level[i] ?? new Uint8Array(32);
      upper.push(hash256(concat(left, level[i + 1] ?? left)));
    }
    level = upper;
  }
  return level[0] ?? new Uint8Array(32);
}

function hashOf(display: string): Uint8Array {
  return fromDisplay(display) ?? new Uint8Array(32);
}

/** Displayed merkle root of the transaction ids. */
export function txMerkleRoot(txs: readonly NodeTx[]): string {
  return toDisplay(merkleRoot(txs.map((tx) => hashOf(tx.txid))));
}

/** BIP141 commitment over the witness ids (`others` without the coinbase, whose id counts as zeros). */
export function witnessCommitment(others: readonly NodeTx[], reserved: Uint8Array): Uint8Array {
  const root = merkleRoot([new Uint8Array(32), ...others.map((tx) => hashOf(tx.wtxid))]);
  return hash256(concat(root, reserved));
}

/** The commitment that a coinbase announces: its last output of the BIP141 form, or null. */
export function announcedCommitment(coinbase: NodeTx): Uint8Array | null {
  for (const out of coinbase.tx.outs.toReversed()) {
    if (out.script.length >= 38 && sameBytes(out.script.subarray(0, 6), COMMITMENT_PREFIX)) {
      return out.script.slice(6, 38);
    }
  }
  return null;
}

/** The coinbase that this node mines: one payment of `value` grains to `miningScript`, then the witness commitment. */
export function buildCoinbase(
  height: number,
  value: bigint,
  miningScript: Uint8Array,
  others: readonly NodeTx[],
): NodeTx {
  const tx = new Transaction();
  tx.version = 1;
  const script = concat(heightPush(height), Uint8Array.of(0), bscript.compile([TEMPLATE_NAME]));
  tx.addInput(new Uint8Array(32), 0xffffffff, 0xffffffff, script);
  tx.addOutput(miningScript, value);
  const reserved = new Uint8Array(32);
  tx.addOutput(concat(COMMITMENT_PREFIX, witnessCommitment(others, reserved)), 0n);
  tx.setWitness(0, [reserved]);
  const parsed = parseTransaction(tx.toBuffer());
  if (!parsed.ok) throw new Error(`the node built a coinbase that it cannot read: ${parsed.reject.message}`);
  return parsed.value;
}
