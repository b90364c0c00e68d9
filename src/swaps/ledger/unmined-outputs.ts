// Lock outputs that are in no block, as far as bounds need to know of them (S-15). Who replaces his transaction before it
// is mined pays once, for the last version of it, and each version may hold thousands of outputs. All outputs of a
// transaction are mined or become impossible together: of one that nobody has any more one output per script is enough to
// know what may still come, and all are seen again when it comes back.

import type { Outpoint, ScriptHex, Txid } from "../../primitives/brands.ts";
import { MAX_SMALL_OUTPUTS } from "./first-outputs.ts";
import type { Layer, LayeredIndex, LayeredMap } from "./layers.ts";
import { type OutputEntry, txidOf, voutOf } from "./lock-entries.ts";

/** Outputs in no block. */
export class UnminedOutputs {
  /** Those below the least amount of their script. */
  readonly #small: LayeredIndex<ScriptHex, Outpoint>;
  /** Transactions that had several outputs, one of them in no block, when they were looked at last. */
  readonly #several: LayeredMap<Txid, true>;

  constructor(layer: Layer<UnminedOutputs>) {
    this.#small = layer.index((under) => under.#small);
    this.#several = layer.map((under) => under.#several);
  }

  /** An output is what this entry says; `together`: number of known outputs of its transaction, with it. */
  put(outpoint: Outpoint, { script, mined }: OutputEntry, isSmall: boolean, together: number): void {
    if (mined === null && isSmall) this.#small.add(script, outpoint);
    else this.#small.delete(script, outpoint);
    if (mined === null && together > 1) this.#several.set(txidOf(outpoint), true);
  }

  /** An output is no longer kept. */
  remove(outpoint: Outpoint, { script }: OutputEntry): void {
    this.#small.delete(script, outpoint);
  }

  /** Whether no further small output of the script is kept while it is in no block. */
  isFull(script: ScriptHex): boolean {
    return this.#small.count(script) >= MAX_SMALL_OUTPUTS;
  }

  /**
   * Outputs that say nothing that another one of their transaction does not say: it is neither in the mempool now nor in
   * a block, and the other one, of the same script, is greater, or as great and stands before it. Each is named once.
   */
  takeAlike(
    present: ReadonlySet<Txid>,
    outputsOf: (txid: Txid) => Iterable<readonly [Outpoint, OutputEntry]>,
  ): readonly (readonly [Outpoint, OutputEntry])[] {
    const gone = [...this.#several.keys()].filter((txid) => !present.has(txid));
    return gone.flatMap((txid) => {
      this.#several.delete(txid);
      return allButGreatest(outputsOf(txid));
    });
  }
}

/** Of the outputs of a transaction that are in no block all but the greatest of each script. */
function allButGreatest(
  outputs: Iterable<readonly [Outpoint, OutputEntry]>,
): readonly (readonly [Outpoint, OutputEntry])[] {
  const unmined = [...outputs].filter(([, { mined }]) => mined === null);
  const greatest = new Map<ScriptHex, readonly [Outpoint, OutputEntry]>();
  for (const one of unmined) {
    const other = greatest.get(one[1].script);
    if (other === undefined || standsBefore(one, other)) greatest.set(one[1].script, one);
  }
  return unmined.filter((one) => greatest.get(one[1].script) !== one);
}

function standsBefore(
  [outpoint, { amountSat }]: readonly [Outpoint, OutputEntry],
  [other, { amountSat: otherAmountSat }]: readonly [Outpoint, OutputEntry],
): boolean {
  return amountSat === otherAmountSat ? voutOf(outpoint) < voutOf(other) : amountSat > otherAmountSat;
}
