// Turns the schemas that validate requests and shape answers into those of the OpenAPI document: plain JSON Schema
// 2020-12, shapes that occur again as named components, and a description for every field.

import type { TSchema } from "typebox";
import { FIELD_WORDS } from "./schemas/field-words.ts";

/** A JSON object. */
export type Json = Record<string, unknown>;

/** Writes schemas for the document; those with a name are referred to. */
export class SchemaBook {
  readonly #names = new Map<string, string>();
  readonly #components: Record<string, Json> = {};

  /** `named`: the components by name. Of two equal shapes the first one's name counts. */
  constructor(named: Readonly<Record<string, TSchema>>) {
    for (const [name, schema] of Object.entries(named)) {
      const text = JSON.stringify(schema);
      if (!this.#names.has(text)) this.#names.set(text, name);
    }
    for (const [text, name] of this.#names) this.#components[name] = this.#written(plain(JSON.parse(text)));
  }

  /** All named schemas. */
  get components(): Readonly<Record<string, Json>> {
    return this.#components;
  }

  /** A schema as the document shows it. */
  write(schema: TSchema): Json {
    return this.#shown(plain(JSON.parse(JSON.stringify(schema))));
  }

  #shown(schema: Json): Json {
    const name = this.#names.get(JSON.stringify(schema));
    return name === undefined ? this.#written(schema) : { $ref: `#/components/schemas/${name}` };
  }

  #written(schema: Json): Json {
    const made: Json = {};
    for (const [key, value] of Object.entries(schema)) {
      // What only our own reader looks at, and what JSON Schema 2020-12 calls otherwise.
      if (key.startsWith("x-") || key.startsWith("~") || key === "additionalItems") continue;
      if (key === "properties") made[key] = this.#properties(plain(value));
      else if (key === "items" && Array.isArray(value)) {
        made.prefixItems = value.map((one) => this.#shown(plain(one)));
        made.items = false;
      } else if (key === "patternProperties") {
        // Records have text keys of any kind: their values are what there is to say.
        made.additionalProperties = this.#shown(plain(Object.values(plain(value))[0]));
      } else if (Array.isArray(value) && SCHEMA_LISTS.includes(key)) {
        made[key] = value.map((one) => this.#shown(plain(one)));
      } else made[key] = key === "items" || key === "not" ? this.#shown(plain(value)) : value;
    }
    return made;
  }

  #properties(properties: Json): Json {
    const made: Json = {};
    for (const [name, value] of Object.entries(properties)) {
      const schema = plain(value);
      const written = this.#shown(schema);
      const description = descriptionOf(schema) ?? FIELD_WORDS[name];
      made[name] = description === undefined ? written : { ...written, description };
    }
    return made;
  }
}

const SCHEMA_LISTS: readonly string[] = ["anyOf", "allOf", "oneOf"];

/** Its own description, or that of what it is where it is not null. */
function descriptionOf(schema: Json): string | undefined {
  if (typeof schema.description === "string") return schema.description;
  const [first] = Array.isArray(schema.anyOf) ? schema.anyOf : [];
  const inner: unknown = first === undefined ? undefined : plain(first).description;
  return typeof inner === "string" ? inner : undefined;
}

function plain(value: unknown): Json {
  return typeof value === "object" && value !== null ? Object.fromEntries(Object.entries(value)) : {};
}
