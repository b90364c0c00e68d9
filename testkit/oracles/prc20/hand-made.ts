// Makes blocks for the tests beside this file: transactions built with bitcoinjs-lib whose witnesses are made by hand.
// Leaf signatures are filler bytes (consensus has checked those); listing signatures are real (P-53).
import { schnorr } from "@noble/curves/secp256k1.js";
import { bech32m } from "@scure/base";
import { Transaction } from "bitcoinjs-lib";
import { push, sha256, toHex } from "../../bytes.ts";
import { ReferenceIndex } from "./index.ts";
import type { OperationRow, ReferenceParams } from "./index.ts";

/** Someone with a key: its secret, its x-only key, its address (prefix rprl) and the script of that address. */
export interface Person {
  secret: Uint8Array;
  key: Uint8Array;
  address: string;
  script: Uint8Array;
}

/** The actor of a name; the same name gives the same key. */
export function person(name: string): Person {
  const secret = sha256(Buffer.from(name));
  const key = schnorr.getPublicKey(secret);
  return {
    secret,
    key,
    address: bech32m.encode("rprl", [1, ...bech32m.toWords(key)]),
    script: Buffer.concat([Buffer.from("5120", "hex"), key]),
  };
}

/** Genesis of simnet, as displayed. */
export const GENESIS = "78d0ab27df6a51a8e9dbbdefffca1ebbbeb3818cb083ce2c2f43b047247e5832";
/** Where the tests' protocol fee goes. */
export const FEE_PERSON = person("treasury");
/** Parameters of the tests: 1 %, start height 1. */
export const PARAMS: ReferenceParams = {
  hrp: "rprl",
  genesisHash: GENESIS,
  startHeight: 1,
  feeBps: 100,
  feeAddress: FEE_PERSON.address,
};

/** The leaf script up to and with OP_0 before the body. */
export function leafHead(key: Uint8Array): Buffer {
  const start = Buffer.concat([Buffer.from([0x20]), key, Buffer.from("ac0063", "hex")]);
  return Buffer.concat([start, push("prc-20"), push("application/json"), Buffer.from([0x00])]);
}

/** A leaf of exactly P-12's shape, the body cut into pushes of 520 bytes. */
export function leafOf(key: Uint8Array, body: Uint8Array): Buffer {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < body.length; at += 520) chunks.push(push(body.slice(at, at + 520)));
  return Buffer.concat([leafHead(key), ...chunks, Buffer.from([0x68])]);
}

/** A control block of 33 + 32k bytes. */
export function controlBlock(k = 0, first = 0xc1): Buffer {
  return Buffer.concat([Buffer.from([first]), Buffer.alloc(32 + 32 * k, 7)]);
}

/** The witness of an operation: filler signature, leaf, control block and, where given, the annex. */
export function witnessOf(leaf: Uint8Array, annex?: Uint8Array): Uint8Array[] {
  const items: Uint8Array[] = [Buffer.alloc(64, 1), leaf, controlBlock()];
  return annex === undefined ? items : [...items, annex];
}

/** A payload object, or its text where the text itself matters. */
export type Payload = Record<string, unknown> | string;

function bodyOf(payload: Payload): Buffer {
  return Buffer.from(typeof payload === "string" ? payload : JSON.stringify({ p: "prc-20", ...payload }));
}

/** One input: what it spends (default: some fresh outpoint) and what it carries. */
export interface InputSpec {
  spends?: { txid: string; vout: number };
  by?: Person;
  payload?: Payload;
  annex?: Uint8Array;
  /** instead of by, payload and annex */
  witness?: Uint8Array[];
  /** the annex is made from the finished transaction, whose txid it does not change */
  annexOf?: (tx: Transaction, index: number) => Uint8Array;
}

let counter = 0;

/** A transaction with these inputs and outputs. Inputs without a payload are plain key-path spends. */
export function transaction(inputs: InputSpec[], outputs: [Uint8Array, bigint][] = []): Transaction {
  const tx = new Transaction();
  tx.version = 2;
  for (const { spends } of inputs) {
    counter += 1;
    const hash =
      spends === undefined ? sha256(Buffer.from(`coin ${counter}`)) : Buffer.from(spends.txid, "hex");
    tx.addInput(spends === undefined ? hash : Uint8Array.from(hash).toReversed(), spends?.vout ?? 0);
  }
  for (const [script, value] of outputs) tx.addOutput(script, value);
  if (outputs.length === 0) tx.addOutput(Buffer.from("6a", "hex"), 0n);
  for (const [index, input] of inputs.entries()) {
    tx.setWitness(index, inputWitness(tx, index, input));
  }
  return tx;
}

function inputWitness(tx: Transaction, index: number, input: InputSpec): Uint8Array[] {
  if (input.witness !== undefined) return input.witness;
  if (input.by === undefined || input.payload === undefined) return [Buffer.alloc(64, 2)];
  return witnessOf(leafOf(input.by.key, bodyOf(input.payload)), input.annexOf?.(tx, index) ?? input.annex);
}

/** P-53's annex for output `index` of `tx`, signed by `owner`: pay `sellerNet` to the seller's script. */
export function anchorAnnex(owner: Person, sellerScript: Uint8Array, sellerNet: bigint) {
  return (tx: Transaction, index: number): Uint8Array => {
    const anchor = tx.outs[index];
    const spend = new Transaction();
    spend.version = 2;
    spend.addInput(tx.getHash(false), index);
    spend.addOutput(sellerScript, sellerNet);
    const hash = spend.hashForWitnessV1(0, [anchor?.script ?? owner.script], [anchor?.value ?? 0n], 0x83);
    const signature = schnorr.sign(hash, owner.secret, new Uint8Array(32));
    return Buffer.concat([Buffer.from([0x50]), signature, Buffer.from([0x83])]);
  };
}

/** A chain that is applied block by block; the last block's operation rows come back. */
export class ReferenceChain {
  readonly index: ReferenceIndex;
  height: number;

  constructor(params: ReferenceParams = PARAMS) {
    this.index = new ReferenceIndex(params);
    this.height = params.startHeight - 1;
  }

  /** The displayed hash of the block at a height; any text would do, nothing checks it against a header. */
  static hashAt(height: number): string {
    return toHex(sha256(Buffer.from(`block ${height}`)));
  }

  /** Applies one block with these transactions after a coinbase. */
  block(...transactions: Transaction[]): OperationRow[] {
    this.height += 1;
    const coinbase = new Transaction();
    coinbase.addInput(new Uint8Array(32), 0xffffffff, 0xffffffff, Buffer.from([1, this.height]));
    coinbase.addOutput(FEE_PERSON.script, 1n);
    this.index.apply({
      height: this.height,
      hash: ReferenceChain.hashAt(this.height),
      time: 1_776_675_600 + this.height * 194,
      transactions: [coinbase, ...transactions].map((tx) => tx.toBuffer()),
    });
    return this.index.snapshot().operations.filter((row) => row.height === this.height);
  }

  /** One block per operation, each alone in its transaction; the last one's row. */
  run(...operations: [Person, Payload][]): OperationRow {
    let last: OperationRow | undefined;
    for (const [by, payload] of operations) last = this.block(transaction([{ by, payload }]))[0];
    if (last === undefined) throw new Error("no operation was recorded");
    return last;
  }

  /** "balance/locked" of an address in raw units. */
  holding(who: Person, tick: string): string {
    const row = this.index.snapshot().balances.find((b) => b.address === who.address && b.tick === tick);
    return row === undefined ? "0/0" : `${row.balance}/${row.locked}`;
  }
}
