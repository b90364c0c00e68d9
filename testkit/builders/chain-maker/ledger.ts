// Remembers of the maker's own chain what it needs to aim at a certain outcome: a rough ledger of who should own what.
// It is no implementation of the rules: where it is wrong, an operation just gets another verdict.

import { isPoint, xOnlyPointFromScalar } from "tiny-secp256k1";
import { taprootAddress, taprootScript } from "./make-block.ts";
import type { Random } from "../../random.ts";

/** Somebody with a key whose output key is the plain public key. */
export interface Actor {
  readonly secret: Uint8Array;
  /** x-only. */
  readonly key: Uint8Array;
  readonly address: string;
  readonly script: Uint8Array;
}

/** A listing that the maker believes to be open. */
export interface OpenListing {
  readonly id: string;
  readonly tick: string;
  readonly amount: bigint;
  readonly owner: Actor;
  readonly sellerScript: Uint8Array;
  readonly sellerNet: bigint;
  readonly fee: bigint;
  readonly anchor: { readonly txid: string; readonly vout: number };
}

/** A token that the maker deployed. */
export interface MadeToken {
  readonly tick: string;
  readonly max: bigint;
  readonly lim: bigint;
  minted: bigint;
}

export function makeActor(random: Random, hrp: string): Actor {
  for (;;) {
    const secret = random.bytes(32);
    secret[0] = (secret[0] ?? 0) & 0x7f;
    const key = new Uint8Array(xOnlyPointFromScalar(secret));
    if (!isPoint(Uint8Array.of(2, ...key))) continue;
    return { secret, key, address: taprootAddress(key, hrp), script: taprootScript(key) };
  }
}

/** The maker's memory. Copied when a chain forks. */
export class Ledger {
  readonly tokens = new Map<string, MadeToken>();
  readonly balances = new Map<string, bigint>();
  open: OpenListing[] = [];
  closed: OpenListing[] = [];

  copy(): Ledger {
    const other = new Ledger();
    for (const [tick, token] of this.tokens) other.tokens.set(tick, { ...token });
    for (const [key, balance] of this.balances) other.balances.set(key, balance);
    other.open = [...this.open];
    other.closed = [...this.closed];
    return other;
  }

  balance(address: string, tick: string): bigint {
    return this.balances.get(`${address} ${tick}`) ?? 0n;
  }

  credit(address: string, tick: string, amount: bigint): void {
    this.balances.set(`${address} ${tick}`, this.balance(address, tick) + amount);
  }

  /** Somebody who should own some of a token, or null where nobody does. */
  owner(random: Random, actors: readonly Actor[]): { actor: Actor; tick: string; balance: bigint } | null {
    for (let attempt = 0; attempt < 12; attempt += 1) {
      const actor = random.pick(actors);
      const ticks = [...this.tokens.keys()];
      if (ticks.length === 0) return null;
      const tick = random.pick(ticks);
      const balance = this.balance(actor.address, tick);
      if (balance > 0n) return { actor, tick, balance };
    }
    return null;
  }

  close(listing: OpenListing): void {
    this.open = this.open.filter((candidate) => candidate.id !== listing.id);
    this.closed.push(listing);
    if (this.closed.length > 50) this.closed.shift();
  }
}
