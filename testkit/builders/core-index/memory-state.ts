// The whole state without a database: all rows in maps, with apply and undo. It is the model with which the tests compare
// storage engines.

import type { Hex32, ListingId, Outpoint, PearlAddress, Tick } from "../../../src/primitives/brands.ts";
import type { StateKeys } from "../../../src/prc20/declared-keys.ts";
import {
  type BalanceRow,
  type BlockChanges,
  type Change,
  type ListingRow,
  type TokenRow,
  type Totals,
  ZERO_TOTALS,
} from "../../../src/prc20/state.ts";
import type { LoadedRows, StateView } from "../../../src/prc20/state-view.ts";
import { fieldOf } from "../../field-of.ts";

/** Digest and totals at the end of a block. */
export interface MemoryTip {
  readonly digest: Hex32;
  readonly totals: Totals;
}

/** The rows of one index in memory. Applies blocks in order and undoes them in reverse order. */
export class MemoryState implements StateView {
  readonly #tokenRows = new Map<Tick, TokenRow>();
  readonly #balanceRows = new Map<string, BalanceRow>();
  readonly #listingRows = new Map<ListingId, ListingRow>();
  readonly #openAnchors = new Map<Outpoint, ListingId>();
  readonly #blocks: BlockChanges[] = [];
  readonly #base: MemoryTip;

  /** `digest` is D(start - 1). */
  constructor(digest: Hex32) {
    this.#base = { digest, totals: ZERO_TOTALS };
  }

  /** Digest and totals after the last applied block. */
  get tip(): MemoryTip {
    return this.#blocks.at(-1) ?? this.#base;
  }

  /** The applied blocks, oldest first. */
  get applied(): readonly BlockChanges[] {
    return this.#blocks;
  }

  token(tick: Tick): TokenRow | null {
    return this.#tokenRows.get(tick) ?? null;
  }

  balance(address: PearlAddress, tick: Tick): BalanceRow | null {
    return this.#balanceRows.get(`${tick} ${address}`) ?? null;
  }

  listing(id: ListingId): ListingRow | null {
    return this.#listingRows.get(id) ?? null;
  }

  openListingAt(outpoint: Outpoint): ListingRow | null {
    const id = this.#openAnchors.get(outpoint);
    return id === undefined ? null : this.listing(id);
  }

  /** All rows, by their keys' text order, so that equal states are deeply equal. */
  rows(): LoadedRows {
    return {
      tokens: sorted(this.#tokenRows),
      balances: sorted(this.#balanceRows),
      listings: sorted(this.#listingRows),
    };
  }

  /** Answers a batched read as a store does. */
  load(keys: StateKeys): LoadedRows {
    const listings = new Map<ListingId, ListingRow>();
    for (const id of keys.listings) keep(listings, this.listing(id));
    for (const anchor of keys.anchors) keep(listings, this.openListingAt(anchor));
    return {
      tokens: keys.tokens.flatMap((tick) => this.token(tick) ?? []),
      balances: keys.balances.flatMap(({ address, tick }) => this.balance(address, tick) ?? []),
      listings: [...listings.values()],
    };
  }

  /** Puts a block's rows in place; throws where a row is not what the block says it was before. */
  apply(changes: BlockChanges): void {
    this.#put(changes);
    this.#blocks.push(changes);
  }

  /** Takes the last block back; throws where there is none or a row is not what that block left. */
  undo(): void {
    const last = this.#blocks.pop();
    if (last === undefined) throw new Error("no block to undo");
    this.#put(invertChanges(last));
  }

  #put({ tokens, balances, listings }: RowChanges): void {
    for (const change of tokens) replace(this.#tokenRows, change, (row) => row.tick);
    for (const change of balances) replace(this.#balanceRows, change, (row) => `${row.tick} ${row.address}`);
    for (const change of listings) {
      replace(this.#listingRows, change, (row) => row.id);
      const { before, after } = change;
      if (before !== null) this.#openAnchors.delete(before.anchor);
      if (after !== null && after.close === null) this.#openAnchors.set(after.anchor, after.id);
    }
  }
}

function replace<Key, Row extends object>(
  rows: Map<Key, Row>,
  change: Change<Row>,
  keyOf: (row: Row) => Key,
): void {
  const { before, after } = change;
  const row = after ?? before;
  if (row === null) return;
  const key = keyOf(row);
  if (!sameRow(rows.get(key) ?? null, before))
    throw new Error(`row ${String(key)} is not what the change expects`);
  if (after === null) rows.delete(key);
  else rows.set(key, after);
}

function sameRow(a: object | null, b: object | null): boolean {
  if (a === b || a === null || b === null) return a === b;
  const entries = Object.entries(a);
  return (
    entries.length === Object.keys(b).length &&
    entries.every(([name, value]) => {
      const other = fieldOf(b, name);
      if (value === other) return true;
      return typeof value === "object" && typeof other === "object" && sameRow(value, other);
    })
  );
}

function keep(listings: Map<ListingId, ListingRow>, row: ListingRow | null): void {
  if (row !== null) listings.set(row.id, row);
}

function sorted<Row>(rows: ReadonlyMap<string, Row>): Row[] {
  return [...rows.keys()].toSorted().flatMap((key) => rows.get(key) ?? []);
}

/** The changed rows of a block, without its operations, digest and totals. */
type RowChanges = Pick<BlockChanges, "tokens" | "balances" | "listings">;

/** The changes that lead back (P-90): before and after exchanged, in reverse order. */
function invertChanges(changes: RowChanges): RowChanges {
  return {
    tokens: inverted(changes.tokens),
    balances: inverted(changes.balances),
    listings: inverted(changes.listings),
  };
}

function inverted<Row>(changes: readonly Change<Row>[]): Change<Row>[] {
  return changes.map(({ before, after }) => ({ before: after, after: before })).toReversed();
}
