// Makes signed transactions for the node's own tests, with @scure/btc-signer's signature hashes and @noble/curves'
// signatures: a second implementation beside the one that the node verifies with.
import { schnorr } from "@noble/curves/secp256k1.js";
import { RawTx, TAPROOT_UNSPENDABLE_KEY, Transaction } from "@scure/btc-signer";
import { tapLeafHash } from "@scure/btc-signer/payment.js";
import { taprootTweakPubkey } from "@scure/btc-signer/utils.js";
import { bytesOf, toHex } from "../../bytes.ts";
import type { PearlNode } from "./index.ts";

/** A key that owns the P2TR output whose output key is the key itself (no tweak). */
export interface Key {
  readonly secret: Uint8Array;
  readonly pub: Uint8Array;
  readonly script: Uint8Array;
}

/** Key number `seed` (1 to 255). */
export function key(seed: number): Key {
  const secret = new Uint8Array(32).fill(seed);
  const pub = schnorr.getPublicKey(secret);
  return { secret, pub, script: p2trScript(pub) };
}

/** `51 20 <key>`. */
export function p2trScript(outputKey: Uint8Array): Uint8Array {
  return Uint8Array.of(0x51, 0x20, ...outputKey);
}

/** An output whose only leaf is `leaf`, under the unspendable key: its script and the control block. */
export function leafOutput(leaf: Uint8Array): { script: Uint8Array; control: Uint8Array } {
  const [outputKey, parity] = taprootTweakPubkey(TAPROOT_UNSPENDABLE_KEY, tapLeafHash(leaf, 0xc0));
  return { script: p2trScript(outputKey), control: Uint8Array.of(0xc0 | parity, ...TAPROOT_UNSPENDABLE_KEY) };
}

/** An input to spend. Without `leaf` the key path is used. */
export interface TestInput {
  readonly txid: string;
  readonly vout: number;
  readonly value: bigint;
  readonly script: Uint8Array;
  readonly signers: readonly Key[];
  readonly leaf?: { readonly script: Uint8Array; readonly control: Uint8Array };
  /** Stack items after the signatures (below the leaf script). */
  readonly extra?: readonly Uint8Array[];
  readonly annex?: Uint8Array;
  readonly hashType?: number;
  readonly sequence?: number;
}

/** Everything about a transaction to be signed. */
export interface TestTx {
  readonly inputs: readonly TestInput[];
  readonly outputs: readonly { readonly script: Uint8Array; readonly value: bigint }[];
  readonly version?: number;
  readonly lockTime?: number;
}

/** Makes a 64-byte signature of a 32-byte digest. */
export type Signer = (digest: Uint8Array, secret: Uint8Array) => Uint8Array;

const nobleSigner: Signer = (digest, secret) => schnorr.sign(digest, secret, new Uint8Array(32));

/** Signs and serialises; `signer` is replaced only where thousands of signatures are wanted quickly. */
export function sign(plan: TestTx, signer: Signer = nobleSigner): string {
  const raw = {
    version: plan.version ?? 2,
    segwitFlag: false,
    inputs: plan.inputs.map((input) => ({
      txid: bytesOf(input.txid),
      index: input.vout,
      finalScriptSig: new Uint8Array(0),
      sequence: input.sequence ?? 0xffffffff,
    })),
    outputs: plan.outputs.map(({ script, value }) => ({ script, amount: value })),
    lockTime: plan.lockTime ?? 0,
  };
  const options = {
    allowUnknownInputs: true,
    allowUnknownOutputs: true,
    disableScriptCheck: true,
    allowUnknownVersion: true,
  };
  const unsigned = Transaction.fromRaw(RawTx.encode({ ...raw, witnesses: undefined }), options);
  const scripts = plan.inputs.map((input) => input.script);
  const values = plan.inputs.map((input) => input.value);
  const witnesses = plan.inputs.map((input, index) => {
    const hashType = input.hashType ?? 0;
    const digest = unsigned.preimageWitnessV1(
      index,
      scripts,
      hashType,
      values,
      undefined,
      input.leaf?.script,
      0xc0,
      input.annex,
    );
    const signatures = input.signers.map((owner) => {
      const signature = signer(digest, owner.secret);
      return hashType === 0 ? signature : Uint8Array.of(...signature, hashType);
    });
    const leaf = input.leaf === undefined ? [] : [input.leaf.script, input.leaf.control];
    return [
      ...signatures,
      ...(input.extra ?? []),
      ...leaf,
      ...(input.annex === undefined ? [] : [input.annex]),
    ];
  });
  return toHex(
    RawTx.encode({
      ...raw,
      ...(witnesses.some((stack) => stack.length > 0)
        ? { segwitFlag: true, witnesses }
        : { witnesses: undefined }),
    }),
  );
}

/** Txid of a serialised transaction. */
export function txidOf(rawHex: string): string {
  return Transaction.fromRaw(bytesOf(rawHex), {
    allowUnknownInputs: true,
    allowUnknownOutputs: true,
    disableScriptCheck: true,
    allowUnknownVersion: true,
  }).id;
}

/** The payment of the coinbase of the active block at `height`, owned by `owner`. */
export function coinbaseInput(node: Pick<PearlNode, "chain">, height: number, owner: Key): TestInput {
  const block = node.chain.index.at(height);
  const coinbase = block === undefined ? undefined : node.chain.index.block(block).txs[0];
  const value = coinbase?.tx.outs[0]?.value;
  if (coinbase === undefined || value === undefined) throw new Error(`no coinbase at height ${height}`);
  return { txid: coinbase.txid, vout: 0, value, script: owner.script, signers: [owner] };
}

/** Output `vout` of a transaction as an input, owned by `owner`. */
export function outputOf(rawHex: string, plan: TestTx, vout: number, owner: Key): TestInput {
  const out = plan.outputs[vout];
  if (out === undefined) throw new Error(`no output ${vout}`);
  return { txid: txidOf(rawHex), vout, value: out.value, script: out.script, signers: [owner] };
}
