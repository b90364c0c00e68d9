// Makes the digest of every block again (P-80, P-81) from the rows of the index: operations, ends of listings and the
// balances after each. Where the last one is what others say, these rows are theirs. The digest does not speak of payloads,
// nor of the terms of listings and tokens: those are held against each other by `terms-from-rows.ts`.

import { createHash } from "node:crypto";
import { BlockDigest } from "../../../prc20/digest.ts";
import type { ListingClose, ListingRow, OperationRow } from "../../../prc20/state.ts";
import type { Hex32 } from "../../../primitives/brands.ts";
import type { LongStep } from "../../../index/verify.ts";
import { CellReader } from "../../store-rows/cells.ts";
import { changeKey } from "../../store-rows/ledger-effects.ts";
import {
  LISTING_COLUMNS,
  LISTING_JOINS,
  OPERATION_COLUMNS,
  operationRowOf,
  readListing,
} from "../../store-rows/row-shapes.ts";
import { storedBlocks } from "../block-rows.ts";
import type { Connection } from "../connection.ts";

/** What an address holds after a change; 0 where it never had a row. */
const AFTER = `SELECT balance, locked FROM ledger WHERE tick = ? AND change_key <= ?
  AND address_id = (SELECT id FROM address WHERE hash = ? AND text = ?) ORDER BY change_key DESC LIMIT 1`;
const OPERATIONS = `SELECT ${OPERATION_COLUMNS} FROM op ORDER BY op.place`;
const ENDS = `SELECT ${LISTING_COLUMNS} FROM listing INDEXED BY listing_by_close ${LISTING_JOINS}
  WHERE listing.close_place IS NOT NULL AND listing.state > 2 ORDER BY listing.close_place`;

/** A listing that ended, not by a fill: of that the operation tells. */
interface EndedListing {
  readonly listing: ListingRow;
  readonly close: ListingClose;
}

/**
 * Whether the digest of each block is the one that its rows give; at most one difference, since all later digests follow
 * from it. `initial`: D(start - 1). `hashOf`: the hash that the database finds an address by.
 */
export function* digestsFromRows(
  connection: Connection,
  initial: Hex32,
  hashOf: (address: string) => number,
): Generator<LongStep, void, void> {
  const effects = new Effects(connection, hashOf);
  let digest = initial;
  for (const stored of storedBlocks(connection)) {
    if (stored.previousHash !== null) {
      const block = new BlockDigest(digest, stored.hash);
      effects.addTo(block, stored.height);
      digest = block.finish((bytes) => createHash("sha256").update(bytes).digest());
    }
    if (digest !== stored.digest) {
      yield { finding: `The rows of block ${stored.height} do not give its digest.` };
      return;
    }
    yield { reading: "digests", rows: 1 };
  }
}

/** Operations and ends of listings in chain order, each with the balances after it. */
class Effects {
  readonly #connection: Connection;
  readonly #hashOf: (address: string) => number;
  readonly #operations: Generator<OperationRow, null, void>;
  readonly #ends: Generator<EndedListing, null, void>;
  #operation: OperationRow | null;
  #end: EndedListing | null;

  constructor(connection: Connection, hashOf: (address: string) => number) {
    this.#connection = connection;
    this.#hashOf = hashOf;
    this.#operations = operationsOf(connection);
    this.#ends = endsOf(connection);
    this.#operation = this.#operations.next().value;
    this.#end = this.#ends.next().value;
  }

  /** Adds what happened in a block, the one after the block of the call before. */
  addTo(block: BlockDigest, height: number): void {
    for (;;) {
      const operation = this.#operation?.height === height ? this.#operation : null;
      const end = this.#end?.close.height === height ? this.#end : null;
      // At one place the listing ends before the operation (P-64).
      if (end !== null && (operation === null || end.close.place <= operation.place)) {
        this.#addEnd(block, end);
        this.#end = this.#ends.next().value;
      } else if (operation !== null) {
        this.#addOperation(block, operation);
        this.#operation = this.#operations.next().value;
      } else return;
    }
  }

  #addEnd(block: BlockDigest, { listing, close }: EndedListing): void {
    const { kind, txid, inputIndex, place } = close;
    if (kind === "filled") throw new Error("store: a fill is no end by itself");
    block.closing(txid, inputIndex, listing, kind);
    this.#addBalance(block, listing.owner, listing.tick, changeKey(place, "closing"));
  }

  #addOperation(block: BlockDigest, operation: OperationRow): void {
    block.operation(operation);
    const key = changeKey(operation.place, "operation");
    for (const address of touchedBy(operation)) this.#addBalance(block, address, operation.tick, key);
  }

  #addBalance(block: BlockDigest, address: string, tick: string, key: number): void {
    const row = this.#connection.first(AFTER, tick, key, this.#hashOf(address), address);
    const cells = new CellReader(row ?? ["0", "0"]);
    block.balance({ address, tick, balance: cells.big(), locked: cells.big() });
  }
}

/** Addresses whose balance stands behind a valid operation, who gives first (P-81). */
function touchedBy({ valid, op, from, to, amount, filledOwner }: OperationRow): ReadonlySet<string> {
  if (!valid || amount === null) return new Set();
  if (op === "burn" || op === "list") return new Set([from]);
  const giver = op === "transfer" ? from : filledOwner;
  return new Set([giver, to].filter((address) => address !== null));
}

function* operationsOf(connection: Connection): Generator<OperationRow, null, void> {
  for (const row of connection.each(OPERATIONS)) yield operationRowOf(new CellReader(row));
  return null;
}

function* endsOf(connection: Connection): Generator<EndedListing, null, void> {
  for (const row of connection.each(ENDS)) {
    const { listing } = readListing(new CellReader(row));
    if (listing.close !== null) yield { listing, close: listing.close };
  }
  return null;
}
