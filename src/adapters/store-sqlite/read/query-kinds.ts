// Finds the kinds of operations that a ticker has. A list merges one index range per kind, so it is cheaper with fewer
// ranges, and most tickers have operations of few kinds.

import type { BlockHash, Tick } from "../../../primitives/brands.ts";
import { CellReader } from "../../store-rows/cells.ts";
import { kindsOf } from "../../store-rows/kinds.ts";
import { firstRow, type Reading } from "../../store-rows/reading.ts";

/** Tickers that are remembered for one state. */
const MOST_TICKERS = 4096;

const ALL_KINDS = kindsOf(null, null);
const PRESENT_SQL = `SELECT ${ALL_KINDS.map(
  (kind) => `EXISTS (SELECT 1 FROM op WHERE tick = ?1 AND tick <> '' AND kind = ${kind})`,
).join(", ")}`;

/** The kinds of each ticker as of one tip: its hash says which blocks there are, and they say which operations. */
export class TickKinds {
  readonly #known = new Map<Tick, ReadonlySet<number>>();
  #tip: BlockHash | null = null;

  /** Kinds of the operations of a ticker in the snapshot, whose tip is `tip`. */
  *of(tip: BlockHash | null, tick: Tick): Reading<ReadonlySet<number>> {
    if (tip === null || tip !== this.#tip || this.#known.size >= MOST_TICKERS) {
      this.#known.clear();
      this.#tip = tip;
    }
    const known = this.#known.get(tick);
    if (known !== undefined) return known;
    const cells = new CellReader((yield* firstRow(PRESENT_SQL, tick)) ?? ALL_KINDS.map(() => 0));
    const present = new Set(ALL_KINDS.filter(() => cells.flag()));
    this.#known.set(tick, present);
    return present;
  }
}
