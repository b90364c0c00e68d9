// A whole index as the rows of its tables, by which it moves from one storage engine to the other. Tables and columns of
// both engines have the same names and meanings; what only one of them keeps beside a row (`address.hash`, `address.held`,
// the texts of `op`) the other gives or takes under that name.

import type { StoredParameters } from "../../index/ports.ts";
import type { Cells } from "./cells.ts";
import { INDEX_TABLES } from "./written-rows.ts";

/** Tables whose rows follow from the chain. The event log belongs to the service that wrote it. */
export const CHAIN_TABLES: readonly string[] = INDEX_TABLES.filter((table) => table !== "event_log");

/** What an index says of itself beside its rows. */
export interface IndexIdentity {
  readonly parameters: StoredParameters;
  /** No event of the new database may have an id up to this one. */
  readonly lastEventId: number;
}

/** The rows of an index, all of one state. */
export interface IndexContents<Rows extends Iterable<Cells> | AsyncIterable<readonly Cells[]>> {
  readonly identity: IndexIdentity;
  /** All rows of a table with these columns, in the order of its primary key. */
  readonly rows: (table: string, columns: readonly string[]) => Rows;
}
