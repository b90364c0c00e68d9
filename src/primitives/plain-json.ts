// JSON in which whole numbers of any size are decimal texts, as in rows and on the wire (H-01).

/** The text of a value of plain objects, arrays, texts, numbers and `bigint`s. */
export function plainText(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) => (typeof one === "bigint" ? String(one) : one));
}
