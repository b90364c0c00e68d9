// Answers with the state after the last decided block, even while its commit is under way. Deciding and writing overlap
// while syncing, so rows changed by blocks that are not yet durable come from here and never from the store. Used by
// one pipeline at a time: a load is answered before the next block is absorbed.

import type { ListingId, Outpoint, Tick } from "../primitives/brands.ts";
import type { BalanceRow, BlockChanges, ListingRow, TokenRow } from "../prc20/state.ts";
import type { LoadedRows } from "../prc20/state-view.ts";
import type { StateKeys } from "../prc20/declared-keys.ts";
import { isEmpty } from "../prc20/state-keys.ts";
import type { FollowedStore } from "./ports.ts";
import { BalanceCache, RowCache } from "./row-cache.ts";

/** What a batched read still has to ask, and what is known already. */
interface Split {
  readonly missing: StateKeys;
  readonly found: { tokens: TokenRow[]; balances: BalanceRow[]; listings: ListingRow[] };
}

/** The store's rows with the changes of undurable blocks laid over them. */
export class UncommittedState {
  readonly #source: Pick<FollowedStore, "load">;
  readonly #tokens: RowCache<Tick, TokenRow>;
  readonly #balances: BalanceCache;
  readonly #listings: RowCache<ListingId, ListingRow>;
  /** Anchors of listings that undurable blocks opened: the store cannot find those. */
  readonly #newAnchors = new Map<Outpoint, { readonly id: ListingId; readonly height: number }>();
  #durableHeight = -1;
  /** How often everything was forgotten. */
  #resets = 0;

  /** `source`: for rows that are not cached. `capacity`: rows of each kind in one generation of the cache. */
  constructor(source: Pick<FollowedStore, "load">, capacity = 100_000) {
    this.#source = source;
    this.#tokens = new RowCache(capacity);
    this.#balances = new BalanceCache(capacity);
    this.#listings = new RowCache(capacity);
  }

  /**
   * One batched read as of the last absorbed block; the store is asked only for what is not known. Rejects where everything
   * was forgotten meanwhile: rows of a state that was left must not be remembered as those of the new one.
   */
  async load(keys: StateKeys): Promise<LoadedRows> {
    const { missing, found } = this.#split(keys);
    if (isEmpty(missing)) return found;
    const resets = this.#resets;
    const loaded = await this.#source.load(missing);
    if (this.#resets !== resets) throw new Error("the state whose rows were loaded has been left");
    const tokens = new Map(loaded.tokens.map((row) => [row.tick, row]));
    for (const tick of missing.tokens) this.#tokens.addLoaded(tick, tokens.get(tick) ?? null);
    this.#addBalances(missing, loaded, found.balances);
    found.tokens.push(...loaded.tokens);
    this.#addListings(missing, loaded, found.listings);
    return found;
  }

  /** Takes over what a decided block changed. */
  absorb(changes: BlockChanges): void {
    const { height } = changes;
    for (const { before, after } of changes.tokens) {
      const row = after ?? before;
      if (row !== null) this.#tokens.setChanged(row.tick, after, height);
    }
    for (const { before, after } of changes.balances) {
      const row = after ?? before;
      if (row !== null) this.#balances.setChanged(row.address, row.tick, after, height);
    }
    for (const { before, after } of changes.listings) {
      const row = after ?? before;
      if (row === null) continue;
      this.#listings.setChanged(row.id, after, height);
      if (after !== null && after.close === null)
        this.#newAnchors.set(after.anchor, { id: after.id, height });
      else this.#newAnchors.delete(row.anchor);
    }
    this.#trim();
  }

  /** Blocks up to `height` are durable: the store knows their rows. */
  acknowledge(height: number): void {
    this.#durableHeight = height;
  }

  /** Forgets everything, as after a rewind; `durableHeight` is the store's tip. */
  reset(durableHeight: number): void {
    this.#tokens.clear();
    this.#balances.clear();
    this.#listings.clear();
    this.#newAnchors.clear();
    this.#durableHeight = durableHeight;
    this.#resets += 1;
  }

  // Only between blocks: an entry that left during a load could be missed by that load's answer.
  #trim(): void {
    this.#tokens.trim(this.#durableHeight);
    this.#balances.trim(this.#durableHeight);
    this.#listings.trim(this.#durableHeight);
    for (const [anchor, { height }] of this.#newAnchors) {
      // Insertion order is height order, so the first undurable one ends the walk.
      if (height > this.#durableHeight) break;
      this.#newAnchors.delete(anchor);
    }
  }

  #split(keys: StateKeys): Split {
    const found: Split["found"] = { tokens: [], balances: [], listings: [] };
    const taken = new Set<ListingId>();
    const takeListing = (row: ListingRow): void => {
      if (!taken.has(row.id)) found.listings.push(row);
      taken.add(row.id);
    };
    const tokens = keys.tokens.filter((tick) =>
      keep(this.#tokens.get(tick), (row) => found.tokens.push(row)),
    );
    const balances = keys.balances.filter(({ address, tick }) =>
      keep(this.#balances.get(address, tick), (row) => found.balances.push(row)),
    );
    const listings = keys.listings.filter((id) => keep(this.#listings.get(id), takeListing));
    const anchors = keys.anchors.filter((anchor) => {
      const opened = this.#newAnchors.get(anchor);
      if (opened === undefined) return true;
      return keep(this.#listings.get(opened.id), takeListing);
    });
    return { missing: { tokens, balances, listings, anchors }, found };
  }

  #addBalances(missing: StateKeys, loaded: LoadedRows, into: BalanceRow[]): void {
    for (const row of loaded.balances) {
      this.#balances.addLoaded(row.address, row.tick, row);
      into.push(row);
    }
    // After the rows that exist, since what is known is not replaced.
    for (const { address, tick } of missing.balances) this.#balances.addLoaded(address, tick, null);
  }

  #addListings(missing: StateKeys, loaded: LoadedRows, into: ListingRow[]): void {
    const present = new Set(into.map((row) => row.id));
    const answered = new Set(loaded.listings.map((row) => row.id));
    for (const id of missing.listings) if (!answered.has(id)) this.#listings.addLoaded(id, null);
    for (const row of loaded.listings) {
      // The store may still show as open what an undurable block has closed: what is known here is newer.
      const known = this.#listings.get(row.id);
      if (known === undefined) this.#listings.addLoaded(row.id, row);
      const newest = known === undefined ? row : known;
      if (newest === null || present.has(newest.id)) continue;
      present.add(newest.id);
      into.push(newest);
    }
  }
}

/** Hands a known row to `take`; true where the store has to be asked. */
function keep<Row>(known: Row | null | undefined, take: (row: Row) => void): boolean {
  if (known === undefined) return true;
  if (known !== null) take(known);
  return false;
}
