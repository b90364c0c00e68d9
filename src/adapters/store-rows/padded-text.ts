// Room around the rows of a page that an engine writes as text, in which its reader puts the envelope of the answer.

import type { PaddedText } from "../../index/pages.ts";

/** Bytes left free around the rows: enough for the envelope of any answer, whose cursors are its longest part. */
export const ROOM_BEFORE = 512;
/** As `ROOM_BEFORE`, behind the rows. */
export const ROOM_BEHIND = 2;

/** The text of no rows. */
export const NO_ROWS: PaddedText = { buffer: new Uint8Array(0), from: 0, to: 0 };

/** The rows in a buffer that holds both rooms. */
export function paddedRows(buffer: Uint8Array): PaddedText {
  return { buffer, from: ROOM_BEFORE, to: buffer.length - ROOM_BEHIND };
}
