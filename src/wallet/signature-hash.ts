// Computes the 32 bytes that a Taproot signature signs: BIP341 (key path, with or without annex) and BIP342 (leaf)
// signature hashes, written out here because the signing class of @scure/btc-signer cannot carry an annex. Tested
// against bitcoinjs-lib.

import { hex } from "@scure/base";
import { RawOutput, VarBytes } from "@scure/btc-signer/script.js";
import { concatBytes, sha256, tagSchnorr } from "@scure/btc-signer/utils.js";
import type { Tx, TxInput, TxOutput } from "./transaction.ts";

/** BIP341 hash types; DEFAULT signs everything and adds no byte to the signature. */
const SIGHASH_DEFAULT = 0x00;
/** SINGLE | ANYONECANPAY: this input and its same-index output only; the type of a listing (P-53). */
export const SIGHASH_SINGLE_ANYONECANPAY = 0x83;

const HASH_TYPES: readonly number[] = [0x00, 0x01, 0x02, 0x03, 0x81, 0x82, 0x83];

/** What differs between the ways to sign an input. */
export interface SignatureHashOptions {
  /** One of 00, 01, 02, 03, 81, 82, 83; DEFAULT when absent. */
  readonly hashType?: number;
  /** Tapleaf hash of the leaf that is being executed; absent for the key path. */
  readonly leafHash?: Uint8Array;
  /** The annex with its leading 0x50, where the witness carries one. */
  readonly annex?: Uint8Array;
}

function u32(value: number): Uint8Array {
  return Uint8Array.of(value & 0xff, (value >>> 8) & 0xff, (value >>> 16) & 0xff, (value >>> 24) & 0xff);
}

function u64(value: bigint): Uint8Array {
  return concatBytes(u32(Number(value & 0xffffffffn)), u32(Number(value >> 32n)));
}

function outPoint(input: TxInput): Uint8Array {
  return concatBytes(hex.decode(input.txid).toReversed(), u32(input.vout));
}

function outputBytes(output: TxOutput): Uint8Array {
  return RawOutput.encode({ amount: output.amount, script: output.script });
}

function hashOfAll<T>(items: readonly T[], encode: (item: T) => Uint8Array): Uint8Array {
  return sha256(concatBytes(...items.map(encode)));
}

/** Tapleaf hash (BIP341) of a script with leaf version 0xc0. */
export function tapLeafHash(script: Uint8Array): Uint8Array {
  return tagSchnorr("TapLeaf", Uint8Array.of(0xc0), VarBytes.encode(script));
}

/** Hashes of everything of one kind in a transaction, which the messages of all its inputs have in common. */
interface CommonHashes {
  /** Outpoints, spent amounts, spent scripts and sequences. */
  readonly inputs: readonly Uint8Array[];
  readonly outputs: Uint8Array;
}

function commonHashes(tx: Tx, spent: readonly TxOutput[]): CommonHashes {
  return {
    inputs: [
      hashOfAll(tx.inputs, outPoint),
      hashOfAll(spent, (output) => u64(output.amount)),
      hashOfAll(spent, (output) => VarBytes.encode(output.script)),
      hashOfAll(tx.inputs, (each) => u32(each.sequence)),
    ],
    outputs: hashOfAll(tx.outputs, outputBytes),
  };
}

/**
 * The BIP341 signature hash of input `index` of one transaction.
 * @throws RangeError for an unknown hash type, a missing spent output, or SINGLE without a same-index output
 * (consensus refuses the last one too).
 */
export type InputHash = (index: number, options?: SignatureHashOptions) => Uint8Array;

/**
 * The signature hashes of a transaction's inputs. `spent` holds the output that each input spends, in input order. What
 * all inputs have in common is hashed once: the work for signing every input grows with their number, not its square.
 */
export function inputHashes(tx: Tx, spent: readonly TxOutput[]): InputHash {
  let hashed: CommonHashes | null = null;
  const common = (): CommonHashes => {
    hashed ??= commonHashes(tx, spent);
    return hashed;
  };
  return (index, options = {}) => hashOfInput(tx, index, spent, options, common);
}

/** The signature hash of one input, as `inputHashes` gives it for all. */
export function taprootSignatureHash(
  tx: Tx,
  index: number,
  spent: readonly TxOutput[],
  options: SignatureHashOptions = {},
): Uint8Array {
  return inputHashes(tx, spent)(index, options);
}

function hashOfInput(
  tx: Tx,
  index: number,
  spent: readonly TxOutput[],
  options: SignatureHashOptions,
  common: () => CommonHashes,
): Uint8Array {
  const hashType = options.hashType ?? SIGHASH_DEFAULT;
  const input = tx.inputs[index];
  const own = spent[index];
  if (!HASH_TYPES.includes(hashType)) throw new RangeError(`unknown hash type ${hashType}`);
  if (input === undefined || own === undefined || spent.length !== tx.inputs.length) {
    throw new RangeError(`input ${index}: one spent output is needed per input`);
  }
  const anyoneCanPay = (hashType & 0x80) !== 0;
  const outputType = hashType & 3;
  const parts: Uint8Array[] = [Uint8Array.of(0, hashType), u32(tx.version), u32(tx.lockTime)];
  if (!anyoneCanPay) parts.push(...common().inputs);
  if (outputType < 2) parts.push(common().outputs);
  parts.push(Uint8Array.of((options.leafHash ? 2 : 0) | (options.annex ? 1 : 0)));
  if (anyoneCanPay) parts.push(outPoint(input), outputBytes(own), u32(input.sequence));
  else parts.push(u32(index));
  if (options.annex) parts.push(sha256(VarBytes.encode(options.annex)));
  if (outputType === 3) {
    const paired = tx.outputs[index];
    if (paired === undefined) throw new RangeError(`input ${index} has no output of the same index`);
    parts.push(sha256(outputBytes(paired)));
  }
  // BIP342: leaf hash, key version 0, no OP_CODESEPARATOR executed.
  if (options.leafHash) parts.push(options.leafHash, Uint8Array.of(0), u32(0xffffffff));
  return tagSchnorr("TapSighash", ...parts);
}
