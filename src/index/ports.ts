// The ports that the index needs beside those of following a chain: the store, signature checking and counters. Adapters
// implement them; services import this file and never an adapter.

import type { BlockHash, Hex32, Outpoint } from "../primitives/brands.ts";
import type { BlockChanges, Totals } from "../prc20/state.ts";
import type { StateKeys } from "../prc20/declared-keys.ts";
import type { SignatureJob } from "../prc20/listing-signatures.ts";
import type { LoadedRows } from "../prc20/state-view.ts";
import type { FailureKind } from "../follow/follower-errors.ts";
import type { NodeTip } from "../follow/ports.ts";
import type { IndexQueries } from "./queries.ts";

/** The parameters that a database was built with (P-01), for the refusal at start. */
export interface StoredParameters {
  readonly network: string;
  readonly genesisHash: string;
  readonly marker: string;
  readonly startHeight: number;
  readonly feeBps: number;
  /** "" where there is none. */
  readonly feeAddress: string;
}

/** The block before the start height: only hash and time are known of it (H-09), and D(start - 1). */
export interface BaseBlock {
  readonly height: number;
  readonly hash: BlockHash;
  /** Unix seconds, of the header. */
  readonly time: number;
  /** D(height), hex. */
  readonly digest: Hex32;
}

/** A block that the index holds. */
export interface StoredBlock extends BaseBlock {
  readonly totals: Totals;
}

/** What a rewind undoes and towards which tip it goes, for the `reorg` event (H-39). */
export interface RewindOrder {
  /** Height of the last block that stays. */
  readonly toHeight: number;
  /** Hash of that block: the store refuses to rewind to another one. */
  readonly toHash: BlockHash;
  /** The node's tip at the time of the decision. */
  readonly newTip: { readonly height: number; readonly hash: BlockHash };
}

/** Every row of the index in canonical order and plain JSON values: two indexes are equal when their dumps are. */
export interface StoreDump {
  readonly blocks: readonly unknown[];
  readonly tokens: readonly unknown[];
  readonly balances: readonly unknown[];
  readonly listings: readonly unknown[];
  readonly operations: readonly unknown[];
  /** All rows that follow from those: candles, ledger, markets, floors, orders of lists and histories among them. */
  readonly derived: readonly unknown[];
}

/** A read that failed because the database does not answer now: nothing is wrong with the question. */
export class StoreUnavailable extends Error {
  override readonly name = "StoreUnavailable";
}

/** The write side of a storage engine. One writer at a time; `commit` and `rewind` are atomic and durable. */
export interface IndexStore {
  readonly queries: IndexQueries;
  /** The parameters of the database, or null where it is new. */
  parameters(): Promise<StoredParameters | null>;
  /** Writes the parameters of a new database; rejects where other ones are there. */
  initialise(parameters: StoredParameters): Promise<void>;
  /** The highest block held (the base block included), or null. */
  tip(): Promise<StoredBlock | null>;
  /** The hash at a height that the index holds, or null. */
  blockHash(height: number): Promise<BlockHash | null>;
  /** Lowest height that a rewind can go back to (undo records are kept for the newest blocks only). */
  rewindFloor(): Promise<number>;
  /** One batched read. Sees every commit whose promise has resolved. */
  load(keys: StateKeys): Promise<LoadedRows>;
  /** All anchors of open listings, in batches, for the in-memory probe. */
  openAnchors(visit: (anchors: readonly Outpoint[]) => void): Promise<void>;
  /** Writes the base block of an empty index. */
  commitBase(base: BaseBlock): Promise<void>;
  /**
   * Appends consecutive blocks in ONE durable transaction: rows, before-images, digests, derived rows, event log,
   * cursor. Rejects, changing nothing, when the first block does not link to the tip.
   * `undoBlocks`: how many newest blocks keep their before-images.
   */
  commit(blocks: readonly BlockChanges[], undoBlocks: number): Promise<void>;
  /** Undoes all blocks above `toHeight` in one transaction, by their before-images, and logs the reorg event. */
  rewind(order: RewindOrder): Promise<void>;
  /**
   * Undoes every block by its before-images and puts another base block in the place of the present one, of the same
   * height, in one transaction, and logs the reorg event with the height below it. Swap facts stay: their followers
   * rewind them as far as their own chain was replaced. Rejects, changing nothing, where undo records are missing.
   */
  replaceBase(base: BaseBlock, newTip: NodeTip): Promise<void>;
  /** Recomputes conservation, counts and derived rows from the rows; a sentence per difference, empty when sound. */
  audit(): Promise<readonly string[]>;
  dump(): Promise<StoreDump>;
  /** Removes every row, parameters included. */
  wipe(): Promise<void>;
  close(): Promise<void>;
}

/** What the follower needs of a store: all but the reads of the public interface. */
export type FollowedStore = Omit<IndexStore, "queries">;

/** Checks many signatures, in workers where it pays. The answer has one boolean per job, in order. */
export interface SignatureChecker {
  verifyAll(jobs: readonly SignatureJob[]): Promise<readonly boolean[]>;
  close(): Promise<void>;
}

/** Counters and gauges of the index. */
export interface IndexMetrics {
  /** Blocks have become durable in one transaction that took `commitMs`. */
  committed(blocks: readonly BlockChanges[], commitMs: number): void;
  /** `depth` blocks have been undone. */
  rewound(depth: number): void;
  /** A round has failed. */
  failed(kind: FailureKind): void;
}
