// Reads what nobody has typed: parsed JSON, rows of several kinds, messages of Node.

/** What an unknown value holds itself under a name; undefined where it is no object or has no such property. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? new Map<string, unknown>(Object.entries(value)).get(name)
    : undefined;
}
