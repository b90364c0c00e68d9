// Finds the id of an address by its text.

import { CellReader } from "../../store-rows/cells.ts";
import type { Session } from "../session.ts";

/** Id of an address, or null where no row names it. */
export async function findAddress(session: Session, text: string): Promise<number | null> {
  const row = await session.first("SELECT id FROM address WHERE text = $1", text);
  return row === null ? null : new CellReader(row).int();
}
