// Whether two plain values say the same, without the time and memory that their texts would take.

const NONE: ReadonlySet<string> = new Set();

/**
 * Whether two values of plain objects, lists, texts, numbers, `bigint`s and null are the same, whatever order their fields
 * were written in. A field that is absent is one that is undefined. Fields with the names in `ignored` do not count, at any
 * depth.
 */
export function isSameValue(one: unknown, other: unknown, ignored: ReadonlySet<string> = NONE): boolean {
  if (Object.is(one, other)) return true;
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
    return one.every((value, at) => isSameValue(value, other[at], ignored));
  }
  if (!isObject(one) || !isObject(other)) return false;
  for (const name in one) {
    if (!ignored.has(name) && !isSameValue(one[name], other[name], ignored)) return false;
  }
  for (const name in other) {
    if (!ignored.has(name) && one[name] === undefined && other[name] !== undefined) return false;
  }
  return true;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
