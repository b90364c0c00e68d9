// Appends consecutive blocks within one transaction: everything that they need is read at once, everything that they
// change is worked out in memory, and each table is written by one statement.

import type { BlockChanges } from "../../../prc20/state.ts";
import type { BlockRow } from "../../store-rows/row-shapes.ts";
import { balanceLine, encodeUndo, tokenImage } from "../../store-rows/undo-record.ts";
import { insertBlocks, storedTip } from "../block-rows.ts";
import { EventLogEntries } from "../event-log.ts";
import type { Session } from "../session.ts";
import { AddressIds } from "./address-ids.ts";
import { amountsOf, BalanceChanges } from "./balance-changes.ts";
import { FillChanges } from "./fill-changes.ts";
import { LedgerRowChanges } from "./ledger-row-changes.ts";
import { ListingChanges } from "./listing-changes.ts";
import { writeMarkets } from "./markets.ts";
import { OperationRows } from "./operation-rows.ts";
import { RowBatch } from "./row-batch.ts";
import { TokenChanges } from "./token-changes.ts";
import { assertBooksKept } from "../../store-rows/written-rows.ts";

/** Appends blocks; rejects where they do not link to the tip, or break the books. `undoBlocks`: as in the port. */
export async function commitBlocks(
  session: Session,
  blocks: readonly BlockChanges[],
  undoBlocks: number,
): Promise<void> {
  const last = blocks.at(-1);
  if (last === undefined) return;
  for (const block of blocks) assertBooksKept(block);
  const tip = await storedTip(session);
  if (tip === null) throw new Error("store: the index has no base block");
  assertLinked(tip, blocks);
  const firstUndo = last.height - undoBlocks + 1;
  const parts = await readParts(session, blocks);
  const work = new BlockWork(parts, tip, firstUndo);
  for (const block of blocks) work.apply(block);
  await work.write(session);
  await writeMarkets(session, work.touched, { before: tip.time, now: last.time });
  await session.run("DELETE FROM undo WHERE height < $1", firstUndo);
}

/** What the tables need of a transaction, each of one kind of rows. */
interface Parts {
  readonly addresses: AddressIds;
  readonly balances: BalanceChanges;
  readonly tokens: TokenChanges;
  readonly listings: ListingChanges;
  readonly operations: OperationRows;
  readonly ledger: LedgerRowChanges;
  readonly fills: FillChanges;
  readonly events: EventLogEntries;
}

async function readParts(session: Session, blocks: readonly BlockChanges[]): Promise<Parts> {
  const [addresses, fills, events] = await Promise.all([
    AddressIds.read(session, addressesOf(blocks)),
    FillChanges.read(session, blocks),
    EventLogEntries.read(session),
  ]);
  const balances = new BalanceChanges(addresses);
  const tokens = new TokenChanges(addresses);
  const [listings, operations, ledger] = await Promise.all([
    ListingChanges.read(session, addresses, blocks),
    OperationRows.read(session, addresses, blocks),
    LedgerRowChanges.read(session, addresses, balances, blocks),
  ]);
  return { addresses, balances, tokens, listings, operations, ledger, fills, events };
}

/** Every address that the blocks name. */
function* addressesOf(blocks: readonly BlockChanges[]): Generator<string> {
  for (const { operations, balances, tokens, listings } of blocks) {
    for (const { from, to, filledOwner } of operations) {
      yield from;
      if (to !== null) yield to;
      if (filledOwner !== null) yield filledOwner;
    }
    for (const { before, after } of balances) {
      const row = after ?? before;
      if (row !== null) yield row.address;
    }
    for (const { after } of tokens) if (after !== null) yield after.deployer;
    for (const { after } of listings) {
      if (after === null) continue;
      yield after.owner;
      yield after.seller;
      if (after.close !== null && after.close.buyer !== null) yield after.close.buyer;
    }
  }
}

/** The blocks of one transaction, one after the other. */
class BlockWork {
  readonly touched = new Set<string>();
  readonly #parts: Parts;
  readonly #firstUndo: number;
  readonly #blocks: BlockRow[] = [];
  readonly #undo = new RowBatch("undo", { height: "bigint", record: "text" });
  #tip: BlockRow;

  constructor(parts: Parts, tip: BlockRow, firstUndo: number) {
    this.#parts = parts;
    this.#tip = tip;
    this.#firstUndo = firstUndo;
  }

  /** Works out what a block changes. */
  apply(block: BlockChanges): void {
    const { addresses, balances, tokens, listings, operations, ledger, fills, events } = this.#parts;
    let { distinctHolders } = this.#tip;
    let lines = "";
    for (const { before, after } of block.balances) {
      const row = after ?? before;
      if (row === null) throw new Error("store: a balance change without rows");
      const id = addresses.idOf(row.address);
      const was = amountsOf(before);
      distinctHolders += balances.set(id, row.tick, was, amountsOf(after));
      lines += balanceLine(id, row.tick, was);
    }
    for (const { before, after } of block.tokens) tokens.set(before, after);
    const effects = listings.apply(block);
    operations.add(block, this.#tip.totals.nextPlace);
    ledger.add(block);
    const floors = listings.book.note(block.height, effects.touched);
    fills.add(block, effects.fills);
    for (const tick of effects.touched) this.touched.add(tick);
    if (block.height >= this.#firstUndo) {
      const ticks = [...new Set(effects.fills.map((listing) => listing.tick))];
      const images = block.tokens.map(tokenImage);
      this.#undo.add(block.height, encodeUndo({ balances: lines, tokens: images, floors, fills: ticks }));
    }
    events.addBlock(block, 1 + block.operations.length + effects.created + effects.closed);
    const { height, hash, previousHash, time, digest, totals } = block;
    const listsExpiredOpen = this.#tip.listsExpiredOpen + effects.expiredOpen;
    this.#tip = { height, hash, previousHash, time, digest, totals, distinctHolders, listsExpiredOpen };
    this.#blocks.push(this.#tip);
  }

  /** Writes all of it. */
  async write(session: Session): Promise<void> {
    const { addresses, balances, tokens, listings, operations, ledger, fills, events } = this.#parts;
    for (const part of [listings, tokens, balances, operations, ledger, fills, addresses, events])
      await part.write(session);
    await insertBlocks(session, this.#blocks);
    await this.#undo.insert(session);
  }
}

function assertLinked(tip: BlockRow, blocks: readonly BlockChanges[]): void {
  let [height, hash] = [tip.height, tip.hash];
  for (const block of blocks) {
    if (block.height !== height + 1 || block.previousHash !== hash) {
      throw new Error(
        `store: block ${block.height} (${block.hash}) does not link to the tip ${height} (${hash})`,
      );
    }
    [height, hash] = [block.height, block.hash];
  }
}
