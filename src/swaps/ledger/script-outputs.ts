// The outputs of scripts that were paid often, as `LockOutputs`: made once, and after a change made of what was there
// before and what has changed, so that neither a read nor an event looks at each of ten thousand outputs (S-15). Like the
// containers of layers.ts this lies over another one of its kind, of the state before a change, and shares what is the
// same in both.

import type { Outpoint, ScriptHex } from "../../primitives/brands.ts";
import type { HtlcOutput } from "../../swap/facts.ts";
import { heightsOf, LockOutputs, type OutputChange } from "../../swap/lock-outputs.ts";
import type { LayeredIndex } from "./layers.ts";
import { MultiIndex } from "./multi-index.ts";

/** Outputs of a script that are put together anew at each read, and remembered nowhere: nearly all scripts have one. */
const FEW = 64;
/** Of so many outputs one has to be another before it is cheaper to begin anew. */
const CHANGED_AT_MOST = 1 / 8;

/** What the outputs are taken from. */
export interface OutputSource {
  readonly byScript: LayeredIndex<ScriptHex, Outpoint>;
  /** An output with everything known of it in this state. */
  output(outpoint: Outpoint): HtlcOutput | null;
}

/** The collections of one state. */
export class ScriptOutputs {
  readonly #under: ScriptOutputs | null;
  readonly #source: OutputSource;
  #made = new Map<ScriptHex, LockOutputs>();
  /** Outputs that may be other ones, or none, in the state beneath. */
  readonly #changed = new MultiIndex<ScriptHex, Outpoint>();

  constructor(under: ScriptOutputs | null, source: OutputSource) {
    this.#under = under;
    this.#source = source;
  }

  /** All outputs of a script. */
  of(script: ScriptHex): LockOutputs {
    const { byScript } = this.#source;
    if (byScript.count(script) <= FEW) return this.#anew(script);
    const known = this.#made.get(script);
    if (known !== undefined) return known;
    const made = this.#under === null ? this.#anew(script) : this.#over(script, this.#under);
    this.#made.set(script, made);
    return made;
  }

  /** Heights of blocks that rows count confirmations of these outputs from. */
  *heightsOf(script: ScriptHex): Generator<number> {
    const { byScript } = this.#source;
    const isLarge = byScript.count(script) > FEW;
    if (isLarge) yield* this.of(script).heights;
    for (const outpoint of isLarge ? [] : byScript.of(script)) {
      const output = this.#source.output(outpoint);
      if (output !== null) yield* heightsOf(output);
    }
  }

  /** Something of this output is another: to be called with each change of what is known of it. */
  touch(script: ScriptHex, outpoint: Outpoint): void {
    this.#made.delete(script);
    if (this.#under !== null) this.#changed.add(script, outpoint);
  }

  /** Gives what was made of a change to the state beneath. Before the source's own containers are laid down. */
  layDown(): void {
    const under = this.#under;
    if (under === null) return;
    for (const script of this.#changed.keys()) {
      const [before, after] = [under.#made.get(script), this.#afterwards(script, under)];
      for (const outpoint of this.#changed.of(script)) under.touch(script, outpoint);
      keep(under.#made, script, after);
      keep(this.#made, script, before);
    }
  }

  /** What is worth being kept of a script: nothing of one that nobody reads. */
  #afterwards(script: ScriptHex, under: ScriptOutputs): LockOutputs | undefined {
    const isLarge = this.#source.byScript.count(script) > FEW;
    return isLarge && (this.#made.has(script) || under.#made.has(script)) ? this.of(script) : undefined;
  }

  #over(script: ScriptHex, under: ScriptOutputs): LockOutputs {
    const changed = this.#changed.count(script);
    if (changed === 0) return under.of(script);
    const isMuch = changed > this.#source.byScript.count(script) * CHANGED_AT_MOST;
    return isMuch ? this.#anew(script) : under.of(script).changed(this.#changes(script, under));
  }

  *#changes(script: ScriptHex, under: ScriptOutputs): Generator<OutputChange> {
    for (const outpoint of this.#changed.of(script)) {
      yield { before: under.#one(script, outpoint), after: this.#one(script, outpoint) };
    }
  }

  #one(script: ScriptHex, outpoint: Outpoint): HtlcOutput | null {
    return this.#source.byScript.includes(script, outpoint) ? this.#source.output(outpoint) : null;
  }

  #anew(script: ScriptHex): LockOutputs {
    const outputs: HtlcOutput[] = [];
    for (const outpoint of this.#source.byScript.of(script)) {
      const output = this.#source.output(outpoint);
      if (output !== null) outputs.push(output);
    }
    return LockOutputs.of(outputs);
  }
}

function keep(made: Map<ScriptHex, LockOutputs>, script: ScriptHex, outputs: LockOutputs | undefined): void {
  if (outputs === undefined) made.delete(script);
  else made.set(script, outputs);
}
