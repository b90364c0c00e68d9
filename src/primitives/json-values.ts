// How many values a JSON text holds, told from its bytes before it is taken apart: an empty list is three bytes on the wire and
// a hundred in memory, and taking millions apart holds the event loop for as many microseconds.

/** Comma, bracket and brace: one of them stands before each value or before its name, but for the outermost. */
const VALUE_MARKS = [0x2c, 0x5b, 0x7b];

/**
 * How often such marks stand in a piece of JSON, also within texts: its values, or more. Long answers are hex for the most
 * part, in which none do.
 */
export function valueMarks(piece: Uint8Array): number {
  let count = 0;
  for (const mark of VALUE_MARKS)
    for (let at = piece.indexOf(mark); at >= 0; at = piece.indexOf(mark, at + 1)) count += 1;
  return count;
}
