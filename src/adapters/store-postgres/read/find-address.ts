// Finds the id of an address by its text.

import { CellReader } from "../../store-rows/cells.ts";
import { firstRow, type Reading } from "../../store-rows/reading.ts";

/** Id of an address, or null where no row names it. */
export function* findAddress(text: string): Reading<number | null> {
  const row = yield* firstRow("SELECT id FROM address WHERE text = ?", text);
  return row === null ? null : new CellReader(row).int();
}
