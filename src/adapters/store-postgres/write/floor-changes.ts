// The cheapest active listing of each ticker while the blocks of a transaction are gone through (H-33). Of the stored
// listings as many are read as the transaction may take away, and one more: behind those nothing can come to the front.

import type { ListingRow } from "../../../prc20/state.ts";
import { firstIndex } from "../../../primitives/elements.ts";
import { CellReader, hexOf } from "../../store-rows/cells.ts";
import { unitPriceKey } from "../../store-rows/sort-keys.ts";
import type { Session } from "../session.ts";
import { RowBatch } from "./row-batch.ts";

/** An active listing in the order of prices. */
interface Offer {
  /** Exact key of its unit price, hex of fixed length. */
  readonly unit: string;
  readonly place: number;
  readonly price: string;
  readonly amount: string;
}

/** Price and amount of the cheapest active listing, decimal text; null where there is none. */
export interface Floor {
  readonly price: string | null;
  readonly amount: string | null;
}

const NO_FLOOR: Floor = { price: null, amount: null };

const OFFERS = `SELECT asked.tick, offer.unit_key, offer.place, offer.price, offer.amount
  FROM unnest($1::text[]) AS asked (tick) CROSS JOIN LATERAL (
    SELECT unit_key, place, price, amount FROM listing
      WHERE listing.tick = asked.tick AND state = 0 ORDER BY unit_key, place LIMIT $2::bigint) AS offer
  ORDER BY offer.unit_key, offer.place`;
const FLOORS = `SELECT asked.tick, floor.price, floor.amount FROM unnest($1::text[]) AS asked (tick)
  CROSS JOIN LATERAL (SELECT price, amount FROM floor WHERE floor.tick = asked.tick ORDER BY height DESC LIMIT 1) AS floor`;

/** Active listings and floors of some tickers. */
export class FloorChanges {
  readonly #offers = new Map<string, Offer[]>();
  readonly #floors = new Map<string, Floor>();
  readonly #rows = new RowBatch("floor", {
    tick: "text",
    height: "bigint",
    price: "numeric",
    amount: "numeric",
  });

  /** Reads what is needed to take away up to `most` listings of each ticker. */
  static async read(session: Session, ticks: Iterable<string>, most: number): Promise<FloorChanges> {
    const book = new FloorChanges();
    const asked = [...new Set(ticks)];
    if (asked.length === 0) return book;
    const [offers, floors] = await Promise.all([
      session.all(OFFERS, asked, most + 1),
      session.all(FLOORS, asked),
    ]);
    for (const row of offers) {
      const cells = new CellReader(row);
      const offersOfTick = book.#offersOf(cells.text());
      offersOfTick.push({ unit: cells.hex(), place: cells.int(), price: cells.text(), amount: cells.text() });
    }
    for (const row of floors) {
      const cells = new CellReader(row);
      book.#floors.set(cells.text(), { price: cells.textOrNull(), amount: cells.textOrNull() });
    }
    return book;
  }

  /** A listing has become active. */
  add({ tick, createdPlace: place, priceSat, amount }: ListingRow): void {
    const offers = this.#offersOf(tick);
    const unit = hexOf(unitPriceKey(priceSat, amount));
    const offer = { unit, place, price: String(priceSat), amount: String(amount) };
    const isBehind = (other: Offer): boolean =>
      other.unit > unit || (other.unit === unit && other.place >= place);
    offers.splice(firstIndex(offers, isBehind), 0, offer);
  }

  /** A listing is active no longer. */
  remove(tick: string, place: number): void {
    const offers = this.#offersOf(tick);
    const at = offers.findIndex((offer) => offer.place === place);
    if (at >= 0) offers.splice(at, 1);
  }

  /** Notes the floors of tickers as of `height`; returns the tickers whose floor has changed. */
  note(height: number, ticks: Iterable<string>): string[] {
    const changed: string[] = [];
    for (const tick of ticks) {
      const { price, amount } = this.#offersOf(tick)[0] ?? NO_FLOOR;
      const last = this.#floors.get(tick) ?? NO_FLOOR;
      if (price === last.price && amount === last.amount) continue;
      this.#floors.set(tick, { price, amount });
      this.#rows.add(tick, height, price, amount);
      changed.push(tick);
    }
    return changed;
  }

  /** The floor that was noted last. */
  floorOf(tick: string): Floor {
    return this.#floors.get(tick) ?? NO_FLOOR;
  }

  /** Writes the floors that were noted. */
  write(session: Session): Promise<void> {
    return this.#rows.insert(session);
  }

  #offersOf(tick: string): Offer[] {
    const known = this.#offers.get(tick);
    if (known !== undefined) return known;
    const offers: Offer[] = [];
    this.#offers.set(tick, offers);
    return offers;
  }
}
