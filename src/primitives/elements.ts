// Elements of lists: those that must be there, and the place of one in a sorted list. Where an absent one would be a
// bug, a default in its place would hide the bug, and near money it would become an amount: `elementAt` and `zip` throw
// instead.

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

/** Index of the first element that fits, where all behind one that fits do too; the list's length where none does. */
export function firstIndex<Element>(list: readonly Element[], fits: (element: Element) => boolean): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (fits(elementAt(list, middle))) high = middle;
    else low = middle + 1;
  }
  return low;
}
