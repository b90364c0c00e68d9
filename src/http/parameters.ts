// Reads placeholders and parameters of a request by their schema, before anything is looked up (H-05): unknown ones are
// ignored, a known one must be there once and match. And the canonical forms of tickers, addresses, transaction ids and
// listing ids (H-07), whose checksums are checked here.

import type { StaticEncode, TObject, TSchema } from "typebox";
import { Compile } from "typebox/compile";
import { Value } from "typebox/value";
import { parseAddress } from "../primitives/address.ts";
import type { BlockHash, ListingId, PearlAddress, Tick, Txid } from "../primitives/brands.ts";
import { invalidField, Refusal } from "./errors.ts";
import { err, ok, type Result } from "../primitives/result.ts";

/** What a schema of ours says of a value in words, beside what TypeBox types. */
export interface SchemaNotes {
  readonly type?: string;
  readonly pattern?: string;
  readonly description?: string;
  /** Completes "must be ...". */
  readonly "x-expected"?: string;
  /** Set by TypeBox on a property that may be left out. */
  readonly "~optional"?: unknown;
}

/** The notes of a schema: TypeBox keeps them as members of the schema itself, which its types leave out. */
export function schemaNotes(schema: TSchema): SchemaNotes {
  return schema;
}

/** Reads raw text values by a schema, or says which one is wrong. */
type ParameterReader<Schema extends TObject> = (raw: unknown) => Result<StaticEncode<Schema>, Refusal>;

const INTEGER = /^[0-9]{1,20}$/;

/** A reader for this schema. Integers are read by H-05 and cut to the largest exact one. */
export function parameterReader<Schema extends TObject>(schema: Schema): ParameterReader<Schema> {
  const validator = Compile(schema);
  const properties = Object.entries<TSchema>(schema.properties);
  return (raw) => {
    const given = new Map<string, unknown>(Object.entries(Object(raw)));
    const values: Record<string, unknown> = {};
    for (const [name, property] of properties) {
      const value = given.get(name);
      if (value === undefined) continue;
      if (Array.isArray(value)) {
        const times = `not ${value.length} times`;
        return err(new Refusal("INVALID_REQUEST", `\`${name}\` must be given once, ${times}.`));
      }
      values[name] = schemaNotes(property).type === "integer" ? integerOf(value) : value;
    }
    return validator.Check(values) ? ok(values) : err(problemOf(properties, values));
  };
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
    const { "~optional": optional, "x-expected": expected = "well-formed" } = schemaNotes(property);
    if (values[name] === undefined && optional !== undefined) continue;
    if (values[name] !== undefined && Value.Check(property, values[name])) continue;
    return invalidField(name, expected);
  }
  return new Refusal("INVALID_REQUEST", "The parameters do not fit together.");
}

/** The height or the lower-case hash that a text of `blockParameter` is. */
export function blockOf(text: string): number | BlockHash {
  if (text.length === 64) return text.toLowerCase() as BlockHash;
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
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
export function requestAddress(field: string, text: string, hrp: string): Result<PearlAddress, Refusal> {
  const address = parseAddress(text, hrp);
  return address === null ? err(invalidField(field, addressExpected(hrp))) : ok(address);
}

/** Completes "`field` must be ..." for addresses of a network. */
function addressExpected(hrp: string): string {
  return `a Taproot address of this network (bech32m, prefix ${hrp}, witness version 1, 32 bytes)`;
}
