// Plays the node that the index follows here: a `PearlNode` that always tells the truth about the chain that the test
// has set. The faults of nodes are the business of the simulation.

import type { BlockHash, Txid } from "../../src/primitives/brands.ts";
import type { NodeTip, PearlNode } from "../../src/follow/ports.ts";
import type { MadeBlock } from "../../testkit/builders/chain-maker/index.ts";
import { SIMNET } from "../../testkit/doubles/pearl-node/network.ts";

interface HeldBlock {
  readonly height: number;
  readonly hash: BlockHash;
  readonly raw: Uint8Array;
}

const GENESIS: HeldBlock = { height: 0, hash: SIMNET.genesisHash as BlockHash, raw: SIMNET.genesisBlock };

/** A node with a settable best chain and mempool. */
export class ScriptedNode implements PearlNode {
  /** Lets the index look at the mempool; set by who wires the index. */
  onMempool: () => Promise<void> = async () => undefined;
  readonly #held = new Map<string, HeldBlock>([[GENESIS.hash, GENESIS]]);
  #best: readonly HeldBlock[] = [GENESIS];
  #mempool: ReadonlyMap<string, Uint8Array> = new Map();
  #listeners: (() => void)[] = [];

  /** Sets the best chain, genesis aside; returns its tip. Nothing is announced. */
  setBest(blocks: readonly MadeBlock[]): NodeTip {
    const held = blocks.map(({ height, hash, raw }) => ({ height, hash: hash as BlockHash, raw }));
    for (const block of held) this.#held.set(block.hash, block);
    this.#best = [GENESIS, ...held];
    return this.#tip();
  }

  announce(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Sets the unconfirmed transactions by id and resolves when the index has looked at them. */
  async setMempool(transactions: ReadonlyMap<string, Uint8Array>): Promise<void> {
    this.#mempool = transactions;
    await this.onMempool();
  }

  async checkIdentity(): Promise<void> {}

  async tip(): Promise<NodeTip> {
    return this.#tip();
  }

  async blockHash(height: number): Promise<BlockHash | null> {
    return this.#best[height]?.hash ?? null;
  }

  async blockHashes(from: number, count: number): Promise<readonly BlockHash[]> {
    return this.#best.slice(from, from + count).map((block) => block.hash);
  }

  async rawBlock(hash: BlockHash): Promise<Uint8Array> {
    const block = this.#held.get(hash);
    if (block === undefined) throw new Error(`no block ${hash}`);
    return block.raw;
  }

  async mempoolTxids(): Promise<readonly Txid[]> {
    return [...this.#mempool.keys()] as Txid[];
  }

  async rawTransactions(txids: readonly Txid[]): Promise<readonly (Uint8Array | null)[]> {
    return txids.map((txid) => this.#mempool.get(txid) ?? null);
  }

  onTipChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  async close(): Promise<void> {
    this.#listeners = [];
  }

  #tip(): NodeTip {
    const { height, hash } = this.#best.at(-1) ?? GENESIS;
    return { height, hash };
  }
}
