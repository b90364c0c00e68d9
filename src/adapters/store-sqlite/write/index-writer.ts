// The write side of the index on one connection: blocks appended and undone in single transactions, with every derived
// row. Runs in the writer thread; knows nothing of threads.

import { randomBytes } from "node:crypto";
import type { BaseBlock, RewindOrder, StoredParameters } from "../../../index/ports.ts";
import type { NodeTip } from "../../../follow/ports.ts";
import { AddressIds } from "../address-ids.ts";
import { storedBlock, insertBlock, storedTip } from "../block-rows.ts";
import { baseRow, type BlockRow } from "../../store-rows/row-shapes.ts";
import { addFills } from "./candles.ts";
import { CommitReader } from "./commit-reader.ts";
import type { Connection } from "../connection.ts";
import { lastEventId, logBlock, storeLastEventId, trimLog } from "../event-log.ts";
import { writeFloors } from "./floors.ts";
import { LedgerWriter } from "./ledger-writer.ts";
import { writeMarkets } from "./markets.ts";
import {
  BALANCE,
  BALANCE_CELLS,
  cellAt,
  OP_CELLS,
  type PackedBlock,
  type PackedCommit,
} from "./packed-commit.ts";
import { answered } from "../answered.ts";
import { storedParameters } from "../../store-rows/parameters.ts";
import { parameterDifferences } from "../../../index/parameters.ts";
import { rewindRows } from "../undo/rewind.ts";
import { balanceLine, encodeUndo, tokenImage } from "../../store-rows/undo-record.ts";
import { INDEX_TABLES } from "../../store-rows/written-rows.ts";
import { amountsIn, BalanceWriter } from "./write-balances.ts";
import { ListingWriter } from "./write-listings.ts";
import { OperationWriter } from "./write-operations.ts";
import { TokenWriter } from "./write-tokens.ts";

/** The writer of one database. */
export class IndexWriter {
  readonly #connection: Connection;
  readonly #addressIds: AddressIds;
  readonly #balances: BalanceWriter;
  readonly #tokens: TokenWriter;
  readonly #listings: ListingWriter;
  readonly #operations: OperationWriter;
  readonly #ledger: LedgerWriter;

  /** `connection` is at the present schema. */
  constructor(connection: Connection) {
    this.#connection = connection;
    const seed = "INSERT OR IGNORE INTO meta (key, value) VALUES ('address_seed', ?)";
    connection.run(seed, randomBytes(16).toString("hex"));
    this.#addressIds = new AddressIds(connection);
    this.#balances = new BalanceWriter(connection, this.#addressIds);
    this.#tokens = new TokenWriter(connection, this.#addressIds);
    this.#listings = new ListingWriter(connection, this.#addressIds);
    this.#operations = new OperationWriter(connection);
    this.#ledger = new LedgerWriter(connection, this.#addressIds, this.#balances);
  }

  /** Stores the parameters of a new database; throws where other ones are there. */
  initialise(parameters: StoredParameters): void {
    this.#write(() => {
      if (parameterDifferences(answered(this.#connection, storedParameters()), parameters).length > 0) {
        throw new Error("store: the database was built with other parameters (P-01)");
      }
      this.#connection.run(
        "INSERT OR REPLACE INTO meta (key, value) VALUES ('parameters', ?)",
        JSON.stringify(parameters),
      );
    });
  }

  /** Stores the block before the start height; throws where the index holds a block. */
  commitBase(base: BaseBlock): void {
    this.#write(() => {
      if (storedTip(this.#connection) !== null) throw new Error("store: the index already has a base block");
      insertBlock(this.#connection, baseRow(base));
    });
  }

  /** Appends consecutive blocks in one transaction; throws, changing nothing, where they do not link to the tip. */
  commit(commit: PackedCommit, undoBlocks: number): void {
    const { blocks } = commit;
    const last = blocks.at(-1);
    if (last === undefined) return;
    this.#write(() => {
      const firstUndo = last.height - undoBlocks + 1;
      const reader = new CommitReader(commit, this.#addressIds);
      let tip = storedTip(this.#connection);
      const before = tip?.time ?? last.time;
      const touched = new Set<string>();
      const firstEvent = lastEventId(this.#connection);
      let eventId = firstEvent;
      for (const block of blocks) {
        if (tip === null) throw new Error("store: the index has no base block");
        assertLinked(tip, block);
        const counts = this.#apply(reader, block, tip, block.height >= firstUndo);
        for (const tick of counts.touched) touched.add(tick);
        tip = { ...block, ...counts };
        insertBlock(this.#connection, tip);
        eventId = logBlock(this.#connection, eventId, block, counts.events);
      }
      this.#flush();
      writeMarkets(this.#connection, touched, { before, now: last.time });
      this.#connection.run("DELETE FROM undo WHERE height < ?", firstUndo);
      storeLastEventId(this.#connection, eventId);
      trimLog(this.#connection, firstEvent, eventId);
    });
  }

  /** Takes back every block above the order's height in one transaction and logs the reorganisation. */
  rewind(order: RewindOrder): void {
    this.#write(() => this.#rewindRows(order, order.toHeight));
  }

  /** Takes back every block and replaces the base block, in one transaction that logs the reorganisation. */
  replaceBase(base: BaseBlock, newTip: NodeTip): void {
    this.#write(() => {
      const held = storedBlock(this.#connection, base.height);
      if (held === null || held.previousHash !== null)
        throw new Error(`store: block ${base.height} is not the base block of the index`);
      this.#rewindRows({ toHeight: held.height, toHash: held.hash, newTip }, held.height - 1);
      this.#connection.run("DELETE FROM block WHERE height = ?", held.height);
      insertBlock(this.#connection, baseRow(base));
    });
  }

  #rewindRows(order: RewindOrder, forkHeight: number): void {
    rewindRows(this.#connection, order, forkHeight, {
      balances: this.#balances,
      tokens: this.#tokens,
      listings: this.#listings,
      flush: () => this.#flush(),
    });
  }

  /**
   * Removes every row, parameters included; event ids go on from where they were. `wipeRest` does the same, in this
   * transaction, to what else the database holds.
   */
  wipe(wipeRest: () => void): void {
    this.#write(() => {
      for (const table of INDEX_TABLES) this.#connection.run(`DELETE FROM ${table}`);
      this.#connection.run("DELETE FROM meta WHERE key = 'parameters'");
      wipeRest();
      // By this, readers that remember ids of addresses see that the ids stand for other addresses now.
      this.#connection.run(
        "INSERT INTO meta (key, value) VALUES ('wipes', '1') ON CONFLICT (key) DO UPDATE SET value = value + 1",
      );
    });
    this.#addressIds.reset();
  }

  #apply(
    reader: CommitReader,
    block: PackedBlock,
    tip: BlockRow,
    withUndo: boolean,
  ): {
    distinctHolders: number;
    listsExpiredOpen: number;
    events: number;
    /** Tickers whose listings have changed. */
    touched: ReadonlySet<string>;
  } {
    let distinctHolders = tip.distinctHolders;
    let lines = "";
    const { balances } = block;
    for (let at = 0; at < balances.length; at += BALANCE_CELLS) {
      const address = cellAt(balances, at + BALANCE.address);
      const id = reader.id(address);
      const tick = reader.text(cellAt(balances, at + BALANCE.tick));
      const before = amountsIn(reader.commit, balances, at + BALANCE.balanceBefore);
      const now = amountsIn(reader.commit, balances, at + BALANCE.balance);
      distinctHolders += this.#balances.set(id, reader.address(address), tick, before, now);
      if (withUndo) lines += balanceLine(id, tick, before);
    }
    for (const { before, after } of block.tokens) this.#tokens.set(before, after);
    const tokens = block.tokens.map(tokenImage);
    const effects = this.#listings.apply(block);
    this.#operations.add(reader, block, tip.totals.nextPlace);
    this.#ledger.add(reader, block);
    const floors = writeFloors(this.#connection, block.height, effects.touched);
    addFills(this.#connection, block, effects.fills);
    if (withUndo) {
      const fills = [...new Set(effects.fills.map((listing) => listing.tick))];
      const record = encodeUndo({ balances: lines, tokens, floors, fills });
      this.#connection.run("INSERT INTO undo (height, record) VALUES (?, ?)", block.height, record);
    }
    return {
      distinctHolders,
      listsExpiredOpen: tip.listsExpiredOpen + effects.expiredOpen,
      events: 1 + block.operations.length / OP_CELLS + effects.created + effects.closed,
      touched: effects.touched,
    };
  }

  #flush(): void {
    this.#operations.flush();
    this.#balances.flush();
    this.#ledger.flush();
    this.#tokens.flush();
    this.#addressIds.flush();
  }

  /** One transaction; on failure everything gathered for it is forgotten. */
  #write(work: () => void): void {
    try {
      this.#connection.transaction(work);
    } catch (error) {
      this.#operations.discard();
      this.#balances.discard();
      this.#ledger.discard();
      this.#tokens.discard();
      this.#addressIds.reset();
      throw error;
    }
  }
}

function assertLinked(tip: BlockRow, block: PackedBlock): void {
  if (block.height !== tip.height + 1 || block.previousHash !== tip.hash) {
    throw new Error(
      `store: block ${block.height} (${block.hash}) does not link to the tip ${tip.height} (${tip.hash})`,
    );
  }
}
