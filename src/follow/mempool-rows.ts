// Unconfirmed operations in the order of their list, and those of each ticker and address beside it, so that a filter
// takes what it shows and not what there is. A change costs as much as the lists that it touches have rows.

import type { MempoolFilter, MempoolOperation } from "./serving.ts";

type Rows = readonly MempoolOperation[];

/** By txid, then input index (H-38). An array that was handed out is never changed. */
export class MempoolRows {
  #all: Rows = [];
  readonly #byTick = new Map<string, Rows>();
  readonly #byAddress = new Map<string, Rows>();

  /** All of them. */
  get all(): Rows {
    return this.#all;
  }

  /** Those that are meant, in the same order. Of both filters together the shorter list is gone through. */
  matching({ tick, address }: MempoolFilter): Rows {
    const ofTick = tick === null ? null : (this.#byTick.get(tick) ?? []);
    const ofAddress = address === null ? null : (this.#byAddress.get(address) ?? []);
    if (ofTick === null || ofAddress === null) return ofTick ?? ofAddress ?? this.#all;
    return ofTick.length < ofAddress.length
      ? ofTick.filter(({ from, to }) => from === address || to === address)
      : ofAddress.filter((row) => row.tick === tick);
  }

  /** Takes rows away, the very ones that were added, and adds others in any order. */
  change(gone: Rows, added: Rows): void {
    const sorted = added.toSorted(byPlace);
    const dropped = new Set(gone);
    this.#all = merged(this.#all, dropped, sorted);
    changeLists(this.#byTick, dropped, sorted, ({ tick }) => [tick]);
    changeLists(this.#byAddress, dropped, sorted, ({ from, to }) =>
      to === null || to === from ? [from] : [from, to],
    );
  }
}

function changeLists(
  lists: Map<string, Rows>,
  gone: ReadonlySet<MempoolOperation>,
  added: Rows,
  keysOf: (row: MempoolOperation) => readonly string[],
): void {
  const touched = new Map<string, MempoolOperation[]>();
  for (const row of gone) for (const key of keysOf(row)) if (!touched.has(key)) touched.set(key, []);
  for (const row of added) {
    for (const key of keysOf(row)) {
      const others = touched.get(key);
      if (others === undefined) touched.set(key, [row]);
      else others.push(row);
    }
  }
  for (const [key, own] of touched) {
    const rows = merged(lists.get(key) ?? [], gone, own);
    if (rows.length === 0) lists.delete(key);
    else lists.set(key, rows);
  }
}

/** The rows that stay and the new ones in one order: linear, however many rows stay. */
function merged(rows: Rows, gone: ReadonlySet<MempoolOperation>, added: Rows): Rows {
  const all: MempoolOperation[] = [];
  let at = 0;
  for (const row of rows) {
    if (gone.has(row)) continue;
    for (let one = added[at]; one !== undefined && byPlace(one, row) < 0; one = added[at]) {
      all.push(one);
      at += 1;
    }
    all.push(row);
  }
  for (const one of added.slice(at)) all.push(one);
  return all;
}

function byPlace(one: MempoolOperation, other: MempoolOperation): number {
  return one.txid < other.txid ? -1 : one.txid > other.txid ? 1 : one.vout - other.vout;
}
