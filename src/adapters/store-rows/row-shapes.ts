// The order of columns for each kind of row, the same in every SELECT (for tokens in the undo record, too), with the
// function that reads such a row.

import type { BlockHash, ListingId, Outpoint } from "../../primitives/brands.ts";
import type { BaseBlock, StoredBlock } from "../../index/ports.ts";
import {
  type BalanceRow,
  type CloseKind,
  type ListingClose,
  type ListingRow,
  type OperationRow,
  type TokenRow,
  type Totals,
  ZERO_TOTALS,
} from "../../prc20/state.ts";
import type { LifecycleState } from "../../index/views.ts";
import { blobOf, type Cell, CellReader, type Cells, type Columns, columnList } from "./cells.ts";
import { isValidKind, operationOf, stateOf } from "./kinds.ts";

/** Columns as a statement names them that reads several tables. */
export function columnsOf(table: string, columns: string): string {
  return columns
    .split(",")
    .map((column) => `${table}.${column.trim()}`)
    .join(", ");
}

/** Columns of `readToken`, for a query over `token JOIN address AS deployer`. */
export const TOKEN_COLUMNS = `token.tick, token.dec, token.max, token.lim, token.pre, token.minted, token.burned,
  token.cid, deployer.text, token.deploy_txid, token.deploy_height, token.deploy_place, token.holders,
  token.transfers, token.open_count, token.filled_count, token.cancelled_count, token.invalid_spent_count,
  token.filled_amount, token.invalid_spent_amount, token.fee_paid, token.seller_paid`;
/** The tables of `TOKEN_COLUMNS`. */
export const TOKEN_TABLES = "token JOIN address AS deployer ON deployer.id = token.deployer_id";
/** A token row as cells, addresses and ids as text. */
export function tokenCells(row: TokenRow): Cell[] {
  return [
    row.tick,
    row.dec,
    String(row.max),
    String(row.lim),
    String(row.pre),
    String(row.minted),
    String(row.burned),
    row.cid,
    row.deployer,
    row.deployTxid,
    row.deployHeight,
    row.deployPlace,
    ...marketCells(row),
  ];
}

/** The last ten of `TOKEN_COLUMNS`: holders, counts and sums of the token's market. */
export function marketCells(row: TokenRow): Cell[] {
  return [
    row.holders,
    row.transfers,
    row.openCount,
    row.filledCount,
    row.cancelledCount,
    row.invalidSpentCount,
    String(row.filledAmount),
    String(row.invalidSpentAmount),
    String(row.feePaidSat),
    String(row.sellerPaidSat),
  ];
}

/** Reads a token row. */
export function readToken(cells: CellReader): TokenRow {
  return {
    tick: cells.tick(),
    dec: cells.text(),
    max: cells.amount(),
    lim: cells.amount(),
    pre: cells.amount(),
    minted: cells.amount(),
    burned: cells.amount(),
    cid: cells.textOrNull(),
    deployer: cells.address(),
    deployTxid: cells.txid(),
    deployHeight: cells.int(),
    deployPlace: cells.int(),
    holders: cells.int(),
    transfers: cells.int(),
    openCount: cells.int(),
    filledCount: cells.int(),
    cancelledCount: cells.int(),
    invalidSpentCount: cells.int(),
    filledAmount: cells.big(),
    invalidSpentAmount: cells.big(),
    feePaidSat: cells.big(),
    sellerPaidSat: cells.big(),
  };
}

/** Every prefix of a ticker, itself included. */
export function prefixesOf(tick: string): string[] {
  return Array.from(tick, (_, index) => tick.slice(0, index + 1));
}

/** Amounts of one balance; null where no row is stored. */
export interface Amounts {
  readonly balance: bigint;
  readonly locked: bigint;
}

/** Reads a balance row: address text, tick, balance, locked. */
export function readBalance(cells: CellReader): BalanceRow {
  return {
    address: cells.address(),
    tick: cells.tick(),
    balance: cells.amount(),
    locked: cells.amount(),
  };
}

/** Columns of `readListing`, for a query over `listing` and `LISTING_JOINS`. */
export const LISTING_COLUMNS = `listing.state, listing.txid, listing.vout, listing.tick, listing.amount, owner.text,
  seller.text, listing.price, listing.protocol_fee, listing.seller_net, listing.exp, listing.created_height,
  listing.created_time, listing.place, listing.anchor_amount, listing.signature, listing.policy_hash,
  listing.close_txid, listing.close_height, listing.close_time, listing.close_input, listing.close_place, buyer.text`;
/** What `LISTING_COLUMNS` needs beside `listing`. */
export const LISTING_JOINS = `JOIN address AS owner ON owner.id = listing.owner_id
  JOIN address AS seller ON seller.id = listing.seller_id LEFT JOIN address AS buyer ON buyer.id = listing.buyer_id`;

/** Reads a listing row and its state. */
export function readListing(cells: CellReader): { listing: ListingRow; lifecycle: LifecycleState } {
  const lifecycle = stateOf(cells.int());
  const createdTxid = cells.txid();
  const anchorVout = cells.int();
  const outpoint = `${createdTxid}:${anchorVout}`;
  const listing: ListingRow = {
    id: `list:${outpoint}` as ListingId,
    anchor: outpoint as Outpoint,
    anchorVout,
    createdTxid,
    tick: cells.tick(),
    amount: cells.amount(),
    owner: cells.address(),
    seller: cells.address(),
    priceSat: cells.sat(),
    protocolFeeSat: cells.sat(),
    sellerNetSat: cells.sat(),
    exp: cells.intOrNull(),
    createdHeight: cells.int(),
    createdTime: cells.int(),
    createdPlace: cells.int(),
    anchorAmountSat: cells.sat(),
    signatureHex: cells.hex(),
    policyHash: cells.hex32(),
    close: readClose(cells, lifecycle),
  };
  return { listing, lifecycle };
}

function readClose(cells: CellReader, lifecycle: LifecycleState): ListingClose | null {
  if (cells.isNull()) {
    cells.skip(6);
    return null;
  }
  return {
    kind: closeKind(lifecycle),
    txid: cells.txid(),
    height: cells.int(),
    time: cells.int(),
    inputIndex: cells.int(),
    place: cells.int(),
    buyer: cells.addressOrNull(),
  };
}

function closeKind(lifecycle: LifecycleState): CloseKind {
  if (lifecycle === "open" || lifecycle === "expired_open") {
    throw new Error("store: a closed listing is marked open");
  }
  return lifecycle;
}

/** The recipient of a row of `op`, as text; NULL where there is none. */
export const RECIPIENT_TEXT = "CASE WHEN op.to_id = op.from_id THEN op.from_text ELSE op.to_text END";

/** The listing that a row of `op` created or names, as its id; NULL where there is none. */
export const LISTING_ID_TEXT = `CASE WHEN op.listing_place IS NOT NULL THEN
  (SELECT 'list:' || lower(hex(named.txid)) || ':' || named.vout FROM listing AS named
    WHERE named.place = op.listing_place) END`;

/**
 * Columns of `operationRowOf` for a query over `op`. Ids as hex text, since a BLOB on its way out costs more than a
 * text of twice its length. What few rows have is looked up where there is one: a join would look for each.
 */
export const OPERATION_COLUMNS = `op.place, op.height, op.tx_index, lower(hex(op.txid)), op.vout, op.kind,
  CASE WHEN op.name_id IS NOT NULL THEN (SELECT op_name.text FROM op_name WHERE op_name.id = op.name_id) END,
  op.tick, op.reason, op.payload, op.from_text, ${RECIPIENT_TEXT}, op.amount, ${LISTING_ID_TEXT},
  CASE WHEN op.filled_owner_id IS NOT NULL THEN
    (SELECT filled_owner.text FROM address AS filled_owner WHERE filled_owner.id = op.filled_owner_id) END`;

/** Reads an operation row. */
export function operationRowOf(cells: CellReader): OperationRow {
  const [place, height, txIndex] = [cells.int(), cells.int(), cells.int()];
  const [txid, vout, kind, name] = [cells.txid(), cells.int(), cells.int(), cells.textOrNull()];
  return {
    place,
    height,
    txIndex,
    txid,
    vout,
    op: name ?? operationOf(kind),
    tick: cells.tick(),
    valid: isValidKind(kind),
    reason: cells.reasonOrNull(),
    payloadJson: cells.text(),
    from: cells.address(),
    to: cells.addressOrNull(),
    amount: cells.amountOrNull(),
    listingId: cells.listingIdOrNull(),
    filledOwner: cells.addressOrNull(),
  };
}

const TOTALS = {
  events_total: "bigint",
  events_valid: "bigint",
  tokens_deployed: "bigint",
  lists_open: "bigint",
  lists_filled: "bigint",
  lists_cancelled: "bigint",
  lists_invalid_spent: "bigint",
  fee_paid: "numeric",
  seller_paid: "numeric",
  next_place: "bigint",
} as const satisfies Columns;

function totalsCells(totals: Totals): Cell[] {
  return [
    totals.eventsTotal,
    totals.eventsValid,
    totals.tokensDeployed,
    totals.listsOpen,
    totals.listsFilled,
    totals.listsCancelled,
    totals.listsInvalidSpent,
    String(totals.feePaidSat),
    String(totals.sellerPaidSat),
    totals.nextPlace,
  ];
}

function readTotals(cells: CellReader): Totals {
  return {
    eventsTotal: cells.int(),
    eventsValid: cells.int(),
    tokensDeployed: cells.int(),
    listsOpen: cells.int(),
    listsFilled: cells.int(),
    listsCancelled: cells.int(),
    listsInvalidSpent: cells.int(),
    feePaidSat: cells.big(),
    sellerPaidSat: cells.big(),
    nextPlace: cells.int(),
  };
}

/** A block row with the engine's own running counts. */
export interface BlockRow extends StoredBlock {
  readonly previousHash: BlockHash | null;
  readonly distinctHolders: number;
  readonly listsExpiredOpen: number;
}

/** The row of a base block. */
export function baseRow(base: BaseBlock): BlockRow {
  return { ...base, previousHash: null, totals: ZERO_TOTALS, distinctHolders: 0, listsExpiredOpen: 0 };
}

/** Columns of `blockCells`. */
export const BLOCK = {
  height: "bigint",
  hash: "bytea",
  previous_hash: "bytea",
  time: "bigint",
  digest: "bytea",
  ...TOTALS,
  distinct_holders: "bigint",
  lists_expired_open: "bigint",
} as const satisfies Columns;

/** Columns of `readBlockRow`. */
export const BLOCK_COLUMNS: string = columnList(BLOCK);

/** A block row as cells. */
export function blockCells(block: BlockRow): Cell[] {
  return [
    block.height,
    blobOf(block.hash),
    block.previousHash === null ? null : blobOf(block.previousHash),
    block.time,
    blobOf(block.digest),
    ...totalsCells(block.totals),
    block.distinctHolders,
    block.listsExpiredOpen,
  ];
}

/** Reads a block row. */
export function readBlockRow(row: Cells): BlockRow {
  const cells = new CellReader(row);
  return {
    height: cells.int(),
    hash: cells.blockHash(),
    previousHash: cells.isNull() ? skipped(cells) : cells.blockHash(),
    time: cells.int(),
    digest: cells.hex32(),
    totals: readTotals(cells),
    distinctHolders: cells.int(),
    listsExpiredOpen: cells.int(),
  };
}

function skipped(cells: CellReader): null {
  cells.skip(1);
  return null;
}
