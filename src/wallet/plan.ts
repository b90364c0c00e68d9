// Turns a list of wishes (spend this, pay that) into a signed transaction with the right fee. A plan holds inputs with
// the way each will be signed. `balancePlan` adds the payer's coins and the change; `signPlan` fills the witnesses.
// Sizes are exact before signing, because every witness has a fixed length.

import { hex } from "@scure/base";
import { err, ok, type Result } from "../primitives/result.ts";
import { type Inscription, revealedBy } from "./inscription.ts";
import { type SigningKey, signHash } from "./keys.ts";
import { type InputHash, inputHashes, tapLeafHash } from "./signature-hash.ts";
import {
  type Coin,
  FINAL_SEQUENCE,
  serializeTx,
  type Tx,
  type TxOutput,
  transactionId,
  virtualSize,
} from "./transaction.ts";

/** Smallest value, in grains, of an output that is relayed (333 at the network's default fee; OP_RETURN is free). */
export const DUST_LIMIT = 333n;
/** Lowest fee rate that is relayed: 1000 grains per 1000 vbytes, so 1 grain per vbyte. */
export const MIN_FEE_PER_KVB = 1000n;

/** Largest transaction, in vbytes, that nodes relay. */
export const MAX_RELAYED_VSIZE = 100_000;
/** What a coin of the payer adds to a transaction, in vbytes, rounded up: 41 bytes and a witness of 66. */
const KEY_INPUT_VSIZE = 58;
/** The same before it is rounded, without what the counts of inputs and witnesses may grow by. */
const LEAST_KEY_INPUT_VSIZE = 57.5;
/** The counts never add as much as is missing here. */
const SURELY_RELAYED_VSIZE = MAX_RELAYED_VSIZE - 10;

/** A leaf script (version 0xc0) with the control block that commits its output to it. */
export interface SpendableLeaf {
  readonly script: Uint8Array;
  readonly controlBlock: Uint8Array;
}

/** Sequence of an input that may be replaced by a higher fee (BIP125) and leaves the lock time in force. */
export const REPLACEABLE_SEQUENCE = 0xfffffffd;

/** How an input will be satisfied. */
export type Spend =
  /** Key path, SIGHASH_DEFAULT, signed by the coin's own output key. */
  | { readonly kind: "key"; readonly key: SigningKey }
  /** The leaf of an inscription, SIGHASH_DEFAULT, signed by its sender; the annex begins with 0x50. */
  | {
      readonly kind: "leaf";
      readonly key: SigningKey;
      readonly inscription: Inscription;
      readonly annex?: Uint8Array;
    }
  /** A leaf of a swap's lock output, SIGHASH_DEFAULT; the items stand between the signature and the leaf. */
  | {
      readonly kind: "swap";
      readonly key: SigningKey;
      readonly leaf: SpendableLeaf;
      readonly items: readonly Uint8Array[];
    }
  /** A witness that somebody signed before. */
  | { readonly kind: "ready"; readonly witness: readonly Uint8Array[] };

/** An input that is still to be signed. */
export interface PlannedInput {
  readonly coin: Coin;
  readonly spend: Spend;
}

/** Inputs and outputs in their final places. */
export interface Plan {
  readonly inputs: readonly PlannedInput[];
  readonly outputs: readonly TxOutput[];
  /** Of every input; FINAL_SEQUENCE when absent. */
  readonly sequence?: number;
  /** Of the transaction; 0 when absent. Counts only with a sequence that is not final. */
  readonly lockTime?: number;
}

/** A coin with the key that spends it. */
export interface OwnedCoin {
  readonly coin: Coin;
  readonly key: SigningKey;
}

/**
 * Who pays. Coins are taken in the order given, as few as are enough, and none that costs more at this fee rate than it
 * holds: anybody can put such coins on an address. Never hand in the anchor of an open listing (spending it closes the
 * listing, P-63).
 */
export interface Funding {
  readonly coins: readonly OwnedCoin[];
  /** Where the rest goes; a rest below the dust limit becomes fee. */
  readonly changeScript: Uint8Array;
  /** Grains per 1000 vbytes; at least MIN_FEE_PER_KVB. */
  readonly feePerKvb: bigint;
}

/** Why a transaction could not be made. */
export interface BuildFailure {
  readonly code: /** The coins do not cover outputs and fee. */
    | "FUNDS_INSUFFICIENT"
    /** An output below the dust limit would not be relayed. */
    | "OUTPUT_BELOW_DUST"
    /** The fee rate is below what nodes relay. */
    | "FEE_RATE_TOO_LOW"
    /** More inputs and outputs than nodes relay in one transaction. */
    | "TRANSACTION_TOO_LARGE"
    /** The seller's signature does not sign what the offer says (P-53). */
    | "ANCHOR_SIG_INVALID"
    /** The inscription to be revealed is no send of the listing it is paired with, to somebody on the network. */
    | "SEND_MISMATCH"
    /** The lock output holds less than the secret was promised for. */
    | "LOCK_UNDERPAID"
    /** Spending the anchor like this would look as if the buyer had paid without a send (P-63). */
    | "CANCEL_PAYS_SELLER";
  /** One sentence for people. */
  readonly detail: string;
}

/** A finished transaction. */
export interface SignedTx {
  readonly txid: string;
  /** Relayed bytes in hex. */
  readonly hex: string;
  readonly tx: Tx;
  /** Virtual bytes. */
  readonly vsize: number;
  /** Grains. */
  readonly fee: bigint;
}

/** Why there is no transaction, as a result. */
export function failure(code: BuildFailure["code"], detail: string): Result<never, BuildFailure> {
  return err({ code, detail });
}

/** The fee in grains for a size in vbytes, rounded up. */
export function feeForSize(vsize: number, feePerKvb: bigint): bigint {
  return (BigInt(vsize) * feePerKvb + 999n) / 1000n;
}

const NO_SIGNATURE = new Uint8Array(64);

function placeholderWitness(spend: Spend): readonly Uint8Array[] {
  if (spend.kind === "ready") return spend.witness;
  if (spend.kind === "swap") return swapWitness(spend, NO_SIGNATURE);
  return spend.kind === "leaf" ? leafWitness(spend, NO_SIGNATURE) : [NO_SIGNATURE];
}

function swapWitness(spend: Extract<Spend, { kind: "swap" }>, signature: Uint8Array): Uint8Array[] {
  return [signature, ...spend.items, spend.leaf.script, spend.leaf.controlBlock];
}

function leafWitness(spend: Extract<Spend, { kind: "leaf" }>, signature: Uint8Array): Uint8Array[] {
  const { leafScript, controlBlock } = spend.inscription;
  return [signature, leafScript, controlBlock, ...(spend.annex ? [spend.annex] : [])];
}

/** The transaction of a plan with witnesses of the right sizes and no signatures: good for its id and size. */
export function unsignedTx(plan: Plan): Tx {
  return {
    version: 2,
    lockTime: plan.lockTime ?? 0,
    inputs: plan.inputs.map(({ coin, spend }) => ({
      txid: coin.txid,
      vout: coin.vout,
      sequence: plan.sequence ?? FINAL_SEQUENCE,
      witness: placeholderWitness(spend),
    })),
    outputs: plan.outputs,
  };
}

function total(amounts: readonly { readonly amount: bigint }[]): bigint {
  return amounts.reduce((sum, { amount }) => sum + amount, 0n);
}

function paidFee(plan: Plan): bigint {
  return total(plan.inputs.map(({ coin }) => coin)) - total(plan.outputs);
}

/** The plan with change where a change of at least the dust limit is left, else without; null when it is not paid. */
function withChange(plan: Plan, funding: Funding): Plan | null {
  const changed: Plan = {
    ...plan,
    outputs: [...plan.outputs, { amount: 0n, script: funding.changeScript }],
  };
  const change = paidFee(plan) - feeForSize(virtualSize(unsignedTx(changed)), funding.feePerKvb);
  if (change >= DUST_LIMIT) {
    return {
      ...plan,
      outputs: [...plan.outputs, { amount: change, script: funding.changeScript }],
    };
  }
  const enough = paidFee(plan) >= feeForSize(virtualSize(unsignedTx(plan)), funding.feePerKvb);
  return enough && plan.outputs.length > 0 ? plan : null;
}

/** The input that spends a coin by key path. */
export function keyInput({ coin, key }: OwnedCoin): PlannedInput {
  return { coin, spend: { kind: "key", key } };
}

/**
 * The coins that are not spent already, each once: a wallet's own list may well hold an anchor, or what an earlier lock
 * spends (S-54), and several earlier locks may spend the same; a transaction that spends a coin twice is none.
 */
export function eachOnce(coins: readonly OwnedCoin[], spent: readonly Coin[] = []): readonly OwnedCoin[] {
  const taken = new Set(spent.map(outpointOf));
  return coins.filter(({ coin }) => {
    const isNew = !taken.has(outpointOf(coin));
    taken.add(outpointOf(coin));
    return isNew;
  });
}

function outpointOf({ txid, vout }: Coin): string {
  return `${txid}:${vout}`;
}

/** The coins that pay for more than themselves, each once, without those that the plan spends already. */
function usefulCoins(plan: Plan, { coins, feePerKvb }: Funding): readonly OwnedCoin[] {
  const spent = plan.inputs.map(({ coin }) => coin);
  const cost = feeForSize(KEY_INPUT_VSIZE, feePerKvb);
  return eachOnce(coins, spent).filter(({ coin }) => coin.amount > cost);
}

/**
 * Appends the payer's coins (as key-path inputs after the plan's own) and the change (as the last output).
 * Fails with FEE_RATE_TOO_LOW, OUTPUT_BELOW_DUST, TRANSACTION_TOO_LARGE or FUNDS_INSUFFICIENT.
 */
export function balancePlan(plan: Plan, funding: Funding): Result<Plan, BuildFailure> {
  if (funding.feePerKvb < MIN_FEE_PER_KVB) {
    return failure(
      "FEE_RATE_TOO_LOW",
      `the fee rate must be at least ${MIN_FEE_PER_KVB} grains per 1000 vbytes`,
    );
  }
  const dust = plan.outputs.findIndex(({ amount, script }) => amount < DUST_LIMIT && script[0] !== 0x6a);
  if (dust >= 0) return failure("OUTPUT_BELOW_DUST", `output ${dust} is below ${DUST_LIMIT} grains`);
  const added = usefulCoins(plan, funding).map(keyInput);
  const bareSize = virtualSize(unsignedTx(plan));
  let left = paidFee(plan);
  for (let used = 0; used <= added.length; used++) {
    left += added[used - 1]?.coin.amount ?? 0n;
    // What is left does not even pay for so many coins: what such a transaction weighs exactly need not be known.
    const leastSize = bareSize + Math.floor(LEAST_KEY_INPUT_VSIZE * used);
    if (left < feeForSize(leastSize, funding.feePerKvb) && leastSize < SURELY_RELAYED_VSIZE) continue;
    const tried = { ...plan, inputs: [...plan.inputs, ...added.slice(0, used)] };
    const balanced = withChange(tried, funding);
    if (virtualSize(unsignedTx(balanced ?? tried)) > MAX_RELAYED_VSIZE) return tooLarge();
    if (balanced !== null) return ok(balanced);
  }
  return failure("FUNDS_INSUFFICIENT", "the coins do not cover the outputs and the fee");
}

function tooLarge(): Result<never, BuildFailure> {
  return failure(
    "TRANSACTION_TOO_LARGE",
    `nodes relay at most ${MAX_RELAYED_VSIZE} vbytes: hand in greater coins first, or make several transactions`,
  );
}

function signInput(index: number, spend: Spend, hashOf: InputHash): readonly Uint8Array[] {
  if (spend.kind === "ready") return spend.witness;
  if (spend.kind === "key") return [signHash(spend.key, hashOf(index))];
  if (spend.kind === "swap") {
    const ofLeaf = { leafHash: tapLeafHash(spend.leaf.script) };
    return swapWitness(spend, signHash(spend.key, hashOf(index, ofLeaf)));
  }
  if (!revealedBy(spend.inscription, spend.key)) {
    throw new RangeError(`input ${index}: the key is not the sender that the inscription names (P-15)`);
  }
  const leafHash = tapLeafHash(spend.inscription.leafScript);
  const options = spend.annex ? { leafHash, annex: spend.annex } : { leafHash };
  return leafWitness(spend, signHash(spend.key, hashOf(index, options)));
}

/**
 * Signs every input of a balanced plan.
 * @throws RangeError when a leaf is to be signed by another key than the one it names.
 */
export function signPlan(plan: Plan): SignedTx {
  const unsigned = unsignedTx(plan);
  const hashOf = inputHashes(
    unsigned,
    plan.inputs.map(({ coin }) => coin),
  );
  const inputs = unsigned.inputs.map((input, index) => {
    const planned = plan.inputs[index];
    if (planned === undefined) throw new RangeError("a plan and its transaction have the same inputs");
    return { ...input, witness: signInput(index, planned.spend, hashOf) };
  });
  const tx = { ...unsigned, inputs };
  return {
    txid: transactionId(tx),
    hex: hex.encode(serializeTx(tx)),
    tx,
    vsize: virtualSize(tx),
    fee: paidFee(plan),
  };
}

/** Balances the plan as `balancePlan`, and signs it as `signPlan`. */
export function signBalanced(plan: Plan, funding: Funding): Result<SignedTx, BuildFailure> {
  const balanced = balancePlan(plan, funding);
  return balanced.ok ? ok(signPlan(balanced.value)) : balanced;
}

/** Output `vout` of a finished transaction as a coin. @throws RangeError where there is none. */
export function coinOf(signed: SignedTx, vout: number): Coin {
  const output = signed.tx.outputs[vout];
  if (output === undefined) throw new RangeError(`transaction ${signed.txid} has no output ${vout}`);
  return { txid: signed.txid, vout, amount: output.amount, script: output.script };
}
