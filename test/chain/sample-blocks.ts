// Makes the blocks and transactions that tests of the scanner scan, with bitcoinjs-lib and a stand-in for envelopes.

import assert from "node:assert/strict";
import { Block, Transaction } from "bitcoinjs-lib";
import type { AnchorProbe, RecogniseEnvelope, ScannedBlock } from "../../src/chain/block-shapes.ts";
import { NETWORKS } from "../../src/chain/networks.ts";
import { type ScanContext, scanBlock } from "../../src/chain/scan-block.ts";
import { outpointAt } from "../../src/chain/transaction-view.ts";
import type { BlockHash } from "../../src/primitives/brands.ts";
import { hash256, toDisplay, toHex } from "../../testkit/bytes.ts";

/** A stand-in for P-12: any leaf that begins with a 32-byte push and goes on. */
export function isEnvelope(leaf: Uint8Array): boolean {
  return leaf.length > 34 && leaf[0] === 0x20;
}
const recognise: RecogniseEnvelope = (bytes, start, end) => {
  const leaf = bytes.slice(start, end);
  return isEnvelope(leaf) ? { keyHex: toHex(leaf.subarray(1, 33)), body: leaf.slice(33) } : null;
};

function probeOf(outpoints: ReadonlySet<string>): AnchorProbe {
  return { mayBeAnchor: (bytes, offset) => outpoints.has(outpointAt(bytes, offset)) };
}
/** A scan of simnet blocks that looks for those outpoints. */
export function contextOf(outpoints: ReadonlySet<string> = new Set()): ScanContext {
  return { network: NETWORKS.simnet, sha256d: hash256, recognise, anchors: probeOf(outpoints) };
}

/** The certificate of every sample block. */
export const V4_CERTIFICATE = Buffer.from(`04000000${"00".repeat(32)}000000000100000000`, "hex");
/** The parent of every sample block. */
export const PREVIOUS = "11".repeat(32) as BlockHash;

/** A block and what it was made of. */
export interface Sample {
  readonly raw: Uint8Array;
  readonly hash: BlockHash;
  readonly height: number;
  readonly txs: readonly Transaction[];
}

/** A coinbase with the height and, where given, a witness commitment. */
export function coinbaseOf(height: number, commitment: Uint8Array | null): Transaction {
  const tx = new Transaction();
  tx.version = 1;
  const push = height <= 16 ? [0x50 + height] : [2, height & 0xff, height >> 8];
  tx.addInput(new Uint8Array(32), 0xffff_ffff, 0xffff_ffff, Uint8Array.of(...push, 0, 1, 7));
  tx.addOutput(Buffer.from(`5120${"ab".repeat(32)}`, "hex"), 5_000_000_000n);
  if (commitment !== null) {
    // A decoy first: the last output of the form is the one that counts.
    tx.addOutput(Buffer.from(`6a24aa21a9ed${"77".repeat(32)}`, "hex"), 0n);
    tx.addOutput(
      Buffer.concat([Buffer.from("6a24aa21a9ed", "hex"), commitment, Buffer.from("00", "hex")]),
      0n,
    );
    tx.setWitness(0, [new Uint8Array(32)]);
  }
  return tx;
}

function headerOf(merkleRoot: Uint8Array, previous = PREVIOUS): Buffer {
  const header = Buffer.alloc(108, 0x5c);
  header.writeUInt32LE(0x2000_0000, 0);
  header.set(Buffer.from(previous, "hex").toReversed(), 4);
  Buffer.from(merkleRoot).copy(header, 36);
  header.writeUInt32LE(1_790_000_000, 68);
  return header;
}

function countOf(count: number): Uint8Array {
  return count < 0xfd ? Uint8Array.of(count) : Uint8Array.of(0xfd, count & 0xff, count >> 8);
}

/** A block of these transactions with a given merkle root, right or wrong. */
export function assemble(txs: readonly Transaction[], height: number, merkleRoot: Uint8Array): Sample {
  const header = headerOf(merkleRoot);
  const raw = Buffer.concat([V4_CERTIFICATE, header, countOf(txs.length), ...txs.map((tx) => tx.toBuffer())]);
  return { raw: new Uint8Array(raw), hash: toDisplay(hash256(header)) as BlockHash, height, txs };
}

/** A block whose commitments are the library's. */
export function sampleBlock(others: readonly Transaction[], height = 300, committed = true): Sample {
  const draft = [coinbaseOf(height, committed ? new Uint8Array(32) : null), ...others];
  const commitment = committed ? Block.calculateMerkleRoot(draft, true) : null;
  const txs = [coinbaseOf(height, commitment), ...others];
  return assemble(txs, height, Block.calculateMerkleRoot(txs));
}

/** The scanner's question for a sample. */
export const expectedOf = (sample: Sample, previousHash: BlockHash | null = PREVIOUS) => ({
  hash: sample.hash,
  height: sample.height,
  previousHash,
});

/** Scans a sample that must be accepted. */
export function scanned(sample: Sample, context: ScanContext = contextOf()): ScannedBlock {
  const result = scanBlock(sample.raw, expectedOf(sample), context);
  if (!result.ok) assert.fail(`${result.error.code}: ${result.error.detail}`);
  return result.value;
}

/** The fault code for the bytes, or `accepted`. */
export function codeOf(raw: Uint8Array, sample: Sample): string {
  const result = scanBlock(raw, expectedOf(sample), contextOf());
  return result.ok ? "accepted" : result.error.code;
}

/** Some bytes of a length. */
export function someBytes(length: number, fill: number): Uint8Array {
  return new Uint8Array(length).map((_, i) => (i * 13 + fill * 7) & 0xff);
}

/** What a sample transaction is made of. */
export interface TransactionSpec {
  readonly inputs: readonly {
    readonly txid: number;
    readonly vout: number;
    /** Length of the scriptSig. */
    readonly script: number;
    readonly witness: readonly Uint8Array[];
  }[];
  readonly outputs: readonly { readonly value: bigint; readonly length: number }[];
  /** Which earlier transaction of the list the first input spends. */
  readonly spendsEarlier: number | null;
}
/** One input and one output, no witness. */
export function plainSpec(txid: number): TransactionSpec {
  return {
    inputs: [{ txid, vout: 0, script: 3, witness: [] }],
    outputs: [{ value: 7n, length: 2 }],
    spendsEarlier: null,
  };
}

/** Transactions from specs; some spend outputs of earlier ones of the same list. */
export function build(specs: readonly TransactionSpec[]): Transaction[] {
  const txs: Transaction[] = [];
  for (const [n, one] of specs.entries()) {
    const tx = new Transaction();
    tx.version = 2;
    tx.locktime = n;
    for (const [i, input] of one.inputs.entries()) {
      const earlier = one.spendsEarlier === null || i > 0 ? undefined : txs[one.spendsEarlier % (n + 1)];
      const source = earlier?.getHash() ?? new Uint8Array(32).fill(input.txid + 1);
      tx.addInput(source, input.vout, 5, someBytes(input.script, i));
      tx.setWitness(i, [...input.witness]);
    }
    for (const output of one.outputs) tx.addOutput(someBytes(output.length, n), output.value);
    txs.push(tx);
  }
  return txs;
}

/** A block with one inscription and one legacy transaction. */
export const small = (): Sample =>
  sampleBlock(
    build([
      {
        inputs: [
          {
            txid: 0,
            vout: 1,
            script: 0,
            witness: [
              someBytes(64, 1),
              Uint8Array.of(0x20, ...someBytes(50, 5)),
              Uint8Array.of(0xc0, ...someBytes(32, 2)),
            ],
          },
        ],
        outputs: [{ value: 330n, length: 34 }],
        spendsEarlier: null,
      },
      plainSpec(2),
    ]),
  );
