// JSON that keeps what JSON has no form for: whole numbers of any size, maps and sets. For texts that processes of one
// program write for each other; no text of an interface has this form.

const MARK = "$exact";

/** The text of a value of plain objects, arrays, texts, numbers, `bigint`s, maps and sets; `undefined` fields are left out. */
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
