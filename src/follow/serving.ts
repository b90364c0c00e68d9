// Small views of running parts that the HTTP layer needs besides the read port: how far the index is, which operations
// are unconfirmed, and when the committed state changed.

import type { ListingId, PearlAddress, Tick, Txid } from "../primitives/brands.ts";

/** Where the index stands against its node (H-20). */
export type IndexingStatus = "synced" | "syncing" | "stalled";

/** Progress of the EVM follower (H-20); there is none before swaps are served. */
export interface EvmStatus {
  readonly height: number;
  readonly indexedHeight: number;
  readonly lag: number;
  readonly indexingStatus: IndexingStatus;
}

/** Progress of the index, without reading the store. */
export interface IndexStatus {
  /** The node's tip, the last known one where it does not answer; -1 before its first answer. */
  readonly nodeHeight: number;
  /** Highest committed block; -1 before the base block (H-09). */
  readonly indexedHeight: number;
  /** max(0, nodeHeight - indexedHeight). */
  readonly lag: number;
  readonly indexingStatus: IndexingStatus;
  /** Null where no escrow is configured (H-45). */
  readonly evm: EvmStatus | null;
}

/** An operation in an unconfirmed transaction (H-38): parsed, never judged, never counted into balances. */
export interface MempoolOperation {
  readonly txid: Txid;
  /** Input index. */
  readonly vout: number;
  readonly op: string;
  /** Canonical ticker as far as the payload tells, else "". */
  readonly tick: Tick | "";
  readonly from: PearlAddress;
  readonly to: PearlAddress | null;
  /** The well-formed listing id that a send names; else null. */
  readonly listingId: ListingId | null;
  readonly payloadJson: string;
}

/** Which unconfirmed operations are meant; null: any. */
export interface MempoolFilter {
  readonly txid: Txid | null;
  readonly tick: Tick | null;
  /** Whose sender or recipient this is, as far as the payload tells. */
  readonly address: PearlAddress | null;
}

/** One look at the unconfirmed operations. */
export interface MempoolSnapshot {
  /** Grows whenever `rows` or `truncated` changes. */
  readonly version: number;
  /** By txid, then input index, both ascending; no pair twice. */
  readonly rows: readonly MempoolOperation[];
  /** Whether the node holds more operations than are kept (H-38). */
  readonly truncated: boolean;
}

/** The unconfirmed operations that the node holds. Cheap to ask: returns the snapshot that is already there. */
export interface MempoolView {
  snapshot(): MempoolSnapshot;
  /** Of the snapshot's rows those that are meant, in their order; as many are looked at as one filter leaves. */
  matching(filter: MempoolFilter): readonly MempoolOperation[];
}

/** Tells when the committed state has changed. */
export interface StateFeed {
  /**
   * Calls `listener` after each commit and each rewind, when every new read already sees it. Listeners return at
   * once and do not throw. Returns the way to unsubscribe.
   */
  subscribe(listener: () => void): () => void;
}
