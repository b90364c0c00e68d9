// Decides which chain is active: accepts blocks, keeps the unspent set in step, reorganises to the longest valid chain
// (equal length: first seen), and obeys invalidateblock and reconsiderblock. Listeners hear of every change.
import { blockFault, contextFault } from "./block-check.ts";
import { parseBlock, type Block } from "./block-codec.ts";
import { BlockIndex, type BlockNode } from "./block-index.ts";
import { subsidy } from "./coinbase.ts";
import { CoinSet, type Coin } from "./coins.ts";
import { feeOf, VerifiedScripts } from "./connect.ts";
import { sequenceLocksMet, type LockContext } from "./locks.ts";
import type { Network } from "./network.ts";
import type { NodeTx } from "./transaction.ts";
import { accept, refuse, type Verdict } from "./verdict.ts";

/** What listeners are told, in this order: disconnects tip downwards, connects upwards, then `settled` once. */
export interface ChainListener {
  connected(node: BlockNode, block: Block): void;
  disconnected(node: BlockNode, block: Block): void;
  /** The active chain has its final shape after one call of accept, invalidate or reconsider. */
  settled(): void;
}

/** How a block was taken: at the tip, or beside the active chain. */
export type Placement = "tip" | "side";

/** The chain. `clock` answers unix seconds. */
export class Chain {
  readonly network: Network;
  readonly index = new BlockIndex();
  readonly coins = new CoinSet();
  readonly scripts = new VerifiedScripts();
  readonly #listeners: ChainListener[] = [];
  /** Whether a transaction is taken as it is, whatever it spends. */
  readonly isInvented: (txid: string) => boolean;
  #clock: () => number;

  constructor(network: Network, clock: () => number, isInvented: (txid: string) => boolean = () => false) {
    this.network = network;
    this.#clock = clock;
    this.isInvented = isInvented;
    const genesis = parseBlock(network.genesisBlock);
    if (!genesis.ok || genesis.value.hash !== network.genesisHash)
      throw new Error("the genesis block is wrong");
    // Its coinbase is unspendable: nothing enters the unspent set.
    this.index.connect(this.index.add(genesis.value, null), genesis.value, []);
  }

  /** The last active block. */
  get tip(): BlockNode {
    return this.index.tip;
  }

  /** Unix seconds by the node's clock. */
  now(): number {
    return Math.floor(this.#clock());
  }

  /** Replaces the clock. */
  setClock(clock: () => number): void {
    this.#clock = clock;
  }

  /** Adds a listener. */
  listen(listener: ChainListener): void {
    this.#listeners.push(listener);
  }

  /** BIP68's view of the chain for a transaction in the next block. */
  lockContext(): LockContext {
    return {
      height: this.tip.height + 1,
      medianTime: this.tip.medianTime,
      medianTimeAt: (height) => this.index.at(height)?.medianTime ?? this.tip.medianTime,
    };
  }

  /** Takes a block in. `trusted`: it comes from the node's own file, scripts and the clock were checked then. */
  accept(raw: Uint8Array, trusted = false): Verdict<{ node: BlockNode; placement: Placement }> {
    const parsed = parseBlock(raw);
    if (!parsed.ok) return parsed;
    const block = parsed.value;
    if (this.index.get(block.hash) !== undefined)
      return refuse("consensus", `already have block ${block.hash}`);
    const fault = blockFault(block, this.network, this.isInvented);
    if (fault !== undefined) return refuse("consensus", fault);
    const parent = this.index.get(block.header.previous);
    if (parent === undefined)
      return refuse("consensus", `previous block ${block.header.previous} is not known`);
    if (!this.isUsable(parent))
      return refuse("consensus", `previous block ${parent.hash} is known to be invalid`);
    const now = trusted ? Number.POSITIVE_INFINITY : this.now();
    const contextual = contextFault(block, parent, this.network, now);
    if (contextual !== undefined) return refuse("consensus", contextual);
    const node = this.index.add(block, parent);
    if (node.height <= this.tip.height) return accept({ node, placement: "side" });
    const switched = this.#activate(node, trusted);
    this.#settle();
    return switched.ok ? accept({ node, placement: "tip" }) : switched;
  }

  /** invalidateblock: puts a block and its descendants aside. False when the block is unknown or the genesis. */
  invalidate(hash: string): boolean {
    const node = this.index.get(hash);
    if (node === undefined || node.parent === null) return false;
    node.marked = true;
    if (this.index.isActive(node)) {
      while (this.tip !== node.parent) this.#disconnectTip();
      this.#followBest();
    }
    this.#settle();
    return true;
  }

  /** reconsiderblock: takes back the marks on a block, its ancestors and its descendants. False when unknown. */
  reconsider(hash: string): boolean {
    const node = this.index.get(hash);
    if (node === undefined) return false;
    for (let at: BlockNode | null = node; at !== null && !this.index.isActive(at); at = at.parent) {
      at.marked = false;
      at.failed = false;
    }
    for (const other of this.index.all()) {
      if (other.height > node.height && this.#descendsFrom(other, node)) {
        other.marked = false;
        other.failed = false;
      }
    }
    this.#followBest();
    this.#settle();
    return true;
  }

  /** Ends of all branches, the active one first, as getchaintips wants them. */
  tips(): BlockNode[] {
    const parents = new Set<BlockNode | null>();
    for (const node of this.index.all()) parents.add(node.parent);
    const ends = [...this.index.all()].filter((node) => node !== this.tip && !parents.has(node));
    return [this.tip, ...ends];
  }

  /** Whether neither this block nor an ancestor is marked or failed. */
  isUsable(node: BlockNode): boolean {
    for (let at: BlockNode | null = node; at !== null && !this.index.isActive(at); at = at.parent) {
      if (at.failed || at.marked) return false;
    }
    return true;
  }

  #descendsFrom(node: BlockNode, ancestor: BlockNode): boolean {
    let at: BlockNode | null = node;
    while (at !== null && at.height > ancestor.height) at = at.parent;
    return at === ancestor;
  }

  /** Moves to the longest usable chain, if it is longer than the active one; a chain that fails is skipped. */
  #followBest(): void {
    for (;;) {
      let best: BlockNode | undefined;
      for (const node of this.index.all()) {
        if (node.height <= (best ?? this.tip).height || this.index.isActive(node) || !this.isUsable(node))
          continue;
        best = node;
      }
      if (best === undefined || this.#activate(best, false).ok) return;
    }
  }

  /** Makes `target` the tip; when one of its blocks fails, it is marked and the best remaining chain is restored. */
  #activate(target: BlockNode, trusted: boolean): Verdict<null> {
    const path: BlockNode[] = [];
    let fork: BlockNode = target;
    while (!this.index.isActive(fork)) {
      path.unshift(fork);
      if (fork.parent === null) throw new Error("a branch does not reach the genesis block");
      fork = fork.parent;
    }
    while (this.tip !== fork) this.#disconnectTip();
    for (const node of path) {
      const connected = this.#connect(node, trusted);
      if (connected.ok) continue;
      node.failed = true;
      this.#followBest();
      return connected;
    }
    return accept(null);
  }

  #disconnectTip(): void {
    const node = this.tip;
    const block = this.index.block(node);
    for (let i = block.txs.length - 1; i >= 0; i -= 1) {
      const tx = block.txs[i];
      if (tx !== undefined) this.coins.revert(tx, node.undo?.[i] ?? []);
    }
    this.index.disconnectTip();
    for (const listener of this.#listeners) listener.disconnected(node, block);
  }

  #connect(node: BlockNode, trusted: boolean): Verdict<null> {
    const block = this.index.block(node);
    const undo: (readonly Coin[])[] = [];
    const fault = this.#applyAll(block, node.height, trusted, undo);
    if (fault !== undefined) {
      for (let i = undo.length - 1; i >= 0; i -= 1) {
        const tx = block.txs[i];
        if (tx !== undefined) this.coins.revert(tx, undo[i] ?? []);
      }
      return refuse("consensus", fault);
    }
    this.index.connect(node, block, undo);
    for (const listener of this.#listeners) listener.connected(node, block);
    return accept(null);
  }

  /** Applies a block's transactions to the unspent set, filling `undo`; stops at the first that breaks a rule. */
  #applyAll(block: Block, height: number, trusted: boolean, undo: (readonly Coin[])[]): string | undefined {
    let fees = 0n;
    const locks = this.lockContext();
    for (const tx of block.txs) {
      if (this.isInvented(tx.txid)) {
        this.coins.add(tx, height);
        undo.push([]);
        continue;
      }
      const spent = this.coins.apply(tx, height);
      if (spent === undefined)
        return `transaction ${tx.txid} spends an output that is missing or already spent`;
      undo.push(spent);
      if (tx.tx.isCoinbase()) continue;
      const fee = feeOf(tx, spent, height);
      if (!fee.ok) return fee.reject.message;
      fees += fee.value;
      if (
        !sequenceLocksMet(
          tx.tx,
          spent.map((coin) => coin.height),
          locks,
        )
      ) {
        return `block contains transaction ${tx.txid} whose input sequence locks are not met`;
      }
      const scriptFault = trusted ? undefined : this.scripts.fault(tx, spent);
      if (scriptFault !== undefined) return scriptFault;
    }
    return this.#coinbaseFault(block.txs[0], height, fees);
  }

  #coinbaseFault(coinbase: NodeTx | undefined, height: number, fees: bigint): string | undefined {
    const paid = coinbase?.tx.outs.reduce((sum, out) => sum + out.value, 0n) ?? 0n;
    const allowed = subsidy(height) + fees;
    return paid > allowed
      ? `coinbase transaction for block pays ${paid} which is more than expected value of ${allowed}`
      : undefined;
  }

  #settle(): void {
    for (const listener of this.#listeners) listener.settled();
  }
}
