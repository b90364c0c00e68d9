// What stands beside listings and follows from them, for the audits of both engines: their state, keys and terms, and the
// counts and sums of a token.

import type { LifecycleState } from "../../index/views.ts";
import type { ListingRow, TokenRow } from "../../prc20/state.ts";
import { hexOf } from "./cells.ts";
import { unitPriceKey } from "./sort-keys.ts";
import { listingKey } from "./written-rows.ts";

const BOOKS = ["block_fills", "candle", "expired_open", "floor", "market"];

/**
 * A sentence for each row of a market's books whose ticker nobody has deployed, in both dialects: who deploys it later would
 * go on with that row, or find the place of his own taken.
 */
export const BOOKS_OF_NOBODY = BOOKS.map(
  (table) => `SELECT 'The table ${table} names the unknown token ' || tick || '.' AS sentence FROM ${table}
    WHERE tick NOT IN (SELECT tick FROM token)`,
).join(" UNION ALL ");

/** A listing as it is stored. */
export interface StoredListing {
  readonly listing: ListingRow;
  readonly lifecycle: LifecycleState;
  /** Lower-case hex of `unit_key`. */
  readonly unitKey: string;
  /** `change_key`. */
  readonly changeKey: number;
}

/** What is wrong with a listing, a sentence each. `tip`: height of the tip. */
export function listingFaults(
  { listing, lifecycle, unitKey, changeKey }: StoredListing,
  tip: number,
): readonly string[] {
  const found: string[] = [];
  const expected =
    listing.close?.kind ?? (listing.exp !== null && tip > listing.exp ? "expired_open" : "open");
  if (lifecycle !== expected)
    found.push(`${listing.id} is ${lifecycle} and should be ${expected} (P-65, P-70).`);
  if (unitKey !== hexOf(unitPriceKey(listing.priceSat, listing.amount))) {
    found.push(`${listing.id}: the market index does not follow the price.`);
  }
  if (changeKey !== listingKey(listing))
    found.push(`${listing.id}: the history index does not follow its last change.`);
  if (listing.sellerNetSat + listing.protocolFeeSat !== listing.priceSat) {
    found.push(`${listing.id}: seller_net and protocol_fee do not make up the price (P-52).`);
  }
  return found;
}

/** What the listings of a ticker sum to. */
export class ListingSums {
  expired = 0;
  #open = 0;
  #filled = 0;
  #cancelled = 0;
  #invalid = 0;
  #filledAmount = 0n;
  #invalidAmount = 0n;
  #feesSat = 0n;
  #netSat = 0n;

  /** Adds a listing. */
  add({ listing, lifecycle }: Pick<StoredListing, "listing" | "lifecycle">): void {
    if (listing.close === null) this.#open += 1;
    if (lifecycle === "expired_open") this.expired += 1;
    if (lifecycle === "cancelled") this.#cancelled += 1;
    if (lifecycle === "invalid_spent") {
      this.#invalid += 1;
      this.#invalidAmount += listing.amount;
    }
    if (lifecycle !== "filled") return;
    this.#filled += 1;
    this.#filledAmount += listing.amount;
    this.#feesSat += listing.protocolFeeSat;
    this.#netSat += listing.sellerNetSat;
  }

  /** In what the token differs from them, and their noted number of expired open ones, a sentence each. */
  faults(token: TokenRow, noted: number): readonly string[] {
    const { tick } = token;
    const pairs: readonly (readonly [string, number | bigint, number | bigint])[] = [
      ["open", token.openCount, this.#open],
      ["filled", token.filledCount, this.#filled],
      ["cancelled", token.cancelledCount, this.#cancelled],
      ["invalid-spent", token.invalidSpentCount, this.#invalid],
      ["units of filled", token.filledAmount, this.#filledAmount],
      ["units of invalid-spent", token.invalidSpentAmount, this.#invalidAmount],
      ["fees of filled", token.feePaidSat, this.#feesSat],
      ["seller payments of filled", token.sellerPaidSat, this.#netSat],
    ];
    const found = pairs
      .filter(([, stored, counted]) => stored !== counted)
      .map(
        ([what, stored, counted]) => `${tick}: ${what} listings are ${counted}, the token says ${stored}.`,
      );
    if (noted !== this.expired)
      found.push(`${tick}: ${noted} expired open listings are noted, there are ${this.expired}.`);
    return found;
  }
}
