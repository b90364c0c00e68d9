// Reads of the log of event ids (H-39): its groups, and the texts of the swap events that share its ids. Ids of groups do
// not overlap, so of those that begin at or below an id only the last one can reach beyond it.

import type { EventGroup, SwapEventView } from "../../index/event-groups.ts";
import type { Page, PageRequest } from "../../index/pages.ts";
import type { ReorgView } from "../../index/views.ts";
import { FactFields, Interner } from "../../swaps/ledger/fact-fields.ts";
import { blobOf, type Cells, CellReader } from "./cells.ts";
import { newestPage, type Walk, walked } from "./pages.ts";
import { allRows, firstRow, type Reading, someRows, together } from "./reading.ts";

const COLUMNS = "first_id, last_id, kind, height, hash, old_height, old_hash, new_height, new_hash";
/** The group of an id, and those behind it. */
const FROM_ID = "first_id >= coalesce((SELECT max(first_id) FROM event_log WHERE first_id <= ?), 0)";

/** Groups with lastId > `afterId`, ascending. */
export function* groupsAfter(afterId: number, limit: number): Reading<readonly EventGroup[]> {
  const sql = `SELECT ${COLUMNS} FROM event_log WHERE last_id > ? AND ${FROM_ID} ORDER BY first_id`;
  const rows = yield* someRows(limit, sql, afterId, afterId + 1);
  return yield* together(rows.map(readGroup));
}

/** Lowest and highest id held; of an empty log 0 and the id above which it will go on. */
export function* logBounds(): Reading<{ readonly lowest: number; readonly highest: number }> {
  const row = yield* firstRow(
    `SELECT coalesce((SELECT min(first_id) FROM event_log), 0),
       coalesce((SELECT last_id FROM event_log WHERE first_id = (SELECT max(first_id) FROM event_log)),
         (SELECT CAST(value AS bigint) FROM meta WHERE key = 'last_event_id'), 0)`,
  );
  const cells = new CellReader(row ?? [0, 0]);
  return { lowest: cells.int(), highest: cells.int() };
}

/** Events with an id above `id`. */
export function* eventsAfter(id: number): Reading<number> {
  const row = yield* firstRow(
    `SELECT CAST(coalesce(sum(last_id - CASE WHEN first_id > ? THEN first_id - 1 ELSE CAST(? AS bigint) END), 0) AS bigint)
       FROM event_log WHERE last_id > ? AND ${FROM_ID}`,
    id,
    id,
    id,
    id,
  );
  return row === null ? 0 : new CellReader(row).int();
}

/** The group of an id; null where it was never given, left the log, or its block is no longer in the chain. */
export function* groupOf(id: number): Reading<EventGroup | null> {
  const sql = `SELECT ${COLUMNS} FROM event_log WHERE first_id <= ? ORDER BY first_id DESC LIMIT 1`;
  const row = yield* firstRow(sql, id);
  if (row === null) return null;
  const group = yield* readGroup(row);
  if (id > group.lastId) return null;
  if (group.kind === "reorg") return group;
  if (group.kind === "swaps") {
    const event = yield* firstRow("SELECT undone FROM swap_event WHERE id = ?", id);
    return event === null || new CellReader(event).flag() ? null : group;
  }
  const held = yield* firstRow(
    "SELECT 1 FROM block WHERE height = ? AND hash = ?",
    group.height,
    blobOf(group.hash),
  );
  return held === null ? null : group;
}

function* readGroup(row: Cells): Reading<EventGroup> {
  const cells = new CellReader(row);
  const [firstId, lastId, kind, height] = [cells.int(), cells.int(), cells.int(), cells.int()];
  if (kind === 0) return { kind: "block", firstId, lastId, height, hash: cells.blockHash() };
  if (kind === 2) return { kind: "swaps", firstId, lastId, events: yield* swapEvents(firstId, lastId) };
  return readReorg(row);
}

function* swapEvents(firstId: number, lastId: number): Reading<readonly SwapEventView[]> {
  const sql =
    "SELECT id, type, deal_hash, addresses, data FROM swap_event WHERE id BETWEEN ? AND ? ORDER BY id";
  return (yield* allRows(sql, firstId, lastId)).map(readSwapEvent);
}

function readSwapEvent(row: Cells): SwapEventView {
  const cells = new CellReader(row);
  const [id, type, dealHash] = [cells.int(), eventType(cells.text()), cells.textOrNull()];
  return { id, type, dealHash, addresses: addressList(cells.text()), data: cells.text() };
}

function eventType(text: string): SwapEventView["type"] {
  if (text === "bid" || text === "ask" || text === "deal" || text === "reorg") return text;
  throw new Error(`store: a swap event has the unknown type ${text}`);
}

function addressList(text: string): readonly string[] {
  const parsed: unknown = JSON.parse(text);
  if (Array.isArray(parsed)) return parsed.map(String);
  throw new Error("store: the addresses of a swap event are no list");
}

/** A reorganisation of PEARL in the event log. */
export type Reorg = Extract<EventGroup, { kind: "reorg" }>;

function readReorg(row: Cells): Reorg {
  const cells = new CellReader(row);
  const [firstId, lastId] = [cells.int(), cells.int()];
  cells.skip(1);
  const forkHeight = cells.int();
  cells.skip(1);
  return {
    kind: "reorg",
    firstId,
    lastId,
    forkHeight,
    oldTip: { height: cells.int(), hash: cells.blockHash() },
    newTip: { height: cells.int(), hash: cells.blockHash() },
  };
}

/** A page of the reorganisations of both chains that the event log holds, newest first. */
export function reorgsPage(page: PageRequest): Reading<Page<ReorgView>> {
  return newestPage(reorgsBeyond, ({ id }) => id, page);
}

function* reorgsBeyond(key: number, walk: Walk, limit: number): Reading<readonly ReorgView[]> {
  const both = yield* together([pearlReorgs(key, walk, limit), evmReorgs(key, walk, limit)]);
  const sign = walk === "down" ? -1 : 1;
  return both
    .flat()
    .toSorted((one, other) => sign * (one.id - other.id))
    .slice(0, limit);
}

function* pearlReorgs(id: number, walk: Walk, limit: number): Reading<readonly ReorgView[]> {
  const { compare, order } = walked(walk);
  const sql = `SELECT ${COLUMNS} FROM event_log WHERE kind = 1 AND first_id ${compare} ? ORDER BY first_id ${order}`;
  return (yield* someRows(limit, sql, id)).map((row): ReorgView => {
    const { lastId, forkHeight, oldTip, newTip } = readReorg(row);
    return { id: lastId, chain: "pearl", forkHeight, oldTip, newTip };
  });
}

function* evmReorgs(id: number, walk: Walk, limit: number): Reading<readonly ReorgView[]> {
  const { compare, order } = walked(walk);
  const sql = `SELECT id, data FROM swap_event WHERE type = 'reorg' AND id ${compare} ? ORDER BY id ${order}`;
  return (yield* someRows(limit, sql, id)).map(readEvmReorg);
}

/** A reorganisation of the EVM chain, by the row that its event tells. */
function readEvmReorg(event: Cells): ReorgView {
  const cells = new CellReader(event);
  const [id, body] = [cells.int(), cells.text()];
  const told = { kind: "swap event", key: String(id), chain: null, height: null, body };
  const row = FactFields.of(told, new Interner()).inner("row");
  const [oldTip, newTip] = [row.inner("old_tip"), row.inner("new_tip")];
  return {
    id,
    chain: "evm",
    forkHeight: row.int("fork_height"),
    oldTip: { height: oldTip.int("height"), hash: oldTip.text("block_hash") },
    newTip: { height: newTip.int("height"), hash: newTip.text("block_hash") },
  };
}
