// Pages of lists: keyed, never by offsets (H-06). A page is rows, or text that the engine has written.

/**
 * A place within a list's order, a row's or one beyond all rows: safe integers from -1 and 1 to 128 printable ASCII
 * characters, in the shape of `KEY_SHAPES`.
 */
export type PageKey = readonly (number | string)[];

/** Element types of each list's key; a cursor whose key has another shape is no cursor of that list. */
export const KEY_SHAPES = {
  tokens: ["int"],
  balances: ["text"],
  balancesOf: ["int", "text"],
  ledger: ["int"],
  market: ["text", "int"],
  sellerListings: ["int"],
  marketHistory: ["int"],
  operations: ["int"],
  holders: ["text", "text"],
  candles: ["int"],
  markets: ["text", "text"],
  mempool: ["text", "int"],
  blocks: ["int"],
  reorgs: ["int"],
  bids: ["int", "text"],
  asks: ["int", "text"],
  asksByPrice: ["text", "text", "int", "text"],
  deals: ["int", "text"],
  swapTransactions: ["text", "int"],
} as const satisfies Record<string, readonly ("int" | "text")[]>;

/** Names of the paged lists. */
export type ListName = keyof typeof KEY_SHAPES;

/** Where a page starts: after `key` in list order (next) or before it (prev, walking back). */
export interface PageStart {
  readonly direction: "next" | "prev";
  readonly key: PageKey;
}

/** A page of a list. `start` null = first page. `limit` 1 .. 100. */
export interface PageRequest {
  readonly limit: number;
  readonly start: PageStart | null;
}

/** Rows in list order; the keys to continue with, null where there is nothing on that side. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly next: PageKey | null;
  readonly prev: PageKey | null;
}

/** What an engine can write of an operation as JSON: as in `OperationView`, `valid` as 1 or 0, amounts as texts. */
export type OperationField =
  | "height"
  | "txIndex"
  | "txid"
  | "vout"
  | "op"
  | "tick"
  | "valid"
  | "reason"
  | "payloadJson"
  | "blockHash"
  | "time"
  | "from"
  | "to"
  | "amount"
  | "listingId"
  /** Height of the state - height of the block + 1. */
  | "confirmations";

/** The shape of a row: names in the order in which they are written. Made once, not per request. */
export type OperationFields = readonly (readonly [name: string, field: OperationField])[];

/**
 * Text in a buffer that belongs to it alone: the UTF-8 bytes from `from` on up to `to`. What stands before and behind
 * may be written over, so that an envelope can be put around the text where it is.
 */
export interface PaddedText {
  readonly buffer: Uint8Array;
  readonly from: number;
  readonly to: number;
}

/** A page whose rows are JSON objects, in list order and joined by commas; empty where there are none. */
export interface PageText {
  readonly rows: PaddedText;
  readonly next: PageKey | null;
  readonly prev: PageKey | null;
}
