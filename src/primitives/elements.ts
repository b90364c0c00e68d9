// Elements that must be there. Where an absent one would be a bug, a default in its place would hide the bug, and near
// money it would become an amount: these functions throw instead.

/**
 * The element at an index.
 * @throws RangeError where the list has none there (a bug of the caller, or an outside that breaks its promise).
 */
export function elementAt<Element>(list: ArrayLike<Element>, index: number): Element {
  const element = list[index];
  if (element === undefined) throw new RangeError(`no element ${index} of ${list.length}`);
  return element;
}

/**
 * The pairs of two lists' elements, in order.
 * @throws RangeError where one list is longer than the other, before the first pair.
 */
export function zip<One, Other>(
  ones: readonly One[],
  others: readonly Other[],
): readonly (readonly [One, Other])[] {
  if (ones.length !== others.length) throw new RangeError(`${ones.length} elements beside ${others.length}`);
  return ones.map((one, index) => [one, elementAt(others, index)]);
}
