// Reads placeholders and parameters of a request by their schema, before anything is looked up (H-05): unknown ones are
// ignored, a known one must be there once and match. And the canonical forms of tickers, addresses, transaction ids and
// listing ids (H-07), whose checksums are checked here.

import type { StaticEncode, TObject, TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { Value } from "typebox/value";
import { parseAddress } from "../primitives/address.ts";
import type { ListingId, PearlAddress, Tick, Txid } from "../primitives/brands.ts";
import { invalidField, Refusal } from "./errors.ts";

/** Reads raw text values by a schema, or says which one is wrong. */
type ParameterReader<Schema extends TObject> = (raw: unknown) => StaticEncode<Schema> | Refusal;

const INTEGER = /^[0-9]{1,20}$/;

/** A reader for this schema. Integers are read by H-05 and cut to the largest exact one. */
export function parameterReader<Schema extends TObject>(schema: Schema): ParameterReader<Schema> {
  const validator = Compile(schema);
  const properties = Object.entries<TSchema>(schema.properties);
  return (raw) => {
    const values: Record<string, unknown> = {};
    for (const [name, property] of properties) {
      const value = ownValue(raw, name);
      if (value === undefined) continue;
      if (Array.isArray(value)) {
        return new Refusal("INVALID_REQUEST", `\`${name}\` must be given once, not ${value.length} times.`);
      }
      values[name] = isIntegerSchema(property) ? integerOf(value) : value;
    }
    if (validator.Check(values)) return values;
    return problemOf(properties, values);
  };
}

function ownValue(raw: unknown, name: string): unknown {
  if (typeof raw !== "object" || raw === null || !Object.hasOwn(raw, name)) return undefined;
  return Reflect.get(raw, name);
}

function isIntegerSchema(schema: TSchema): boolean {
  return Reflect.get(schema, "type") === "integer";
}

/** The integer, or the value itself where it is none, for the schema to refuse. */
function integerOf(value: unknown): unknown {
  if (typeof value !== "string" || !INTEGER.test(value)) return value;
  return Math.min(Number(value), Number.MAX_SAFE_INTEGER);
}

function problemOf(
  properties: readonly (readonly [string, TSchema])[],
  values: Record<string, unknown>,
): Refusal {
  for (const [name, property] of properties) {
    const optional = Reflect.get(property, "~optional") !== undefined;
    if (values[name] === undefined && optional) continue;
    if (values[name] !== undefined && Value.Check(property, values[name])) continue;
    const expected: unknown = Reflect.get(property, "x-expected");
    return invalidField(name, typeof expected === "string" ? expected : "well-formed");
  }
  return new Refusal("INVALID_REQUEST", "The parameters do not fit together.");
}

/** The canonical (upper case) form of a text that satisfies P-21. */
export function tickOf(text: string): Tick {
  return text.toUpperCase() as Tick;
}

/** The lower-case form of 64 hex digits. */
export function txidOf(text: string): Txid {
  return text.toLowerCase() as Txid;
}

/** A text that matches P-51, as it is: ids are compared byte for byte. */
export function listingIdOf(text: string): ListingId {
  return text as ListingId;
}

/** The address that a request names in `field`, or `INVALID_REQUEST`. */
export function requestAddress(field: string, text: string, hrp: string): PearlAddress | Refusal {
  return parseAddress(text, hrp) ?? invalidField(field, addressExpected(hrp));
}

/** Completes "`field` must be ..." for addresses of a network. */
function addressExpected(hrp: string): string {
  return `a Taproot address of this network (bech32m, prefix ${hrp}, witness version 1, 32 bytes)`;
}
