// The one double of the port to a PEARL node, `SwapNode`: an honest one over a chain in memory, and one that answers
// wrongly where its world says so. The chain is a list of blocks that a test sets, or the embedded node's.

import { NodeError } from "../../src/adapters/pearl-node/node-error.ts";
import { NETWORKS } from "../../src/chain/networks.ts";
import type { NodeTip, SwapNode } from "../../src/follow/ports.ts";
import type { BlockHash, Txid } from "../../src/primitives/brands.ts";
import type { OtherNodes } from "../../src/swaps/pearl/pearl-standing.ts";
import { certificateLength, HEADER_BYTES } from "./pearl-node/block-codec.ts";
import { toHex } from "../bytes.ts";
import type { PearlCore } from "./pearl-node/core.ts";
import { SIMNET } from "./pearl-node/network.ts";

/** What a node knows, as the port asks for it. */
export interface NodeView {
  tip(): NodeTip;
  hashAt(height: number): BlockHash | null;
  /** A block of any branch. */
  rawBlock(hash: string): Uint8Array | null;
  txids(): readonly Txid[];
  transaction(txid: Txid): Uint8Array | null;
}

/** A block as a node holds it. */
export interface HeldBlock {
  readonly height: number;
  readonly hash: BlockHash;
  readonly raw: Uint8Array;
}

/** Block 0 of simnet. */
const GENESIS: HeldBlock = { height: 0, hash: NETWORKS.simnet.genesisHash, raw: SIMNET.genesisBlock };

/** A chain of made blocks after simnet's genesis, and a mempool; a test sets both. */
export class HeldChain implements NodeView {
  readonly #blocks = new Map<string, HeldBlock>([[GENESIS.hash, GENESIS]]);
  #best: readonly HeldBlock[] = [GENESIS];
  /** Unconfirmed transactions by id. */
  mempool: ReadonlyMap<string, Uint8Array> = new Map();

  /** Keeps a block, on the best branch or not. */
  hold({
    height,
    hash,
    raw,
  }: {
    readonly height: number;
    readonly hash: string;
    readonly raw: Uint8Array;
  }): void {
    this.#blocks.set(hash, { height, hash: hash as BlockHash, raw });
  }

  /** Makes these held blocks the best branch, the genesis block aside. @throws where one was not held. */
  show(hashes: readonly string[]): void {
    this.#best = [GENESIS, ...hashes.map((hash) => this.#held(hash))];
  }

  /** The best branch from the genesis block on. */
  get best(): readonly HeldBlock[] {
    return this.#best;
  }

  tip(): HeldBlock {
    return this.#best.at(-1) ?? GENESIS;
  }

  hashAt(height: number): BlockHash | null {
    return this.#best[height]?.hash ?? null;
  }

  block(hash: string): HeldBlock | null {
    return this.#blocks.get(hash) ?? null;
  }

  rawBlock(hash: string): Uint8Array | null {
    return this.block(hash)?.raw ?? null;
  }

  txids(): readonly Txid[] {
    return [...this.mempool.keys()] as Txid[];
  }

  transaction(txid: Txid): Uint8Array | null {
    return this.mempool.get(txid) ?? null;
  }

  #held(hash: string): HeldBlock {
    const block = this.#blocks.get(hash);
    if (block === undefined) throw new Error(`no block ${hash}`);
    return block;
  }
}

/** What the embedded node knows, without its servers. */
export function viewOfCore({ chain, mempool }: Pick<PearlCore, "chain" | "mempool">): NodeView {
  const { index } = chain;
  return {
    tip: () => ({ height: chain.tip.height, hash: chain.tip.hash as BlockHash }),
    hashAt: (height) => (index.at(height)?.hash as BlockHash | undefined) ?? null,
    rawBlock: (hash) => index.get(hash)?.raw ?? null,
    txids: () => [...mempool.entries()].map(({ tx }) => tx.txid as Txid),
    transaction: (txid) => mempool.get(txid)?.tx.raw ?? null,
  };
}

/** Ways in which an answer about the chain is wrong. */
export const ANSWER_FAULTS = [
  "stale-tip",
  "null",
  "short-list",
  "no-hashes",
  "flipped-byte",
  "half-body",
  "other-block",
] as const;

/** How an answer about the chain is wrong. */
export type AnswerFault = (typeof ANSWER_FAULTS)[number];

/**
 * How a node comes to an answer: makes it with the fault that this request meets, or fails, or never answers. Called
 * once per call of the port, before anything is looked up.
 */
export type Answering = <Value>(
  request: string,
  answer: (fault: AnswerFault | null) => Value,
) => Promise<Value>;

const honestly: Answering = async (_request, answer) => answer(null);

/** The port over a view. Where nothing else is said it is honest and answers in the same turn. */
export class PearlPort implements SwapNode {
  readonly #view: NodeView;
  readonly #answer: Answering;
  readonly #staleHeight: (height: number) => number;
  readonly #onClose: () => void;
  #listeners: ((announced?: NodeTip) => void)[] = [];

  /** `staleHeight`: what a stale answer calls the tip's height. `onClose`: nobody waits for an answer any more. */
  constructor(
    view: NodeView,
    answer: Answering = honestly,
    staleHeight = (height: number) => height,
    onClose: () => void = () => undefined,
  ) {
    this.#view = view;
    this.#answer = answer;
    this.#staleHeight = staleHeight;
    this.#onClose = onClose;
  }

  /** Tells the listeners of a new best block, by name or not. */
  announce(tip?: NodeTip): void {
    for (const listener of this.#listeners) listener(tip);
  }

  checkIdentity(): Promise<void> {
    return this.#answer("identity", () => undefined);
  }

  tip(): Promise<NodeTip> {
    return this.#answer("tip", (fault) => {
      const tip = this.#view.tip();
      const height = fault === "stale-tip" ? this.#staleHeight(tip.height) : tip.height;
      return { height, hash: height === tip.height ? tip.hash : (this.#view.hashAt(height) ?? tip.hash) };
    });
  }

  blockHash(height: number): Promise<BlockHash | null> {
    return this.#answer(`hash ${height}`, (fault) => (fault === "null" ? null : this.#view.hashAt(height)));
  }

  blockHashes(from: number, count: number): Promise<readonly BlockHash[]> {
    return this.#answer(`hashes ${from} ${count}`, (fault) => {
      const hashes: BlockHash[] = [];
      for (let height = from; height < from + count; height += 1) {
        const hash = this.#view.hashAt(height);
        if (hash !== null) hashes.push(hash);
      }
      if (fault === "no-hashes") return [];
      return fault === "short-list" ? hashes.slice(0, Math.floor(hashes.length / 2)) : hashes;
    });
  }

  rawBlock(hash: BlockHash): Promise<Uint8Array> {
    return this.#answer(`block ${hash}`, (fault) => this.#body(hash, fault));
  }

  rawHeaders(hashes: readonly BlockHash[]): Promise<readonly Uint8Array[]> {
    return this.#answer(`headers ${hashes.join()}`, (fault) =>
      hashes.map((hash) => {
        const header = headerOf(this.#known(hash));
        return fault === "flipped-byte" ? flipped(header, TIME_OFFSET) : header;
      }),
    );
  }

  connections(): Promise<number> {
    return this.#answer("connections", () => 8);
  }

  mempoolTxids(): Promise<readonly Txid[]> {
    return this.#answer("mempool", () => this.#view.txids());
  }

  rawTransactions(txids: readonly Txid[]): Promise<readonly (Uint8Array | null)[]> {
    return this.#answer(`transactions ${txids.join()}`, (fault) =>
      txids.map((txid) => {
        const raw = this.#view.transaction(txid);
        if (raw === null || fault === "null") return null;
        return fault === "flipped-byte" ? flipped(raw, 8) : raw;
      }),
    );
  }

  onTipChange(listener: (announced?: NodeTip) => void): void {
    this.#listeners.push(listener);
  }

  async close(): Promise<void> {
    this.#listeners = [];
    this.#onClose();
  }

  #body(hash: BlockHash, fault: AnswerFault | null): Uint8Array {
    const raw = this.#known(hash);
    if (fault === "flipped-byte") return flipped(raw, somewhereIn(raw, hash));
    if (fault === "half-body") return raw.slice(0, Math.floor(raw.length / 2));
    if (fault === "other-block") return this.#view.rawBlock(parentOf(raw)) ?? raw;
    // A copy, so that whoever writes into it changes no chain.
    return raw.slice();
  }

  #known(hash: string): Uint8Array {
    const raw = this.#view.rawBlock(hash);
    if (raw === null) throw new NodeError("RPC_ERROR", `the node knows no block ${hash}`);
    return raw;
  }
}

/** Where the time stands in a header. */
const TIME_OFFSET = 68;

/** A byte of header or body, another one in every block: the certificate is no part of what is verified. */
function somewhereIn(raw: Uint8Array, hash: string): number {
  const start = certificateLength(raw) ?? 0;
  return start + (Number.parseInt(hash.slice(0, 8), 16) % (raw.length - start));
}

function headerOf(raw: Uint8Array): Uint8Array {
  const start = certificateLength(raw) ?? 0;
  return raw.slice(start, start + HEADER_BYTES);
}

function parentOf(raw: Uint8Array): string {
  return toHex(headerOf(raw).slice(4, 36).toReversed());
}

function flipped(bytes: Uint8Array, at: number): Uint8Array {
  return bytes.with(at, (bytes[at] ?? 0) ^ 1);
}

/** No other node is configured beside the followed one. */
export const LONE_NODE: OtherNodes = {
  witnesses: () => null,
  followed: () => null,
  counts: () => ({ configured: 1, answering: 1, agreeing: 1 }),
};
