// JSON that keeps what JSON has no form for: whole numbers of any size, maps and sets. For texts that processes of one
// program write for each other; no text of an interface has this form.

const MARK = "$exact";

/**
 * The text of a value of plain objects, arrays, texts, numbers, `bigint`s, maps and sets; `undefined` fields are left
 * out.
 */
export function exactText(value: unknown): string {
  return JSON.stringify(value, (_key, one: unknown) => {
    if (typeof one === "bigint") return { [MARK]: "bigint", value: one.toString() };
    if (one instanceof Map) return { [MARK]: "map", value: [...one] };
    if (one instanceof Set) return { [MARK]: "set", value: [...one] };
    return one;
  });
}

/** The value of such a text. @throws where it is none. */
export function exactValue(text: string): unknown {
  return JSON.parse(text, (_key, one: unknown) => {
    if (typeof one !== "object" || one === null || !(MARK in one) || !("value" in one)) return one;
    const { value } = one;
    if (one[MARK] === "bigint" && typeof value === "string") return BigInt(value);
    if (one[MARK] === "map" && areEntries(value)) return new Map(value);
    if (one[MARK] === "set" && Array.isArray(value)) return new Set(value);
    throw new Error("exact JSON: a marked value of no known kind");
  });
}

function areEntries(value: unknown): value is readonly (readonly [unknown, unknown])[] {
  return Array.isArray(value) && value.every((one) => Array.isArray(one) && one.length === 2);
}

/** Texts of one shape, which processes of this version of the program write for each other. */
export class TextFormat<Value extends object> {
  readonly #version: number;
  readonly #field: keyof Value & string;

  /** `version`: raised when a field, or what follows from it, is another one. `field`: one that every value has. */
  constructor(version: number, field: keyof Value & string) {
    this.#version = version;
    this.#field = field;
  }

  /** The text of a value. */
  text(value: Value): string {
    return exactText({ format: this.#version, ...value });
  }

  /** The value of a text; null where another version wrote it. @throws where it is no text of `exactText`. */
  read(text: string): Value | null {
    const value = exactValue(text);
    return this.#isOwn(value) ? value : null;
  }

  /** Whoever writes this form is typed: the number says that it was this version. */
  #isOwn(value: unknown): value is Value {
    if (typeof value !== "object" || value === null) return false;
    return "format" in value && value.format === this.#version && this.#field in value;
  }
}
