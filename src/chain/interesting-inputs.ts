// Picks those of the inputs noted by the cursor that matter: those with an envelope (P-12), and spends of possible
// anchors.

import { NOTE_STRIDE, type TransactionCursor } from "./block-cursor.ts";
import type { InterestingInput, RecogniseEnvelope } from "./block-shapes.ts";

/** Turns the notes of the cursor into interesting inputs, ascending; null where none of them is one. */
export function interestingInputs(
  cursor: TransactionCursor,
  recognise: RecogniseEnvelope,
): InterestingInput[] | null {
  const { bytes, notes } = cursor;
  let found: InterestingInput[] | null = null;
  for (let at = 0; at < cursor.noteCount * NOTE_STRIDE; at += NOTE_STRIDE) {
    const leafStart = notes[at + 1] ?? -1;
    const annexStart = notes[at + 3] ?? -1;
    const mayCloseListing = notes[at + 5] === 1;
    const envelope = leafStart < 0 ? null : recognise(bytes, leafStart, notes[at + 2] ?? -1);
    if (envelope === null && !mayCloseListing) continue;
    found ??= [];
    found.push({
      index: notes[at] ?? 0,
      envelope,
      annex: annexStart < 0 ? null : bytes.slice(annexStart, notes[at + 4] ?? -1),
      mayCloseListing,
    });
  }
  return found;
}
