// Reads transactions as this node sees them, and checks the rules that one can break all by itself. Parsing and ids
// come from bitcoinjs-lib (Pearl's transactions are Bitcoin's, byte for byte); the context-free rules are Pearl's.
import { Transaction } from "bitcoinjs-lib";
import { hash256, sameBytes, toDisplay, toHex } from "../../bytes.ts";
import { MAX_GRAINS } from "./network.ts";
import { accept, refuse, type Verdict } from "./verdict.ts";

/** A parsed transaction with what is asked of it again and again. */
export interface NodeTx {
  readonly tx: Transaction;
  readonly raw: Uint8Array;
  readonly txid: string;
  readonly wtxid: string;
  readonly size: number;
  readonly strippedSize: number;
  /** stripped + ⌈(size − stripped) / 4⌉. */
  readonly vsize: number;
  /** The spent outpoints as `txid:index`, in input order. */
  readonly spends: readonly string[];
}

/** Kind of an output script; `nonstandard` is invalid in consensus. */
export type OutputClass = "witness_v1_taproot" | "witness_v2_merkleroot" | "nulldata" | "nonstandard";

/** Name of an outpoint in every map of this node. */
export function outpointKey(txid: string, index: number): string {
  return `${txid}:${index}`;
}

/** Class of an output script: the three forms that Pearl's consensus allows, or `nonstandard`. */
export function outputClass(script: Uint8Array): OutputClass {
  if (script[0] === 0x6a) return "nulldata";
  if (script.length === 34 && script[1] === 0x20) {
    if (script[0] === 0x51) return "witness_v1_taproot";
    if (script[0] === 0x52) return "witness_v2_merkleroot";
  }
  return "nonstandard";
}

/** Reads the transaction that starts at `offset`; `next` is the offset after it. Non-canonical bytes are refused. */
export function readTransaction(bytes: Uint8Array, offset: number): Verdict<{ tx: NodeTx; next: number }> {
  let tx: Transaction;
  try {
    tx = Transaction.fromBuffer(bytes.subarray(offset), true);
  } catch (error) {
    return refuse("decode", error instanceof Error ? error.message : "unreadable transaction");
  }
  const size = tx.byteLength(true);
  const next = offset + size;
  const raw = bytes.slice(offset, next);
  if (next > bytes.length || !sameBytes(tx.toBuffer(), raw)) {
    return refuse("decode", "the transaction is not in its shortest form");
  }
  return accept({ tx: describe(tx, raw), next });
}

/** Reads a transaction that must be all of `bytes`. */
export function parseTransaction(bytes: Uint8Array): Verdict<NodeTx> {
  const read = readTransaction(bytes, 0);
  if (!read.ok) return read;
  if (read.value.next !== bytes.length) return refuse("decode", "bytes after the transaction");
  return accept(read.value.tx);
}

function describe(tx: Transaction, raw: Uint8Array): NodeTx {
  const strippedSize = tx.byteLength(false);
  const txid = tx.getId();
  // Hashed here because bitcoinjs answers zeros for a coinbase's witness id, as BIP141's commitment wants it.
  const wtxid = tx.hasWitnesses() ? toDisplay(hash256(raw)) : txid;
  return {
    tx,
    raw,
    txid,
    wtxid,
    size: raw.length,
    strippedSize,
    vsize: strippedSize + Math.ceil((raw.length - strippedSize) / 4),
    spends: tx.ins.map((input) => outpointKey(toDisplay(input.hash), input.index)),
  };
}

function outputFault(tx: Transaction): string | undefined {
  let total = 0n;
  for (const [index, out] of tx.outs.entries()) {
    if (out.value < 0n) return `transaction output has negative value of ${out.value}`;
    if (out.value > MAX_GRAINS)
      return `transaction output value of ${out.value} is higher than max allowed value of ${MAX_GRAINS}`;
    total += out.value;
    if (total > MAX_GRAINS)
      return `total value of all transaction outputs is ${total} which is higher than max allowed value of ${MAX_GRAINS}`;
    if (outputClass(out.script) === "nonstandard") {
      return `transaction output ${index} has a script that is neither P2TR, P2MR nor OP_RETURN: ${toHex(out.script)}`;
    }
  }
  return undefined;
}

/** Rules that need no chain: inputs, outputs, money range, script forms, duplicates, coinbase shape. Undefined = fine. */
export function sanityFault(node: NodeTx): string | undefined {
  const { tx } = node;
  if (tx.ins.length === 0) return "transaction has no inputs";
  if (tx.outs.length === 0) return "transaction has no outputs";
  const fault = outputFault(tx);
  if (fault !== undefined) return fault;
  if (new Set(node.spends).size !== node.spends.length) return "transaction contains duplicate inputs";
  if (tx.isCoinbase()) {
    const length = tx.ins[0]?.script.length ?? 0;
    return length < 2 || length > 100
      ? `coinbase transaction script length of ${length} is out of range`
      : undefined;
  }
  for (const input of tx.ins) {
    if (input.index === 0xffffffff && Transaction.isCoinbaseHash(input.hash)) {
      return "transaction input refers to previous output that is null";
    }
  }
  return undefined;
}
