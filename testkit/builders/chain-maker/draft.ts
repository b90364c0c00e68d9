// A transaction in the making: inputs with envelopes, outputs, and listing annexes that can only be signed when the
// transaction's id is known.

import { Transaction } from "bitcoinjs-lib";
import { signSchnorr } from "tiny-secp256k1";
import { type MadeInput, type MadeOutput, makeTransaction } from "./make-block.ts";
import { concat, type PushForm, push } from "../../bytes.ts";
import type { Actor } from "./ledger.ts";
import type { Random } from "../../random.ts";

/** How the leaf of an operation is written; the defaults are what a wallet writes. */
export interface LeafShape {
  readonly marker?: string;
  readonly contentType?: string;
  readonly form?: PushForm;
  /** Splits the body into pushes of this many bytes. */
  readonly chunk?: number;
  /** Replaces or extends the script after it is built. */
  readonly edit?: (leaf: Uint8Array) => Uint8Array;
}

/** The leaf script of an operation. */
export function leafScript(key: Uint8Array, body: Uint8Array, shape: LeafShape = {}): Uint8Array {
  const form = shape.form ?? "shortest";
  const size = shape.chunk ?? 520;
  const pushes: Uint8Array[] = [];
  for (let at = 0; at < body.length || at === 0; at += size)
    pushes.push(push(body.subarray(at, at + size), form));
  const leaf = concat(
    push(key),
    [0xac, 0x00, 0x63],
    push(Buffer.from(shape.marker ?? "prc-20"), form),
    push(Buffer.from(shape.contentType ?? "application/json"), form),
    [0x00],
    ...pushes,
    [0x68],
  );
  return shape.edit === undefined ? leaf : shape.edit(leaf);
}

/** A listing's annex to be signed over output `index` of the finished transaction. */
export interface AnnexPlan {
  readonly signer: Actor;
  readonly sellerScript: Uint8Array;
  readonly sellerNet: bigint;
  /** Spoils the finished annex, where the recipe wants a bad one. */
  readonly edit?: (annex: Uint8Array) => Uint8Array;
}

interface DraftInput {
  readonly txid: string;
  readonly vout: number;
  readonly witness: readonly Uint8Array[];
  readonly annex: AnnexPlan | null;
}

/** A transaction in the making. */
export class Draft {
  readonly inputs: DraftInput[] = [];
  readonly outputs: MadeOutput[] = [];
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Spends some coin by key path; by default one that nobody knows. Returns the input's index. */
  spend(outpoint: { txid: string; vout: number } | null = null): number {
    const at = outpoint ?? this.#coin();
    return this.inputs.push({ ...at, witness: [this.#random.bytes(64)], annex: null }) - 1;
  }

  /** Reveals an operation of `actor`. Returns the input's index. */
  reveal(
    actor: Actor,
    body: string | Uint8Array,
    more: {
      shape?: LeafShape;
      annex?: AnnexPlan;
      control?: Uint8Array;
      outpoint?: { txid: string; vout: number };
      tail?: readonly Uint8Array[];
    } = {},
  ): number {
    const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
    const path = this.#random.oneIn(5) ? this.#random.bytes(32) : new Uint8Array(0);
    const control = more.control ?? concat([0xc0 + this.#random.below(2)], this.#random.bytes(32), path);
    const stack = [
      this.#random.bytes(64),
      leafScript(actor.key, bytes, more.shape),
      control,
      ...(more.tail ?? []),
    ];
    if (this.#random.oneIn(9)) stack.shift(); // two items are enough (P-11)
    return (
      this.inputs.push({ ...(more.outpoint ?? this.#coin()), witness: stack, annex: more.annex ?? null }) - 1
    );
  }

  pay(script: Uint8Array, value: bigint): number {
    return this.outputs.push({ script, value }) - 1;
  }

  /** Fills the outputs up to `count` with small change, so that the next one has index `count`. */
  padOutputs(count: number, script: Uint8Array): void {
    while (this.outputs.length < count) this.pay(script, 600n);
  }

  finish(): Transaction {
    if (this.inputs.length === 0) this.spend();
    if (this.outputs.length === 0) this.pay(taprootOf(this.#random), 1000n);
    const unsigned = this.inputs.map((input): MadeInput => input);
    const plain = makeTransaction(unsigned, this.outputs);
    const txid = plain.getId();
    const complete = this.inputs.map((input, index): MadeInput => {
      if (input.annex === null) return input;
      return { ...input, witness: [...input.witness, this.#annex(input.annex, txid, index)] };
    });
    return makeTransaction(complete, this.outputs);
  }

  #annex(plan: AnnexPlan, txid: string, index: number): Uint8Array {
    const anchor = this.outputs[index] ?? { value: 1000n, script: plan.signer.script };
    const fill = new Transaction();
    fill.version = 2;
    fill.addInput(new Uint8Array(Buffer.from(txid, "hex")).toReversed(), index, 0xffffffff);
    fill.addOutput(plan.sellerScript, plan.sellerNet);
    const message = fill.hashForWitnessV1(0, [anchor.script], [anchor.value], 0x83);
    const annex = concat([0x50], signSchnorr(message, plan.signer.secret), [0x83]);
    return plan.edit === undefined ? annex : plan.edit(annex);
  }

  #coin(): { txid: string; vout: number } {
    return { txid: Buffer.from(this.#random.bytes(32)).toString("hex"), vout: this.#random.below(4) };
  }
}

function taprootOf(random: Random): Uint8Array {
  return concat([0x51, 0x20], random.bytes(32));
}
