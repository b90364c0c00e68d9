// Unconfirmed operations in the order of their list, and those of each ticker and address beside it, so that a filter
// takes what it shows and not what there is. A change costs as much as the lists that it touches have rows.

import type { PearlAddress, Tick, Txid } from "../primitives/brands.ts";
import { elementAt, firstIndex } from "../primitives/elements.ts";
import type { MempoolFilter, MempoolOperation } from "./serving.ts";

type Rows = readonly MempoolOperation[];
type Place = Pick<MempoolOperation, "txid" | "vout">;

/** By txid, then input index (H-38). An array that was handed out is never changed. */
export class MempoolRows {
  #all: Rows = [];
  readonly #byTick = new Map<string, Rows>();
  readonly #byAddress = new Map<string, Rows>();

  /** All of them. */
  get all(): Rows {
    return this.#all;
  }

  /** Those that are meant, in the same order. Of both lists together the shorter one is gone through. */
  matching({ txid, tick, address }: MempoolFilter): Rows {
    if (txid !== null) return this.#ofTransaction(txid).filter(isOf(tick, address));
    const ofTick = tick === null ? null : (this.#byTick.get(tick) ?? []);
    const ofAddress = address === null ? null : (this.#byAddress.get(address) ?? []);
    if (ofTick === null || ofAddress === null) return ofTick ?? ofAddress ?? this.#all;
    return (ofTick.length < ofAddress.length ? ofTick : ofAddress).filter(isOf(tick, address));
  }

  #ofTransaction(txid: Txid): Rows {
    const rows: MempoolOperation[] = [];
    for (let at = placeIn(this.#all, { txid, vout: 0 }); this.#all[at]?.txid === txid; at += 1)
      rows.push(elementAt(this.#all, at));
    return rows;
  }

  /** Takes rows away, the very ones that were added, and adds others in any order. */
  change(gone: Rows, added: Rows): void {
    const sorted = added.toSorted(byPlace);
    this.#all = merged(this.#all, gone, sorted);
    changeLists(this.#byTick, gone, sorted, ({ tick }) => [tick]);
    changeLists(this.#byAddress, gone, sorted, ({ from, to }) =>
      to === null || to === from ? [from] : [from, to],
    );
  }
}

function isOf(tick: Tick | null, address: PearlAddress | null): (row: MempoolOperation) => boolean {
  return (row) =>
    (tick === null || row.tick === tick) && (address === null || row.from === address || row.to === address);
}

function changeLists(
  lists: Map<string, Rows>,
  gone: Rows,
  added: Rows,
  keysOf: (row: MempoolOperation) => readonly string[],
): void {
  const [goneOf, addedOf] = [byKey(gone, keysOf), byKey(added, keysOf)];
  for (const key of new Set([...goneOf.keys(), ...addedOf.keys()])) {
    const rows = merged(lists.get(key) ?? [], goneOf.get(key) ?? [], addedOf.get(key) ?? []);
    if (rows.length === 0) lists.delete(key);
    else lists.set(key, rows);
  }
}

function byKey(rows: Rows, keysOf: (row: MempoolOperation) => readonly string[]): Map<string, Rows> {
  const lists = new Map<string, MempoolOperation[]>();
  for (const row of rows) {
    for (const key of keysOf(row)) {
      const list = lists.get(key);
      if (list === undefined) lists.set(key, [row]);
      else list.push(row);
    }
  }
  return lists;
}

/** The rows that stay and the new ones in one order: looks for each that changes, and only copies those that stay. */
function merged(rows: Rows, gone: Rows, added: Rows): Rows {
  const dropped = gone.map((row) => placeIn(rows, row)).toSorted((one, other) => one - other);
  const inserted = added.map((row) => placeIn(rows, row));
  const all: MempoolOperation[] = [];
  let [drop, insert] = [0, 0];
  for (const [at, row] of rows.entries()) {
    for (let one = added[insert]; one !== undefined && inserted[insert] === at; one = added[insert]) {
      all.push(one);
      insert += 1;
    }
    if (dropped[drop] === at) drop += 1;
    else all.push(row);
  }
  for (const one of added.slice(insert)) all.push(one);
  return all;
}

/** Index of the first row that does not stand before this one. */
function placeIn(rows: Rows, row: Place): number {
  return firstIndex(rows, (one) => byPlace(one, row) >= 0);
}

function byPlace(one: Place, other: Place): number {
  return one.txid < other.txid ? -1 : one.txid > other.txid ? 1 : one.vout - other.vout;
}
