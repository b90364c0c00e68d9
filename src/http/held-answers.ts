// How much of answers may lie in memory until clients take it, in all (H-11). A connection that takes a byte now and then
// is never cut for standing still, and each may have an answer of its own: bytes are counted, an answer that many are sent
// once, and where there are too many, whoever has most of them lying loses the answer that has lain longest. Of an answer
// that lies there for many each has a share: by cutting one of them alone nothing would be free.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { CompressionRoom } from "./answer.ts";

/** Shorter answers are not counted: the number of connections bounds them. */
const COUNTED_FROM_BYTES = 16 * 1024;
/** Bytes that may lie in all where nothing else is said: of the longest answers some fifteen. */
const MOST_BYTES = 128 * 1024 * 1024;

/** Bytes of bodies that may be compressed at a time: a fraction of a second's work, behind which everybody else's waits. */
const MOST_COMPRESSED_BYTES = 16 * 1024 * 1024;

/** An answer on its way to a client. */
interface Held {
  readonly response: ServerResponse;
  readonly body: Buffer;
  readonly client: string;
}

/** The answers of one body that one client is sent. */
interface ClientBody {
  readonly answers: Held[];
  /** Bytes: the client's part of a body that others are sent, too. */
  share: number;
}

/** What one client has lying there, the body that it was sent first in front. */
interface ClientHeld {
  share: number;
  readonly bodies: Map<Buffer, ClientBody>;
}

/** The answers of one server that have been given out, or are being compressed to be, and not been taken yet. */
export class HeldAnswers implements CompressionRoom {
  readonly #mostBytes: number;
  readonly #clientOf: (request: IncomingMessage) => string;
  /** Oldest first. */
  readonly #held = new Set<Held>();
  /** How many answers are of a body. */
  readonly #uses = new Map<Buffer, number>();
  #bytes = 0;
  /** Of them, those of bodies that are being compressed: nothing frees these but that it is done. */
  #compressed = 0;

  /** `clientOf`: who counts as one client (H-10). `mostBytes`: default 128 MiB. */
  constructor(clientOf: (request: IncomingMessage) => string, mostBytes = MOST_BYTES) {
    this.#clientOf = clientOf;
    this.#mostBytes = mostBytes;
  }

  /** Bytes that lie in memory for clients. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Bodies that are being compressed count, and are bounded by themselves: one waits for the other, and none can be cut. */
  enter(bytes: number): boolean {
    if (this.#compressed > 0 && this.#compressed + bytes > MOST_COMPRESSED_BYTES) return false;
    this.#compressed += bytes;
    this.#bytes += bytes;
    return true;
  }

  leave(bytes: number): void {
    this.#compressed -= bytes;
    this.#bytes -= bytes;
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
    if (this.#bytes > this.#mostBytes) this.#makeRoom(body);
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

  /** Cuts what the client with the greatest share was sent first, and so on, until the rest fits; `newest` stands. */
  #makeRoom(newest: Buffer): void {
    const clients = this.#byClient();
    for (const client of clients) client.bodies.delete(newest);
    while (this.#bytes > this.#mostBytes) {
      let most: ClientHeld | null = null;
      for (const client of clients) {
        if (client.bodies.size > 0 && (most === null || client.share > most.share)) most = client;
      }
      const [first] = most?.bodies ?? [];
      if (most === null || first === undefined) return;
      const [body, { answers, share }] = first;
      most.share -= share;
      most.bodies.delete(body);
      for (const held of answers) {
        this.#release(held);
        held.response.destroy();
      }
    }
  }

  #byClient(): readonly ClientHeld[] {
    const clients = new Map<string, ClientHeld>();
    for (const held of this.#held) {
      const { body, client: name } = held;
      const client = clients.get(name) ?? { share: 0, bodies: new Map<Buffer, ClientBody>() };
      clients.set(name, client);
      const own = client.bodies.get(body) ?? { answers: [], share: 0 };
      client.bodies.set(body, own);
      const share = body.length / (this.#uses.get(body) ?? 1);
      own.answers.push(held);
      own.share += share;
      client.share += share;
    }
    return [...clients.values()];
  }
}
