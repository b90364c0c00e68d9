// The log of the event ids that the service has given (H-39). It has one row per block, reorganisation or group of swap
// events, and is bounded. Ids only grow, also over rewinds, restarts, a wipe and a copy that is put back.

import { isCountDue, LOGGED_GROUPS, LOGGED_SWAP_EVENTS } from "../../index/event-groups.ts";
import { blobOf, CellReader } from "../store-rows/cells.ts";
import type { Reorg } from "../store-rows/event-reads.ts";
import type { Session } from "./session.ts";
import { RowBatch } from "./write/row-batch.ts";

const NEXT = `SELECT coalesce((SELECT max(seq) FROM event_log), 0),
  coalesce((SELECT value::bigint FROM meta WHERE key = 'last_event_id'), 0)`;

/** Groups that a transaction appends. */
export class EventLogEntries {
  /** The highest id given before. */
  readonly #before: number;
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
    this.#before = lastId;
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
    if (isCountDue(this.#before, this.#lastId)) await trimSwapGroups(session);
    await session.run(
      `DELETE FROM swap_event
         WHERE id < coalesce((SELECT min(first_id) FROM event_log), 9007199254740991)`,
    );
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

/** Drops what is older than the swap events that are kept: a gap would hide events from whoever resumes before it. */
async function trimSwapGroups(session: Session): Promise<void> {
  await session.run(
    `DELETE FROM event_log WHERE first_id <= (SELECT id FROM swap_event ORDER BY id DESC LIMIT 1
       OFFSET ${LOGGED_SWAP_EVENTS})`,
  );
}
