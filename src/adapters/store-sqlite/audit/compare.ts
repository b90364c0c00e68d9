// Finds the rows in which two databases differ. Both are read in the same order and merged, so that only one row of
// each is in memory, however many there are.

import { elementAt, zip } from "../../../primitives/elements.ts";
import type { LongStep } from "../../../index/verify.ts";
import { type Cell, type Cells, CellReader } from "../../store-rows/cells.ts";
import type { Connection } from "../connection.ts";
import { type Section, SECTIONS } from "./dump.ts";
import { decodeUndo } from "../../store-rows/undo-record.ts";

/** Differing rows named per kind of rows and side; a wrong index often differs in thousands. */
const NAMED_ROWS = 5;

/** A step of a long look, so that the caller can go on later. */
export type Step = LongStep;

/** Findings as steps. */
export function* findings(sentences: Iterable<string>): Generator<Step, void, void> {
  for (const finding of sentences) yield { finding };
}

/** Rows after which a step says that it goes on. */
export const ROWS_PER_STEP = 5000;

/** Differences of `held` from `right`, the first few of each kind of rows. Both must be within a transaction. */
export function* compareStores(held: Connection, right: Connection): Generator<Step, void, void> {
  for (const section of SECTIONS) yield* compareSection(held, right, section);
  yield* compareUndo(held, right);
}

function* compareSection(held: Connection, right: Connection, section: Section): Generator<Step, void, void> {
  const { part, name, sql, keys, show } = section;
  const [ours, theirs] = [held.each(sql), right.each(sql)];
  const counts = { held: 0, right: 0, onlyHeld: 0, onlyRight: 0 };
  let [one, other] = [next(ours), next(theirs)];
  while (one !== null || other !== null) {
    const order = one === null ? 1 : other === null ? -1 : compareKeys(one, other, keys);
    const isEqual = order === 0 && one !== null && other !== null && sameCells(one, other);
    if (order <= 0 && one !== null) {
      counts.held += 1;
      if (!isEqual && (counts.onlyHeld += 1) <= NAMED_ROWS)
        yield { finding: `${part}: only the index holds ${JSON.stringify(show(one))}` };
      one = next(ours);
    }
    if (order >= 0 && other !== null) {
      counts.right += 1;
      if (!isEqual && (counts.onlyRight += 1) <= NAMED_ROWS)
        yield { finding: `${part}: only the replay makes ${JSON.stringify(show(other))}` };
      other = next(theirs);
    }
    if ((counts.held + counts.right) % ROWS_PER_STEP === 0) yield { reading: name, rows: ROWS_PER_STEP };
  }
  if (counts.held !== counts.right) {
    const sentence = `the index holds ${counts.held} rows of ${name}, the replay makes ${counts.right}`;
    yield { finding: `${part}: ${sentence}` };
  }
  const unnamed = Math.max(0, counts.onlyHeld - NAMED_ROWS) + Math.max(0, counts.onlyRight - NAMED_ROWS);
  if (unnamed > 0) yield { finding: `${part}: ${unnamed} more rows of ${name} differ` };
}

function next(rows: Generator<Cells>): Cells | null {
  const { done, value } = rows.next();
  return done === true ? null : value;
}

function compareKeys(one: Cells, other: Cells, keys: readonly number[]): number {
  for (const key of keys) {
    const order = compareCells(elementAt(one, key), elementAt(other, key));
    if (order !== 0) return order;
  }
  return 0;
}

/** The order of SQLite: NULL, then numbers, then texts by their UTF-8 bytes, then bytes. */
function compareCells(one: Cell, other: Cell): number {
  const kinds = kindOfCell(one) - kindOfCell(other);
  if (kinds !== 0) return kinds;
  if (typeof one === "string" && typeof other === "string")
    return one === other ? 0 : Buffer.compare(Buffer.from(one), Buffer.from(other));
  if (one instanceof Uint8Array && other instanceof Uint8Array) return Buffer.compare(one, other);
  return Number(one) - Number(other);
}

function kindOfCell(cell: Cell): number {
  if (cell === null) return 0;
  return typeof cell === "string" ? 2 : cell instanceof Uint8Array ? 3 : 1;
}

function sameCells(one: Cells, other: Cells): boolean {
  return one.length === other.length && zip(one, other).every(([a, b]) => compareCells(a, b) === 0);
}

/** Undo records of the blocks of which both have one. */
function* compareUndo(held: Connection, right: Connection): Generator<Step, void, void> {
  for (const row of right.all("SELECT height FROM undo ORDER BY height")) {
    const height = new CellReader(row).int();
    const [one, other] = [undoText(held, height), undoText(right, height)];
    if (one !== null && one !== other)
      yield { finding: `undo: the record of block ${height} does not undo that block` };
    yield { reading: "undo records", rows: 1 };
  }
}

/** A record with addresses in place of their ids; null where there is none. */
function undoText(connection: Connection, height: number): string | null {
  const row = connection.first("SELECT record FROM undo WHERE height = ?", height);
  if (row === null) return null;
  try {
    const { balances, tokens, floors, fills } = decodeUndo(new CellReader(row).text());
    const named = balances.map(({ addressId, tick, before }) => {
      const address = connection.first("SELECT text FROM address WHERE id = ?", addressId);
      return `${String(address?.[0])} ${tick} ${before?.balance ?? ""} ${before?.locked ?? ""}`;
    });
    const lists = [named, tokens, floors, fills].map((list) =>
      list
        .map((each) => JSON.stringify(each, (_, v: unknown) => (typeof v === "bigint" ? `${v}` : v)))
        .toSorted(),
    );
    return JSON.stringify(lists);
  } catch (error) {
    return String(error);
  }
}
