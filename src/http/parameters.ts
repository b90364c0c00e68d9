// Reads placeholders and parameters of a request by their schema, before anything is looked up (H-05): unknown ones are
// ignored, a known one must be there once and match. Some are read in one form, however they are written (H-07). And the
// addresses of a request, whose checksums are checked here.

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

const INTEGER = /^[0-9]{1,20}$/;
/** Most rows per page; larger limits count as this one (H-05). */
const LIMIT_MAX = 100;

/** Values that are read in one form, however they are written, by the name that they have everywhere (H-05, H-07). */
const FORMS = {
  tick: (value: unknown) => String(value).toUpperCase() as Tick,
  txid: (value: unknown) => String(value).toLowerCase() as Txid,
  /** A height, or a hash. */
  block: (value: unknown): number | BlockHash => {
    const text = String(value);
    if (text.length === 64) return text.toLowerCase() as BlockHash;
    return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
  },
  limit: (value: unknown) => Math.min(Number(value), LIMIT_MAX),
} as const;
type Forms = typeof FORMS;

/** Values of a schema as they are read. */
export type ReadValues<Schema extends TObject> = Formed<StaticEncode<Schema>>;
type Formed<Values> = {
  readonly [Name in keyof Values]: Name extends keyof Forms ? ReturnType<Forms[Name]> : Values[Name];
};

/** Reads raw text values by a schema, or says which one is wrong. */
type ParameterReader<Schema extends TObject> = (raw: unknown) => Result<ReadValues<Schema>, Refusal>;

/** A reader for this schema. Integers are read by H-05 and cut to the largest exact one. */
export function parameterReader<Schema extends TObject>(schema: Schema): ParameterReader<Schema> {
  // Compiled with the first request of its kind: all of them together would be a tenth of a start's work.
  let validator: { Check(values: unknown): boolean } | null = null;
  const properties = Object.entries<TSchema>(schema.properties);
  const forms = Object.entries(FORMS).filter(([name]) => Object.hasOwn(schema.properties, name));
  return (raw) => {
    const given = new Map<string, unknown>(Object.entries(Object(raw)));
    const values: Record<string, unknown> = {};
    for (const [name, property] of properties) {
      const value = given.get(name);
      if (value === undefined) continue;
      if (Array.isArray(value)) {
        return err(invalidField(name, `must be given once, not ${value.length} times`));
      }
      values[name] = schemaNotes(property).type === "integer" ? integerOf(value) : value;
    }
    validator ??= Compile(schema);
    if (!validator.Check(values)) return err(problemOf(properties, values));
    for (const [name, form] of forms) if (values[name] !== undefined) values[name] = form(values[name]);
    // The schema has let all values through, and each has the form of its name.
    return ok(values as ReadValues<Schema>);
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
    return invalidField(name, `must be ${expected}`);
  }
  return new Refusal("INVALID_REQUEST", "The parameters do not fit together.");
}

/** A text that matches P-51, as it is: ids are compared byte for byte. */
export function listingIdOf(text: string): ListingId {
  return text as ListingId;
}

/** The address that a request names in `field`, or `INVALID_REQUEST`. */
export function requestAddress(field: string, text: string, hrp: string): Result<PearlAddress, Refusal> {
  const address = parseAddress(text, hrp);
  return address === null ? err(invalidField(field, `must be ${addressExpected(hrp)}`)) : ok(address);
}

/** Completes "`field` must be ..." for addresses of a network. */
function addressExpected(hrp: string): string {
  return `a Taproot address of this network (bech32m, prefix ${hrp}, witness version 1, 32 bytes)`;
}
