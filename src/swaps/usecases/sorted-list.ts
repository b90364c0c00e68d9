// A list that keeps entries sorted by places that never change, so that a page of a long list is found by halving and
// never by sorting: changes of a few entries shift the rest, changes of many are merged in one pass.

import { elementAt, firstIndex } from "../../primitives/elements.ts";

/** Changes up to this number are made one by one. */
const ONE_BY_ONE = 32;

/** A sorted list. No two entries have the same place. */
export class SortedList<Entry extends Place, Place> {
  readonly #compare: (a: Place, b: Place) => number;
  #entries: Entry[] = [];

  /** `compare`: negative where `a` stands before `b`. */
  constructor(compare: (a: Place, b: Place) => number) {
    this.#compare = compare;
  }

  get size(): number {
    return this.#entries.length;
  }

  /** Takes the entries at the places of `removed` out, then `added` in; one replaces that which stands at its place. */
  change(removed: readonly Place[], added: readonly Entry[]): void {
    this.#remove(removed);
    this.#insert(added.filter((entry) => !this.#replace(entry)));
  }

  /** Entries behind a place, nearest first; from the beginning where it is null. "prev" walks backwards. */
  *walk(start: { readonly direction: "next" | "prev"; readonly place: Place } | null): Generator<Entry> {
    // A walk is used up in one go; the list cannot change under it.
    const entries = this.#entries;
    if (start?.direction === "prev") {
      for (let at = this.#firstNotBefore(start.place) - 1; at >= 0; at -= 1) yield elementAt(entries, at);
      return;
    }
    const first = start === null ? 0 : this.#firstAfter(start.place);
    for (let at = first; at < entries.length; at += 1) yield elementAt(entries, at);
  }

  #remove(places: readonly Place[]): void {
    if (places.length > ONE_BY_ONE) {
      const gone = new Set(places.map((place) => this.#at(place)));
      this.#entries = this.#entries.filter((_, at) => !gone.has(at));
      return;
    }
    for (const place of places) {
      const at = this.#at(place);
      if (at !== null) this.#entries.splice(at, 1);
    }
  }

  /** False where nothing stands at the place of the entry. */
  #replace(entry: Entry): boolean {
    const at = this.#at(entry);
    if (at !== null) this.#entries[at] = entry;
    return at !== null;
  }

  #insert(added: readonly Entry[]): void {
    if (added.length <= ONE_BY_ONE) {
      for (const entry of added) this.#entries.splice(this.#firstNotBefore(entry), 0, entry);
      return;
    }
    const merged: Entry[] = [];
    let from = 0;
    for (const entry of added.toSorted(this.#compare)) {
      const to = this.#firstNotBefore(entry);
      for (; from < to; from += 1) merged.push(elementAt(this.#entries, from));
      merged.push(entry);
    }
    for (; from < this.#entries.length; from += 1) merged.push(elementAt(this.#entries, from));
    this.#entries = merged;
  }

  /** Index of the entry at a place, or null. */
  #at(place: Place): number | null {
    const at = this.#firstNotBefore(place);
    const entry = this.#entries[at];
    return entry !== undefined && this.#compare(entry, place) === 0 ? at : null;
  }

  #firstNotBefore(place: Place): number {
    return firstIndex(this.#entries, (entry) => this.#compare(entry, place) >= 0);
  }

  #firstAfter(place: Place): number {
    return firstIndex(this.#entries, (entry) => this.#compare(entry, place) > 0);
  }
}
