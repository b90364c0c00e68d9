// Finds what a PEARL transaction means for swaps: outputs that pay a watched script, spends of lock outputs by leaf,
// secrets in them, and spends of what a sighted lock transaction needs (S-13, S-15, S-53). Work is linear in inputs and
// outputs.

import type { VerifiedBlock } from "../../chain/watch-block.ts";
import type { WholeTransaction } from "../../chain/watch-transaction.ts";
import type { Bytes32, Outpoint, ScriptHex } from "../../primitives/brands.ts";
import { bytesToHex } from "../../primitives/hex.ts";
import type { SwapCrypto } from "../../swap/crypto.ts";
import type { LockSpend, PearlBlockFact, PearlPlace, Sighting, SpendPath } from "../../swap/facts.ts";
import { scriptsOfKey } from "../../swap/keys.ts";
import { DUST_SAT } from "../../swap/lock-choice.ts";
import { type Htlc, htlcOf } from "../../swap/htlc-script.ts";
import { preimagesIn, spendPath, withoutAnnex } from "../../swap/spend-leaf.ts";
import { MAX_SMALL_OUTPUTS } from "../ledger/first-outputs.ts";
import type { ClosedQuestion } from "../ledger/closed-port.ts";
import type { LedgerWrites, PearlChange, SwapWatch, WatchedOutput, WatchedScript } from "../ledger/ports.ts";

/** Secrets as a change of the ledger carries them. */
export type ShownPreimage = PearlChange["secrets"][number];

/** A lock output of a transaction. Dust counts for nothing but secrets in its spend (S-15). */
export interface MatchedOutput extends Sighting {
  readonly isDust: boolean;
}

/** Everything that inputs of a transaction mean. */
interface MatchedInputs {
  /** Those of lock outputs that count. */
  readonly spends: readonly LockSpend[];
  readonly secrets: readonly ShownPreimage[];
  /** Inputs of sighted lock transactions that this one spends. */
  readonly sightedInputs: readonly Outpoint[];
}

const NOTHING: MatchedInputs = { spends: [], secrets: [], sightedInputs: [] };
/** `OP_1` and a push of 32 bytes: every lock script has this form. */
const TAPROOT_PREFIX = "5120";
const TAPROOT_DIGITS = 68;
/** Most dust outputs that are remembered, so that their spends are seen before the ledger knows the outputs. */
const MAX_FOUND_DUST = 10_000;

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

/** Lock outputs that the ledger may not know yet. */
export class FoundOutputs {
  readonly #outputs = new Map<Outpoint, WatchedOutput>();
  #dust = 0;

  /** Remembers an output; of dust only some. */
  add(outpoint: Outpoint, output: WatchedOutput): void {
    if (this.#outputs.has(outpoint)) return;
    if (output.isDust && this.#dust >= MAX_FOUND_DUST) return;
    if (output.isDust) this.#dust += 1;
    this.#outputs.set(outpoint, output);
  }

  get(outpoint: Outpoint): WatchedOutput | null {
    return this.#outputs.get(outpoint) ?? null;
  }

  delete(outpoint: Outpoint): void {
    if (this.#outputs.get(outpoint)?.isDust === true) this.#dust -= 1;
    this.#outputs.delete(outpoint);
  }
}

/** Matches transactions against the present watch and the lock outputs that it has found itself. */
export class PearlMatcher {
  readonly #watch: SwapWatch;
  readonly #crypto: SwapCrypto;
  readonly #found: FoundOutputs;
  /** Number of small outputs found of each script: beyond a bound none can be among the first of the chain (S-15). */
  readonly #small = new Map<string, number>();
  readonly #leftOut = new Map<ScriptHex, bigint>();
  readonly #locks = new Map<ScriptHex, Htlc | null>();
  readonly #releases = new Map<ScriptHex, readonly ScriptHex[]>();
  /** Leaves by script, control block and leaf script: a thousand spends of one lock are classified once. */
  readonly #paths = new Map<string, SpendPath>();

  /** `found`: lock outputs that the ledger may not know; those that this matcher finds are added. */
  constructor(watch: SwapWatch, crypto: SwapCrypto, found = new FoundOutputs()) {
    this.#watch = watch;
    this.#crypto = crypto;
    this.#found = found;
  }

  /** Scripts of which small outputs were left out, each with the greatest amount that all of those are below. */
  get leftOut(): ReadonlyMap<ScriptHex, bigint> {
    return this.#leftOut;
  }

  /** What was left out is told, and counts for these scripts alone from now on. */
  toldLeftOut(but: readonly ScriptHex[]): void {
    const kept = new Set(but);
    for (const script of this.#leftOut.keys()) if (!kept.has(script)) this.#leftOut.delete(script);
  }

  /** Blocks will be read again: what they showed before counts no longer towards any bound. */
  recount(): void {
    this.#small.clear();
  }

  /** Its outputs with a watched script, remembered for later spends. */
  outputs(transaction: WholeTransaction): readonly MatchedOutput[] {
    const matched: MatchedOutput[] = [];
    let inputs: readonly Outpoint[] | null = null;
    for (let vout = 0; vout < transaction.outputCount; vout += 1) {
      const output = transaction.output(vout);
      if (output === null || output.scriptHex.length !== TAPROOT_DIGITS) continue;
      if (!output.scriptHex.startsWith(TAPROOT_PREFIX)) continue;
      const script = output.scriptHex as ScriptHex;
      const watched = this.#watch.script(script);
      if (watched === null) continue;
      const { txid, isCoinbase: coinbase } = transaction;
      const amountSat = output.valueSat;
      const isDust = amountSat < DUST_SAT;
      if (!this.#hasRoom(watched, amountSat)) continue;
      inputs ??= inputsOf(transaction);
      matched.push({ txid, vout, amountSat, script, coinbase, inputs, isDust });
      this.#found.add(`${txid}:${vout}` as Outpoint, { script: watched, isDust });
    }
    return matched;
  }

  /** What its inputs mean. Outputs that it may spend have been matched before. */
  inputs(transaction: WholeTransaction): MatchedInputs {
    if (transaction.isCoinbase) return NOTHING;
    const { txid } = transaction;
    const spends: LockSpend[] = [];
    const secrets = new Map<string, ShownPreimage>();
    const sightedInputs: Outpoint[] = [];
    let paid: ReadonlySet<ScriptHex> | null = null;
    for (let index = 0; index < transaction.inputCount; index += 1) {
      const outpoint = transaction.outpoint(index);
      if (outpoint === null) continue;
      if (this.#watch.isSightedInput(outpoint)) sightedInputs.push(outpoint);
      const output = this.#watch.lockOutput(outpoint) ?? this.#found.get(outpoint);
      if (output === null) continue;
      const { script: watched, isDust } = output;
      const witness = transaction.witness(index);
      const shown = this.#secrets(witness, watched.hashlock);
      for (const { hashlock, secret } of shown) {
        const { script } = watched;
        const shower = { by: "spend", outpoint, txid, script } as const;
        const key = `${hashlock}/${script}`;
        if (!secrets.has(key)) secrets.set(key, { hashlock, secret, shower });
      }
      if (isDust) continue;
      paid ??= paidScripts(transaction);
      const ways = paid;
      const outputScripts = this.#releasesOf(watched).filter((script) => ways.has(script));
      const isSecretShown = shown.some(({ hashlock }) => hashlock === watched.hashlock);
      spends.push({ outpoint, txid, path: this.#path(witness, watched, isSecretShown), outputScripts });
    }
    return { spends, secrets: [...secrets.values()], sightedInputs };
  }

  /** Whether an output of this amount can be among the first of its kind, given those found before. */
  #hasRoom({ script, leastAmountSat }: WatchedScript, amountSat: bigint): boolean {
    const isDust = amountSat < DUST_SAT;
    if (!isDust && amountSat >= leastAmountSat) return true;
    const key = `${script}/${isDust}`;
    const count = this.#small.get(key) ?? 0;
    if (count >= MAX_SMALL_OUTPUTS) {
      // Dust is too small for whatever order comes (S-22).
      if (!isDust && leastAmountSat > (this.#leftOut.get(script) ?? 0n))
        this.#leftOut.set(script, leastAmountSat);
      return false;
    }
    this.#small.set(key, count + 1);
    return true;
  }

  /**
   * The claim leaf lets nobody pass without the secret (S-10): a claim that shows none is a lie of the node, and none. Whoever is
   * told of it would send his own, with the secret, or not have his USDC back.
   */
  #path(witness: readonly Uint8Array[], watched: WatchedScript, isSecretShown: boolean): SpendPath {
    const path = this.#leaf(witness, watched);
    return path === "claim" && !isSecretShown ? "other" : path;
  }

  #leaf(witness: readonly Uint8Array[], watched: WatchedScript): SpendPath {
    const [leaf, control] = withoutAnnex(witness).slice(-2);
    const key = `${watched.script}/${textOf(leaf)}/${textOf(control)}`;
    const known = this.#paths.get(key);
    if (known !== undefined) return known;
    const lock = remembered(this.#locks, watched.script, () => htlcOf(watched, this.#crypto));
    const path = lock === null ? "other" : spendPath(witness, lock, this.#crypto);
    if (path !== "other") this.#paths.set(key, path);
    return path;
  }

  #releasesOf({ script, buyerKey }: WatchedScript): readonly ScriptHex[] {
    return remembered(this.#releases, script, () => scriptsOfKey(buyerKey, this.#crypto));
  }

  /** The hashlock of the spent script counts even where the watch no longer knows its order. */
  #secrets(
    witness: readonly Uint8Array[],
    own: Bytes32,
  ): readonly { readonly hashlock: Bytes32; readonly secret: Bytes32 }[] {
    const isKnown = (hashlock: Bytes32): boolean => hashlock === own || this.#watch.isHashlock(hashlock);
    return preimagesIn(witness, isKnown, this.#crypto.sha256);
  }
}

function remembered<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const value = make();
  map.set(key, value);
  return value;
}

function textOf(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? "" : bytesToHex(bytes);
}

/** The Taproot scripts that a transaction pays. */
function paidScripts(transaction: WholeTransaction): ReadonlySet<ScriptHex> {
  const scripts = new Set<ScriptHex>();
  for (let vout = 0; vout < transaction.outputCount; vout += 1) {
    const script = transaction.output(vout)?.scriptHex ?? "";
    if (script.length === TAPROOT_DIGITS && script.startsWith(TAPROOT_PREFIX))
      scripts.add(script as ScriptHex);
  }
  return scripts;
}

/** Findings above this number are handed over before more blocks are read, to bound what one change holds. */
const MOST_FINDINGS = 20_000;

/** What a change of the ledger tells of blocks. */
export type Found = Pick<PearlChange, "facts" | "sightings" | "secrets" | "leftOut">;

/** Nothing. */
export const NOTHING_FOUND: Found = { facts: [], sightings: [], secrets: [], leftOut: [] };

/** What blocks showed, gathered for one change of the ledger. */
export class BlockFindings {
  readonly #matcher: PearlMatcher;
  #facts: PearlBlockFact[] = [];
  #sightings: Sighting[] = [];
  #secrets: ShownPreimage[] = [];

  /** `matcher`: for these blocks alone, or for all of a pass that are looked at one after the other. */
  constructor(matcher: PearlMatcher) {
    this.#matcher = matcher;
  }

  /** All of it, with what was left out of these blocks, and of those before them as far as it still counts. */
  get found(): Found {
    const leftOut = [...this.#matcher.leftOut];
    return { facts: this.#facts, sightings: this.#sightings, secrets: this.#secrets, leftOut };
  }

  /** Whether enough was found that it should be handed over now. */
  get isFull(): boolean {
    return this.#facts.length + this.#sightings.length >= MOST_FINDINGS;
  }

  /**
   * Matches all transactions of a block, in order: a chain of spends within it is found, too. Whether it shows anything
   * that has a place in it.
   */
  add(
    block: Pick<VerifiedBlock, "height" | "hash" | "time"> & { transactions(): Iterable<WholeTransaction> },
  ): boolean {
    const { height, hash: blockHash, time } = block;
    const before = this.#facts.length;
    for (const transaction of block.transactions()) {
      const at: PearlPlace = { height, blockHash, time, txIndex: transaction.txIndex };
      const outputs = this.#matcher.outputs(transaction);
      const { spends, secrets, sightedInputs } = this.#matcher.inputs(transaction);
      for (const { inputs: _inputs, isDust: _isDust, ...output } of outputs) {
        this.#facts.push({ kind: "output", place: at, ...output });
      }
      for (const { isDust, ...sighting } of outputs) if (!isDust) this.#sightings.push(sighting);
      for (const spend of spends) this.#facts.push({ kind: "spend", place: at, ...spend });
      for (const outpoint of sightedInputs) {
        this.#facts.push({ kind: "inputSpend", place: at, outpoint, txid: transaction.txid });
      }
      this.#secrets.push(...secrets);
    }
    return this.#facts.length > before;
  }

  /** Drops facts of blocks above a height. Sightings and secrets stay: no block owns them (S-13, S-15). */
  truncate(toHeight: number): void {
    this.#facts = this.#facts.filter(({ place }) => place.height <= toHeight);
  }

  /** Drops everything. */
  clear(): void {
    this.#facts = [];
    this.#sightings = [];
    this.#secrets = [];
  }
}

/**
 * Looks at transactions when the closed deals that they pay are in memory (S-63): what nobody expects any more must be
 * seen all the same. `others`: further closed deals that must be.
 */
export function withPaid<Value>(
  ledger: Pick<LedgerWrites, "watch" | "withClosed">,
  transactions: () => Iterable<WholeTransaction>,
  look: (hasOpened: boolean) => Value,
  others: readonly ClosedQuestion[] = [],
): Promise<Value> {
  return ledger.withClosed(() => {
    const names = new Set<string>();
    for (const transaction of transactions())
      for (const script of paidScripts(transaction))
        if (ledger.watch.script(script) === null) names.add(script);
    return [...others, { kind: "named", names: [...names] }];
  }, look);
}
