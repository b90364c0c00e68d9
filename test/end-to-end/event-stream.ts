// Listens to the event stream for a test: a consumer over a real socket that keeps every event with its bytes.

import assert from "node:assert/strict";
import { get, type IncomingMessage } from "node:http";
import { eventOf, StreamText, type ToldEvent } from "../../testkit/event-text.ts";
import type { LiveIndex } from "./live-index.ts";
import type { JsonRow } from "../../testkit/rows.ts";

/** An event as it came. */
export type StreamedEvent = ToldEvent<
  JsonRow & { readonly height: number; readonly block_hash: string; readonly row?: JsonRow }
>;

/** A consumer. */
export class EventStream {
  readonly events: StreamedEvent[] = [];
  readonly #response: IncomingMessage;
  readonly #text = new StreamText();

  private constructor(response: IncomingMessage) {
    this.#response = response;
    response.setEncoding("utf8");
    response.on("data", (chunk: string) => this.#take(chunk));
    response.on("error", () => undefined);
  }

  /** Connects; resolves when the service has answered. */
  static open(
    index: Pick<LiveIndex, "host" | "port">,
    query = "",
    lastEventId: number | string | null = null,
  ): Promise<EventStream> {
    const headers = lastEventId === null ? {} : { "last-event-id": String(lastEventId) };
    return new Promise((resolve, reject) => {
      get(
        { host: index.host, port: index.port, path: `/api/v1/events${query}`, headers, agent: false },
        (response) => {
          assert.equal(response.statusCode, 200);
          assert.equal(response.headers["content-type"], "text/event-stream; charset=utf-8");
          resolve(new EventStream(response));
        },
      ).on("error", reject);
    });
  }

  /** Resolves when so many events have come and no further one comes at once. */
  async settled(count: number): Promise<readonly StreamedEvent[]> {
    for (let waited = 0; waited < 6000 && this.events.length < count; waited += 1) await pause(10);
    await pause(30);
    return this.events;
  }

  /** The events of this kind so far. */
  of(event: string): readonly StreamedEvent[] {
    return this.events.filter((one) => one.event === event);
  }

  close(): void {
    this.#response.destroy();
  }

  #take(chunk: string): void {
    for (const raw of this.#text.take(chunk)) {
      const event: StreamedEvent | null = eventOf(raw);
      if (event !== null) this.events.push(event);
      else assert.match(raw, COMMENT, "neither an event nor a comment");
    }
  }
}

const COMMENT = /^(: [a-z]+|retry: \d+)(\nretry: \d+)?(\nid: \d+)?$/;

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
