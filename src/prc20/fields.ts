// Reads the fields of a payload: the value forms of section 3, one function each. An absent field takes the default
// that the operation gives; a value that breaks its form is null (or "" for a ticker).

import { parseAmount } from "../primitives/amount.ts";
import { parseAddress } from "../primitives/address.ts";
import type { ListingId, PearlAddress, RawAmount, Tick } from "../primitives/brands.ts";
import type { OperationSource } from "./operation.ts";
import { type Fields, member } from "./payload.ts";

const TICK = /^[A-Za-z0-9]{1,16}$/;
const LISTING_ID = /^list:[0-9a-f]{64}:(?:0|[1-9][0-9]{0,9})$/;

/** True where one of the named fields is present and no string (P-23). */
export function isMistyped(fields: Fields, names: readonly string[]): boolean {
  for (const name of names) {
    const value = member(fields, name);
    if (value !== undefined && typeof value !== "string") return true;
  }
  return false;
}

/** The text of a field; undefined where it is absent (or no string: then the operation is invalid anyway). */
export function textField(fields: Fields, name: string): string | undefined {
  const value = member(fields, name);
  return typeof value === "string" ? value : undefined;
}

/** The canonical ticker of the `tick` field, "" where it is absent or malformed (P-21). */
export function tickField(fields: Fields): Tick | "" {
  const text = textField(fields, "tick");
  // Only ASCII letters pass, so upper case is the same in every language.
  return text !== undefined && TICK.test(text) ? (text.toUpperCase() as Tick) : "";
}

/** The amount of a field (P-20); `absent` where there is none, null where it is no amount. */
export function amountField<Default>(
  fields: Fields,
  name: string,
  absent: Default,
): RawAmount | Default | null {
  const text = textField(fields, name);
  return text === undefined ? absent : parseAmount(text);
}

/** As `amountField`, and 0 is no positive amount (P-20). */
export function positiveField<Default>(
  fields: Fields,
  name: string,
  absent: Default,
): RawAmount | Default | null {
  const amount = amountField(fields, name, absent);
  return amount === 0n ? null : amount;
}

/** The address of a field in lower case (P-22), the sender where it is absent, null where it is no address. */
export function addressOrSender(source: OperationSource, name: string): PearlAddress | null {
  const value = member(source.fields, name);
  if (value === undefined) return source.sender;
  // A value of another type names nobody; the sender is only the default of an absent field.
  return typeof value === "string" ? parseAddress(value, source.hrp) : null;
}

/** The listing id of the `id` field, null where it is absent or malformed (P-51). */
export function listingIdField(fields: Fields): ListingId | null {
  const text = textField(fields, "id");
  return text !== undefined && LISTING_ID.test(text) ? (text as ListingId) : null;
}
