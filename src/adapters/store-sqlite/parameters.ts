// The parameters with which the database was built (P-01).

import type { StoredParameters } from "../../index/ports.ts";
import { CellReader } from "../store-rows/cells.ts";
import type { Connection } from "./connection.ts";
import { parametersIn } from "../store-rows/parameters.ts";

/** The stored parameters, or null where the database is new. */
export function storedParameters(connection: Connection): StoredParameters | null {
  const row = connection.first("SELECT value FROM meta WHERE key = 'parameters'");
  if (row === null) return null;
  return parametersIn(new CellReader(row).text());
}
