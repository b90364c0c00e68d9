// How much of answers may lie in memory until clients take it, in all (H-11). A connection that takes a byte now and then
// is never cut for standing still, and each may have an answer of its own: bytes are counted, an answer that many are sent
// once, and where there are too many, whoever has most of them lying loses the answer that has lain longest.

import type { IncomingMessage, ServerResponse } from "node:http";

/** Shorter answers are not counted: the number of connections bounds them. */
const COUNTED_FROM_BYTES = 16 * 1024;
/** Bytes that may lie in all where nothing else is said: of the longest answers some fifteen. */
const MOST_BYTES = 128 * 1024 * 1024;

/** An answer on its way to a client. */
interface Held {
  readonly response: ServerResponse;
  readonly body: Buffer;
  readonly client: string;
}

/** The answers of one server that have been given out and not been taken yet. */
export class HeldAnswers {
  readonly #mostBytes: number;
  readonly #clientOf: (request: IncomingMessage) => string;
  /** Oldest first. */
  readonly #held = new Set<Held>();
  /** How many clients a body is sent to. */
  readonly #uses = new Map<Buffer, number>();
  #bytes = 0;

  /** `clientOf`: who counts as one client (H-10). `mostBytes`: default 128 MiB. */
  constructor(clientOf: (request: IncomingMessage) => string, mostBytes = MOST_BYTES) {
    this.#clientOf = clientOf;
    this.#mostBytes = mostBytes;
  }

  /** Bytes that lie in memory for clients. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Counts a body that is about to be sent, until the response is closed, and makes room for it where there is none. */
  hold(response: ServerResponse, body: Buffer): void {
    if (body.length < COUNTED_FROM_BYTES || response.closed) return;
    const held: Held = { response, body, client: this.#clientOf(response.req) };
    const uses = this.#uses.get(body) ?? 0;
    this.#uses.set(body, uses + 1);
    if (uses === 0) this.#bytes += body.length;
    this.#held.add(held);
    response.once("close", () => this.#release(held));
    while (this.#bytes > this.#mostBytes && this.#cutLongest(held));
  }

  #release(held: Held): void {
    if (!this.#held.delete(held)) return;
    const { body } = held;
    const left = (this.#uses.get(body) ?? 1) - 1;
    if (left > 0) this.#uses.set(body, left);
    else {
      this.#uses.delete(body);
      this.#bytes -= body.length;
    }
  }

  /** Cuts the oldest answer of the client that has most, but for the newest one; false where that is all there is. */
  #cutLongest(newest: Held): boolean {
    const ofClient = new Map<string, number>();
    for (const { client, body } of this.#held)
      ofClient.set(client, (ofClient.get(client) ?? 0) + body.length);
    let longest: Held | null = null;
    for (const held of this.#held) {
      if (held === newest) continue;
      const most = longest === null ? 0 : (ofClient.get(longest.client) ?? 0);
      if ((ofClient.get(held.client) ?? 0) > most) longest = held;
    }
    if (longest === null) return false;
    this.#release(longest);
    longest.response.destroy();
    return true;
  }
}
