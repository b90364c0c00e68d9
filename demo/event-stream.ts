// Follows what happens in the service's own words: reads its server-sent events (H-39) and takes the stream up again
// where it broke off.

import { type Row, rowOf } from "./index-client.ts";

/** One event. `row` is the row of its endpoint, or the event's whole data where it carries none. */
export interface IndexEvent {
  readonly kind: string;
  readonly height: number | null;
  readonly blockHash: string | null;
  readonly row: Row;
}

const RETRY_MS = 500;

interface Frame {
  kind: string;
  data: string[];
}

function eventOf(frame: Frame): IndexEvent {
  const data = rowOf(JSON.parse(frame.data.join("\n")));
  const { height, block_hash: blockHash, row } = data;
  return {
    kind: frame.kind,
    height: typeof height === "number" ? height : null,
    blockHash: typeof blockHash === "string" ? blockHash : null,
    row: row === undefined || row === null ? data : rowOf(row),
  };
}

/** Takes the text of a stream apart; keeps the id that resumes it. */
class FrameReader {
  lastId: string | null = null;
  #rest = "";
  #frame: Frame = { kind: "", data: [] };

  /** Forgets a half frame: the stream begins anew. */
  restart(): void {
    this.#rest = "";
    this.#frame = { kind: "", data: [] };
  }

  take(chunk: string): IndexEvent[] {
    const lines = (this.#rest + chunk).split(/\r?\n/);
    this.#rest = lines.pop() ?? "";
    const events: IndexEvent[] = [];
    for (const line of lines) {
      if (line === "") {
        if (this.#frame.data.length > 0) events.push(eventOf(this.#frame));
        this.#frame = { kind: "", data: [] };
        continue;
      }
      const [, field, value = ""] = /^([a-z]*):? ?(.*)$/.exec(line) ?? [];
      if (field === "event") this.#frame.kind = value;
      else if (field === "data") this.#frame.data.push(value);
      else if (field === "id") this.lastId = value;
    }
    return events;
  }
}

/** Calls `listener` for every event from now on, until `signal` ends it. `ready` is called at each connection. */
export async function followEvents(
  base: string,
  listener: (event: IndexEvent) => void,
  ready: () => void,
  signal: AbortSignal,
): Promise<void> {
  const reader = new FrameReader();
  while (!signal.aborted) {
    try {
      const headers = reader.lastId === null ? {} : { "last-event-id": reader.lastId };
      const response = await fetch(`${base}/api/v1/events`, { headers, signal });
      if (response.status !== 200 || response.body === null) throw new Error(`status ${response.status}`);
      reader.restart();
      ready();
      const decoder = new TextDecoder();
      for await (const chunk of response.body) {
        for (const event of reader.take(decoder.decode(chunk, { stream: true }))) listener(event);
      }
    } catch (error) {
      // A stream that breaks is taken up again below; anything else is a fault of the demo and must show.
      if (error instanceof SyntaxError || error instanceof RangeError) throw error;
    }
    if (!signal.aborted) await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
}
