// The bounded event log (H-39) as the read port tells it: groups of event ids, and what happened in a block, which its
// events are made from.

import type { BlockHash, Hex32 } from "../primitives/brands.ts";
import type { ListingView, OperationView } from "./views.ts";

/** Groups that the log keeps. */
export const LOGGED_GROUPS = 50_000;
/** Swap events that the log keeps, and for a time up to `COUNTED_EVERY` more; each has a text of some kilobytes. */
export const LOGGED_SWAP_EVENTS = 50_000;
/** Ids after which the swap events are counted again: that walks over all that are kept. */
const COUNTED_EVERY = 4096;
/** Ids that each second has for itself, and each part of it its part of them: more than a service can give in it. */
const IDS_PER_SECOND = 2 ** 20;

/**
 * The id above which a writer that begins at `nowMs` gives its own (H-39): greater than any that an earlier writer gave. A
 * database that was put back from a copy, or lacks what its server had lost, therefore gives no id a second time, and who
 * comes back with one that was lost is told so. 0 where a clock is so wrong that no number has room for its ids.
 */
export function eventFloor(nowMs: number): number {
  const floor = Math.floor((nowMs / 1000) * IDS_PER_SECOND);
  return floor < Number.MAX_SAFE_INTEGER / 2 ? floor : 0;
}

/** Whether the swap events of the log are to be counted where the last id given was `before` and is `after` now. */
export function isCountDue(before: number, after: number): boolean {
  return Math.floor(before / COUNTED_EVERY) !== Math.floor(after / COUNTED_EVERY);
}

/** A swap event as told (H-47). */
export interface SwapEventView {
  readonly id: number;
  readonly type: "bid" | "ask" | "deal" | "reorg";
  readonly dealHash: string | null;
  readonly addresses: readonly string[];
  /** JSON text. */
  readonly data: string;
}

/**
 * One entry of the bounded event log (H-39): a group of consecutive event ids of one block, one reorg, or some swap
 * events.
 */
export type EventGroup =
  | {
      readonly kind: "swaps";
      readonly firstId: number;
      readonly lastId: number;
      /** One per id, ascending. */
      readonly events: readonly SwapEventView[];
    }
  | {
      readonly kind: "block";
      readonly firstId: number;
      readonly lastId: number;
      readonly height: number;
      readonly hash: BlockHash;
    }
  | {
      readonly kind: "reorg";
      readonly firstId: number;
      readonly lastId: number;
      readonly forkHeight: number;
      readonly oldTip: { readonly height: number; readonly hash: BlockHash };
      readonly newTip: { readonly height: number; readonly hash: BlockHash };
    };

/**
 * What happened in one block, to make its events from. Event order: the block itself, then by place the closing at
 * that place, then its operation, then the listing that this operation created. So a block's id range has
 * 1 + operations + created listings + closed listings ids.
 */
export interface BlockHappenings {
  readonly height: number;
  readonly hash: BlockHash;
  readonly time: number;
  readonly digest: Hex32;
  /** Operations of the whole block, whatever part of it was asked for. */
  readonly operationCount: number;
  /** Where the next part begins; null where this is the last one. */
  readonly nextPlace: number | null;
  /** Ascending by place. */
  readonly operations: readonly OperationView[];
  /** Listings created in this block, in their present state. */
  readonly created: readonly ListingView[];
  /** Listings closed in this block. */
  readonly closed: readonly ListingView[];
}

/** A part of a block: the rows at `places` places, beginning at `from`, which is the block's first one where null. */
export interface BlockPart {
  readonly from: number | null;
  readonly places: number;
}
