// The newest changes of the swap tables, for ledgers in other processes. Who has seen one reads those behind it; who was
// away for too long finds a gap, reads what is stored and goes on from there.

import { createHash } from "node:crypto";
import type { ToldChange } from "../../../swaps/ledger/ports.ts";
import { CellReader, type Cells } from "../../store-rows/cells.ts";
import type { Session } from "../session.ts";

/** Changes that are kept. */
const KEPT = 2000;
/** Characters of a change that is told; a longer one, as while syncing, leaves a gap. */
const LONGEST = 1_000_000;
/**
 * Changes that one look reads, and bytes of them, above which it reads no further one: hundreds of long ones fill a
 * process.
 */
const READ_AT_ONCE = 500;
const READ_BYTES = 8_000_000;

/** Which change was followed last. */
export interface ChangeMark {
  /** 0: none. */
  readonly id: number;
  /** SHA-256 of its text: a database that has lost changes gives their numbers to others. */
  readonly hash: string;
}

/** A change as it was told. */
export interface FollowedChange extends ChangeMark {
  readonly text: string;
}

const HASH = "encode(sha256(convert_to(body, 'UTF8')), 'hex')";

/** Tells a change, in its transaction; one that is too long leaves a gap: whoever follows reads what is stored. */
export async function tellChange(session: Session, { text }: ToldChange): Promise<void> {
  if (text === null || text.length > LONGEST) return leaveGap(session);
  await session.run(
    "INSERT INTO swap_change (id, body) SELECT coalesce(max(id), 0) + 1, $1 FROM swap_change",
    text,
  );
  await session.run("DELETE FROM swap_change WHERE id <= (SELECT max(id) FROM swap_change) - $1", KEPT);
}

/** Leaves a gap, across which nobody follows. */
export async function leaveGap(session: Session): Promise<void> {
  await session.run(
    "INSERT INTO swap_change (id, body) SELECT coalesce(max(id), 0) + 2, '' FROM swap_change",
  );
  await session.run("DELETE FROM swap_change WHERE id < (SELECT max(id) FROM swap_change)");
}

/** The newest change. */
export async function newestChange(session: Session): Promise<ChangeMark> {
  const row = await session.first(`SELECT id, ${HASH} FROM swap_change ORDER BY id DESC LIMIT 1`);
  if (row === null) return { id: 0, hash: "" };
  const cells = new CellReader(row);
  return { id: cells.int(), hash: cells.text() };
}

/** Its number alone; 0 where there is none. */
export async function newestNumber(session: Session): Promise<number> {
  const row = await session.first("SELECT coalesce(max(id), 0) FROM swap_change");
  return row === null ? 0 : new CellReader(row).int();
}

/** The next changes behind this one; null where there is a gap, or where this one is not there as it was. */
export async function changesBehind(
  session: Session,
  { id, hash }: ChangeMark,
): Promise<readonly FollowedChange[] | null> {
  const rows = await session.all(
    `SELECT id, CASE WHEN id = $1 THEN ${HASH} ELSE body END FROM (
       SELECT id, body, sum(bytes) OVER (ORDER BY id) - bytes AS bytes_before FROM (
         SELECT id, body, CASE WHEN id = $1 THEN 0 ELSE octet_length(body) END AS bytes
           FROM swap_change WHERE id >= $1 ORDER BY id LIMIT $2) AS next) AS counted
       WHERE bytes_before <= $3 ORDER BY id`,
    id,
    READ_AT_ONCE + 1,
    READ_BYTES,
  );
  const [first, ...changes] = [...(id === 0 ? [{ id, text: hash }] : []), ...rows.map(readRow)];
  if (first?.id !== id || first.text !== hash) return null;
  return changes.every((change, at) => change.id === id + 1 + at)
    ? changes.map((change) => ({ ...change, hash: hashOf(change.text) }))
    : null;
}

function readRow(row: Cells): { readonly id: number; readonly text: string } {
  const cells = new CellReader(row);
  return { id: cells.int(), text: cells.text() };
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
