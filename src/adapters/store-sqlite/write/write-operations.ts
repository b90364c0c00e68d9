// Writes recorded operations, and the histories of the addresses that they belong to (H-36).

import { CellReader } from "../../store-rows/cells.ts";
import { ANY_TICK, partiesOf } from "../../store-rows/histories.ts";
import { namedKind } from "../../store-rows/kinds.ts";
import type { CommitReader } from "./commit-reader.ts";
import type { Connection } from "../connection.ts";
import { answered } from "../answered.ts";
import { listingPlace } from "../../store-rows/market-reads.ts";
import { amountText, cellAt, NONE, OP, OP_CELLS, type PackedBlock } from "./packed-commit.ts";
import { RowInserter } from "./row-inserter.ts";

const TXID_BYTES = 32;

/** Operations of one write transaction. */
export class OperationWriter {
  readonly #connection: Connection;
  readonly #rows: RowInserter;
  readonly #histories: RowInserter;
  /** Places of listings that the present block touches, by id. */
  #listings = new Map<string, number>();

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#rows = new RowInserter(
      connection,
      `op (place, height, tx_index, txid, vout, kind, name_id, tick, reason, from_id, to_id, amount, listing_place,
         filled_owner_id, payload, from_text, to_text)`,
      "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, CAST(? AS TEXT), ?, ?)",
    );
    const into = "op_address (address_id, scope, kind, place)";
    this.#histories = new RowInserter(connection, into, "(?, ?, ?, ?)");
  }

  /** Takes the operations of a block. Throws where a row contradicts its block. */
  add(reader: CommitReader, block: PackedBlock, firstPlace: number): void {
    this.#listings = new Map();
    for (const { before, after } of block.listings) {
      const row = after ?? before;
      if (row !== null) this.#listings.set(row.id, row.createdPlace);
    }
    const cells = block.operations;
    let previous = firstPlace - 1;
    let start = 0;
    for (let at = 0; at < cells.length; at += OP_CELLS) {
      const place = cellAt(cells, at + OP.place);
      const end = cellAt(cells, at + OP.end);
      if (place <= previous || place >= block.totals.nextPlace) {
        throw new Error(`store: operation at place ${place} does not belong to block ${block.height}`);
      }
      this.#addOne(reader, block, at, start, end);
      previous = place;
      start = end;
    }
  }

  /** Writes what was gathered. */
  flush(): void {
    this.#rows.flush();
    this.#histories.flushById();
  }

  /** Forgets what was gathered, after a transaction was rolled back. */
  discard(): void {
    this.#rows.discard();
    this.#histories.discard();
  }

  #addOne(reader: CommitReader, block: PackedBlock, at: number, start: number, end: number): void {
    const { operations: cells, bytes } = block;
    const cell = (which: number): number => cellAt(cells, at + which);
    const [place, kind, amount, listing] = [cell(OP.place), cell(OP.kind), cell(OP.amount), cell(OP.listing)];
    const tick = reader.text(cell(OP.tick));
    const name = reader.textOrNull(cell(OP.name));
    const nameId = name === null ? null : this.#nameId(name);
    const from = reader.id(cell(OP.from));
    const to = reader.idOrNull(cell(OP.to));
    const owner = reader.idOrNull(cell(OP.owner));
    this.#rows.insert(
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
    const hasAmount = amount !== NONE && amount !== 0;
    for (const party of partiesOf(kind, hasAmount, { from, to, owner })) {
      this.#histories.add(party, ANY_TICK, kind, place);
      if (tick !== "") this.#histories.add(party, tick, kind, place);
      if (nameId !== null) this.#histories.add(party, ANY_TICK, namedKind(nameId), place);
    }
  }

  #listingPlace(id: string): number {
    const place = this.#listings.get(id) ?? answered(this.#connection, listingPlace(id));
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
