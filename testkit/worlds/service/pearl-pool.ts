// What people see and do on the PEARL chain of a world: a mempool that forgets, miners who leave transactions out, and
// the outputs and spends of the main chain. Scripts and signatures are checked by the embedded node underneath.

import type { Txid } from "../../../src/primitives/brands.ts";
import type { Coin } from "../../../src/wallet/index.ts";
import { fromHex, toHex } from "../../bytes.ts";
import type { PearlCore } from "../../doubles/pearl-node/core.ts";
import { type NodeTx, parseTransaction } from "../../doubles/pearl-node/transaction.ts";

/** An output of the main chain. */
export interface ChainOutput {
  readonly txid: string;
  readonly vout: number;
  readonly value: bigint;
  readonly script: Uint8Array;
  readonly scriptHex: string;
  readonly height: number;
  readonly coinbase: boolean;
}

/** The transaction of these bytes. @throws Error for bytes that are none. */
function openedTransaction(hex: string): NodeTx {
  const bytes = fromHex(hex);
  const parsed = bytes === null ? null : parseTransaction(bytes);
  if (parsed === null || !parsed.ok) throw new Error("an unreadable transaction");
  return parsed.value;
}

/** The chain as people have it; the world's clock is `nowS`, unix seconds. */
export class PearlPool {
  readonly core: PearlCore;
  readonly #nowS: () => number;
  /** In the node's mempool, but forgotten by the network. */
  readonly #evicted = new Set<string>();
  /** Miners leave these out until then. */
  readonly #censored = new Map<string, number>();
  readonly #outputs: ChainOutput[] = [];
  readonly #spenders = new Map<string, { readonly txid: string; readonly height: number }>();
  /** Every transaction that was ever sent or mined for somebody. */
  readonly seen = new Map<string, string>();

  constructor(core: PearlCore, nowS: () => number) {
    this.core = core;
    this.#nowS = nowS;
    this.#listen();
  }

  get height(): number {
    return this.core.chain.tip.height;
  }

  /** Median time past of the tip. */
  get medianTime(): number {
    return this.core.chain.tip.medianTime;
  }

  /** Sends a transaction; null where it is (or was already) taken, else why not. */
  submit(hex: string): string | null {
    const { txid } = openedTransaction(hex);
    this.seen.set(txid, hex);
    this.#evicted.delete(txid);
    if (this.core.mempool.get(txid) !== undefined) return null;
    const taken = this.core.submitTransaction(hex);
    return taken.ok ? null : taken.reject.message;
  }

  /** Ids in the mempool as the network shows it. */
  mempool(): Txid[] {
    return Array.from(this.core.mempool.entries(), ({ tx }) => tx.txid as Txid).filter(
      (id) => !this.#evicted.has(id),
    );
  }

  isInMempool(txid: string): boolean {
    return this.core.mempool.get(txid) !== undefined && !this.#evicted.has(txid);
  }

  /** The height of the block that holds a transaction, or null. */
  minedAt(txid: string): number | null {
    return this.core.chain.index.place(txid)?.block.height ?? null;
  }

  /** Makes the network forget a transaction; it is taken again when it is sent again. */
  evict(txid: string): void {
    this.#evicted.add(txid);
  }

  /** No miner takes it before `until`. */
  censor(txid: string, until: number): void {
    this.#censored.set(txid, until);
  }

  /** What a miner puts into the next block: `extras` (hex), and what of the mempool fits beside them, parents first. */
  chosen(extras: readonly string[], isLeftOut: (txid: string) => boolean): string[] {
    for (const hex of extras) this.seen.set(openedTransaction(hex).txid, hex);
    const hexes = [...extras];
    const spent = new Set(extras.flatMap((hex) => openedTransaction(hex).spends));
    const inside = new Set(extras.map((hex) => openedTransaction(hex).txid));
    for (const { tx } of this.core.mempool.entries()) {
      const { txid } = tx;
      const isHeld = (this.#censored.get(txid) ?? 0) > this.#nowS();
      if (isHeld || this.#evicted.has(txid) || isLeftOut(txid) || inside.has(txid)) continue;
      if (tx.spends.some((key) => spent.has(key)) || !this.#hasParents(tx, inside)) continue;
      for (const key of tx.spends) spent.add(key);
      inside.add(txid);
      hexes.push(toHex(tx.raw));
    }
    return hexes;
  }

  /** Its parents are mined, or go into the same block: a parent may be one that this miner leaves out. */
  #hasParents(tx: NodeTx, inside: ReadonlySet<string>): boolean {
    const { coins } = this.core.chain;
    return tx.spends.every(
      (key) => coins.get(key) !== undefined || inside.has(key.slice(0, key.indexOf(":"))),
    );
  }

  /** Unspent outputs of these scripts (hex). */
  unspent(scripts: ReadonlySet<string>): Coin[] {
    return this.#outputs
      .filter(
        ({ txid, vout, scriptHex }) =>
          scripts.has(scriptHex) && this.#spenders.get(`${txid}:${vout}`) === undefined,
      )
      .map(({ txid, vout, value, script }) => ({ txid, vout, amount: value, script }));
  }

  /** Outputs of the main chain that pay this script, spent or not, in order. */
  outputsOf(script: Uint8Array): readonly ChainOutput[] {
    const wanted = toHex(script);
    return this.#outputs.filter(({ scriptHex }) => scriptHex === wanted);
  }

  /** The main-chain transaction that spends an outpoint, or null. */
  spenderOf(outpoint: string): { readonly txid: string; readonly height: number } | null {
    return this.#spenders.get(outpoint) ?? null;
  }

  /** Keeps what the main chain pays and spends. */
  #listen(): void {
    this.core.chain.listen({
      connected: ({ height }, { txs }) => {
        for (const [at, { txid, tx, spends }] of txs.entries()) {
          for (const [vout, { value, script }] of tx.outs.entries()) {
            const scriptHex = toHex(script);
            this.#outputs.push({ txid, vout, value, script, scriptHex, height, coinbase: at === 0 });
          }
          if (at > 0) for (const key of spends) this.#spenders.set(key, { txid, height });
        }
      },
      disconnected: ({ height }, { txs }) => {
        while ((this.#outputs.at(-1)?.height ?? 0) >= height) this.#outputs.pop();
        for (const { spends } of txs.slice(1)) for (const key of spends) this.#spenders.delete(key);
      },
      settled: () => undefined,
    });
  }
}
