// The record that a rewind needs to take a block back: the before-images of balances and tokens, and the derived rows
// that the block changed. Operations and listings carry their places, so they need no record.

import type { Change, TokenRow } from "../../prc20/state.ts";
import { type Cell, CellReader } from "./cells.ts";
import { type Amounts, type BlockRow, readToken, tokenCells } from "./row-shapes.ts";

/** A balance before a block. */
export interface BalanceImage {
  readonly addressId: number;
  readonly tick: string;
  readonly before: Amounts | null;
}

/** A token before a block; `before` null where the block deployed it. */
export interface TokenImage {
  readonly tick: string;
  readonly before: TokenRow | null;
}

/** The image of a token that a block changed. */
export function tokenImage({ before, after }: Change<TokenRow>): TokenImage {
  const row = before ?? after;
  if (row === null) throw new Error("store: a token change without rows");
  return { tick: row.tick, before };
}

/** Before-images of one block. */
export interface UndoRecord {
  readonly balances: readonly BalanceImage[];
  readonly tokens: readonly TokenImage[];
  /** Tickers with a floor row of this block. */
  readonly floors: readonly string[];
  /** Tickers with a fill in this block. */
  readonly fills: readonly string[];
}

/** A block that a rewind takes back, with its record. */
export interface UndoneBlock {
  readonly block: BlockRow;
  readonly record: UndoRecord;
}

/** The images of the oldest of these blocks that have each, newest first given: what the rewind brings back. */
export function oldestImages(undone: readonly UndoneBlock[]): {
  readonly balances: readonly BalanceImage[];
  readonly tokens: readonly TokenImage[];
} {
  const balances = new Map<string, BalanceImage>();
  const tokens = new Map<string, TokenImage>();
  for (const { record } of undone) {
    for (const image of record.balances) balances.set(`${image.addressId} ${image.tick}`, image);
    for (const image of record.tokens) tokens.set(image.tick, image);
  }
  return { balances: [...balances.values()], tokens: [...tokens.values()] };
}

/** Counts as they follow from what a rewind undid: counting all rows would let its cost grow with the past. */
export interface RewoundCounts {
  readonly distinctHolders: number;
  readonly listsOpen: number;
  readonly listsExpiredOpen: number;
}

/** Throws where a rewind to `target` has left another tip, operations behind it, or other counts than its. */
export function assertRewound(
  target: BlockRow,
  tip: BlockRow | null,
  lastPlace: number,
  counts: RewoundCounts,
): void {
  if (
    tip?.digest === target.digest &&
    lastPlace < target.totals.nextPlace &&
    counts.listsOpen === target.totals.listsOpen &&
    counts.distinctHolders === target.distinctHolders &&
    counts.listsExpiredOpen === target.listsExpiredOpen
  )
    return;
  throw new Error(`store: the rewind to ${target.height} does not reach the state of that block`);
}

/** One line per balance: address id, ticker and, where a row was stored, its two amounts. */
export function balanceLine(addressId: number, tick: string, before: Amounts | null): string {
  return before === null
    ? `${addressId} ${tick}\n`
    : `${addressId} ${tick} ${before.balance} ${before.locked}\n`;
}

/** The record as text; `balances` are the lines of `balanceLine`, joined. */
export function encodeUndo(record: {
  readonly balances: string;
  readonly tokens: readonly TokenImage[];
  readonly floors: readonly string[];
  readonly fills: readonly string[];
}): string {
  const tokens = record.tokens.map(({ tick, before }) => (before === null ? [tick] : tokenCells(before)));
  return JSON.stringify([record.balances, tokens, record.floors, record.fills]);
}

/** The record of a text that `encodeUndo` made. */
export function decodeUndo(text: string): UndoRecord {
  const parts: unknown = JSON.parse(text);
  if (!Array.isArray(parts)) throw new Error("store: an undo record is damaged");
  const [balances, tokens, floors, fills]: unknown[] = parts;
  if (typeof balances !== "string" || !Array.isArray(tokens))
    throw new Error("store: an undo record is damaged");
  return {
    balances: balances.split("\n").filter(Boolean).map(balanceImage),
    tokens: tokens.map(imageIn),
    floors: texts(floors),
    fills: texts(fills),
  };
}

function balanceImage(line: string): BalanceImage {
  const [id, tick, balance, locked] = line.split(" ");
  if (id === undefined || tick === undefined || (balance === undefined) !== (locked === undefined))
    throw new Error("store: an undo record is damaged");
  const before =
    balance === undefined || locked === undefined
      ? null
      : { balance: BigInt(balance), locked: BigInt(locked) };
  return { addressId: Number(id), tick, before };
}

function imageIn(cells: unknown): TokenImage {
  if (!isCells(cells)) throw new Error("store: an undo record is damaged");
  const tick = new CellReader(cells).text();
  return { tick, before: cells.length === 1 ? null : readToken(new CellReader(cells)) };
}

function isCells(value: unknown): value is Cell[] {
  return Array.isArray(value);
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
