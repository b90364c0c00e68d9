// The ports that following a chain needs, for the index and for swaps alike: the PEARL node, clock and log. Adapters
// implement them; services import this file and never an adapter.

import type { BlockHash, Txid } from "../primitives/brands.ts";

/** A best-chain position as the node reports it. */
export interface NodeTip {
  readonly height: number;
  readonly hash: BlockHash;
}

/** The PEARL node. Methods reject with `NodeError` when the node does not answer or answers nonsense. */
export interface PearlNode {
  /** Checks network and genesis (and `getcurrentnet` where the network has it); rejects with a sentence. */
  checkIdentity(): Promise<void>;
  tip(): Promise<NodeTip>;
  /** Display hex of the main-chain block at a height, or null above the tip. */
  blockHash(height: number): Promise<BlockHash | null>;
  /** Hashes of `count` consecutive heights from `from`, as far as they exist, in one batch. */
  blockHashes(from: number, count: number): Promise<readonly BlockHash[]>;
  /** Raw bytes of a block (certificate included), as `getblock hash 0` gives them; also of side-chain blocks. */
  rawBlock(hash: BlockHash): Promise<Uint8Array>;
  /** Ids of the node's unconfirmed transactions. */
  mempoolTxids(): Promise<readonly Txid[]>;
  /** Raw unconfirmed transactions; null for one that is gone. */
  rawTransactions(txids: readonly Txid[]): Promise<readonly (Uint8Array | null)[]>;
  /**
   * Calls back when the node announces a new best block or a disconnect; falls back to polling by itself. Where the
   * node named the block, `announced` is it: what the node said at that moment, no more.
   */
  onTipChange(listener: (announced?: NodeTip) => void): void;
  close(): Promise<void>;
}

/** Questions about headers and peers. Methods reject with `NodeError` like those of `PearlNode`. */
export interface HeaderNode {
  /** Bare headers of blocks, also of side-chain ones, in order; unverified. Rejects where one is unknown. */
  rawHeaders(hashes: readonly BlockHash[]): Promise<readonly Uint8Array[]>;
  /** Present number of connections (`getinfo`). */
  connections(): Promise<number>;
}

/** The node as the swap watch needs it. */
export interface SwapNode extends PearlNode, HeaderNode {
  /** As `PearlNode.rawBlock`; an answer that is too long for `mostBytes` is not read to its end, and rejects. */
  rawBlock(hash: BlockHash, mostBytes?: number): Promise<Uint8Array>;
}

/** `nodes` of `/health` (H-20) and of `details` (S-09). */
export interface NodeCounts {
  readonly configured: number;
  /** Nodes of the right network that have told their tip within 30 s. */
  readonly answering: number;
  /**
   * Answering nodes whose chain is the followed node's, its beginning or its continuation: the followed one itself, and
   * those that name its block at the height of the lower of both tips.
   */
  readonly agreeing: number;
}

/** Is told whether the index can use what the node gives: of several nodes another one may be followed. */
export interface NodeUse {
  /** A round has failed by what the node gave, or did not give. */
  useless(): void;
  /** Something was taken, or nothing was left to take. */
  useful(): void;
}

/** Time and waiting, so that tests own the clock. */
export interface Clock {
  /** Milliseconds since the epoch. */
  nowMs(): number;
  /** Monotonic milliseconds, for durations. */
  monotonicMs(): number;
  /** Resolves after `ms`, or at once when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Structured log: one line per event. */
export interface Log {
  info(fields: Record<string, unknown>, message: string): void;
  warn(fields: Record<string, unknown>, message: string): void;
  error(fields: Record<string, unknown>, message: string): void;
  debug(fields: Record<string, unknown>, message: string): void;
}
