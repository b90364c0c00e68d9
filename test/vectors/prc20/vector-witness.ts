// Makes a transaction of a readable leaf: script words and witness items by name turn into the raw bytes of a
// transaction, serialised by bitcoinjs-lib.

import { Transaction } from "bitcoinjs-lib";
import { actorKey } from "./vector-chain.ts";

/** One leaf or witness stack, and what must be read from it. */
export interface EnvelopeVector {
  readonly name: string;
  readonly rules: readonly string[];
  /** Words of the leaf script; absent: a plain mint. */
  readonly leaf?: readonly string[];
  /** Witness items, first to last; absent: signature, leaf, control block. */
  readonly witness?: readonly string[];
  /** The operation's `op`, or null where the input carries none. */
  readonly expect: string | null;
  /** Expected annex, hex; absent: none. */
  readonly annex?: string;
  /** Expected key, hex; absent: alice's. */
  readonly key?: string;
  /** Expected text of the body, where it is worth looking at. */
  readonly text?: string;
}

const HEAD = ["key", "CHECKSIG", "FALSE", "IF", "push prc-20", "push application/json", "OP_0"];
const PLAIN_LEAF = ["head", 'push {"p":"prc-20","op":"mint"}', "ENDIF"];
const OPCODES: Readonly<Record<string, string>> = {
  CHECKSIG: "ac",
  FALSE: "00",
  IF: "63",
  OP_0: "00",
  ENDIF: "68",
};

/** Raw bytes of a transaction whose only input has the vector's witness. */
export function rawTransactionOf(vector: EnvelopeVector): Uint8Array {
  const leaf = scriptBytes(vector.leaf ?? PLAIN_LEAF);
  const tx = new Transaction();
  tx.version = 2;
  tx.addInput(Buffer.alloc(32, 7), 0, 0xfffffffd);
  tx.addOutput(Buffer.from(`5120${actorKey("bob")}`, "hex"), 333n);
  const witness = (vector.witness ?? ["sig", "leaf", "control"]).map((item) => itemBytes(item, leaf));
  if (witness.length > 0) tx.setWitness(0, witness);
  return Uint8Array.from(tx.toBuffer());
}

/** The bytes of a leaf script given by words. */
export function scriptBytes(words: readonly string[]): Buffer {
  return Buffer.concat(words.flatMap((word) => (word === "head" ? HEAD : [word])).map(wordBytes));
}

function wordBytes(word: string): Buffer {
  const opcode = OPCODES[word];
  if (opcode !== undefined) return Buffer.from(opcode, "hex");
  if (word === "key") return Buffer.concat([Buffer.of(32), Buffer.from(actorKey("alice"), "hex")]);
  const kind = word.slice(0, word.indexOf(" "));
  const rest = word.slice(word.indexOf(" ") + 1);
  if (kind === "hex") return Buffer.from(rest, "hex");
  if (kind === "spaces") return pushdata2(Buffer.alloc(Number(rest), 0x20));
  const data = Buffer.from(rest, "utf8");
  if (kind === "push" && data.length <= 75) return Buffer.concat([Buffer.of(data.length), data]);
  if (kind === "pushdata1") return Buffer.concat([Buffer.of(0x4c, data.length), data]);
  if (kind === "pushdata2") return pushdata2(data);
  if (kind === "pushdata4") return Buffer.concat([Buffer.of(0x4e, data.length, 0, 0, 0), data]);
  throw new Error(`no such script word: ${word}`);
}

function pushdata2(data: Buffer): Buffer {
  return Buffer.concat([Buffer.of(0x4d, data.length & 0xff, data.length >> 8), data]);
}

function itemBytes(item: string, leaf: Buffer): Buffer {
  if (item === "leaf") return leaf;
  if (item === "sig") return Buffer.alloc(64, 0x11);
  if (item === "control") return controlBlock("c0", 33);
  if (item.startsWith("hex ")) return Buffer.from(item.slice(4), "hex");
  const [kind, version = "", length = ""] = item.split(" ");
  if (kind === "control") return controlBlock(version, Number(length));
  throw new Error(`no such witness item: ${item}`);
}

function controlBlock(version: string, length: number): Buffer {
  const block = Buffer.alloc(length, 0x22);
  block[0] = Number.parseInt(version, 16);
  return block;
}
