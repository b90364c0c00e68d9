// Looks at what digests and books of an index leave open: whether its rows are numbered as by this program, so that it can
// go on with them, and whether they are what was inscribed. The digest speaks neither of texts and times nor of the terms of
// tokens and listings. What no chain could have made is found. A text that somebody could have inscribed, and did not, is
// bound by a replay alone.

import type { LongStep } from "../../../index/verify.ts";
import { type DecidingTools, saysItsText } from "../../../prc20/decide-again.ts";
import { BODY_MAX_BYTES } from "../../../prc20/rules.ts";
import type { ListingRow, OperationRow } from "../../../prc20/state.ts";
import { isSameValue } from "../../../primitives/same-value.ts";
import { CellReader } from "../../store-rows/cells.ts";
import {
  type BlockRow,
  LISTING_COLUMNS,
  LISTING_JOINS,
  OPERATION_COLUMNS,
  operationRowOf,
  readListing,
} from "../../store-rows/row-shapes.ts";
import { storedToken } from "../../store-rows/token-reads.ts";
import { answered } from "../answered.ts";
import { storedBlocks } from "../block-rows.ts";
import type { Connection } from "../connection.ts";

/** Texts that are too long are not even read. */
const TOO_LONG = "SELECT count(*) FROM op WHERE length(CAST(payload AS BLOB)) > ?";
const OPERATIONS = `SELECT op.listing_place, ${OPERATION_COLUMNS} FROM op ORDER BY op.place`;
const LISTING = `SELECT ${LISTING_COLUMNS} FROM listing ${LISTING_JOINS} WHERE listing.place = ?`;
const ENDED_AT_OTHER_TIMES = `SELECT count(*) FROM listing LEFT JOIN block ON block.height = listing.close_height
  WHERE listing.close_place IS NOT NULL AND block.time IS NOT listing.close_time`;
/** Numbers of a table, of which the next one is above all of them. */
const NUMBERS = (table: string): string =>
  `SELECT count(*), count(DISTINCT text), min(id), max(id) FROM ${table}`;
/** Far more than there will be, with as many behind it. */
const LARGEST_NUMBER = 2 ** 48;
/** Every place has an operation, an end of a listing, or both. */
const PLACES = `SELECT count(*), coalesce(min(place), 0), coalesce(max(place), -1) FROM
  (SELECT place FROM op UNION SELECT close_place FROM listing WHERE close_place IS NOT NULL)`;
/** Times of headers have 32 bits. */
const LAST_TIME = 0xffff_ffff;

/**
 * Whether operations, tokens, listings and times are what inscribed texts, signatures and blocks make of them; at most one
 * difference. Counts of tokens and of listings in the totals, and the digest, must be right.
 */
export function* termsFromRows(
  connection: Connection,
  tools: DecidingTools,
): Generator<LongStep, void, void> {
  const terms = new Terms(connection, tools);
  const fault = terms.ofTables();
  if (fault !== null) yield { finding: fault };
  else yield* terms.ofOperations();
}

class Terms {
  readonly #connection: Connection;
  readonly #tools: DecidingTools;
  readonly #blocks: Generator<BlockRow>;
  #block: BlockRow | null = null;
  #before: OperationRow | null = null;
  #tokens = 0;
  #listings = 0;

  constructor(connection: Connection, tools: DecidingTools) {
    this.#connection = connection;
    this.#tools = tools;
    this.#blocks = storedBlocks(connection);
  }

  /** What can be told of whole tables, as a sentence; null where nothing is wrong. */
  ofTables(): string | null {
    let places = 0;
    for (const { height, time, totals, previousHash } of storedBlocks(this.#connection)) {
      if (!isCount(time) || time > LAST_TIME) return `The time of block ${height} is none.`;
      if (previousHash === null && totals.nextPlace !== 0) return "There are places before the first block.";
      places = totals.nextPlace;
    }
    if (!this.#isWhole(places)) return "The places of operations and ends of listings have gaps.";
    for (const table of ["address", "op_name"] as const)
      if (!this.#isNumbered(table)) return `The rows of ${table} are not numbered as they come.`;
    if (this.#count(TOO_LONG, BODY_MAX_BYTES) > 0) return "An inscribed text is too long.";
    if (this.#count(ENDED_AT_OTHER_TIMES) > 0) return "A listing did not end at the time of its block.";
    return null;
  }

  /** Whether all places below `places` are taken, and no other ones. */
  #isWhole(places: number): boolean {
    const cells = new CellReader(this.#connection.first(PLACES) ?? []);
    const [count, first, last] = [cells.int(), cells.int(), cells.int()];
    return count === places && first === 0 && last === places - 1;
  }

  /** Whether no text is there twice, and all numbers are above 0 and leave room for further ones. */
  #isNumbered(table: "address" | "op_name"): boolean {
    const cells = new CellReader(this.#connection.first(NUMBERS(table)) ?? []);
    const [rows, texts, first, last] = [cells.int(), cells.int(), cells.intOrNull(), cells.intOrNull()];
    return rows === texts && (first ?? 1) > 0 && (last ?? 1) < LARGEST_NUMBER;
  }

  /** Each operation with what it has made, in chain order. */
  *ofOperations(): Generator<LongStep, void, void> {
    for (const row of this.#connection.each(OPERATIONS)) {
      const cells = new CellReader(row);
      const listingPlace = cells.intOrNull();
      const operation = operationRowOf(cells);
      if (!this.#isBehind(operation) || !this.#isRight(operation, listingPlace)) {
        yield { finding: `The operation at place ${operation.place} did not do what its text says.` };
        return;
      }
      this.#before = operation;
      yield { reading: "inscribed texts", rows: 1 };
    }
    const [tokens, listings] = [
      this.#count("SELECT count(*) FROM token"),
      this.#count("SELECT count(*) FROM listing"),
    ];
    if (tokens !== this.#tokens || listings !== this.#listings)
      yield { finding: "There are tokens or listings that no operation has made." };
  }

  /** Within a block transactions have numbers that grow, and inputs of one do (P-10). */
  #isBehind({ height, txIndex, txid, vout }: OperationRow): boolean {
    if (!isCount(txIndex) || !isCount(vout) || txIndex === 0) return false;
    const before = this.#before;
    if (before === null || before.height !== height) return true;
    return before.txIndex === txIndex
      ? before.txid === txid && before.vout < vout
      : before.txIndex < txIndex && before.txid !== txid;
  }

  #isRight(operation: OperationRow, listingPlace: number | null): boolean {
    const time = this.#timeOf(operation.height);
    if (time === null) return false;
    const listing = listingPlace === null ? null : this.#listing(listingPlace);
    if (operation.valid && operation.op === "deploy") this.#tokens += 1;
    if (operation.valid && operation.op === "list") this.#listings += 1;
    if (operation.valid && operation.op === "send" && !isFilledBy(listing, operation, time)) return false;
    const token = answered(this.#connection, storedToken(operation.tick));
    return saysItsText({ operation, time, token, listing }, this.#tools);
  }

  /** Time of a block; heights are asked for in their order. */
  #timeOf(height: number): number | null {
    while (this.#block === null || this.#block.height < height) {
      const next = this.#blocks.next();
      if (next.done === true) return null;
      this.#block = next.value;
    }
    return this.#block.height === height ? this.#block.time : null;
  }

  #listing(place: number): ListingRow | null {
    const row = this.#connection.first(LISTING, place);
    return row === null ? null : readListing(new CellReader(row)).listing;
  }

  #count(sql: string, ...values: readonly number[]): number {
    return new CellReader(this.#connection.first(sql, ...values) ?? [null]).int();
  }
}

/** Whether a listing ended by this send: at the input before it, whose place is the one before (P-60, P-63). */
function isFilledBy(listing: ListingRow | null, send: OperationRow, time: number): boolean {
  if (listing === null || listing.owner !== send.filledOwner || listing.amount !== send.amount) return false;
  const { txid, height, vout, place, to } = send;
  const end = { kind: "filled", txid, height, time, inputIndex: vout - 1, place: place - 1, buyer: to };
  return isSameValue(listing.close, end);
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0;
}
