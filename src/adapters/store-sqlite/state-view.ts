// Which state does an answer come from (H-09)? The tip, read inside the same snapshot as the answer.

import type { Snapshot, StateView } from "../../service/queries.ts";
import { tipRow } from "./block-rows.ts";
import type { Connection } from "./connection.ts";
import { NO_TOTALS } from "./row-shapes.ts";

/** The present state of the connection's snapshot. */
function stateView(connection: Connection): StateView {
  const tip = tipRow(connection);
  if (tip === null) return { height: -1, hash: null, time: 0, digest: null, totals: NO_TOTALS };
  const { height, hash, time, digest, totals } = tip;
  return { height, hash, time, digest, totals };
}

/** Runs a read on one snapshot and says which state it saw. */
export function inSnapshot<Value>(
  connection: Connection,
  read: (state: StateView) => Value,
): Snapshot<Value> {
  return connection.snapshot(() => {
    const state = stateView(connection);
    return { state, value: read(state) };
  });
}
