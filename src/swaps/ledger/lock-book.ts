// Which outputs were locks, and what became of them (S-15): outputs and spends from blocks, sightings, spent inputs of
// sighted transactions, and the mempool's present picture. Anybody can pay to a script, as often as a block holds: what
// is kept of a transaction is linear in its inputs and outputs, and small outputs are kept up to a bound per script.

import type { Outpoint, ScriptHex, Txid } from "../../primitives/brands.ts";
import type { HtlcOutput, PearlBlockFact, PearlPlace, Sighting } from "../../swap/facts.ts";
import { DUST_SAT, outpointOf } from "../../swap/lock-choice.ts";
import type { LockOutputs } from "../../swap/lock-outputs.ts";
import { type BookChange, LOADING } from "./book-change.ts";
import { BLOCK_FACTS, SIGHTING } from "./fact-kinds.ts";
import { FirstOutputs } from "./first-outputs.ts";
import { LockConflicts } from "./lock-conflicts.ts";
import type { Layer, LayeredIndex, LayeredMap } from "./layers.ts";
import {
  type DustEntry,
  dustEntry,
  isEarlier,
  type OutputEntry,
  outputFrom,
  smallList,
  txidOf,
} from "./lock-entries.ts";
import { MempoolPicture, type NextPicture, pictureAfter } from "./mempool-picture.ts";
import type { MempoolLocks } from "./ports.ts";
import type { ScriptBook } from "./script-book.ts";
import { ScriptOutputs } from "./script-outputs.ts";
import { UndoneLocks } from "./undone-locks.ts";
import { UnminedOutputs } from "./unmined-outputs.ts";

/** All lock outputs. */
export class LockBook {
  readonly entries: LayeredMap<Outpoint, OutputEntry>;
  readonly dust: LayeredMap<Outpoint, DustEntry>;
  readonly byScript: LayeredIndex<ScriptHex, Outpoint>;
  readonly conflicts: LockConflicts;
  readonly #scripts: ScriptBook;
  readonly #byTransaction: LayeredIndex<Txid, Outpoint>;
  /** Lock outputs by the mined transaction that spends them. */
  readonly #bySpender: LayeredIndex<Txid, Outpoint>;
  readonly #unmined: UnminedOutputs;
  readonly #firstDust: FirstOutputs;
  readonly #firstSmall: FirstOutputs;
  readonly #outputs: ScriptOutputs;
  readonly picture: MempoolPicture;

  /** `scripts` tells which amounts are small. */
  constructor(layer: Layer<LockBook>, scripts: ScriptBook) {
    // The first container: it is laid down while the others still show both states.
    this.#outputs = layer.container(
      (under) => under.#outputs,
      (under) => new ScriptOutputs(under, this),
    );
    this.entries = layer.map((under) => under.entries);
    this.dust = layer.map((under) => under.dust);
    this.byScript = layer.index((under) => under.byScript);
    this.conflicts = new LockConflicts(layer.within((under) => under.conflicts));
    this.#scripts = scripts;
    this.#byTransaction = layer.index((under) => under.#byTransaction);
    this.#bySpender = layer.index((under) => under.#bySpender);
    this.#unmined = new UnminedOutputs(layer.within((under) => under.#unmined));
    this.#firstDust = new FirstOutputs(layer.within((under) => under.#firstDust));
    this.#firstSmall = new FirstOutputs(layer.within((under) => under.#firstSmall));
    this.picture = new MempoolPicture(layer.within((under) => under.picture));
  }

  /** What was seen of the mempool last. */
  get mempool(): MempoolLocks {
    return this.picture.locks;
  }

  /** The output with everything known of it, or null; of dust that it is mined. */
  output(outpoint: Outpoint): HtlcOutput | null {
    const entry = this.entries.get(outpoint) ?? dustEntry(this.dust.get(outpoint));
    if (entry === null) return null;
    const conflictHeight = entry.mined === null ? this.conflicts.heightOf(txidOf(outpoint)) : null;
    return outputFrom(outpoint, entry, this.mempool, conflictHeight);
  }

  /** The same with the script that it pays. */
  named(outpoint: Outpoint): { readonly output: HtlcOutput; readonly script: ScriptHex } | null {
    const output = this.output(outpoint);
    const script = (this.entries.get(outpoint) ?? this.dust.get(outpoint))?.script;
    return output === null || script === undefined ? null : { output, script };
  }

  /** All outputs of a script of at least `DUST_SAT`. */
  outputsOf(script: ScriptHex): LockOutputs {
    return this.#outputs.of(script);
  }

  /** Whether a lock output of this transaction, or a spend of one, is in a block or in the mempool now. */
  knows(txid: Txid): boolean {
    if (this.mempool.present.has(txid)) return true;
    for (const [, { mined }] of this.#outputsMadeBy(txid)) if (mined !== null) return true;
    return this.#bySpender.has(txid) || this.picture.isSpender(txid);
  }

  /** Scripts of the outputs that this transaction made or spends, as `knows` knows it; dust left out. */
  scriptsOf(txid: Txid): ReadonlySet<ScriptHex> {
    return new Set(this.#touchedBy(txid).flatMap((outpoint) => this.entries.get(outpoint)?.script ?? []));
  }

  /** Those outputs themselves, of one script: who names a transaction has no others looked at. */
  outputsBy(txid: Txid, script: ScriptHex): readonly HtlcOutput[] {
    const own = this.#touchedBy(txid).filter((outpoint) => this.entries.get(outpoint)?.script === script);
    return own.flatMap((outpoint) => this.output(outpoint) ?? []);
  }

  /** Heights of blocks that the rows of a script's orders count confirmations from. */
  heightsOf(script: ScriptHex): Iterable<number> {
    return this.#outputs.heightsOf(script);
  }

  /** Whether dust of this script is watched. */
  hasDust(script: ScriptHex): boolean {
    return this.#firstDust.has(script);
  }

  /** Scripts of the outputs that this transaction made. */
  *scriptsMadeBy(txid: Txid): Generator<ScriptHex> {
    for (const [, { script }] of this.#outputsMadeBy(txid)) yield script;
  }

  /** Whether the outpoint or a lock output of the transaction is known. */
  isHere(place: Outpoint | Txid): boolean {
    return place.includes(":") ? this.entries.has(place as Outpoint) : this.#byTransaction.has(place as Txid);
  }

  /** Takes the outputs of a script out, and its lists: its orders have closed. */
  leave(script: ScriptHex): void {
    for (const outpoint of this.byScript.of(script)) {
      const entry = this.entries.get(outpoint);
      if (entry === undefined) continue;
      const txid = txidOf(outpoint);
      // Without a sighting nothing is forgotten by the removal, and what it spends is taken out here.
      this.#remove(outpoint, { ...entry, isSighted: false }, LOADING);
      if (!this.#byTransaction.has(txid)) this.conflicts.leave(txid);
    }
    this.#firstDust.leave(script);
    this.#firstSmall.leave(smallList(script, this.#scripts.leastAmount(script)));
  }

  /** Remembers a sighting; one that a bound turns away is not known. */
  sight(sighting: Omit<Sighting, "inputs">, change: BookChange): void {
    const { script, amountSat, coinbase } = sighting;
    if (amountSat < DUST_SAT) return;
    const outpoint = outpointOf(sighting);
    const known = this.entries.get(outpoint);
    if (known?.isSighted === true) return;
    if (known === undefined && this.#isSmall(script, amountSat) && this.#unmined.isFull(script)) return;
    const before = { mined: null, spend: null, ...known };
    this.#put(outpoint, { ...before, script, amountSat, coinbase, isSighted: true }, change, sighting.txid);
    change.store(SIGHTING, sighting);
  }

  /** Remembers what a transaction with lock outputs spends. Each of its outputs tells it: the first one is enough. */
  know(txid: Txid, inputs: readonly Outpoint[], change: BookChange): void {
    if (this.conflicts.isKnown(txid)) return;
    let minedAt: number | null = null;
    for (const [outpoint, { script, mined }] of this.#outputsMadeBy(txid)) {
      minedAt = mined?.height ?? minedAt;
      // What it spends may be spent already.
      this.#outputs.touch(script, outpoint);
    }
    this.conflicts.know(txid, inputs, minedAt, change, (other) => this.#notify(other, change));
  }

  /**
   * Takes in what a main-chain block shows, outputs of one change in chain order and before spends. `isStillWatched`
   * says whether a spend in a block of that time counts. False where it is, or spends, an output that is not kept. What
   * is mined or spent already in an earlier block of the chain stays so: only a node that lies has a block that does it
   * again, and when that block goes the first one still stands.
   */
  apply(
    fact: PearlBlockFact,
    change: BookChange,
    isStillWatched: (entry: Pick<OutputEntry, "script" | "amountSat">, time: number) => boolean,
  ): boolean {
    if (fact.kind === "output") {
      return fact.amountSat < DUST_SAT ? this.#applyDust(fact, change) : this.#applyOutput(fact, change);
    }
    if (fact.kind === "inputSpend") {
      // A lock transaction's own spends follow from its being mined.
      if (this.conflicts.byInput.includes(fact.outpoint, fact.txid)) return true;
      change.store(BLOCK_FACTS[fact.kind], fact);
      const spend = { txid: fact.txid, height: fact.place.height };
      this.conflicts.spend([fact.outpoint], spend, (other) => this.#notify(other, change));
      return true;
    }
    const known = this.entries.get(fact.outpoint);
    if (known === undefined) return this.dust.has(fact.outpoint);
    if (!isStillWatched(known, fact.place.time)) return true;
    const { txid, path, outputScripts, place } = fact;
    if (known.spend !== null && isEarlier(known.spend.mined, place)) return true;
    const spend = { txid, path, outputScripts, mined: place };
    this.#put(fact.outpoint, { ...known, spend }, change);
    change.store(BLOCK_FACTS[fact.kind], fact);
    return true;
  }

  /** Takes back what blocks above this height showed; returns that. */
  rewind(toHeight: number, change: BookChange): UndoneLocks {
    const undone = new UndoneLocks();
    this.#firstDust.rewind(toHeight);
    this.#firstSmall.rewind(toHeight);
    for (const [outpoint, { place }] of this.dust) if (place.height > toHeight) this.dust.delete(outpoint);
    for (const [outpoint, entry] of this.entries) {
      const mined = entry.mined !== null && entry.mined.height > toHeight ? null : entry.mined;
      const spend = entry.spend !== null && entry.spend.mined.height > toHeight ? null : entry.spend;
      if (mined === entry.mined && spend === entry.spend) continue;
      undone.add(outpoint, entry, { mined, spend });
      const isFull = this.#isSmall(entry.script, entry.amountSat) && this.#unmined.isFull(entry.script);
      if (mined === null && (!entry.isSighted || (entry.mined !== null && isFull))) {
        this.#remove(outpoint, entry, change);
      } else this.#put(outpoint, { ...entry, mined, spend }, change);
    }
    this.conflicts.rewind(toHeight, (txid) => this.#notify(txid, change));
    return undone;
  }

  /** What was undone is taken to wait in the mempool, as far as the branch lets it. */
  putBack(undone: UndoneLocks, change: BookChange): void {
    const step = undone.stepIn(this);
    if (step !== null) this.look({ locks: pictureAfter(this.mempool, step), step }, change);
  }

  /**
   * Replaces the mempool's picture. Returns whether a lock or a spend has left it. Looks at what came and went alone: who
   * replaces his transactions pays for the last one of them, and each leaves outputs that are remembered (S-15).
   */
  look(next: NextPicture, change: BookChange): boolean {
    const before = this.mempool;
    this.picture.replace(next, change);
    const { came, gone } = next.step;
    let hasLeft = false;
    for (const txid of [...came.present, ...gone.present]) {
      for (const [outpoint, entry] of this.#outputsMadeBy(txid)) {
        // The mempool decides about those that are in no block.
        if (entry.mined !== null) continue;
        hasLeft ||= before.present.has(txid);
        this.#touch(entry.script, outpoint, change);
      }
    }
    for (const outpoint of [...came.spends.keys(), ...gone.spends]) {
      hasLeft ||= before.spends.has(outpoint);
      const entry = this.entries.get(outpoint);
      if (entry !== undefined) this.#touch(entry.script, outpoint, change);
    }
    return hasLeft;
  }

  /** Forgets outputs of transactions that nobody has any more, which another output of the same one speaks for (S-15). */
  forgetAlike(change: BookChange): void {
    const alike = this.#unmined.takeAlike(this.mempool.present, (txid) => this.#outputsMadeBy(txid));
    for (const [outpoint, entry] of alike) this.#remove(outpoint, entry, change);
  }

  /** Outputs that a transaction made or spends. */
  #touchedBy(txid: Txid): readonly Outpoint[] {
    const [made, spent] = [this.#byTransaction.of(txid), this.#bySpender.of(txid)];
    return [...new Set([...made, ...spent, ...this.picture.spentBy(txid)])];
  }

  *#outputsMadeBy(txid: Txid): Generator<readonly [Outpoint, OutputEntry]> {
    for (const outpoint of this.#byTransaction.of(txid)) {
      const entry = this.entries.get(outpoint);
      if (entry !== undefined) yield [outpoint, entry];
    }
  }

  #applyDust(fact: Extract<PearlBlockFact, { kind: "output" }>, change: BookChange): boolean {
    const { script, amountSat, coinbase, place } = fact;
    const outpoint = outpointOf(fact);
    const known = this.dust.get(outpoint);
    if (known !== undefined && isEarlier(known.place, place)) return true;
    const { isKept, evicted } = this.#firstDust.admit(script, { outpoint, place }, () => []);
    if (evicted !== null) {
      this.dust.delete(evicted);
      change.forget(BLOCK_FACTS.output, evicted);
    }
    if (!isKept) return false;
    this.dust.set(outpoint, { script, amountSat, coinbase, place });
    change.store(BLOCK_FACTS[fact.kind], fact);
    return true;
  }

  #applyOutput(fact: Extract<PearlBlockFact, { kind: "output" }>, change: BookChange): boolean {
    const { script, amountSat, coinbase, place: mined } = fact;
    const outpoint = outpointOf(fact);
    const known = this.entries.get(outpoint);
    if (known !== undefined && known.mined !== null && isEarlier(known.mined, mined)) return true;
    if (!this.#admit(outpoint, fact, change)) {
      if (known !== undefined) this.#remove(outpoint, known, change);
      return false;
    }
    const before = { isSighted: known?.isSighted ?? false, spend: known?.spend ?? null };
    this.#put(outpoint, { script, amountSat, coinbase, mined, ...before }, change, fact.txid);
    change.store(BLOCK_FACTS[fact.kind], fact);
    this.conflicts.mine(fact.txid, mined.height, (other) => this.#notify(other, change));
    return true;
  }

  /** Whether a mined output is kept: always where it is large enough for an order, else among the first (S-15). */
  #admit(
    outpoint: Outpoint,
    { script, amountSat, place }: Pick<OutputEntry, "script" | "amountSat"> & { readonly place: PearlPlace },
    change: BookChange,
  ): boolean {
    if (!this.#isSmall(script, amountSat)) return true;
    const list = smallList(script, this.#scripts.leastAmount(script));
    const present = () => this.#minedSmall(script);
    const { isKept, evicted } = this.#firstSmall.admit(list, { outpoint, place }, present);
    if (!isKept || evicted !== null) this.#scripts.cap(script, change);
    const entry = evicted === null ? undefined : this.entries.get(evicted);
    if (evicted !== null && entry !== undefined) {
      change.forget(BLOCK_FACTS.output, evicted);
      change.forget(BLOCK_FACTS.spend, evicted);
      const txid = txidOf(evicted);
      if (this.#byTransaction.count(txid) === 1) this.conflicts.outlive(txid, entry.mined, change);
      this.#remove(evicted, entry, change);
    }
    return isKept;
  }

  *#minedSmall(script: ScriptHex): Generator<{ readonly outpoint: Outpoint; readonly place: PearlPlace }> {
    for (const outpoint of this.byScript.of(script)) {
      const entry = this.entries.get(outpoint);
      if (entry === undefined || entry.mined === null || !this.#isSmall(script, entry.amountSat)) continue;
      yield { outpoint, place: entry.mined };
    }
  }

  /** Whether the amount is below pearl_amount_sat of every order that ever had the script. */
  #isSmall(script: ScriptHex, amountSat: bigint): boolean {
    return amountSat < this.#scripts.leastAmount(script);
  }

  #notify(txid: Txid, change: BookChange): void {
    for (const [outpoint, { script }] of this.#outputsMadeBy(txid)) this.#touch(script, outpoint, change);
  }

  /** Something of an output is another, or will be in a moment. */
  #touch(script: ScriptHex, outpoint: Outpoint, change: BookChange): void {
    this.#outputs.touch(script, outpoint);
    change.touchScript(script);
  }

  /** `txid`: of the outpoint; whoever has its text at hand saves a copy, which would stay in memory. */
  #put(outpoint: Outpoint, entry: OutputEntry, change: BookChange, txid = txidOf(outpoint)): void {
    const { script, amountSat, coinbase, mined, isSighted, spend } = entry;
    const before = this.entries.get(outpoint)?.spend ?? null;
    this.#touch(script, outpoint, change);
    if (before !== null && before.txid !== spend?.txid) this.#bySpender.delete(before.txid, outpoint);
    if (spend !== null) this.#bySpender.add(spend.txid, outpoint);
    // The same text as the script's own entry, so that it is in memory once. Named one by one, the fields take less of it.
    const own = this.#scripts.entries.get(script)?.script ?? script;
    this.entries.set(outpoint, { script: own, amountSat, coinbase, mined, isSighted, spend });
    this.byScript.add(own, outpoint);
    this.#byTransaction.add(txid, outpoint);
    const isSmall = this.#isSmall(script, amountSat);
    this.#unmined.put(outpoint, entry, isSmall, this.#byTransaction.count(txid));
  }

  /** Forgets an output, and what its transaction spends with the last one of it. */
  #remove(outpoint: Outpoint, entry: OutputEntry, change: BookChange): void {
    const txid = txidOf(outpoint);
    this.#touch(entry.script, outpoint, change);
    if (entry.spend !== null) this.#bySpender.delete(entry.spend.txid, outpoint);
    this.entries.delete(outpoint);
    this.byScript.delete(entry.script, outpoint);
    this.#byTransaction.delete(txid, outpoint);
    this.#unmined.remove(outpoint, entry);
    if (!entry.isSighted) return;
    change.forget(SIGHTING, outpoint);
    if (!this.#byTransaction.has(txid)) this.conflicts.forget(txid, change);
  }
}
