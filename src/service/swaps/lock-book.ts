// Which outputs were locks, and what became of them (S-15)? Outputs and spends from blocks, sightings kept for ever,
// spent inputs of sighted transactions, and the mempool's present picture.

import type { Outpoint, ScriptHex, Txid } from "../../primitives/brands.ts";
import type { LockOutput, PearlBlockFact, PearlPlace, Sighting, SpendPath } from "../../swap/facts.ts";
import { outpointOf } from "../../swap/lock-choice.ts";
import type { Cell, Change } from "./draft.ts";
import { blockFact, sightingFact } from "./fact-codec.ts";
import { MultiIndex } from "./multi-index.ts";
import type { MempoolLocks } from "./ports.ts";

/** What is known of an outpoint whose script is or was a lock. */
export interface OutputEntry {
  readonly script: ScriptHex;
  readonly amountSat: bigint;
  readonly coinbase: boolean;
  readonly mined: PearlPlace | null;
  /** What its transaction spends; null where no sighting told. */
  readonly inputs: readonly Outpoint[] | null;
  readonly spend: {
    readonly txid: Txid;
    readonly path: SpendPath;
    readonly place: PearlPlace;
    readonly outputScripts: readonly ScriptHex[] | null;
  } | null;
}

interface InputSpend {
  readonly txid: Txid;
  readonly height: number;
}

const EMPTY: MempoolLocks = { present: new Set(), spends: new Map() };

/** The transaction of an outpoint. */
function txidOf(outpoint: Outpoint): Txid {
  return outpoint.slice(0, outpoint.indexOf(":")) as Txid;
}

/** All lock outputs. */
export class LockBook {
  readonly entries = new Map<Outpoint, OutputEntry>();
  readonly byScript = new MultiIndex<ScriptHex, Outpoint>();
  /** Lock outputs by what their transactions spend. */
  readonly byInput = new MultiIndex<Outpoint, Outpoint>();
  readonly #inputSpends = new Map<Outpoint, InputSpend>();
  /** Those in no block: the ones that the mempool decides about. */
  readonly #unmined = new Set<Outpoint>();
  readonly #mempool: Cell<MempoolLocks> = { value: EMPTY };

  /** The output with everything known of it, or null. */
  output(outpoint: Outpoint): LockOutput | null {
    const entry = this.entries.get(outpoint);
    if (entry === undefined) return null;
    const { present, spends } = this.#mempool.value;
    const txid = txidOf(outpoint);
    const seen = spends.get(outpoint);
    const unconfirmed = seen === undefined ? null : { txid: seen.txid, path: seen.path, mined: null };
    return {
      txid,
      vout: Number(outpoint.slice(txid.length + 1)),
      amountSat: entry.amountSat,
      coinbase: entry.coinbase,
      mined: entry.mined,
      inMempool: entry.mined === null && present.has(txid),
      conflictHeight: this.#conflictHeight(txid, entry),
      spend: entry.spend === null ? unconfirmed : minedSpend(entry.spend),
    };
  }

  /** All outputs of a script, in no order. */
  outputsOf(script: ScriptHex): LockOutput[] {
    const outputs: LockOutput[] = [];
    for (const outpoint of this.byScript.of(script)) {
      const output = this.output(outpoint);
      if (output !== null) outputs.push(output);
    }
    return outputs;
  }

  /** Heights of blocks that the rows of a script's orders count confirmations from. */
  *heightsOf(script: ScriptHex): Generator<number> {
    for (const outpoint of this.byScript.of(script)) {
      const entry = this.entries.get(outpoint);
      if (entry === undefined) continue;
      if (entry.mined !== null) yield entry.mined.height;
      if (entry.spend !== null) yield entry.spend.place.height;
      if (entry.mined !== null) continue;
      const conflict = this.#conflictHeight(txidOf(outpoint), entry);
      if (conflict !== null) yield conflict;
    }
  }

  /** Remembers a sighting. `onChange` gets the scripts whose outputs change. */
  sight(sighting: Sighting, change: Change, onChange: (script: ScriptHex) => void): void {
    const outpoint = outpointOf(sighting);
    const known = this.entries.get(outpoint);
    if (known !== undefined && known.inputs !== null) return;
    const { script, amountSat, coinbase, inputs } = sighting;
    this.#put(outpoint, { script, amountSat, coinbase, mined: null, spend: null, ...known, inputs }, change);
    for (const input of inputs) change.link(this.byInput, input, outpoint);
    change.store(() => sightingFact(sighting));
    onChange(script);
  }

  /**
   * Takes in what a main-chain block shows. `isStillWatched` says whether a spend in a block of that time counts.
   * @throws where a spend is of no known lock output.
   */
  apply(
    fact: PearlBlockFact,
    change: Change,
    isStillWatched: (entry: OutputEntry, time: number) => boolean,
    onChange: (script: ScriptHex) => void,
  ): void {
    switch (fact.kind) {
      case "output": {
        const { script, amountSat, coinbase, place: mined } = fact;
        const outpoint = outpointOf(fact);
        const known = this.entries.get(outpoint);
        const before = { inputs: known?.inputs ?? null, spend: known?.spend ?? null };
        this.#put(outpoint, { script, amountSat, coinbase, mined, ...before }, change);
        this.#store(fact, change);
        return this.#notify(outpoint, script, onChange);
      }
      case "spend": {
        const known = this.entries.get(fact.outpoint);
        if (known === undefined) {
          throw new Error(`swap ledger: ${fact.txid} spends ${fact.outpoint}, which is no lock output`);
        }
        if (!isStillWatched(known, fact.place.time)) return;
        const { txid, path, place } = fact;
        const spend = { txid, path, place, outputScripts: fact.outputScripts ?? null };
        this.#put(fact.outpoint, { ...known, spend }, change);
        this.#store(fact, change);
        return onChange(known.script);
      }
      case "inputSpend":
        return this.#spendInput(fact, change, onChange);
    }
  }

  /** Takes back what blocks above this height showed. */
  rewind(toHeight: number, change: Change, onChange: (script: ScriptHex) => void): void {
    for (const [outpoint, entry] of this.entries) {
      const mined = entry.mined !== null && entry.mined.height > toHeight ? null : entry.mined;
      const spend = entry.spend !== null && entry.spend.place.height > toHeight ? null : entry.spend;
      if (mined === entry.mined && spend === entry.spend) continue;
      if (mined === null && entry.inputs === null) this.#remove(outpoint, entry, change);
      else this.#put(outpoint, { ...entry, mined, spend }, change);
      this.#notify(outpoint, entry.script, onChange);
    }
    for (const [input, spent] of this.#inputSpends) {
      if (spent.height <= toHeight) continue;
      change.drop(this.#inputSpends, input);
      this.#notifyInput(input, onChange);
    }
  }

  /** Replaces the mempool's picture. Returns whether a lock or a spend has left it. */
  look(locks: MempoolLocks, change: Change, onChange: (script: ScriptHex) => void): boolean {
    const before = this.#mempool.value;
    change.assign(this.#mempool, locks);
    let hasLeft = false;
    for (const outpoint of this.#unmined) {
      const txid = txidOf(outpoint);
      const [was, is] = [before.present.has(txid), locks.present.has(txid)];
      hasLeft ||= was && !is;
      const entry = was === is ? undefined : this.entries.get(outpoint);
      if (entry !== undefined) onChange(entry.script);
    }
    for (const outpoint of new Set([...before.spends.keys(), ...locks.spends.keys()])) {
      const [was, is] = [before.spends.get(outpoint), locks.spends.get(outpoint)];
      if (was?.txid === is?.txid && was?.path === is?.path) continue;
      hasLeft ||= was !== undefined;
      const entry = this.entries.get(outpoint);
      if (entry !== undefined) onChange(entry.script);
    }
    return hasLeft;
  }

  #spendInput(
    fact: Extract<PearlBlockFact, { kind: "inputSpend" }>,
    change: Change,
    onChange: (script: ScriptHex) => void,
  ): void {
    // A lock transaction's own spends follow from its being mined.
    for (const outpoint of this.byInput.of(fact.outpoint)) if (txidOf(outpoint) === fact.txid) return;
    change.set(this.#inputSpends, fact.outpoint, { txid: fact.txid, height: fact.place.height });
    this.#store(fact, change);
    this.#notifyInput(fact.outpoint, onChange);
  }

  #conflictHeight(txid: Txid, entry: OutputEntry): number | null {
    if (entry.mined !== null || entry.inputs === null) return null;
    let lowest: number | null = null;
    const see = (height: number): void => {
      if (lowest === null || height < lowest) lowest = height;
    };
    for (const input of entry.inputs) {
      const spent = this.#inputSpends.get(input);
      if (spent !== undefined && spent.txid !== txid) see(spent.height);
      for (const rival of this.byInput.of(input)) {
        const mined = txidOf(rival) === txid ? null : (this.entries.get(rival)?.mined ?? null);
        if (mined !== null) see(mined.height);
      }
    }
    return lowest;
  }

  /** The output's own script, and those of outputs that it is a conflict for. */
  #notify(outpoint: Outpoint, script: ScriptHex, onChange: (script: ScriptHex) => void): void {
    onChange(script);
    for (const input of this.entries.get(outpoint)?.inputs ?? []) this.#notifyInput(input, onChange);
  }

  #notifyInput(input: Outpoint, onChange: (script: ScriptHex) => void): void {
    for (const outpoint of this.byInput.of(input)) {
      const entry = this.entries.get(outpoint);
      if (entry !== undefined) onChange(entry.script);
    }
  }

  #put(outpoint: Outpoint, entry: OutputEntry, change: Change): void {
    change.set(this.entries, outpoint, entry);
    change.link(this.byScript, entry.script, outpoint);
    if (entry.mined === null) change.include(this.#unmined, outpoint);
    else change.exclude(this.#unmined, outpoint);
  }

  #remove(outpoint: Outpoint, entry: OutputEntry, change: Change): void {
    change.drop(this.entries, outpoint);
    change.unlink(this.byScript, entry.script, outpoint);
    change.exclude(this.#unmined, outpoint);
  }

  #store(fact: PearlBlockFact, change: Change): void {
    change.store(() => blockFact(fact));
  }
}

function minedSpend(spend: NonNullable<OutputEntry["spend"]>): NonNullable<LockOutput["spend"]> {
  const { txid, path, place: mined, outputScripts } = spend;
  return outputScripts === null ? { txid, path, mined } : { txid, path, mined, outputScripts };
}
