// How are recorded operations stored, and in whose history (H-36) does each appear?

import type { StatementSync } from "node:sqlite";
import type { ListingId } from "../../primitives/brands.ts";
import type { BlockChanges, OperationRow } from "../../prc20/state.ts";
import type { AddressBook } from "./address-book.ts";
import { bytesOf, CellReader } from "./cells.ts";
import type { Connection } from "./connection.ts";
import { kindOf, namedKind, UNKNOWN_KIND } from "./kinds.ts";
import { findListingPlace } from "./find-listing.ts";

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
  readonly #book: AddressBook;
  readonly #insert: StatementSync;
  readonly #history: StatementSync;
  readonly #scopedHistory: StatementSync;
  /** Places of listings that the present block touches, by id. */
  #listings = new Map<ListingId, number>();
  #pending: HistoryEntry[] = [];
  #txidHex = "";
  #txid: Uint8Array = new Uint8Array(0);

  constructor(connection: Connection, book: AddressBook) {
    this.#connection = connection;
    this.#book = book;
    this.#insert = connection.prepared(
      `INSERT INTO op (place, height, tx_index, txid, vout, kind, name_id, tick, reason, from_id, to_id, amount,
         listing_place, filled_owner_id, payload) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#history = connection.prepared(
      "INSERT INTO op_address (address_id, scope, kind, place) VALUES (?, ?, ?, ?)",
    );
    this.#scopedHistory = connection.prepared(
      "INSERT INTO op_address (address_id, scope, kind, place) VALUES (?, ?, ?, ?), (?, ?, ?, ?)",
    );
  }

  /** Stores the operations of a block. Throws where a row contradicts its block or P-24. */
  write(block: BlockChanges, firstPlace: number): void {
    this.#listings = new Map();
    for (const { before, after } of block.listings) {
      const row = after ?? before;
      if (row !== null) this.#listings.set(row.id, row.createdPlace);
    }
    let previous = firstPlace - 1;
    for (const row of block.operations) {
      if (row.height !== block.height || row.place <= previous || row.place >= block.totals.nextPlace) {
        throw new Error(`store: operation at place ${row.place} does not belong to block ${block.height}`);
      }
      previous = row.place;
      this.#writeOne(row);
    }
  }

  #writeOne(row: OperationRow): void {
    const kind = kindOf(row.op, row.valid);
    if (kind === UNKNOWN_KIND && (row.valid || row.tick !== "")) {
      throw new Error(`store: unknown operation at place ${row.place} is valid or has a ticker (P-24, P-81)`);
    }
    const nameId = kind === UNKNOWN_KIND ? this.#nameId(row.op) : null;
    const from = this.#book.idOf(row.from);
    const to = row.to === null ? null : this.#book.idOf(row.to);
    const owner = row.filledOwner === null ? null : this.#book.idOf(row.filledOwner);
    this.#insert.run(
      row.place,
      row.height,
      row.txIndex,
      this.#txidBytes(row.txid),
      row.vout,
      kind,
      nameId,
      row.tick,
      row.reason,
      from,
      to,
      row.amount === null ? null : String(row.amount),
      row.listingId === null ? null : this.#listingPlace(row.listingId),
      owner,
      row.payloadJson,
    );
    this.#addHistory(from, row.tick, kind, row.place);
    if (nameId !== null) this.#addHistory(from, "", namedKind(nameId), row.place);
    const received = receives(row) ? to : null;
    if (received !== null && received !== from) this.#addHistory(received, row.tick, kind, row.place);
    if (owner !== null && owner !== from && owner !== received)
      this.#addHistory(owner, row.tick, kind, row.place);
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

  #listingPlace(id: ListingId): number {
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

  #txidBytes(txid: string): Uint8Array {
    if (txid !== this.#txidHex) {
      this.#txid = bytesOf(txid);
      this.#txidHex = txid;
    }
    return this.#txid;
  }
}

/** H-36: is the operation part of the history of its `to`? */
export function receives(row: OperationRow): boolean {
  if (!row.valid || row.to === null || !RECEIVING.has(row.op)) return false;
  return row.op !== "deploy" || (row.amount !== null && row.amount > 0n);
}
