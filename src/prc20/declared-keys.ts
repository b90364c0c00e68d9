// The keys of the rows that a block needs. They are declared in two rounds (see state-keys.ts), so that a store answers
// with two batched reads and the rules never read row by row.

import type { ListingId, Outpoint, PearlAddress, Tick } from "../primitives/brands.ts";

/** Rows that a block needs, by key. Each list is free of duplicates. */
export interface StateKeys {
  readonly tokens: readonly Tick[];
  readonly balances: readonly { readonly address: PearlAddress; readonly tick: Tick }[];
  readonly listings: readonly ListingId[];
  /** Outpoints that the block spends and that may be anchors: answered with the open listing on them. */
  readonly anchors: readonly Outpoint[];
}

/** Takes declarations of keys; a repeated one counts once. */
export class KeyCollector {
  readonly #ticks = new Set<Tick>();
  readonly #addresses = new Map<Tick, Set<PearlAddress>>();
  readonly #ids = new Set<ListingId>();
  readonly #outpoints = new Set<Outpoint>();

  token(tick: Tick): void {
    this.#ticks.add(tick);
  }

  balance(address: PearlAddress, tick: Tick): void {
    const known = this.#addresses.get(tick);
    if (known === undefined) this.#addresses.set(tick, new Set([address]));
    else known.add(address);
  }

  listing(id: ListingId): void {
    this.#ids.add(id);
  }

  anchor(outpoint: Outpoint): void {
    this.#outpoints.add(outpoint);
  }

  /** The declared keys, without the tokens and balances that `known` has. */
  keys(known: KnownKeys | null = null): StateKeys {
    const balances: { address: PearlAddress; tick: Tick }[] = [];
    for (const [tick, addresses] of this.#addresses) {
      for (const address of addresses) {
        if (known === null || !known.hasBalance(address, tick)) balances.push({ address, tick });
      }
    }
    const tokens = [...this.#ticks].filter((tick) => known === null || !known.hasToken(tick));
    return { tokens, balances, listings: [...this.#ids], anchors: [...this.#outpoints] };
  }
}

/** Tells which token and balance keys were asked for in an earlier round. */
export interface KnownKeys {
  hasToken(tick: Tick): boolean;
  hasBalance(address: PearlAddress, tick: Tick): boolean;
}
