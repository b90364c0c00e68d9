// Knows which coins an actor can spend right now, read from the node: confirmed ones by following its active chain
// block by block (and back, when it reorganises), unconfirmed ones from its memory pool. Nothing is remembered that the
// node does not say, so a restart or a lost branch needs no care.

import type { Coin, OwnedCoin } from "../src/wallet/index.ts";
import type { PearlNode } from "../testkit/doubles/pearl-node/index.ts";
import type { Actor, Cast } from "./cast.ts";

/** A coin that a block gave to an actor. */
interface Held {
  readonly coin: Coin;
  readonly owner: Actor;
  readonly height: number;
  readonly coinbase: boolean;
}

/** What one block changed, for the way back. */
interface Step {
  readonly hash: string;
  readonly spent: readonly (readonly [string, Held])[];
  readonly created: readonly string[];
}

/** Blocks until a coinbase can be spent. */
const MATURITY = 100;
/** Smaller coins pay for nothing: among them are the anchors of listings, which may not be spent by accident. */
const SMALLEST_FUNDING = 1_000n;
/** More coins than any transaction of the demo needs. */
const MOST_OFFERED = 12;

/** The coins of the cast. */
export class Purse {
  readonly #node: PearlNode;
  readonly #owners: ReadonlyMap<string, Actor>;
  readonly #held = new Map<string, Held>();
  /** Blocks followed, index = height - 1. */
  readonly #steps: Step[] = [];

  constructor(node: PearlNode, cast: Cast) {
    this.#node = node;
    const everybody = [...cast.traders, cast.collector];
    this.#owners = new Map(everybody.map((actor) => [scriptKey(actor.key.script), actor]));
  }

  /** Coins that fund a transaction of the actor in the next block, largest first, change of waiting ones included. */
  funding(actor: Actor): OwnedCoin[] {
    this.#follow();
    const next = this.#node.chain.tip.height + 1;
    const found: Coin[] = [...this.#waiting(actor)];
    for (const { coin, owner, height, coinbase } of this.#held.values()) {
      if (owner !== actor || coin.amount < SMALLEST_FUNDING || this.#isBeingSpent(coin)) continue;
      if (!coinbase || next - height >= MATURITY) found.push(coin);
    }
    found.sort((a, b) => (a.amount < b.amount ? 1 : a.amount > b.amount ? -1 : a.txid < b.txid ? -1 : 1));
    return found.slice(0, MOST_OFFERED).map((coin) => ({ coin, key: actor.key }));
  }

  /** Whether an output is confirmed and no transaction, waiting ones included, spends it. */
  isFree(txid: string, vout: number): boolean {
    const key = `${txid}:${vout}`;
    return this.#node.chain.coins.get(key) !== undefined && this.#node.mempool.spender(key) === undefined;
  }

  /** The confirmed coin of the actor at an outpoint, null where there is none or a waiting transaction spends it. */
  confirmed(actor: Actor, txid: string, vout: number): Coin | null {
    this.#follow();
    const held = this.#held.get(`${txid}:${vout}`);
    return held === undefined || held.owner !== actor || this.#isBeingSpent(held.coin) ? null : held.coin;
  }

  #isBeingSpent(coin: Coin): boolean {
    return this.#node.mempool.spender(`${coin.txid}:${coin.vout}`) !== undefined;
  }

  *#waiting(actor: Actor): Iterable<Coin> {
    for (const { tx } of this.#node.mempool.entries()) {
      for (const [vout, { value, script }] of tx.tx.outs.entries()) {
        const coin = { txid: tx.txid, vout, amount: value, script };
        if (value < SMALLEST_FUNDING || this.#owners.get(scriptKey(script)) !== actor) continue;
        if (!this.#isBeingSpent(coin)) yield coin;
      }
    }
  }

  #follow(): void {
    const { index } = this.#node.chain;
    for (let last = this.#steps.at(-1); last !== undefined; last = this.#steps.at(-1)) {
      if (index.at(this.#steps.length)?.hash === last.hash) break;
      for (const key of last.created) this.#held.delete(key);
      for (const [key, held] of last.spent) this.#held.set(key, held);
      this.#steps.pop();
    }
    for (let node = index.at(this.#steps.length + 1); node !== undefined; node = index.at(node.height + 1)) {
      this.#apply(node.height, node.hash);
    }
  }

  #apply(height: number, hash: string): void {
    const { index } = this.#node.chain;
    const node = index.get(hash);
    if (node === undefined) throw new Error(`the node lost its block ${hash}`);
    const spent: (readonly [string, Held])[] = [];
    const created: string[] = [];
    for (const [position, { tx, txid, spends }] of index.block(node).txs.entries()) {
      for (const key of spends) {
        const held = this.#held.get(key);
        if (held === undefined) continue;
        // A coin that the same block created is not put back when the block goes.
        if (held.height !== height) spent.push([key, held]);
        this.#held.delete(key);
      }
      for (const [vout, { value, script }] of tx.outs.entries()) {
        const owner = this.#owners.get(scriptKey(script));
        if (owner === undefined) continue;
        const key = `${txid}:${vout}`;
        this.#held.set(key, {
          coin: { txid, vout, amount: value, script },
          owner,
          height,
          coinbase: position === 0,
        });
        created.push(key);
      }
    }
    this.#steps.push({ hash, spent, created });
  }
}

function scriptKey(script: Uint8Array): string {
  return Buffer.from(script).toString("hex");
}
