// Tells which state an answer comes from (H-09): the tip, read inside the same snapshot as the answer, and remembered
// for as long as no other connection has committed anything.

import type { Snapshot, TipState } from "../../../index/queries.ts";
import { storedTip } from "../block-rows.ts";
import { CellReader } from "../../store-rows/cells.ts";
import { tipStateOf } from "../../store-rows/block-reads.ts";
import type { Connection } from "../connection.ts";

/** A state, and the number by which SQLite tells it from later ones. */
interface SeenState {
  readonly version: number;
  readonly state: TipState;
}

/** Snapshots of one read-only connection. */
export class StateReader {
  readonly #connection: Connection;
  readonly #onWipe: () => void;
  #seen: SeenState | null = null;
  #wipes: string | null = null;

  /** `onWipe`: called inside a snapshot, before its read, where the database was emptied since the last one. */
  constructor(connection: Connection, onWipe: () => void) {
    this.#connection = connection;
    this.#onWipe = onWipe;
    this.#wipes = wipesOf(connection);
  }

  /** Runs a read on one snapshot and says which state it saw. */
  read<Value>(read: (state: TipState) => Value): Snapshot<Value> {
    return this.#connection.snapshot(() => {
      const state = this.#present();
      return { state, value: read(state) };
    });
  }

  #present(): TipState {
    // This read begins the snapshot; its number stays the same until another connection's commit is visible in one.
    const row = this.#connection.first("PRAGMA data_version");
    const version = row === null ? 0 : new CellReader(row).int();
    if (this.#seen?.version === version) return this.#seen.state;
    const wipes = wipesOf(this.#connection);
    if (wipes !== this.#wipes) this.#onWipe();
    this.#wipes = wipes;
    const state = tipStateOf(storedTip(this.#connection));
    this.#seen = { version, state };
    return state;
  }
}

function wipesOf(connection: Connection): string | null {
  const row = connection.first("SELECT value FROM meta WHERE key = 'wipes'");
  return row === null ? null : new CellReader(row).text();
}
