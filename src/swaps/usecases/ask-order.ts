// The two orders of asks (H-40) and the keys of their cursors: newest first, and cheapest first by the exact quotient.
// And the list that keeps entries sorted by places that never change, so that a page of a long list is found by halving
// and never by sorting: changes of a few entries shift the rest, changes of many are merged in one pass.

import { firstIndex } from "../../primitives/elements.ts";
import type { AskRecord } from "../../swap/records.ts";
import { NEWEST_ENDS } from "./order-index.ts";
import { ABOVE_INTEGERS, BELOW_INTEGERS, HIGHEST_HASH, type ListEnds, LOWEST_HASH } from "./pages.ts";

/** Where an ask stands in either order. Nothing of it ever changes. */
export interface AskPlace {
  readonly usdc: bigint;
  /** Satoshis, above 0. */
  readonly sat: bigint;
  readonly createdAt: number;
  readonly id: string;
}

/** The orders by the name of `sort`. */
export const ASK_ORDERS = { created: byAge, price: byPrice };

/** The most digits of an amount in a key. */
const AMOUNT_DIGITS = 39;

/** The ends of both orders, as paging keys. */
export const ASK_ENDS: Readonly<Record<keyof typeof ASK_ORDERS, ListEnds>> = {
  created: NEWEST_ENDS,
  price: {
    first: ["0", "1", BELOW_INTEGERS, LOWEST_HASH],
    last: ["9".repeat(AMOUNT_DIGITS), "1", ABOVE_INTEGERS, HIGHEST_HASH],
  },
};

/** The place of an ask. */
export function askPlaceOf({ askId, createdAt, terms }: AskRecord): AskPlace {
  return { usdc: terms.usdcAmount, sat: terms.pearlAmountSat, createdAt, id: askId };
}

/** The paging key of a place. */
export function askKey(place: AskPlace, sort: "created" | "price"): readonly (number | string)[] {
  const { usdc, sat, createdAt, id } = place;
  return sort === "price" ? [usdc.toString(), sat.toString(), createdAt, id] : [createdAt, id];
}

/** The place that a paging key names; null where it is no key of this order. */
export function placeOfKey(key: readonly (number | string)[], sort: "created" | "price"): AskPlace | null {
  const [createdAt, id] = key.slice(-2);
  if (typeof createdAt !== "number" || typeof id !== "string") return null;
  if (sort === "created") return { usdc: 0n, sat: 1n, createdAt, id };
  const [usdc, sat] = key;
  return isWhole(usdc) && isWhole(sat) ? { usdc: BigInt(usdc), sat: BigInt(sat), createdAt, id } : null;
}

function isWhole(text: unknown): text is string {
  return typeof text === "string" && /^[0-9]{1,39}$/.test(text);
}

/** Newest first, ties by id descending. */
function byAge(a: AskPlace, b: AskPlace): number {
  return b.createdAt - a.createdAt || (a.id === b.id ? 0 : a.id > b.id ? -1 : 1);
}

/** Cheapest first, ties by age and id ascending. The products tell quotients apart that no float could. */
function byPrice(a: AskPlace, b: AskPlace): number {
  const [left, right] = [a.usdc * b.sat, b.usdc * a.sat];
  if (left !== right) return left < right ? -1 : 1;
  return a.createdAt - b.createdAt || (a.id === b.id ? 0 : a.id < b.id ? -1 : 1);
}

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

  /** Takes the entries at the places of `removed` out, then `added` in. */
  change(removed: readonly Place[], added: readonly Entry[]): void {
    if (removed.length + added.length > ONE_BY_ONE) return this.#merge(removed, added);
    for (const place of removed) {
      const at = this.#at(place);
      if (at !== null) this.#entries.splice(at, 1);
    }
    for (const entry of added) this.#entries.splice(this.#firstNotBefore(entry), 0, entry);
  }

  /** Entries behind a place, nearest first; from the beginning where it is null. "prev" walks backwards. */
  *walk(start: { readonly direction: "next" | "prev"; readonly place: Place } | null): Generator<Entry> {
    // A walk is used up in one go; the list cannot change under it.
    const entries = this.#entries;
    if (start?.direction === "prev") {
      for (let at = this.#firstNotBefore(start.place) - 1; at >= 0; at -= 1) {
        const entry = entries[at];
        if (entry !== undefined) yield entry;
      }
      return;
    }
    const first = start === null ? 0 : this.#firstAfter(start.place);
    for (let at = first; at < entries.length; at += 1) {
      const entry = entries[at];
      if (entry !== undefined) yield entry;
    }
  }

  #merge(removed: readonly Place[], added: readonly Entry[]): void {
    const gone = new Set(removed.map((place) => this.#at(place)));
    this.#entries = this.#entries.filter((_, at) => !gone.has(at));
    const coming = added.toSorted(this.#compare);
    const merged: Entry[] = [];
    let from = 0;
    for (const entry of coming) {
      const to = this.#firstNotBefore(entry);
      for (; from < to; from += 1) pushAt(merged, this.#entries, from);
      merged.push(entry);
    }
    for (; from < this.#entries.length; from += 1) pushAt(merged, this.#entries, from);
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
    const at = this.#at(place);
    return at === null ? this.#firstNotBefore(place) : at + 1;
  }
}

function pushAt<Entry>(to: Entry[], from: readonly Entry[], at: number): void {
  const entry = from[at];
  if (entry !== undefined) to.push(entry);
}
