// The newest changes of the swap tables, for ledgers in other processes. Who has seen one reads those behind it; who was
// away for too long finds a gap, reads what is stored and goes on from there.

import type { ToldChange } from "../../../swaps/ledger/told-change.ts";
import { CellReader } from "../../store-rows/cells.ts";
import type { Session } from "../session.ts";

/** Changes that are kept. */
const KEPT = 2000;
/** Characters of a change that is told; a longer one, as while syncing, leaves a gap. */
const LONGEST = 1_000_000;
/** Changes that one look reads. */
const READ_AT_ONCE = 500;

/** A change as it was told. */
export interface FollowedChange {
  readonly id: number;
  readonly text: string;
}

/** Tells a change, in its transaction. */
export async function tellChange(session: Session, { text, hasPicture }: ToldChange): Promise<void> {
  if (text.length > LONGEST) return skipChange(session);
  await session.run(
    `INSERT INTO swap_change (id, has_picture, body)
       SELECT coalesce(max(id), 0) + 1, $1, $2 FROM swap_change`,
    hasPicture ? 1 : 0,
    text,
  );
  await session.run(
    `DELETE FROM swap_change WHERE id <= (SELECT max(id) FROM swap_change) - ${KEPT}
       AND id IS DISTINCT FROM (SELECT max(id) FROM swap_change WHERE has_picture = 1)`,
  );
}

/** Leaves a gap: whoever follows reads what is stored. */
export async function skipChange(session: Session): Promise<void> {
  await session.exec(
    "INSERT INTO swap_change (id, has_picture, body) SELECT coalesce(max(id), 0) + 2, 0, '' FROM swap_change",
  );
}

/** Id of the newest change; 0 where there is none. */
export async function newestChange(session: Session): Promise<number> {
  const row = await session.first("SELECT coalesce(max(id), 0) FROM swap_change");
  return row === null ? 0 : new CellReader(row).int();
}

/** The next changes behind the one with this id; null where there is a gap. */
export async function changesBehind(session: Session, id: number): Promise<readonly FollowedChange[] | null> {
  const rows = await session.all(
    "SELECT id, body FROM swap_change WHERE id > $1 ORDER BY id LIMIT $2",
    id,
    READ_AT_ONCE,
  );
  const changes = rows.map((row) => {
    const cells = new CellReader(row);
    return { id: cells.int(), text: cells.text() };
  });
  return changes.every((change, at) => change.id === id + 1 + at) ? changes : null;
}

/** The newest change that shows the mempool, or null. */
export async function newestPicture(session: Session): Promise<string | null> {
  const row = await session.first(
    "SELECT body FROM swap_change WHERE has_picture = 1 ORDER BY id DESC LIMIT 1",
  );
  return row === null ? null : new CellReader(row).text();
}
