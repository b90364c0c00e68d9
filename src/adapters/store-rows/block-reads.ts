// Reads of blocks: each with the number of its operations, which is the difference of two running totals, so that
// a block costs the same however many it has.

import type { BlockHappenings, BlockPart } from "../../index/event-groups.ts";
import type { Page, PageRequest } from "../../index/pages.ts";
import type { TipState } from "../../index/queries.ts";
import type { BlockView } from "../../index/views.ts";
import type { BlockHash } from "../../primitives/brands.ts";
import { ZERO_TOTALS } from "../../prc20/state.ts";
import { blobOf, CellReader, type Cells } from "./cells.ts";
import { newestPage, type Walk, walked } from "./pages.ts";
import { firstRow, type Reading, someRows } from "./reading.ts";
import { BLOCK_COLUMNS, type BlockRow, readBlockRow } from "./row-shapes.ts";

/** The highest block, or null. */
export function* highestBlock(): Reading<BlockRow | null> {
  const row = yield* firstRow(`SELECT ${BLOCK_COLUMNS} FROM block ORDER BY height DESC LIMIT 1`);
  return row === null ? null : readBlockRow(row);
}

/** The block at a height, or null. */
export function* blockAtHeight(height: number): Reading<BlockRow | null> {
  const row = yield* firstRow(`SELECT ${BLOCK_COLUMNS} FROM block WHERE height = ?`, height);
  return row === null ? null : readBlockRow(row);
}

/** The state whose tip a stored block is; null where nothing is indexed yet (H-09). */
export function tipStateOf(tip: BlockRow | null): TipState {
  if (tip === null) return { height: -1, hash: null, time: 0, digest: null, totals: ZERO_TOTALS };
  const { height, hash, time, digest, totals } = tip;
  return { height, hash, time, digest, totals };
}

/** What a part of a block says of the block and of itself. */
type PartFacts = Omit<BlockHappenings, "operations" | "created" | "closed">;

/** A part of the block with this hash: its places, of which `before` is none, and what goes with it; null without one. */
export function* partOfBlock(
  at: number,
  blockHash: BlockHash,
  part: BlockPart,
): Reading<{ readonly from: number; readonly before: number; readonly facts: PartFacts } | null> {
  const block = yield* blockAtHeight(at);
  if (block === null || block.hash !== blockHash) return null;
  const { height, hash, time, digest, totals } = block;
  const earlier = (yield* blockAtHeight(at - 1))?.totals ?? ZERO_TOTALS;
  const from = part.from ?? earlier.nextPlace;
  const before = Math.min(totals.nextPlace, from + part.places);
  const operationCount = totals.eventsTotal - earlier.eventsTotal;
  const nextPlace = before < totals.nextPlace ? before : null;
  return { from, before, facts: { height, hash, time, digest, operationCount, nextPlace } };
}

/** The base block has no parent here, and is none of the index's blocks. */
const BLOCKS = `SELECT block.height, block.hash, block.time, block.digest,
  block.events_total - parent.events_total, block.events_valid - parent.events_valid
  FROM block JOIN block AS parent ON parent.height = block.height - 1`;

/** A page of blocks from the start height on, newest first. */
export function blocksPage(page: PageRequest): Reading<Page<BlockView>> {
  return newestPage(blocksBeyond, ({ height }) => height, page);
}

function* blocksBeyond(key: number, walk: Walk, limit: number): Reading<readonly BlockView[]> {
  const { compare, order } = walked(walk);
  const sql = `${BLOCKS} WHERE block.height ${compare} ? ORDER BY block.height ${order}`;
  return (yield* someRows(limit, sql, key)).map(readBlock);
}

/** The block at a height or with a hash; null below the start height, above the tip and outside the chain. */
export function* blockAt(at: number | BlockHash): Reading<BlockView | null> {
  const hash = typeof at === "number" ? null : blobOf(at);
  const row =
    hash === null
      ? yield* firstRow(`${BLOCKS} WHERE block.height = ?`, at)
      : yield* firstRow(
          `${BLOCKS} WHERE substr(block.hash, 25, 8) = ? AND block.hash = ?`,
          hash.subarray(24, 32),
          hash,
        );
  return row === null ? null : readBlock(row);
}

function readBlock(row: Cells): BlockView {
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
