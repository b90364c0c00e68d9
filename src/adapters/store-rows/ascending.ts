// Puts many rows into the order of their ids, so that neighbours in a table or an index are written one after the other.

/**
 * Positions of numbers in ascending order, equal ones as they stand. The numbers are ids: whole, not negative, and their
 * product with how many there are is below 2^53.
 */
export function ascending(ids: readonly number[]): Float64Array {
  const count = ids.length;
  // Number and position in one: so the sort needs no function of ours.
  const keys = new Float64Array(count);
  for (let at = 0; at < count; at += 1) keys[at] = (ids[at] ?? 0) * count + at;
  keys.sort();
  for (let at = 0; at < count; at += 1) keys[at] = (keys[at] ?? 0) % count;
  return keys;
}
