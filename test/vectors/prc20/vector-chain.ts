// Makes a block of a readable vector: actors, transactions and payments by name turn into keys, addresses, ids and
// block views. Addresses, signature hashes and signatures come from libraries, not from src/.

import { schnorr } from "@noble/curves/secp256k1.js";
import { bech32m } from "@scure/base";
import { Transaction } from "bitcoinjs-lib";
import type {
  InterestingInput,
  OutputView,
  ScannedBlock,
  TransactionView,
} from "../../../src/chain/block-shapes.ts";
import type { BlockHash, Outpoint, PearlAddress, Txid } from "../../../src/primitives/brands.ts";
import type { ProtocolRules } from "../../../src/prc20/rules.ts";
import { bytesOf, sha256, toHex } from "../../../testkit/bytes.ts";

/** One input: who signed the leaf, what is inscribed, what is spent. */
export interface VectorInput {
  readonly by?: string;
  /** Payload members beside `p`; `body` instead gives the body's exact text. */
  readonly op?: Readonly<Record<string, unknown>>;
  readonly body?: string;
  /** "signed" (default of a list), "none", "signed by X", "flipped", "short", "other prefix", "other type". */
  readonly annex?: string;
  /** What the listing's signature promises instead of what the payload says: "net 99" or "seller bob". */
  readonly signs?: string;
  /** `<tx>:<vout>` by name. */
  readonly spends?: string;
}

/** A transaction; the short form has one input. Outputs are "<actor> <value>" or "script <hex> <value>". */
export interface VectorTransaction extends VectorInput {
  readonly id: string;
  readonly inputs?: readonly VectorInput[];
  readonly outputs?: readonly string[];
}

/** A block and the effects that it must have, in order (P-81). */
export interface VectorBlock {
  readonly height?: number;
  readonly time?: number;
  readonly txs: readonly VectorTransaction[];
  readonly effects: readonly string[];
}

const text = new TextEncoder();

/** 32 bytes of hex that stand for a name: transaction ids and block hashes. */
export function nameHash(name: string): string {
  return toHex(sha256(text.encode(name)));
}

/** The secret key of an actor: the hash of the name. */
function secretOf(actor: string): Uint8Array {
  return sha256(text.encode(`actor ${actor}`));
}

/** The x-only output key of an actor, hex. */
export function actorKey(actor: string): string {
  const key = keys.get(actor) ?? toHex(schnorr.getPublicKey(secretOf(actor)));
  keys.set(actor, key);
  return key;
}

/** Keys by actor: every vector asks for the same few again and again, and each costs milliseconds. */
const keys = new Map<string, string>();
/** Signatures by signer and message: the vectors begin with the same blocks. */
const signatures = new Map<string, Uint8Array>();

function signatureBy(signer: string, message: Uint8Array): Uint8Array {
  const name = `${signer} ${toHex(message)}`;
  const signature = signatures.get(name) ?? schnorr.sign(message, secretOf(signer));
  signatures.set(name, signature);
  return signature;
}

/** The simnet address of an actor. */
export function actorAddress(actor: string): PearlAddress {
  return simnetAddress(actorKey(actor));
}

/** bech32m text of witness version 1 and a key, prefix rprl. */
export function simnetAddress(keyHex: string): PearlAddress {
  const words = [1, ...bech32m.toWords(Buffer.from(keyHex, "hex"))];
  return bech32m.encode("rprl", words, 90) as PearlAddress;
}

/** The rules of the vectors: simnet, 100 bps to the actor `fund`. */
export const VECTOR_RULES: ProtocolRules = {
  hrp: "rprl",
  genesisHash: "78d0ab27df6a51a8e9dbbdefffca1ebbbeb3818cb083ce2c2f43b047247e5832",
  marker: "prc-20",
  startHeight: 1,
  feeBps: 100,
  feeAddress: actorAddress("fund"),
};

/** Replaces `@actor` by the address and `list:<tx>:<n>` by the listing id, anywhere in a text. */
export function resolveNames(value: string): string {
  return value
    .replace(/@@([a-z]+)/g, (_, actor: string) => actorAddress(actor).toUpperCase())
    .replace(/@([a-z]+)/g, (_, actor: string) => actorAddress(actor))
    .replace(/^list:([a-z]\w*):/, (_, tx: string) => `list:${nameHash(tx)}:`);
}

/** The outpoint that `<tx>:<vout>` names. */
function outpointOf(name: string): Outpoint {
  const [tx = "", vout = ""] = name.split(":");
  return `${nameHash(tx)}:${vout}` as Outpoint;
}

/** Makes the block that follows `previous` heights; `index` is its place in the vector, from 0. */
export function blockOfVector(vector: VectorBlock, index: number, rules: ProtocolRules): ScannedBlock {
  const height = vector.height ?? rules.startHeight + index;
  return {
    height,
    hash: nameHash(`block ${index}`) as BlockHash,
    previousHash: nameHash(`block ${index - 1}`) as BlockHash,
    time: vector.time ?? 1_800_000_000 + 194 * index,
    transactionCount: vector.txs.length + 1,
    transactions: vector.txs.map((tx, at) => transactionOf(tx, at + 1, rules)),
  };
}

function transactionOf(tx: VectorTransaction, txIndex: number, rules: ProtocolRules): TransactionView {
  const inputs = tx.inputs ?? [tx];
  const outputs = (tx.outputs ?? []).map(outputOf);
  const txid = nameHash(tx.id) as Txid;
  const spent = inputs.map((input, i) =>
    outpointOf(input.spends ?? `nothing in ${tx.id} at ${i}:0`.replace(/:.*/, ":0")),
  );
  const interesting = inputs.flatMap((input, index) => {
    const read = interestingInput(input, index, txid, outputs[index] ?? null, rules);
    return read === null ? [] : [read];
  });
  return {
    txIndex,
    txid,
    inputCount: inputs.length,
    outputCount: outputs.length,
    interesting,
    outpoint: (index) => spent[index] ?? null,
    output: (index) => outputs[index] ?? null,
  };
}

function outputOf(line: string): OutputView {
  const words = line.split(" ");
  if (words[0] === "script") return { scriptHex: words[1] ?? "", valueSat: BigInt(words[2] ?? "") };
  return { scriptHex: `5120${actorKey(words[0] ?? "")}`, valueSat: BigInt(words[1] ?? "") };
}

function interestingInput(
  input: VectorInput,
  index: number,
  txid: string,
  output: OutputView | null,
  rules: ProtocolRules,
): InterestingInput | null {
  const mayCloseListing = input.spends !== undefined;
  if (input.by === undefined)
    return mayCloseListing ? { index, envelope: null, annex: null, mayCloseListing } : null;
  const body = bodyOf(input, rules);
  const annex = annexOf(input, index, txid, output, rules);
  return { index, envelope: { keyHex: actorKey(input.by), body: text.encode(body) }, annex, mayCloseListing };
}

function bodyOf(input: VectorInput, rules: ProtocolRules): string {
  if (input.body !== undefined) return input.body;
  const members = Object.entries(input.op ?? {}).map(([name, value]) => [
    name,
    typeof value === "string" ? resolveNames(value) : value,
  ]);
  return JSON.stringify({ p: rules.marker, ...Object.fromEntries(members) });
}

function annexOf(
  input: VectorInput,
  index: number,
  txid: string,
  output: OutputView | null,
  rules: ProtocolRules,
): Uint8Array | null {
  const form = input.annex ?? (input.op?.["op"] === "list" ? "signed" : "none");
  if (form === "none" || output === null) return null;
  const signer = form.startsWith("signed by ") ? form.slice("signed by ".length) : (input.by ?? "");
  const signature = signatureBy(signer, listingMessage(input, index, txid, output, rules));
  const annex = Uint8Array.of(0x50, ...signature, 0x83);
  if (form === "flipped") annex[30] = (annex[30] ?? 0) ^ 1;
  if (form === "other prefix") annex[0] = 0x51;
  if (form === "other type") annex[65] = 0x81;
  if (form === "short") return annex.slice(0, 65);
  if (form === "long") return Uint8Array.of(...annex, 0);
  return annex;
}

/** The signature hash of P-53, by bitcoinjs-lib. */
function listingMessage(
  input: VectorInput,
  index: number,
  txid: string,
  output: OutputView,
  rules: ProtocolRules,
): Uint8Array {
  const written = String(input.op?.["price"]);
  const price = /^[0-9]{1,19}$/.test(written) ? BigInt(written) : 0n;
  const share = (price * BigInt(rules.feeBps)) / 10000n;
  const [what, other] = (input.signs ?? "").split(" ");
  const net = what === "net" ? BigInt(other ?? "") : price - (share < 333n ? 0n : share);
  const named = input.op?.["seller"];
  const seller = resolveNames(typeof named === "string" ? named : `@${input.by ?? ""}`);
  const payee = what === "seller" ? actorAddress(other ?? "") : seller;
  const tx = new Transaction();
  tx.version = 2;
  tx.addInput(bytesOf(txid).toReversed(), what === "vout" ? Number(other) : index, 0xffffffff);
  tx.addOutput(scriptOf(payee), net);
  return tx.hashForWitnessV1(0, [Buffer.from(output.scriptHex, "hex")], [output.valueSat], 0x83);
}

/** The script of an address; any script where the text is none (such a listing is invalid anyway). */
function scriptOf(address: string): Uint8Array {
  const decoded = bech32m.decodeUnsafe(address, 90);
  if (decoded === undefined) return Uint8Array.of(0x6a);
  return Uint8Array.of(0x51, 0x20, ...bech32m.fromWords(decoded.words.slice(1)));
}
