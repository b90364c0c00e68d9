// What a block writes, in either engine: the tables of the index, tokens and listings as cells in the order of their
// columns, and what a block's listings do to the rows that are derived from them.

import { checkConservation } from "../../prc20/conservation.ts";
import type { BlockChanges, ListingRow, TokenRow } from "../../prc20/state.ts";
import { blobOf, type Cell, type Columns } from "./cells.ts";
import { stateNumber } from "./kinds.ts";
import { marketCells } from "./row-shapes.ts";
import { unitPriceKey } from "./sort-keys.ts";

/** Tables that emptying the index empties. `meta` keeps what must outlive it, such as the highest event id. */
export const INDEX_TABLES = [
  "block",
  "address",
  "op_name",
  "op",
  "op_address",
  "token",
  "token_prefix",
  "balance",
  "ledger",
  "listing",
  "expired_open",
  "floor",
  "block_fills",
  "candle",
  "market",
  "undo",
  "event_log",
] as const;

/** Columns of `runningCells`. */
export const TOKEN_RUNNING = {
  minted: "numeric",
  burned: "numeric",
  holders: "bigint",
  transfers: "bigint",
  open_count: "bigint",
  filled_count: "bigint",
  cancelled_count: "bigint",
  invalid_spent_count: "bigint",
  filled_amount: "numeric",
  invalid_spent_amount: "numeric",
  fee_paid: "numeric",
  seller_paid: "numeric",
} as const satisfies Columns;

/** A token's supply, holders and market: what its operations change. */
export function runningCells(row: TokenRow): Cell[] {
  return [String(row.minted), String(row.burned), ...marketCells(row)];
}

/** Columns of `storedTokenCells`. */
export const TOKEN = {
  tick: "text",
  dec: "text",
  max: "numeric",
  lim: "numeric",
  pre: "numeric",
  cid: "text",
  deployer_id: "bigint",
  deploy_txid: "bytea",
  deploy_height: "bigint",
  deploy_place: "bigint",
  ...TOKEN_RUNNING,
} as const satisfies Columns;

/** A whole token: what its deploy fixed, then `runningCells`. */
export function storedTokenCells(row: TokenRow, deployerId: number): Cell[] {
  return [
    row.tick,
    row.dec,
    String(row.max),
    String(row.lim),
    String(row.pre),
    row.cid,
    deployerId,
    blobOf(row.deployTxid),
    row.deployHeight,
    row.deployPlace,
    ...runningCells(row),
  ];
}

/**
 * The key of a listing in the order of last changes: even where it is open, by the place of its list; odd where it
 * has ended, by the place of its closing.
 */
export function listingKey({ close, createdPlace }: ListingRow): number {
  return close === null ? 2 * createdPlace : 2 * close.place + 1;
}

/** Columns of `closingCells`. */
export const LISTING_CLOSING = {
  state: "smallint",
  change_key: "bigint",
  close_txid: "bytea",
  close_height: "bigint",
  close_time: "bigint",
  close_input: "bigint",
  close_place: "bigint",
  buyer_id: "bigint",
} as const satisfies Columns;

/**
 * State, change key and end of a listing. `isExpired`: it is past its expiry height and nobody has ended it.
 * `idOf`: the id of an address.
 */
export function closingCells(row: ListingRow, isExpired: boolean, idOf: (address: string) => number): Cell[] {
  const { close } = row;
  if (close === null) {
    const state = stateNumber(isExpired ? "expired_open" : "open");
    return [state, listingKey(row), null, null, null, null, null, null];
  }
  return [
    stateNumber(close.kind),
    listingKey(row),
    blobOf(close.txid),
    close.height,
    close.time,
    close.inputIndex,
    close.place,
    close.buyer === null ? null : idOf(close.buyer),
  ];
}

/** Columns of `storedListingCells`. */
export const LISTING = {
  place: "bigint",
  tick: "text",
  amount: "numeric",
  owner_id: "bigint",
  seller_id: "bigint",
  price: "numeric",
  protocol_fee: "numeric",
  seller_net: "numeric",
  exp: "bigint",
  txid: "bytea",
  vout: "bigint",
  created_height: "bigint",
  created_time: "bigint",
  anchor_amount: "numeric",
  signature: "bytea",
  policy_hash: "bytea",
  unit_key: "bytea",
  ...LISTING_CLOSING,
} as const satisfies Columns;

/** A whole listing: its terms, its anchor and its sort key, then `closingCells`. */
export function storedListingCells(
  row: ListingRow,
  isExpired: boolean,
  idOf: (address: string) => number,
): Cell[] {
  return [
    row.createdPlace,
    row.tick,
    String(row.amount),
    idOf(row.owner),
    idOf(row.seller),
    String(row.priceSat),
    String(row.protocolFeeSat),
    String(row.sellerNetSat),
    row.exp,
    blobOf(row.createdTxid),
    row.anchorVout,
    row.createdHeight,
    row.createdTime,
    String(row.anchorAmountSat),
    blobOf(row.signatureHex),
    blobOf(row.policyHash),
    unitPriceKey(row.priceSat, row.amount),
    ...closingCells(row, isExpired, idOf),
  ];
}

/** What a block did to listings, for the rows that are derived from them. */
export interface ListingEffects {
  /** Tickers whose active market may have changed. */
  readonly touched: ReadonlySet<string>;
  /** Filled listings, in chain order. */
  readonly fills: readonly ListingRow[];
  /** Change in the number of open listings past their expiry height. */
  readonly expiredOpen: number;
  readonly created: number;
  readonly closed: number;
}

/** How an engine changes its listings. */
export interface ListingBooks {
  /** Adds a listing that was not there. */
  create(row: ListingRow): void;
  /** Ends an open listing. Throws where it is not open. */
  close(row: ListingRow): void;
  /** Adds to the number of expired open listings of a ticker. */
  countExpired(tick: string, delta: number): void;
  /** Marks what expires with this block (P-65) and counts it; the ticker of each. */
  expire(height: number): readonly string[];
}

/** Applies a block's listing changes, then the expiry that its height brings (P-65). Throws on a change unknown to P-63. */
export function applyListings(
  { height, listings }: Pick<BlockChanges, "height" | "listings">,
  books: ListingBooks,
): ListingEffects {
  const touched = new Set<string>();
  const fills: ListingRow[] = [];
  let [created, closed, expiredOpen] = [0, 0, 0];
  for (const { before, after } of listings) {
    if (after === null || (before !== null && (before.close !== null || after.close === null))) {
      throw new Error(`store: block ${height} changes a listing in a way that P-63 does not know`);
    }
    touched.add(after.tick);
    if (before === null) {
      assertAnchorsName(after);
      books.create(after);
      created += 1;
    } else {
      books.close(after);
      if (before.exp !== null && before.exp < height - 1) {
        books.countExpired(after.tick, -1);
        expiredOpen -= 1;
      }
    }
    if (after.close !== null) closed += 1;
    if (after.close?.kind === "filled") fills.push(after);
  }
  for (const tick of books.expire(height)) {
    touched.add(tick);
    expiredOpen += 1;
  }
  fills.sort((a, b) => (a.close?.place ?? 0) - (b.close?.place ?? 0));
  return { touched, fills, expiredOpen, created, closed };
}

/** A block that breaks the books is a bug of ours: nothing of it is written. */
export function assertBooksKept(block: BlockChanges): void {
  const problems = checkConservation(block);
  if (problems.length === 0) return;
  throw new Error(
    `store: block ${block.height} ${block.hash} breaks the books (P-30): ${problems.join("; ")}`,
  );
}

function assertAnchorsName(row: ListingRow): void {
  const outpoint = `${row.createdTxid}:${row.anchorVout}`;
  if (row.id === `list:${outpoint}` && row.anchor === outpoint) return;
  throw new Error(`store: listing ${row.id} does not carry its anchor's name (P-51)`);
}
