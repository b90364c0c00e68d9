// Reads the rows of statements that answer queries: in both engines they select the same columns in the same order.

import type { BlockHappenings, BlockPart, EventGroup, SwapEventView } from "../../index/event-groups.ts";
import type { TipState } from "../../index/queries.ts";
import type { BlockView, ListingView, MarketSummaryView, ReorgView } from "../../index/views.ts";
import { ZERO_TOTALS } from "../../prc20/state.ts";
import type { ListingId } from "../../primitives/brands.ts";
import { type Cells, CellReader } from "./cells.ts";
import { type BlockRow, LISTING_COLUMNS, LISTING_JOINS, readListing, readToken } from "./row-shapes.ts";
import { addressList, eventType } from "./swap-rows.ts";

/** The state whose tip a stored block is; null where nothing is indexed yet (H-09). */
export function tipStateOf(tip: BlockRow | null): TipState {
  if (tip === null) return { height: -1, hash: null, time: 0, digest: null, totals: ZERO_TOTALS };
  const { height, hash, time, digest, totals } = tip;
  return { height, hash, time, digest, totals };
}

/** What a part of a block says of the block and of itself. */
type PartFacts = Omit<BlockHappenings, "operations" | "created" | "closed">;

/** The places of a part of a block, which begins behind `parent`, and what goes with it; `before` is not one of them. */
export function partOf(
  block: BlockRow,
  parent: BlockRow | null,
  part: BlockPart,
): { readonly from: number; readonly before: number; readonly facts: PartFacts } {
  const { height, hash, time, digest, totals } = block;
  const earlier = parent?.totals ?? ZERO_TOTALS;
  const from = part.from ?? earlier.nextPlace;
  const before = Math.min(totals.nextPlace, from + part.places);
  const operationCount = totals.eventsTotal - earlier.eventsTotal;
  const nextPlace = before < totals.nextPlace ? before : null;
  return { from, before, facts: { height, hash, time, digest, operationCount, nextPlace } };
}

/** Height, hash, time and digest of a block, and the numbers of its operations. */
export function readBlock(row: Cells): BlockView {
  const cells = new CellReader(row);
  return {
    height: cells.int(),
    hash: cells.blockHash(),
    time: cells.int(),
    digest: cells.hex32(),
    operations: cells.int(),
    validOperations: cells.int(),
  };
}

/** Columns of `readListingView`, for a query over `listing` and `LISTING_VIEW_JOINS`. */
export const LISTING_VIEW_COLUMNS = `token.dec, ${LISTING_COLUMNS}`;
/** What `LISTING_VIEW_COLUMNS` needs beside `listing`. */
export const LISTING_VIEW_JOINS = `${LISTING_JOINS} JOIN token ON token.tick = listing.tick`;

/** A listing with its state and its token's decimals. */
export function readListingView(row: Cells): ListingView {
  const cells = new CellReader(row);
  return { dec: cells.text(), ...readListing(cells) };
}

/** Expired listings, volume and fills of a day, best listing, floor of a day ago, and the token. */
export function readSummary(row: Cells): MarketSummaryView {
  const cells = new CellReader(row);
  const [expiredOpenCount, volume24hSat, fills24h] = [cells.int(), cells.big(), cells.int()];
  const best = readBest(cells);
  const floorThen = readFloor(cells);
  return { token: readToken(cells), expiredOpenCount, best, volume24hSat, fills24h, floorThen };
}

function readBest(cells: CellReader): MarketSummaryView["best"] {
  if (cells.isNull()) {
    cells.skip(4);
    return null;
  }
  const id = `list:${cells.txid()}:${cells.int()}` as ListingId;
  return { id, priceSat: cells.sat(), amount: cells.amount() };
}

/** Null without a row, and where there was no active listing then. */
function readFloor(cells: CellReader): MarketSummaryView["floorThen"] {
  if (cells.isNull()) {
    cells.skip(2);
    return null;
  }
  return { priceSat: cells.big(), amount: cells.big() };
}

/** A reorganisation of PEARL in the event log. */
export type Reorg = Extract<EventGroup, { kind: "reorg" }>;

/** The rest of the event log's row of a reorganisation, from its hash on, which is empty. */
export function readReorg(cells: CellReader, firstId: number, lastId: number, height: number): Reorg {
  cells.skip(1);
  return {
    kind: "reorg",
    firstId,
    lastId,
    forkHeight: height,
    oldTip: { height: cells.int(), hash: cells.blockHash() },
    newTip: { height: cells.int(), hash: cells.blockHash() },
  };
}

/** A reorganisation of PEARL, of the event log's columns. */
export function readPearlReorg(row: Cells): ReorgView {
  const cells = new CellReader(row);
  const [firstId, lastId] = [cells.int(), cells.int()];
  cells.skip(1);
  const { forkHeight, oldTip, newTip } = readReorg(cells, firstId, lastId, cells.int());
  return { id: lastId, chain: "pearl", forkHeight, oldTip, newTip };
}

/** A reorganisation of the EVM chain: id, fork height, and both tips with their hashes. */
export function readEvmReorg(row: Cells): ReorgView {
  const cells = new CellReader(row);
  return {
    id: cells.int(),
    chain: "evm",
    forkHeight: cells.int(),
    oldTip: { height: cells.int(), hash: cells.text() },
    newTip: { height: cells.int(), hash: cells.text() },
  };
}

/** An event of swaps: id, type, deal, addresses and text. */
export function readSwapEvent(row: Cells): SwapEventView {
  const cells = new CellReader(row);
  const [id, type, dealHash] = [cells.int(), eventType(cells.text()), cells.textOrNull()];
  return { id, type, dealHash, addresses: addressList(cells.text()), data: cells.text() };
}
