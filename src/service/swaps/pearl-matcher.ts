// What does a PEARL transaction mean for swaps? Outputs that pay a watched script, spends of lock outputs by leaf,
// secrets in them, and spends of what a sighted lock transaction needs (S-13, S-15, S-53).

import type { WholeTransaction } from "../../chain/watch-transaction.ts";
import type { Bytes32, Outpoint, ScriptHex } from "../../primitives/brands.ts";
import type { SwapCrypto } from "../../swap/crypto.ts";
import type { PearlBlockFact, PearlPlace, Sighting, SpendPath } from "../../swap/facts.ts";
import { lockOf } from "../../swap/lock-script.ts";
import { secretsIn, spendPath } from "../../swap/spend-leaf.ts";
import type { PearlChange, SwapWatch, WatchedScript } from "./ports.ts";

/** The spend of a lock output. */
export interface LockSpend {
  readonly outpoint: Outpoint;
  readonly path: SpendPath;
}

/** Secrets as a change of the ledger carries them. */
export type ShownSecret = PearlChange["secrets"][number];

/** Everything that inputs of a transaction mean. */
export interface MatchedInputs {
  readonly spends: readonly LockSpend[];
  readonly secrets: readonly ShownSecret[];
  /** Inputs of sighted lock transactions that this one spends. */
  readonly sightedInputs: readonly Outpoint[];
}

const NOTHING: MatchedInputs = { spends: [], secrets: [], sightedInputs: [] };
/** Scripts of one spend that are kept: nobody can make us remember more. */
const MAX_PAID_SCRIPTS = 1000;
/** `OP_1` and a push of 32 bytes: every lock script has this form. */
const TAPROOT_PREFIX = "5120";
const TAPROOT_DIGITS = 68;

/** What a transaction spends; nothing for a coinbase. */
function inputsOf(transaction: WholeTransaction): readonly Outpoint[] {
  if (transaction.isCoinbase) return [];
  const inputs: Outpoint[] = [];
  for (let index = 0; index < transaction.inputCount; index += 1) {
    const outpoint = transaction.outpoint(index);
    if (outpoint !== null) inputs.push(outpoint);
  }
  return inputs;
}

/** Matches transactions against the present watch and the lock outputs that it has found itself. */
export class PearlMatcher {
  readonly #watch: SwapWatch;
  readonly #crypto: SwapCrypto;
  /** Lock outputs found before that the ledger may not know yet. */
  readonly #found: Map<Outpoint, WatchedScript>;

  /** `found`: lock outputs that the ledger may not know; those that this matcher finds are added. */
  constructor(watch: SwapWatch, crypto: SwapCrypto, found = new Map<Outpoint, WatchedScript>()) {
    this.#watch = watch;
    this.#crypto = crypto;
    this.#found = found;
  }

  /** Its outputs with a watched script, remembered for later spends. */
  outputs(transaction: WholeTransaction): readonly Sighting[] {
    const sightings: Sighting[] = [];
    let inputs: readonly Outpoint[] | null = null;
    for (let vout = 0; vout < transaction.outputCount; vout += 1) {
      const output = transaction.output(vout);
      if (output === null || output.scriptHex.length !== TAPROOT_DIGITS) continue;
      if (!output.scriptHex.startsWith(TAPROOT_PREFIX)) continue;
      const script = output.scriptHex as ScriptHex;
      const watched = this.#watch.script(script);
      if (watched === null) continue;
      const { txid, isCoinbase: coinbase } = transaction;
      inputs ??= inputsOf(transaction);
      sightings.push({ txid, vout, amountSat: output.valueSat, script, coinbase, inputs });
      this.#found.set(`${txid}:${vout}` as Outpoint, watched);
    }
    return sightings;
  }

  /** What its inputs mean. Outputs that it may spend have been matched before. */
  inputs(transaction: WholeTransaction): MatchedInputs {
    if (transaction.isCoinbase) return NOTHING;
    const spends: LockSpend[] = [];
    const secrets: ShownSecret[] = [];
    const sightedInputs: Outpoint[] = [];
    for (let index = 0; index < transaction.inputCount; index += 1) {
      const outpoint = transaction.outpoint(index);
      if (outpoint === null) continue;
      if (this.#watch.isSightedInput(outpoint)) sightedInputs.push(outpoint);
      const script = this.#watch.lockOutput(outpoint) ?? this.#found.get(outpoint) ?? null;
      if (script === null) continue;
      const witness = transaction.witness(index);
      spends.push({ outpoint, path: this.#path(witness, script) });
      for (const { hashlock, secret } of this.#secrets(witness, script.hashlock)) {
        secrets.push({ hashlock, secret, shower: { by: "spend", outpoint, txid: transaction.txid } });
      }
    }
    if (spends.length === 0 && sightedInputs.length === 0) return NOTHING;
    return { spends, secrets, sightedInputs };
  }

  #path(witness: readonly Uint8Array[], script: WatchedScript): SpendPath {
    const lock = lockOf(script, this.#crypto);
    return lock === null ? "other" : spendPath(witness, lock, this.#crypto);
  }

  /** The hashlock of the spent script counts also where its order is known to nobody any more. */
  #secrets(
    witness: readonly Uint8Array[],
    own: Bytes32,
  ): readonly { readonly hashlock: Bytes32; readonly secret: Bytes32 }[] {
    const isKnown = (hashlock: Bytes32): boolean => hashlock === own || this.#watch.isHashlock(hashlock);
    return secretsIn(witness, isKnown, this.#crypto.sha256);
  }
}

/** Distinct Taproot scripts that the transaction pays: where a release may go (S-61). Null where there are too many. */
function paidScripts(transaction: WholeTransaction): readonly ScriptHex[] | null {
  const scripts = new Set<ScriptHex>();
  for (let vout = 0; vout < transaction.outputCount; vout += 1) {
    const script = transaction.output(vout)?.scriptHex ?? "";
    if (script.length !== TAPROOT_DIGITS || !script.startsWith(TAPROOT_PREFIX)) continue;
    scripts.add(script as ScriptHex);
    if (scripts.size > MAX_PAID_SCRIPTS) return null;
  }
  return [...scripts];
}

/** What blocks showed, gathered for one change of the ledger. */
export class BlockFindings {
  facts: PearlBlockFact[] = [];
  sightings: Sighting[] = [];
  secrets: ShownSecret[] = [];

  /** Matches all transactions of a block, in order: a chain of spends within it is found, too. */
  add(
    place: Omit<PearlPlace, "txIndex">,
    transactions: Iterable<WholeTransaction>,
    matcher: PearlMatcher,
  ): void {
    for (const transaction of transactions) {
      const at: PearlPlace = { ...place, txIndex: transaction.txIndex };
      const outputs = matcher.outputs(transaction);
      const { spends, secrets, sightedInputs } = matcher.inputs(transaction);
      for (const { inputs: _inputs, ...output } of outputs) {
        this.facts.push({ kind: "output", place: at, ...output });
      }
      this.sightings.push(...outputs);
      const paid = spends.length === 0 ? null : paidScripts(transaction);
      for (const { outpoint, path } of spends) {
        const spend = { kind: "spend", place: at, outpoint, txid: transaction.txid, path } as const;
        this.facts.push(paid === null ? spend : { ...spend, outputScripts: paid });
      }
      for (const outpoint of sightedInputs) {
        this.facts.push({ kind: "inputSpend", place: at, outpoint, txid: transaction.txid });
      }
      this.secrets.push(...secrets);
    }
  }

  /** Drops facts of blocks above a height. Sightings and secrets stay: no block owns them (S-13, S-15). */
  truncate(toHeight: number): void {
    this.facts = this.facts.filter(({ place }) => place.height <= toHeight);
  }

  /** Drops everything. */
  clear(): void {
    this.facts = [];
    this.sightings = [];
    this.secrets = [];
  }
}
