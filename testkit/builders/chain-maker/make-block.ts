// Writes the transactions and blocks of a generated chain: plain serialisation on top of bitcoinjs-lib. Nothing of the
// service is used, so that its own readers are tested against another writer.

import { bech32m } from "@scure/base";
import { Transaction } from "bitcoinjs-lib";
import { compactSize, concat, hash256, push, toDisplay, uint32 } from "../../bytes.ts";

/** OP_1 <key>. */
export function taprootScript(key: Uint8Array): Uint8Array {
  return concat([0x51, 0x20], key);
}

export function taprootAddress(key: Uint8Array, hrp: string): string {
  return bech32m.encode(hrp, [1, ...bech32m.toWords(key)]);
}

/** One input of a generated transaction. */
export interface MadeInput {
  /** Display hex. */
  readonly txid: string;
  readonly vout: number;
  readonly witness: readonly Uint8Array[];
}

/** One output of a generated transaction. */
export interface MadeOutput {
  readonly value: bigint;
  readonly script: Uint8Array;
}

export function makeTransaction(inputs: readonly MadeInput[], outputs: readonly MadeOutput[]): Transaction {
  const transaction = new Transaction();
  transaction.version = 2;
  for (const input of inputs) {
    const hash = new Uint8Array(Buffer.from(input.txid, "hex")).toReversed();
    const index = transaction.addInput(hash, input.vout, 0xfffffffd);
    transaction.setWitness(index, [...input.witness]);
  }
  for (const output of outputs) transaction.addOutput(output.script, output.value);
  return transaction;
}

function merkleRoot(leaves: readonly Uint8Array[]): Uint8Array {
  let level = [...leaves];
  while (level.length > 1) {
    const next: Uint8Array[] = [];
    for (let i = 0; i < level.length; i += 2) {
      const left = level[i];
      const right = level[i + 1] ?? left;
      if (left === undefined || right === undefined) throw new Error("empty merkle level");
      next.push(hash256(concat(left, right)));
    }
    level = next;
  }
  const root = level[0];
  if (root === undefined) throw new Error("a block without transactions");
  return root;
}

/** Shape of a network's blocks. */
export interface BlockFormat {
  /** 108 with Pearl's certificate in front, or 80 without one. */
  readonly headerBytes: 108 | 80;
}

/** A finished block. */
export interface MadeBlock {
  readonly height: number;
  /** Display hex. */
  readonly hash: string;
  readonly previousHash: string;
  readonly time: number;
  /** As `getblock hash 0` gives it. */
  readonly raw: Uint8Array;
  /** Raw transactions in block order, coinbase first. */
  readonly transactions: readonly Uint8Array[];
}

function heightScript(height: number): Uint8Array {
  if (height <= 16) return Uint8Array.of(0x50 + height, 0x00);
  const bytes: number[] = [];
  for (let rest = height; rest > 0; rest = Math.floor(rest / 256)) bytes.push(rest % 256);
  if ((bytes[bytes.length - 1] ?? 0) >= 0x80) bytes.push(0);
  return concat([bytes.length], bytes);
}

function makeCoinbase(
  height: number,
  extra: Uint8Array,
  payee: Uint8Array,
  body: readonly Transaction[],
): Transaction {
  const coinbase = new Transaction();
  coinbase.version = 1;
  coinbase.addInput(new Uint8Array(32), 0xffffffff, 0xffffffff, concat(heightScript(height), push(extra)));
  coinbase.setWitness(0, [new Uint8Array(32)]);
  coinbase.addOutput(payee, 5_000_000_000n);
  const witnessRoot = merkleRoot([new Uint8Array(32), ...body.map((made) => made.getHash(true))]);
  const commitment = hash256(concat(witnessRoot, new Uint8Array(32)));
  coinbase.addOutput(concat([0x6a, 0x24, 0xaa, 0x21, 0xa9, 0xed], commitment), 0n);
  return coinbase;
}

/** Puts transactions into a block on top of `previousHash`, with coinbase, commitment and Pearl's dummy certificate. */
export function makeBlock(options: {
  readonly height: number;
  readonly previousHash: string;
  readonly time: number;
  readonly body: readonly Transaction[];
  readonly extra: Uint8Array;
  readonly payee: Uint8Array;
  readonly format: BlockFormat;
}): MadeBlock {
  const { height, previousHash, time, body, format } = options;
  const coinbase = makeCoinbase(height, options.extra, options.payee, body);
  const all = [coinbase, ...body];
  const root = merkleRoot(all.map((made) => made.getHash(false)));
  const previous = new Uint8Array(Buffer.from(previousHash, "hex")).toReversed();
  const bits = format.headerBytes === 108 ? 0x1e010000 : 0x207fffff;
  const tail = format.headerBytes === 108 ? new Uint8Array(32) : uint32(height);
  const header = concat(uint32(0x20000000), previous, root, uint32(time), uint32(bits), tail);
  const certificate =
    format.headerBytes === 108
      ? concat(uint32(4), new Uint8Array(32), uint32(0), uint32(1), [0])
      : new Uint8Array(0);
  const transactions = all.map((made) => new Uint8Array(made.toBuffer()));
  const raw = concat(certificate, header, compactSize(all.length), ...transactions);
  return { height, hash: toDisplay(hash256(header)), previousHash, time, raw, transactions };
}
