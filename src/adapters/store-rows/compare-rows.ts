// Finds the rows in which two indexes differ, in whatever engines they are. Both are read in the same order and merged, so
// that only some rows of each are in memory, however many there are.

import type { LongStep } from "../../index/verify.ts";
import { elementAt, zip } from "../../primitives/elements.ts";
import { plainText } from "../../primitives/plain-json.ts";
import { type Cell, CellReader, type Cells } from "./cells.ts";
import { allRows, firstRow, type Reading } from "./reading.ts";
import { type Section, type SectionName, SECTIONS } from "./sections.ts";
import { decodeUndo } from "./undo-record.ts";

/** Differing rows named per kind of rows and side; a wrong index often differs in thousands. */
const NAMED_ROWS = 5;

/** Findings as steps. */
export function* findings(sentences: Iterable<string>): Generator<LongStep, void, void> {
  for (const finding of sentences) yield { finding };
}

/** Rows after which a step says that it goes on. */
export const ROWS_PER_STEP = 5000;

/** Rows of one state of an index. */
export interface IndexRows {
  /** The rows of a section in the order of its keys, some at a time. */
  pieces(section: SectionName): Iterable<readonly Cells[]> | AsyncIterable<readonly Cells[]>;
  /** Carries out a read of the same state. */
  answer<Answer>(reading: Reading<Answer>): Promise<Answer>;
}

/** Heights of the blocks that have an undo record, ascending. */
export function* undoHeights(): Reading<readonly number[]> {
  const rows = yield* allRows("SELECT height FROM undo ORDER BY height");
  return rows.map((row) => new CellReader(row).int());
}

function* undoRecord(height: number): Reading<string | null> {
  const row = yield* firstRow("SELECT record FROM undo WHERE height = ?", height);
  return row === null ? null : new CellReader(row).text();
}

/** The addresses of interned ids, those that there are; asked for by the thousand. */
function* addressesOf(ids: ReadonlySet<number>): Reading<ReadonlyMap<number, string>> {
  const rows = yield* allRows("SELECT id, text FROM address WHERE id IN (?*)", [...ids]);
  return new Map(
    rows.map((row) => {
      const cells = new CellReader(row);
      return [cells.int(), cells.text()];
    }),
  );
}

/** Differences of `held` from `right`, the first few of each kind of rows. */
export async function* compareIndexes(
  held: IndexRows,
  right: IndexRows,
): AsyncGenerator<LongStep, void, void> {
  for (const section of SECTIONS) yield* compareSection(held, right, section);
  yield* compareUndo(held, right);
}

/** A section's rows one by one. */
class RowCursor {
  readonly #pieces: Iterator<readonly Cells[]> | AsyncIterator<readonly Cells[]>;
  #piece: readonly Cells[] = [];
  #at = 0;

  constructor(pieces: ReturnType<IndexRows["pieces"]>) {
    this.#pieces =
      Symbol.asyncIterator in pieces ? pieces[Symbol.asyncIterator]() : pieces[Symbol.iterator]();
  }

  /** The present row; null where there is none, for now or for good: `more` tells. */
  get row(): Cells | null {
    return this.#piece[this.#at] ?? null;
  }

  advance(): void {
    this.#at += 1;
  }

  /** Reads on where the present rows are used up. Afterwards a null row means the end. */
  async more(): Promise<void> {
    while (this.#at >= this.#piece.length) {
      const { done, value } = await this.#pieces.next();
      if (done === true) return;
      [this.#piece, this.#at] = [value, 0];
    }
  }

  /** Gives up what is not read. */
  async end(): Promise<void> {
    await this.#pieces.return?.();
  }
}

async function* compareSection(
  held: IndexRows,
  right: IndexRows,
  section: Section,
): AsyncGenerator<LongStep, void, void> {
  const { part, name, show } = section;
  const [ours, theirs] = [new RowCursor(held.pieces(name)), new RowCursor(right.pieces(name))];
  const counts = { held: 0, right: 0, onlyHeld: 0, onlyRight: 0 };
  try {
    for (;;) {
      // Most rows are there: only where a piece is used up is anything waited for.
      if (ours.row === null) await ours.more();
      if (theirs.row === null) await theirs.more();
      const [one, other] = [ours.row, theirs.row];
      if (one === null && other === null) break;
      const order = orderOf(one, other, section);
      const isEqual = order === 0 && one !== null && other !== null && isSameRow(one, other, section);
      if (order <= 0 && one !== null) {
        counts.held += 1;
        if (!isEqual && (counts.onlyHeld += 1) <= NAMED_ROWS)
          yield { finding: `${part}: only the index holds ${JSON.stringify(show(one))}` };
        ours.advance();
      }
      if (order >= 0 && other !== null) {
        counts.right += 1;
        if (!isEqual && (counts.onlyRight += 1) <= NAMED_ROWS)
          yield { finding: `${part}: only the replay makes ${JSON.stringify(show(other))}` };
        theirs.advance();
      }
      if ((counts.held + counts.right) % ROWS_PER_STEP === 0) yield { reading: name, rows: ROWS_PER_STEP };
    }
  } finally {
    await Promise.all([ours.end(), theirs.end()]);
  }
  yield* summed(section, counts);
}

function* summed(
  { part, name }: Section,
  counts: {
    readonly held: number;
    readonly right: number;
    readonly onlyHeld: number;
    readonly onlyRight: number;
  },
): Generator<LongStep, void, void> {
  if (counts.held !== counts.right) {
    const sentence = `the index holds ${counts.held} rows of ${name}, the replay makes ${counts.right}`;
    yield { finding: `${part}: ${sentence}` };
  }
  const unnamed = Math.max(0, counts.onlyHeld - NAMED_ROWS) + Math.max(0, counts.onlyRight - NAMED_ROWS);
  if (unnamed > 0) yield { finding: `${part}: ${unnamed} more rows of ${name} differ` };
}

/** Below 0 where the first row stands before the second one, or alone. */
function orderOf(one: Cells | null, other: Cells | null, { keys }: Section): number {
  if (one === null) return 1;
  if (other === null) return -1;
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

/** Cells that differ may show the same: engines keep some values as other types. */
function isSameRow(one: Cells, other: Cells, { show }: Section): boolean {
  if (one.length === other.length && zip(one, other).every(([a, b]) => compareCells(a, b) === 0)) return true;
  return JSON.stringify(show(one)) === JSON.stringify(show(other));
}

/** Undo records of the blocks of which both have one. */
async function* compareUndo(held: IndexRows, right: IndexRows): AsyncGenerator<LongStep, void, void> {
  for (const height of await right.answer(undoHeights())) {
    const [one, other] = [await shownUndo(held, height), await shownUndo(right, height)];
    if (one !== null && one.text !== other?.text)
      yield { finding: `undo: the record of block ${height} does not undo that block` };
    yield { reading: "undo records", rows: (one?.images ?? 0) + (other?.images ?? 0) };
  }
}

/** A record with addresses in place of their ids, and how many balances it holds; null where there is none. */
async function shownUndo(
  rows: IndexRows,
  height: number,
): Promise<{ readonly text: string; readonly images: number } | null> {
  const record = await rows.answer(undoRecord(height));
  if (record === null) return null;
  try {
    const { balances, tokens, floors, fills } = decodeUndo(record);
    const texts = await rows.answer(addressesOf(new Set(balances.map(({ addressId }) => addressId))));
    const named = balances.map(
      ({ addressId, tick, before }) =>
        `${texts.get(addressId) ?? null} ${tick} ${before?.balance ?? ""} ${before?.locked ?? ""}`,
    );
    const lists = [named, tokens, floors, fills].map((list) => list.map(plainText).toSorted());
    return { text: JSON.stringify(lists), images: balances.length };
  } catch (error) {
    return { text: String(error), images: 0 };
  }
}
