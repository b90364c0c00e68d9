// JSON as it comes from outside, and as it is written, whole numbers of any size as decimal texts (H-01).

/** The text of a value of plain objects, arrays, texts, numbers and `bigint`s. */
export function plainText(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) => (typeof one === "bigint" ? String(one) : one));
}

/** The value of a text that anybody may have written; undefined where it is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether the value is an object with names. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
