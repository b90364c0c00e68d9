// Keeps the blocks that the node knows and which of them form the active chain: the tree of blocks, the active chain by
// height, and the indexes over it that `--txindex` and `--addrindex` give a pearld.
import { parseBlock, type Block, type Header } from "./block-codec.ts";
import type { Coin } from "./coins.ts";
import { toHex } from "../../bytes.ts";
import { outputClass } from "./transaction.ts";

/** A known block. `failed`: broke a consensus rule; `marked`: put aside by invalidateblock. */
export interface BlockNode {
  readonly hash: string;
  readonly height: number;
  readonly header: Header;
  readonly raw: Uint8Array;
  readonly parent: BlockNode | null;
  /** Order of arrival; of two chains of equal length the one seen first is active. */
  readonly arrival: number;
  /** Median of the times of this block and its ten ancestors (BIP113). */
  readonly medianTime: number;
  failed: boolean;
  marked: boolean;
  /** Coins spent by each transaction, while the block is in the active chain. */
  undo: readonly (readonly Coin[])[] | null;
}

/** Place of a transaction in the active chain. */
export interface TxPlace {
  readonly block: BlockNode;
  readonly position: number;
}

const PARSED_BLOCKS_KEPT = 64;

function medianTimePast(header: Header, parent: BlockNode | null): number {
  const times = [header.time];
  for (let node = parent; node !== null && times.length < 11; node = node.parent)
    times.push(node.header.time);
  times.sort((a, b) => a - b);
  return times[times.length >> 1] ?? header.time;
}

/** Tree of blocks and indexes over the active chain. */
export class BlockIndex {
  readonly #nodes = new Map<string, BlockNode>();
  readonly #active: BlockNode[] = [];
  readonly #places = new Map<string, TxPlace>();
  /** Per script (hex): txids that pay or spend it, in chain order. */
  readonly #byScript = new Map<string, string[]>();
  readonly #parsed = new Map<string, Block>();

  /** All known blocks. */
  all(): Iterable<BlockNode> {
    return this.#nodes.values();
  }

  /** The block with this displayed hash. */
  get(hash: string): BlockNode | undefined {
    return this.#nodes.get(hash);
  }

  /** The active block at a height. */
  at(height: number): BlockNode | undefined {
    return this.#active[height];
  }

  /** The last active block. */
  get tip(): BlockNode {
    const tip = this.#active.at(-1);
    if (tip === undefined) throw new Error("the chain has no genesis block");
    return tip;
  }

  /** Whether a block is in the active chain. */
  isActive(node: BlockNode): boolean {
    return this.#active[node.height] === node;
  }

  /** Adds a block to the tree (not to the active chain). */
  add(block: Block, parent: BlockNode | null): BlockNode {
    const node: BlockNode = {
      hash: block.hash,
      height: parent === null ? 0 : parent.height + 1,
      header: block.header,
      raw: block.raw,
      parent,
      arrival: this.#nodes.size,
      medianTime: medianTimePast(block.header, parent),
      failed: false,
      marked: false,
      undo: null,
    };
    this.#nodes.set(node.hash, node);
    this.#remember(block);
    return node;
  }

  /** A block's contents; parsed again when it was not used for a while. */
  block(node: BlockNode): Block {
    const known = this.#parsed.get(node.hash);
    if (known !== undefined) return known;
    const parsed = parseBlock(node.raw);
    if (!parsed.ok) throw new Error(`stored block ${node.hash} is unreadable: ${parsed.reject.message}`);
    this.#remember(parsed.value);
    return parsed.value;
  }

  #remember(block: Block): void {
    this.#parsed.set(block.hash, block);
    const oldest = this.#parsed.keys().next().value;
    if (this.#parsed.size > PARSED_BLOCKS_KEPT && oldest !== undefined) this.#parsed.delete(oldest);
  }

  /** Puts a block on top of the active chain and indexes its transactions; `undo` are the coins it spent. */
  connect(node: BlockNode, block: Block, undo: readonly (readonly Coin[])[]): void {
    node.undo = undo;
    this.#active.push(node);
    for (const [position, tx] of block.txs.entries()) {
      this.#places.set(tx.txid, { block: node, position });
      for (const script of this.#scripts(block, position, undo)) {
        const list = this.#byScript.get(script);
        if (list === undefined) this.#byScript.set(script, [tx.txid]);
        else list.push(tx.txid);
      }
    }
  }

  /** Takes the last active block off again; the exact inverse of `connect`. */
  disconnectTip(): void {
    const node = this.tip;
    const block = this.block(node);
    for (let position = block.txs.length - 1; position >= 0; position -= 1) {
      const txid = block.txs[position]?.txid ?? "";
      this.#places.delete(txid);
      for (const script of this.#scripts(block, position, node.undo ?? [])) {
        // Taken off in the opposite order of `connect`, so the entry stands at the end of its list.
        const list = this.#byScript.get(script);
        if (list?.at(-1) !== txid) throw new Error(`the address index is out of step at ${txid}`);
        list.pop();
        if (list.length === 0) this.#byScript.delete(script);
      }
    }
    node.undo = null;
    this.#active.pop();
  }

  #scripts(block: Block, position: number, undo: readonly (readonly Coin[])[]): Set<string> {
    const scripts = new Set<string>();
    for (const coin of undo[position] ?? []) scripts.add(toHex(coin.script));
    for (const out of block.txs[position]?.tx.outs ?? []) {
      if (outputClass(out.script) !== "nulldata") scripts.add(toHex(out.script));
    }
    return scripts;
  }

  /** Where a transaction is in the active chain. */
  place(txid: string): TxPlace | undefined {
    return this.#places.get(txid);
  }

  /** Txids in the active chain that pay or spend a script (hex), oldest first. */
  history(scriptHex: string): readonly string[] {
    return this.#byScript.get(scriptHex) ?? [];
  }
}
