// The state before a block: a synchronous reader over rows that were loaded beforehand. Asking for a key that no round
// declared is a bug of ours and throws: a forgotten declaration must never read as "no such row".

import type { ListingId, Outpoint, PearlAddress, Tick } from "../primitives/brands.ts";
import type { BalanceRow, ListingRow, TokenRow } from "./state.ts";
import type { KnownKeys, StateKeys } from "./declared-keys.ts";

/** The state before a block, by key; null = no such row. */
export interface StateView {
  token(tick: Tick): TokenRow | null;
  balance(address: PearlAddress, tick: Tick): BalanceRow | null;
  listing(id: ListingId): ListingRow | null;
  /** The open listing whose anchor is this outpoint. */
  openListingAt(outpoint: Outpoint): ListingRow | null;
}

/** The rows that exist among asked keys, listings found by id or by anchor alike (the store's answer). */
export interface LoadedRows {
  readonly tokens: readonly TokenRow[];
  readonly balances: readonly BalanceRow[];
  readonly listings: readonly ListingRow[];
}

/** A StateView over the answers of one or two batched reads. Throws on a key that was not among the asked ones. */
export class LoadedView implements StateView, KnownKeys {
  readonly #tokens = new Map<Tick, TokenRow | null>();
  readonly #balances = new Map<Tick, Map<PearlAddress, BalanceRow | null>>();
  readonly #listings = new Map<ListingId, ListingRow | null>();
  readonly #anchors = new Map<Outpoint, ListingRow | null>();

  /** Adds one round: the keys that were asked and the rows that were found. */
  add(keys: StateKeys, rows: LoadedRows): void {
    for (const tick of keys.tokens) this.#tokens.set(tick, null);
    for (const { address, tick } of keys.balances) this.#balancesOf(tick).set(address, null);
    for (const id of keys.listings) this.#listings.set(id, null);
    for (const outpoint of keys.anchors) this.#anchors.set(outpoint, null);
    for (const row of rows.tokens) this.#tokens.set(row.tick, row);
    for (const row of rows.balances) this.#balancesOf(row.tick).set(row.address, row);
    for (const row of rows.listings) {
      this.#listings.set(row.id, row);
      if (row.close === null) this.#anchors.set(row.anchor, row);
    }
  }

  hasToken(tick: Tick): boolean {
    return this.#tokens.has(tick);
  }

  hasBalance(address: PearlAddress, tick: Tick): boolean {
    return this.#balances.get(tick)?.has(address) ?? false;
  }

  token(tick: Tick): TokenRow | null {
    return declared(this.#tokens.get(tick), "token", tick);
  }

  balance(address: PearlAddress, tick: Tick): BalanceRow | null {
    return declared(this.#balances.get(tick)?.get(address), "balance", `${address} ${tick}`);
  }

  listing(id: ListingId): ListingRow | null {
    return declared(this.#listings.get(id), "listing", id);
  }

  openListingAt(outpoint: Outpoint): ListingRow | null {
    return declared(this.#anchors.get(outpoint), "anchor", outpoint);
  }

  #balancesOf(tick: Tick): Map<PearlAddress, BalanceRow | null> {
    const known = this.#balances.get(tick);
    if (known !== undefined) return known;
    const made = new Map<PearlAddress, BalanceRow | null>();
    this.#balances.set(tick, made);
    return made;
  }
}

function declared<Row>(found: Row | null | undefined, kind: string, key: string): Row | null {
  if (found === undefined) throw new Error(`state key was not declared: ${kind} ${key}`);
  return found;
}
