// Lets another thread answer questions about the index: the read port on a connection of its own, beside the store that
// owns the database.

import type { IndexQueries } from "../../../index/queries.ts";
import { AddressFinder } from "../address-ids.ts";
import { openReader } from "../connection.ts";
import { sqliteQueries } from "./queries.ts";

/** The read port alone, and the way to end it. */
export interface ReadOnlyIndex {
  readonly queries: IndexQueries;
  /** Closes the connection; `queries` throws afterwards. */
  close(): void;
}

/** Opens a database that a store has open. @throws where there is no database of this version at `file`. */
export function openReadOnlyIndex(file: string): ReadOnlyIndex {
  const connection = openReader(file);
  try {
    const queries = sqliteQueries(connection, new AddressFinder(connection));
    return { queries, close: () => connection.close() };
  } catch (error) {
    connection.close();
    throw error;
  }
}
