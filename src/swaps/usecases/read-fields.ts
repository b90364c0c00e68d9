// Reads all fields of a body before anything is looked up, so that one answer names every bad field (H-45).

import { err, ok, type Result } from "../../primitives/result.ts";
import { isAbsent, type Parsed } from "../../swap/forms.ts";
import { invalidFields, type SwapRefusal } from "./outcome.ts";
import type { RequestBody } from "./swap-service.ts";

/** How one field is read; absent ones (`null` counts, S-06) give `absent` where that is allowed. */
interface Field<Value> {
  readonly parse: (value: unknown) => Parsed<Value>;
  readonly absent: { readonly value: Value } | null;
}

/** A field that must be there. */
export function required<Value>(parse: (value: unknown) => Parsed<Value>): Field<Value> {
  return { parse, absent: null };
}

/** A field that may be left out; it is null then. */
export function optional<Value>(parse: (value: unknown) => Parsed<Value>): Field<Value | null> {
  return { parse, absent: { value: null } };
}

/** Any string; its meaning is judged later, under a code of its own. */
export function anyString(value: unknown): Parsed<string> {
  return typeof value === "string" ? ok(value) : err("expected a string");
}

/** What a shape of fields reads to. */
export type FieldValues<Shape extends Record<string, Field<unknown>>> = {
  readonly [Name in keyof Shape]: Shape[Name] extends Field<infer Value> ? Value : never;
};

/** Reads every field of the shape; unknown fields of the body are ignored (H-46). */
export function readFields<Shape extends Record<string, Field<unknown>>>(
  body: RequestBody,
  shape: Shape,
): Result<FieldValues<Shape>, SwapRefusal> {
  const values: Record<string, unknown> = {};
  const faults: Record<string, string> = {};
  for (const [name, field] of Object.entries(shape)) {
    const given = Object.hasOwn(body, name) ? body[name] : undefined;
    if (isAbsent(given)) {
      if (field.absent === null) faults[name] = "is required";
      else values[name] = field.absent.value;
      continue;
    }
    const parsed = field.parse(given);
    if (parsed.ok) values[name] = parsed.value;
    else faults[name] = parsed.error;
  }
  if (Object.keys(faults).length > 0) return err(invalidFields(faults));
  // Every name of the shape has been given the value that its own field parsed.
  return ok(values as FieldValues<Shape>);
}
