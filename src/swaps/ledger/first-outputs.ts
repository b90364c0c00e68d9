// The first outputs of a script in chain order, up to a bound (S-15). Which they are does not depend on the order in
// which blocks were read: an older output that is found late takes the place of the newest one, and since a rewind takes
// the newest blocks away, nothing that was turned away is ever older than what is kept.

import type { Outpoint } from "../../primitives/brands.ts";
import { firstIndex } from "../../primitives/elements.ts";
import type { PearlPlace } from "../../swap/facts.ts";
import type { Layer, LayeredMap } from "./layers.ts";
import { voutOf } from "./lock-entries.ts";

/** Outputs below pearl_amount_sat that are kept of a script, and as many below the least that counts. */
export const MAX_SMALL_OUTPUTS = 1_000;

/** An output with what orders it within the chain. */
interface PlacedOutput {
  readonly outpoint: Outpoint;
  readonly place: Pick<PearlPlace, "height" | "txIndex">;
}

/** What became of an output that asks for a place. */
interface Admission {
  readonly isKept: boolean;
  /** The output whose place it took. */
  readonly evicted: Outpoint | null;
}

/** Chain order. */
function byPlace(one: PlacedOutput, other: PlacedOutput): number {
  return (
    one.place.height - other.place.height ||
    one.place.txIndex - other.place.txIndex ||
    voutOf(one.outpoint) - voutOf(other.outpoint)
  );
}

/** Lists of the first outputs, by script and kind. */
export class FirstOutputs {
  readonly #lists: LayeredMap<string, readonly PlacedOutput[]>;

  constructor(layer: Layer<FirstOutputs>) {
    this.#lists = layer.map((under) => under.#lists);
  }

  /**
   * Asks for a place in the list of this key. `present` gives the outputs of a list that was never asked for, in no
   * order. One that has a place keeps it.
   */
  admit(key: string, output: PlacedOutput, present: () => Iterable<PlacedOutput>): Admission {
    const list = this.#lists.get(key) ?? [...present()].toSorted(byPlace).slice(0, MAX_SMALL_OUTPUTS);
    const at = firstIndex(list, (one) => byPlace(one, output) >= 0);
    const known = list[at];
    if (known !== undefined && byPlace(known, output) === 0) return { isKept: true, evicted: null };
    if (at >= MAX_SMALL_OUTPUTS) return { isKept: false, evicted: null };
    const next = list.toSpliced(at, 0, output);
    this.#lists.set(key, next.slice(0, MAX_SMALL_OUTPUTS));
    return { isKept: true, evicted: next[MAX_SMALL_OUTPUTS]?.outpoint ?? null };
  }

  /** Whether the list of this key has outputs. */
  has(key: string): boolean {
    return (this.#lists.get(key)?.length ?? 0) > 0;
  }

  /** Drops the list of this key: its outputs have left. */
  leave(key: string): void {
    this.#lists.delete(key);
  }

  /** Takes outputs of blocks above this height out. */
  rewind(toHeight: number): void {
    for (const [key, list] of this.#lists) {
      const left = list.filter(({ place }) => place.height <= toHeight);
      if (left.length < list.length) this.#lists.set(key, left);
    }
  }
}
