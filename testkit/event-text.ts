// The text of an event stream (H-39), taken apart as a client does: it comes in chunks that end anywhere, and each of its
// pieces ends by an empty line.

import type { JsonRow } from "./rows.ts";

/** Puts the chunks of one stream together. */
export class StreamText {
  #rest = "";

  /** The pieces that are whole with this chunk, each without the empty line behind it. */
  take(chunk: string): readonly string[] {
    const pieces = (this.#rest + chunk).split("\n\n");
    this.#rest = pieces.pop() ?? "";
    return pieces;
  }
}

/** An event as it was told. */
export interface ToldEvent<Data = JsonRow> {
  readonly id: number;
  readonly event: string;
  readonly data: Data;
  /** The whole event as it was sent. */
  readonly raw: string;
}

/** The event that a piece is; null for one that is none. */
export function eventOf<Data = JsonRow>(raw: string): ToldEvent<Data> | null {
  const [, id, event = "", data = ""] = /^id: (\d+)\nevent: (\w+)\ndata: (\{.*\})$/.exec(raw) ?? [];
  return id === undefined ? null : { id: Number(id), event, data: JSON.parse(data), raw };
}
