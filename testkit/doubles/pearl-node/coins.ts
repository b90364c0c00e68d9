// Keeps the outputs that can be spent right now: the unspent set, changed one transaction at a time and reversible.
import { outputClass, outpointKey, type NodeTx } from "./transaction.ts";

/** An unspent output. `value` in grains; `height` of its block. */
export interface Coin {
  readonly value: bigint;
  readonly script: Uint8Array;
  readonly height: number;
  readonly coinbase: boolean;
}

/** Outputs of a transaction that enter the set: all but OP_RETURN ones. */
function coinsOf(tx: NodeTx, height: number): Map<string, Coin> {
  const coins = new Map<string, Coin>();
  const coinbase = tx.tx.isCoinbase();
  for (const [index, out] of tx.tx.outs.entries()) {
    if (outputClass(out.script) === "nulldata") continue;
    coins.set(outpointKey(tx.txid, index), { value: out.value, script: out.script, height, coinbase });
  }
  return coins;
}

/** The unspent set of the active chain. */
export class CoinSet {
  readonly #coins = new Map<string, Coin>();

  /** The coin at an outpoint, or undefined when it is spent, unknown or an OP_RETURN output. */
  get(key: string): Coin | undefined {
    return this.#coins.get(key);
  }

  /** All coins with their outpoint keys, for wallets of tests. */
  all(): IterableIterator<[string, Coin]> {
    return this.#coins.entries();
  }

  /** Number of unspent outputs. */
  get size(): number {
    return this.#coins.size;
  }

  /** Spends the inputs and adds the outputs; returns the spent coins in input order (undefined = one is missing). */
  apply(tx: NodeTx, height: number): Coin[] | undefined {
    const spent: Coin[] = [];
    if (!tx.tx.isCoinbase()) {
      for (const key of tx.spends) {
        const coin = this.#coins.get(key);
        if (coin === undefined) return undefined;
        spent.push(coin);
      }
      for (const key of tx.spends) this.#coins.delete(key);
    }
    this.add(tx, height);
    return spent;
  }

  /** Adds the outputs and spends nothing. */
  add(tx: NodeTx, height: number): void {
    for (const [key, coin] of coinsOf(tx, height)) this.#coins.set(key, coin);
  }

  /** Exact inverse of `apply`, given the coins that it returned. */
  revert(tx: NodeTx, spent: readonly Coin[]): void {
    for (const index of tx.tx.outs.keys()) this.#coins.delete(outpointKey(tx.txid, index));
    for (const [index, coin] of spent.entries()) {
      const key = tx.spends[index];
      if (key !== undefined) this.#coins.set(key, coin);
    }
  }
}
