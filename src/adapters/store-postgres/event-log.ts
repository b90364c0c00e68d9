// The log of the event ids that the service has given (H-39). It has one row per block, reorganisation or group of swap
// events, and is bounded. Ids only grow, also over rewinds, restarts, a wipe and a copy that is put back.

import { type EventGroup, LOGGED_GROUPS } from "../../index/event-groups.ts";
import type { ReorgView } from "../../index/views.ts";
import { blobOf, CellReader, type Cells } from "../store-rows/cells.ts";
import { type Walk, walked } from "../store-rows/pages.ts";
import { readPearlReorg, readReorg, type Reorg } from "../store-rows/view-rows.ts";
import type { Session } from "./session.ts";
import { isUndone, swapEvents, trimSwapEvents } from "./swaps/swap-events.ts";
import { RowBatch } from "./write/row-batch.ts";

const COLUMNS = "first_id, last_id, kind, height, hash, old_height, old_hash, new_height, new_hash";
const NEXT = `SELECT coalesce((SELECT max(seq) FROM event_log), 0),
  coalesce((SELECT value::bigint FROM meta WHERE key = 'last_event_id'), 0)`;

/** Groups that a transaction appends. */
export class EventLogEntries {
  #seq: number;
  #lastId: number;
  readonly #rows = new RowBatch("event_log", {
    seq: "bigint",
    first_id: "bigint",
    last_id: "bigint",
    kind: "smallint",
    height: "bigint",
    hash: "bytea",
    old_height: "bigint",
    old_hash: "bytea",
    new_height: "bigint",
    new_hash: "bytea",
  });

  private constructor(seq: number, lastId: number) {
    this.#seq = seq;
    this.#lastId = lastId;
  }

  /** Reads where the log ends. */
  static async read(session: Session): Promise<EventLogEntries> {
    const cells = new CellReader((await session.first(NEXT)) ?? [0, 0]);
    return new EventLogEntries(cells.int(), cells.int());
  }

  /** The highest id given. */
  get lastId(): number {
    return this.#lastId;
  }

  /** Appends a block's group of `count` ids. */
  addBlock(block: { readonly height: number; readonly hash: string }, count: number): void {
    this.#add(count, 0, block.height, blobOf(block.hash), null, null);
  }

  /** Appends a reorganisation. */
  addReorg({ forkHeight, oldTip, newTip }: Pick<Reorg, "forkHeight" | "oldTip" | "newTip">): void {
    this.#add(1, 1, forkHeight, null, oldTip, newTip);
  }

  /** Appends a group of `count` swap events. */
  addSwaps(count: number): void {
    this.#add(count, 2, 0, null, null, null);
  }

  /** Lets one id go by, so that a client that has the one before sees that events are missing. */
  skipOne(): void {
    this.#lastId += 1;
  }

  /** Writes what was appended, and drops what is beyond the bound of the log. */
  async write(session: Session): Promise<void> {
    await this.#rows.insert(session);
    await session.run(
      `INSERT INTO meta (key, value) VALUES ('last_event_id', $1)
         ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
      String(this.#lastId),
    );
    await session.run("DELETE FROM event_log WHERE seq <= $1", this.#seq - LOGGED_GROUPS);
    await trimSwapEvents(session);
  }

  #add(
    count: number,
    kind: number,
    height: number,
    hash: Uint8Array | null,
    oldTip: Reorg["oldTip"] | null,
    newTip: Reorg["newTip"] | null,
  ): void {
    this.#seq += 1;
    const tips = [oldTip, newTip].flatMap((tip) =>
      tip === null ? [null, null] : [tip.height, blobOf(tip.hash)],
    );
    this.#rows.add(this.#seq, this.#lastId + 1, this.#lastId + count, kind, height, hash, ...tips);
    this.#lastId += count;
  }
}

/** Groups with lastId > `afterId`, ascending. */
export async function groupsAfter(
  session: Session,
  afterId: number,
  limit: number,
): Promise<readonly EventGroup[]> {
  // Ids of groups do not overlap, so the only group that begins at or below afterId + 1 and matters is the last such.
  const rows = await session.all(
    `SELECT ${COLUMNS} FROM event_log WHERE last_id > $1::bigint AND first_id >=
       coalesce((SELECT max(first_id) FROM event_log WHERE first_id <= $1::bigint + 1), 0)
       ORDER BY first_id LIMIT $2`,
    afterId,
    limit,
  );
  return Promise.all(rows.map((row) => readGroup(session, row)));
}

/** At most `limit` reorganisations with an id below `id` ("down", newest first) or above it ("up", oldest first). */
export async function reorgsBeyond(
  session: Session,
  id: number,
  walk: Walk,
  limit: number,
): Promise<readonly ReorgView[]> {
  const { compare, order } = walked(walk);
  const rows = await session.all(
    `SELECT ${COLUMNS} FROM event_log WHERE kind = 1 AND first_id ${compare} $1
       ORDER BY first_id ${order} LIMIT $2`,
    id,
    limit,
  );
  return rows.map(readPearlReorg);
}

/** Lowest and highest id held; of an empty log 0 and the id above which it will go on. */
export async function logBounds(
  session: Session,
): Promise<{ readonly lowest: number; readonly highest: number }> {
  const row = await session.first(
    `SELECT coalesce((SELECT min(first_id) FROM event_log), 0),
       coalesce((SELECT last_id FROM event_log ORDER BY first_id DESC LIMIT 1),
         (SELECT value::bigint FROM meta WHERE key = 'last_event_id'), 0)`,
  );
  const cells = new CellReader(row ?? [0, 0]);
  return { lowest: cells.int(), highest: cells.int() };
}

/** Events with an id above `id`. */
export async function eventsAfter(session: Session, id: number): Promise<number> {
  const row = await session.first(
    `SELECT coalesce(sum(last_id - greatest(first_id - 1, $1::bigint)), 0)::bigint FROM event_log
       WHERE last_id > $1::bigint AND first_id >=
         coalesce((SELECT max(first_id) FROM event_log WHERE first_id <= $1::bigint), 0)`,
    id,
  );
  return new CellReader(row ?? [0]).int();
}

/** The group of an id; null where it was never given, left the log, or its block is no longer in the chain. */
export async function groupOf(session: Session, id: number): Promise<EventGroup | null> {
  const row = await session.first(
    `SELECT ${COLUMNS} FROM event_log WHERE first_id <= $1 ORDER BY first_id DESC LIMIT 1`,
    id,
  );
  if (row === null) return null;
  const group = await readGroup(session, row);
  if (id > group.lastId) return null;
  if (group.kind === "reorg") return group;
  if (group.kind === "swaps") return (await isUndone(session, id)) ? null : group;
  const held = await session.first(
    "SELECT 1 FROM block WHERE height = $1 AND hash = $2",
    group.height,
    blobOf(group.hash),
  );
  return held === null ? null : group;
}

async function readGroup(session: Session, row: Cells): Promise<EventGroup> {
  const cells = new CellReader(row);
  const [firstId, lastId, kind, height] = [cells.int(), cells.int(), cells.int(), cells.int()];
  if (kind === 0) return { kind: "block", firstId, lastId, height, hash: cells.blockHash() };
  if (kind === 2)
    return { kind: "swaps", firstId, lastId, events: await swapEvents(session, firstId, lastId) };
  return readReorg(cells, firstId, lastId, height);
}
