// The transactions of the wallet: how they are written down, named and measured. The bytes are Bitcoin's segwit
// serialisation (BIP144), which the Pearl chain uses unchanged. The wallet keeps its own plain records and leaves the
// bytes to the coders of @scure/btc-signer.

import { elementAt } from "../primitives/elements.ts";
import { hex } from "@scure/base";
import { RawOldTx, RawTx } from "@scure/btc-signer/script.js";
import { sha256x2 } from "@scure/btc-signer/utils.js";

/** Names one output of one transaction: `txid` in display order (64 lower-case hex digits). */
export interface OutPoint {
  readonly txid: string;
  readonly vout: number;
}

/** An output: `amount` in grains, `script` the output script. */
export interface TxOutput {
  readonly amount: bigint;
  readonly script: Uint8Array;
}

/** An unspent output together with its name. */
export interface Coin extends OutPoint, TxOutput {}

/** An input with its witness stack (bottom first); the scriptSig is always empty on this chain. */
export interface TxInput extends OutPoint {
  readonly sequence: number;
  readonly witness: readonly Uint8Array[];
}

/** A whole transaction. */
export interface Tx {
  readonly version: number;
  readonly lockTime: number;
  readonly inputs: readonly TxInput[];
  readonly outputs: readonly TxOutput[];
}

/** Sequence number of every input the wallet makes, and the one that P-53 signs: final, no relative lock. */
export const FINAL_SEQUENCE = 0xffffffff;

function body(tx: Tx) {
  return {
    version: tx.version,
    lockTime: tx.lockTime,
    inputs: tx.inputs.map((input) => ({
      txid: hex.decode(input.txid),
      index: input.vout,
      sequence: input.sequence,
      finalScriptSig: new Uint8Array(0),
    })),
    outputs: tx.outputs.map((output) => ({ amount: output.amount, script: output.script })),
  };
}

/** The bytes without witnesses: what the txid is made of. */
function serializeStripped(tx: Tx): Uint8Array {
  return RawOldTx.encode(body(tx));
}

/** The bytes as they are relayed. A transaction without any witness takes the old form (BIP144). */
export function serializeTx(tx: Tx): Uint8Array {
  if (tx.inputs.every((input) => input.witness.length === 0)) return serializeStripped(tx);
  const witnesses = tx.inputs.map((input) => [...input.witness]);
  return RawTx.encode({ ...body(tx), segwitFlag: true, witnesses });
}

/** The txid in display order. Witnesses have no part in it, so it is known before anything is signed. */
export function transactionId(tx: Tx): string {
  return hex.encode(sha256x2(serializeStripped(tx)).toReversed());
}

/** Bytes of a number in front of so many items. */
function countSize(count: number): number {
  if (count < 0xfd) return 1;
  return count <= 0xffff ? 3 : 5;
}

function sizeWithCount(bytes: Uint8Array): number {
  return countSize(bytes.length) + bytes.length;
}

function sum(sizes: readonly number[]): number {
  return sizes.reduce((total, size) => total + size, 0);
}

/**
 * Virtual size in vbytes, rounded up: weight / 4 of BIP141. Reckoned from lengths, since a balance is tried with every
 * coin that is added.
 */
export function virtualSize({ inputs, outputs }: Tx): number {
  // Version and lock time; outpoint, empty scriptSig and sequence; amount and script.
  const stripped =
    8 +
    countSize(inputs.length) +
    41 * inputs.length +
    countSize(outputs.length) +
    sum(outputs.map(({ script }) => 8 + sizeWithCount(script)));
  if (inputs.every(({ witness }) => witness.length === 0)) return stripped;
  const witnesses = inputs.map(({ witness }) => countSize(witness.length) + sum(witness.map(sizeWithCount)));
  return stripped + Math.ceil((2 + sum(witnesses)) / 4);
}

/**
 * Reads relayed bytes back.
 * @throws when the bytes are no transaction, or an input carries a scriptSig (never valid on this chain).
 */
export function parseTx(bytes: Uint8Array): Tx {
  const raw = RawTx.decode(bytes);
  const inputs = raw.inputs.map((input, index) => {
    if (input.finalScriptSig.length > 0) throw new Error(`input ${index} carries a scriptSig`);
    return {
      txid: hex.encode(input.txid),
      vout: input.index,
      sequence: input.sequence,
      witness: raw.witnesses === undefined ? [] : elementAt(raw.witnesses, index),
    };
  });
  return { version: raw.version, lockTime: raw.lockTime, inputs, outputs: raw.outputs };
}
