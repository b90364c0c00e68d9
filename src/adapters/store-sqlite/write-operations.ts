// How are recorded operations stored, and in whose history (H-36) does each appear?

import type { StatementSync } from "node:sqlite";
import type { OperationRow } from "../../prc20/state.ts";
import { CellReader } from "./cells.ts";
import type { CommitReader } from "./commit-reader.ts";
import type { Connection } from "./connection.ts";
import { isValidKind, kindOf, namedKind, operationOf, UNKNOWN_KIND } from "./kinds.ts";
import { findListingPlace } from "./find-listing.ts";
import { amountText, NONE, OP, OP_CELLS, type PackedBlock } from "./packed-commit.ts";

const TXID_BYTES = 32;
const RECEIVING = new Set(["deploy", "mint", "transfer", "send"]);

/** Scope of the history rows that stand for every ticker. */
export const ANY_TICK = "*";

/** An operation in the history of an address; `tick` "" where it has no ticker scope. */
interface HistoryEntry {
  readonly address: number;
  readonly tick: string;
  readonly kind: number;
  readonly place: number;
}

/** Writes operation rows and history rows within the transactions of one connection. */
export class OperationWriter {
  readonly #connection: Connection;
  readonly #insert: StatementSync;
  readonly #history: StatementSync;
  readonly #scopedHistory: StatementSync;
  /** Places of listings that the present block touches, by id. */
  #listings = new Map<string, number>();
  #pending: HistoryEntry[] = [];

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#insert = connection.prepared(
      `INSERT INTO op (place, height, tx_index, txid, vout, kind, name_id, tick, reason, from_id, to_id, amount,
         listing_place, filled_owner_id, payload, from_text, to_text)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, CAST(? AS TEXT), ?, ?)`,
    );
    this.#history = connection.prepared(
      "INSERT INTO op_address (address_id, scope, kind, place) VALUES (?, ?, ?, ?)",
    );
    this.#scopedHistory = connection.prepared(
      "INSERT INTO op_address (address_id, scope, kind, place) VALUES (?, ?, ?, ?), (?, ?, ?, ?)",
    );
  }

  /** Stores the operations of a block. Throws where a row contradicts its block. */
  write(reader: CommitReader, block: PackedBlock, firstPlace: number): void {
    this.#listings = new Map();
    for (const { before, after } of block.listings) {
      const row = after ?? before;
      if (row !== null) this.#listings.set(row.id, row.createdPlace);
    }
    const cells = block.operations;
    let previous = firstPlace - 1;
    let start = 0;
    for (let at = 0; at < cells.length; at += OP_CELLS) {
      const place = cells[at + OP.place] ?? NONE;
      const end = cells[at + OP.end] ?? 0;
      if (place <= previous || place >= block.totals.nextPlace) {
        throw new Error(`store: operation at place ${place} does not belong to block ${block.height}`);
      }
      this.#writeOne(reader, block, at, start, end);
      previous = place;
      start = end;
    }
  }

  #writeOne(reader: CommitReader, block: PackedBlock, at: number, start: number, end: number): void {
    const { operations: cells, bytes } = block;
    const cell = (which: number): number => cells[at + which] ?? NONE;
    const [place, kind, amount, listing] = [cell(OP.place), cell(OP.kind), cell(OP.amount), cell(OP.listing)];
    const tick = reader.text(cell(OP.tick));
    const name = reader.textOrNull(cell(OP.name));
    const nameId = name === null ? null : this.#nameId(name);
    const from = reader.id(cell(OP.from));
    const to = reader.idOrNull(cell(OP.to));
    const owner = reader.idOrNull(cell(OP.owner));
    this.#insert.run(
      place,
      block.height,
      cell(OP.txIndex),
      bytes.subarray(start, start + TXID_BYTES),
      cell(OP.vout),
      kind,
      nameId,
      tick,
      reader.textOrNull(cell(OP.reason)),
      from,
      to,
      amount === NONE ? null : amountText(reader.commit, amount),
      listing === NONE ? null : this.#listingPlace(reader.text(listing)),
      owner,
      bytes.subarray(start + TXID_BYTES, end),
      reader.address(cell(OP.from)),
      to === null || to === from ? null : reader.address(cell(OP.to)),
    );
    this.#addHistory(from, tick, kind, place);
    if (nameId !== null) this.#addHistory(from, "", namedKind(nameId), place);
    const received = isReceived(kind, amount !== NONE && amount !== 0) ? to : null;
    if (received !== null && received !== from) this.#addHistory(received, tick, kind, place);
    if (owner !== null && owner !== from && owner !== received) this.#addHistory(owner, tick, kind, place);
  }

  /** Writes the gathered history rows, address by address: neighbours in the table are written together. */
  flush(): void {
    this.#pending.sort((a, b) => a.address - b.address || a.place - b.place);
    for (const { address, tick, kind, place } of this.#pending) {
      if (tick === "") this.#history.run(address, ANY_TICK, kind, place);
      else this.#scopedHistory.run(address, ANY_TICK, kind, place, address, tick, kind, place);
    }
    this.#pending = [];
  }

  /** Forgets what was gathered, after a transaction was rolled back. */
  discard(): void {
    this.#pending = [];
  }

  #addHistory(address: number, tick: string, kind: number, place: number): void {
    this.#pending.push({ address, tick, kind, place });
  }

  #listingPlace(id: string): number {
    const place = this.#listings.get(id) ?? findListingPlace(this.#connection, id);
    if (place === null) throw new Error(`store: an operation names ${id}, which is no listing`);
    return place;
  }

  #nameId(op: string): number {
    this.#connection.run("INSERT INTO op_name (text) VALUES (?) ON CONFLICT DO NOTHING", op);
    const row = this.#connection.first("SELECT id FROM op_name WHERE text = ?", op);
    if (row === null) throw new Error("store: an operation name was not interned");
    return new CellReader(row).int();
  }
}

/** H-36: is the operation part of the history of its `to`? */
export function receives(row: OperationRow): boolean {
  if (row.to === null) return false;
  return isReceived(kindOf(row.op, row.valid), row.amount !== null && row.amount > 0n);
}

/** The same by the kind of a recorded operation, and whether it moves any units. */
function isReceived(kind: number, movesUnits: boolean): boolean {
  if (kind === UNKNOWN_KIND || !isValidKind(kind)) return false;
  const op = operationOf(kind);
  return RECEIVING.has(op) && (op !== "deploy" || movesUnits);
}
