// The source of every query for operations: one snapshot, and what is known of it.

import type { Tick } from "../../../primitives/brands.ts";
import type { AddressFinder } from "../address-ids.ts";
import type { Connection } from "../connection.ts";

/** A snapshot in which operations are looked for. */
export interface OperationReader {
  readonly connection: Connection;
  readonly finder: AddressFinder;
  /** The kinds of a ticker's operations. */
  readonly kindsOfTick: (tick: Tick) => ReadonlySet<number>;
}
