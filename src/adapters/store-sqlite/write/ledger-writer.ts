// Writes the ledger (H-38) in the transaction of its blocks: the changes that operations and closings make, each with
// what the address holds after it. What a block's changes sum to must be what the block says that balances are:
// otherwise nothing of it is written.

import type { AddressIds } from "../address-ids.ts";
import { CellReader } from "../../store-rows/cells.ts";
import type { Connection } from "../connection.ts";
import { kindsOf } from "../../store-rows/kinds.ts";
import {
  changeKey,
  type BalanceChange,
  type ReturnedListing,
  effectsOf,
  returned,
  returnedListings,
} from "../../store-rows/ledger-effects.ts";
import type { CommitReader } from "./commit-reader.ts";
import {
  amountIn,
  BALANCE,
  BALANCE_CELLS,
  cellAt,
  NONE,
  OP,
  OP_CELLS,
  type PackedBlock,
} from "./packed-commit.ts";
import type { Amounts } from "../../store-rows/row-shapes.ts";
import { RowInserter } from "./row-inserter.ts";
import { amountsIn, type BalanceWriter } from "./write-balances.ts";

/** What an address holds while a block is gone through, and what it must hold at its end. */
interface Running {
  balance: bigint;
  locked: bigint;
  readonly after: Amounts;
}

/** A row of the table. */
export interface LedgerRow extends Amounts {
  readonly id: number;
  readonly key: number;
  readonly tick: string;
}

/** Ledger rows of one write transaction. */
export class LedgerWriter {
  readonly #addressIds: AddressIds;
  readonly #balances: BalanceWriter;
  readonly #rows: LedgerRows;

  constructor(connection: Connection, addressIds: AddressIds, balances: BalanceWriter) {
    this.#addressIds = addressIds;
    this.#balances = balances;
    this.#rows = new LedgerRows(connection);
  }

  /**
   * Takes the changes of a block, whose balances are set already. Throws where they do not lead from its balances
   * before to those after.
   */
  add(reader: CommitReader, block: PackedBlock): void {
    const books = new Books(reader, block, this.#balances);
    const closings = returnedListings(block);
    let next = 0;
    const { operations: cells } = block;
    for (let at = 0; at < cells.length; at += OP_CELLS) {
      const place = cellAt(cells, at + OP.place);
      for (let one = closings[next]; one !== undefined && one.place <= place; one = closings[next]) {
        this.#close(books, one);
        next += 1;
      }
      this.#operate(books, reader, cells, at);
    }
    for (const one of closings.slice(next)) this.#close(books, one);
    books.check();
  }

  /** Writes what was gathered, in the order of the table, so that neighbours are written together. */
  flush(): void {
    this.#rows.flush();
  }

  /** Forgets what was gathered, after a transaction was rolled back. */
  discard(): void {
    this.#rows.discard();
  }

  #operate(books: Books, reader: CommitReader, cells: Float64Array, at: number): void {
    const kind = cellAt(cells, at + OP.kind);
    const amount = cellAt(cells, at + OP.amount);
    if (amount === NONE) return;
    const effects = effectsOf(kind, amountIn(reader.commit, amount), {
      from: reader.id(cellAt(cells, at + OP.from)),
      to: reader.idOrNull(cellAt(cells, at + OP.to)),
      owner: reader.idOrNull(cellAt(cells, at + OP.owner)),
    });
    const key = changeKey(cellAt(cells, at + OP.place), "operation");
    const tick = reader.text(cellAt(cells, at + OP.tick));
    for (const effect of effects) this.#rows.add(books.apply(key, tick, effect));
  }

  #close(books: Books, { listing, place }: ReturnedListing): void {
    const effect = returned(this.#addressIds.idOf(listing.owner), listing.amount);
    this.#rows.add(books.apply(changeKey(place, "closing"), listing.tick, effect));
  }
}

const NOTHING: Amounts = { balance: 0n, locked: 0n };

/**
 * What addresses hold while a block is gone through. A balance that the block gives back what it took is none of those
 * that it says it changes: it is what the writer of balances knows, before the block and after it.
 */
class Books {
  readonly #reader: CommitReader;
  readonly #block: PackedBlock;
  readonly #balances: BalanceWriter;
  /** Ticker, then address.id. */
  readonly #running = new Map<string, Map<number, Running>>();

  constructor(reader: CommitReader, block: PackedBlock, balances: BalanceWriter) {
    this.#reader = reader;
    this.#block = block;
    this.#balances = balances;
    for (let at = 0; at < block.balances.length; at += BALANCE_CELLS) {
      const tick = reader.text(cellAt(block.balances, at + BALANCE.tick));
      const id = reader.id(cellAt(block.balances, at + BALANCE.address));
      const before = this.#amountsAt(at + BALANCE.balanceBefore);
      this.#start(tick, id, before, this.#amountsAt(at + BALANCE.balance));
    }
  }

  /** The row of a change. */
  apply(key: number, tick: string, { id, balance, locked }: BalanceChange): LedgerRow {
    const running = this.#running.get(tick)?.get(id) ?? this.#unchanged(tick, id);
    running.balance += balance;
    running.locked += locked;
    return { id, key, tick, balance: running.balance, locked: running.locked };
  }

  /** Throws where the changes do not lead to the block's balances. */
  check(): void {
    for (const [tick, ofTick] of this.#running) {
      for (const [id, { balance, locked, after }] of ofTick) {
        if (balance !== after.balance || locked !== after.locked) throw this.#wrong(id, tick);
      }
    }
  }

  #start(tick: string, id: number, before: Amounts, after: Amounts): Running {
    const ofTick = this.#running.get(tick) ?? new Map<number, Running>();
    this.#running.set(tick, ofTick);
    const running = { balance: before.balance, locked: before.locked, after };
    ofTick.set(id, running);
    return running;
  }

  #unchanged(tick: string, id: number): Running {
    const now = this.#balances.get(id, tick) ?? NOTHING;
    return this.#start(tick, id, now, now);
  }

  #amountsAt(at: number): Amounts {
    return amountsIn(this.#reader.commit, this.#block.balances, at) ?? NOTHING;
  }

  #wrong(id: number, tick: string): Error {
    const { height, hash } = this.#block;
    return new Error(
      `store: the operations of block ${height} ${hash} do not lead to its balance of address ${id} in ${tick}`,
    );
  }
}

/** Rows that wait to be written; those of one address come in the order of their keys. */
export class LedgerRows {
  readonly #rows: RowInserter;

  constructor(connection: Connection) {
    const into = "ledger (address_id, change_key, tick, balance, locked)";
    this.#rows = new RowInserter(connection, into, "(?, ?, ?, ?, ?)");
  }

  /** Takes a row. */
  add({ id, key, tick, balance, locked }: LedgerRow): void {
    this.#rows.add(id, key, tick, String(balance), String(locked));
  }

  /** Writes what was gathered, in the order of the table, so that neighbours are written together. */
  flush(): void {
    this.#rows.flushById();
  }

  /** Forgets what was gathered, after a transaction was rolled back. */
  discard(): void {
    this.#rows.discard();
  }
}

const VALID = kindsOf(null, true).join(", ");

/** Takes away the rows of all operations and closings at or above a place, which must still be there. */
export function removeLedger(connection: Connection, firstPlace: number): void {
  const keys = connection.all(
    `SELECT from_id AS id, 2 * place + 1 AS key FROM op WHERE place >= ?1 AND kind IN (${VALID})
     UNION SELECT to_id, 2 * place + 1 FROM op WHERE place >= ?1 AND kind IN (${VALID}) AND to_id IS NOT NULL
     UNION SELECT filled_owner_id, 2 * place + 1 FROM op WHERE place >= ?1 AND filled_owner_id IS NOT NULL
     UNION SELECT owner_id, 2 * close_place FROM listing WHERE close_place >= ?1`,
    firstPlace,
  );
  // One by one: a DELETE over all these pairs at once makes SQLite read the whole table.
  const remove = connection.prepared("DELETE FROM ledger WHERE address_id = ? AND change_key = ?");
  for (const row of keys) {
    const cells = new CellReader(row);
    remove.run(cells.int(), cells.int());
  }
}
