// Listings as they are created, expire and end in the blocks of a transaction (P-63, P-65). A listing that is made and
// ended within it is written once, as it is at its end.

import type { BlockChanges, ListingRow } from "../../../prc20/state.ts";
import { CellReader } from "../../store-rows/cells.ts";
import { stateNumber } from "../../store-rows/kinds.ts";
import {
  applyListings,
  closingCells,
  LISTING,
  LISTING_CLOSING,
  type ListingEffects,
  storedListingCells,
} from "../../store-rows/written-rows.ts";
import type { Session } from "../session.ts";
import type { AddressIds } from "./address-ids.ts";
import { FloorChanges } from "./floor-changes.ts";
import { RowBatch } from "./row-batch.ts";

/** An open listing that will expire in the transaction unless it ends before. */
interface Due {
  readonly place: number;
  readonly tick: string;
}

const DUE = "SELECT exp, place, tick FROM listing WHERE exp >= $1 AND exp < $2 AND state = 0 AND state < 2";

/** Listings of one transaction. */
export class ListingChanges {
  readonly #addresses: AddressIds;
  readonly book: FloorChanges;
  /** By place, as of now. */
  readonly #created = new Map<number, { row: ListingRow; isExpired: boolean }>();
  readonly #closed = new Map<number, ListingRow>();
  readonly #expired = new Set<number>();
  /** By expiry height, then place. */
  readonly #due: Map<number, Map<number, Due>>;
  readonly #expiredOpen = new Map<string, number>();

  private constructor(addresses: AddressIds, book: FloorChanges, due: Map<number, Map<number, Due>>) {
    this.#addresses = addresses;
    this.book = book;
    this.#due = due;
  }

  /** Reads which listings will expire in these blocks, and the front of the market of all tickers that they touch. */
  static async read(
    session: Session,
    addresses: AddressIds,
    blocks: readonly BlockChanges[],
  ): Promise<ListingChanges> {
    const [first, last] = [blocks[0]?.height ?? 0, blocks.at(-1)?.height ?? 0];
    const due = new Map<number, Map<number, Due>>();
    const ticks = new Set<string>();
    let most = 0;
    for (const row of await session.all(DUE, first - 1, last)) {
      const cells = new CellReader(row);
      const [exp, one] = [cells.int(), { place: cells.int(), tick: cells.text() }];
      dueAt(due, exp).set(one.place, one);
      ticks.add(one.tick);
      most += 1;
    }
    for (const { listings } of blocks) {
      for (const { before, after } of listings) {
        if (before !== null) most += 1;
        const row = after ?? before;
        if (row !== null) ticks.add(row.tick);
      }
    }
    return new ListingChanges(addresses, await FloorChanges.read(session, ticks, most), due);
  }

  /** Applies a block's listing changes, then the expiry that its height brings (P-65). */
  apply(block: Pick<BlockChanges, "height" | "listings">): ListingEffects {
    return applyListings(block, {
      create: (row) => this.#create(row),
      close: (row) => this.#close(row),
      countExpired: (tick, delta) => this.#countExpired(tick, delta),
      expire: (height) => this.#expire(height),
    });
  }

  /** Writes everything. */
  async write(session: Session): Promise<void> {
    const fresh = new RowBatch("listing", LISTING);
    const idOf = (address: string): number => this.#addresses.idOf(address);
    for (const { row, isExpired } of this.#created.values())
      fresh.add(...storedListingCells(row, isExpired, idOf));
    const ended = new RowBatch("listing", { place: "bigint", ...LISTING_CLOSING });
    for (const row of this.#closed.values()) ended.add(row.createdPlace, ...closingCells(row, false, idOf));
    const expired = new RowBatch("listing", { place: "bigint", state: "smallint" });
    for (const place of this.#expired) expired.add(place, stateNumber("expired_open"));
    await expired.update(session, ["place"], "listing.state = 0");
    await ended.update(session, ["place"], "listing.state < 2");
    await fresh.insert(session);
    await writeExpiredCounts(session, this.#expiredOpen);
    await this.book.write(session);
  }

  #create(row: ListingRow): void {
    this.#created.set(row.createdPlace, { row, isExpired: false });
    if (row.close !== null) return;
    this.book.add(row);
    if (row.exp !== null)
      dueAt(this.#due, row.exp).set(row.createdPlace, { place: row.createdPlace, tick: row.tick });
  }

  #close(row: ListingRow): void {
    const place = row.createdPlace;
    const created = this.#created.get(place);
    if (created !== undefined && created.row.close !== null) {
      throw new Error(`store: ${row.id} is closed but is not stored as open`);
    }
    if (created === undefined) this.#closed.set(place, row);
    else this.#created.set(place, { row, isExpired: false });
    this.#expired.delete(place);
    this.book.remove(row.tick, place);
    if (row.exp !== null) this.#due.get(row.exp)?.delete(place);
  }

  #expire(height: number): readonly string[] {
    const due = [...(this.#due.get(height - 1)?.values() ?? [])];
    this.#due.delete(height - 1);
    for (const { place, tick } of due) {
      const created = this.#created.get(place);
      if (created === undefined) this.#expired.add(place);
      else created.isExpired = true;
      this.book.remove(tick, place);
      this.#countExpired(tick, 1);
    }
    return due.map(({ tick }) => tick);
  }

  #countExpired(tick: string, delta: number): void {
    this.#expiredOpen.set(tick, (this.#expiredOpen.get(tick) ?? 0) + delta);
  }
}

/** Adds to the counts of expired open listings, by ticker. */
export async function writeExpiredCounts(
  session: Session,
  changes: ReadonlyMap<string, number>,
): Promise<void> {
  const rows = [...changes].filter(([, delta]) => delta !== 0);
  if (rows.length === 0) return;
  await session.run(
    `INSERT INTO expired_open (tick, listings) SELECT * FROM unnest($1::text[], $2::bigint[])
       ON CONFLICT (tick) DO UPDATE SET listings = expired_open.listings + excluded.listings`,
    rows.map(([tick]) => tick),
    rows.map(([, delta]) => delta),
  );
  await session.run("DELETE FROM expired_open WHERE listings = 0");
}

function dueAt(due: Map<number, Map<number, Due>>, exp: number): Map<number, Due> {
  const known = due.get(exp);
  if (known !== undefined) return known;
  const made = new Map<number, Due>();
  due.set(exp, made);
  return made;
}
