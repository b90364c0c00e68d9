// The two orders of asks (H-40) and the keys of their cursors: newest first, and cheapest first by the exact quotient.

import { ABOVE_INTEGERS, BELOW_INTEGERS } from "../../primitives/integer-ends.ts";
import type { AskRecord } from "../../swap/records.ts";
import { compareNewest, keyOf, NEWEST_ENDS, placeAmongNewest } from "./order-index.ts";
import { HIGHEST_HASH, type ListEnds, LOWEST_HASH } from "./pages.ts";
import type { AskSort, ListPlace } from "../ledger/closed-port.ts";

/** The orders by the name of `sort`. */
export const ASK_ORDERS = { created: compareNewest, price: byPrice };

/** The most digits of an amount in a key. */
const AMOUNT_DIGITS = 39;

/** The ends of both orders, as paging keys. */
export const ASK_ENDS: Readonly<Record<AskSort, ListEnds>> = {
  created: NEWEST_ENDS,
  price: {
    first: ["0", "1", BELOW_INTEGERS, LOWEST_HASH],
    last: ["9".repeat(AMOUNT_DIGITS), "1", ABOVE_INTEGERS, HIGHEST_HASH],
  },
};

/** The place of an ask. */
export function askPlaceOf({ askId, createdAt, terms }: AskRecord): ListPlace {
  return { usdc: terms.usdcAmount, sat: terms.pearlAmountSat, createdAt, hash: askId };
}

/** The paging key of a place. */
export function askKey(place: ListPlace, sort: AskSort): readonly (number | string)[] {
  const { usdc, sat } = place;
  return sort === "price" ? [usdc.toString(), sat.toString(), ...keyOf(place)] : keyOf(place);
}

/** The place that a paging key names; null where it is no key of this order. */
export function placeOfKey(key: readonly (number | string)[], sort: AskSort): ListPlace | null {
  const [createdAt, id] = key.slice(-2);
  if (typeof createdAt !== "number" || typeof id !== "string") return null;
  const place = placeAmongNewest([createdAt, id]);
  if (sort === "created") return place;
  const [usdc, sat] = key;
  return isWhole(usdc) && isWhole(sat) ? { ...place, usdc: BigInt(usdc), sat: BigInt(sat) } : null;
}

function isWhole(text: unknown): text is string {
  return typeof text === "string" && /^[0-9]{1,39}$/.test(text);
}

/** Cheapest first, ties by age and id ascending. The products tell quotients apart that no float could. */
function byPrice(a: ListPlace, b: ListPlace): number {
  const [left, right] = [a.usdc * b.sat, b.usdc * a.sat];
  if (left !== right) return left < right ? -1 : 1;
  return compareNewest(b, a);
}
