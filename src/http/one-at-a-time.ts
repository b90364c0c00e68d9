// One request at a time per connection (H-11). Node parses whatever one read brings, up to 64 KiB, and starts all
// requests in it at once, some 650 of them, whether or not anybody takes the answers. Here the bytes are cut where a
// request's headers or its body may end, and the parser gets the next piece when the answer is out. Only Node's
// parser decides what a request is: a cut too many changes nothing.

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Pieces that are parsed before everybody else has a turn: bytes may be chosen so that each piece is one byte. */
const PIECES_PER_TURN = 64;
const LF = 10;
const CR = 13;
const NOTHING = Buffer.alloc(0);

/** A request that is being read or answered. */
interface OpenRequest {
  readonly request: IncomingMessage;
  /** Bytes of its body that have not come yet; null where only the parser knows. */
  bodyLeft: number | null;
}

/** What stands between a socket and the parser. */
export class RequestGate {
  readonly #socket: Socket;
  readonly #parse: (bytes: Buffer) => void;
  #held: Buffer = NOTHING;
  /** The end of what was parsed last: a header's end may lie across two pieces. */
  #tail: readonly number[] = [];
  #open: OpenRequest | null = null;
  #isParsing = false;
  #isWaiting = false;
  /** The socket may also be stopped by Node, where a body is not taken; that is not ours to end. */
  #hasPaused = false;

  /** To be made in the server's `connection` event, after Node has attached its parser to the socket. */
  constructor(socket: Socket) {
    this.#socket = socket;
    const [parse] = socket.listeners("data");
    if (parse === undefined) throw new Error("no parser is attached to this connection");
    this.#parse = (bytes) => void Reflect.apply(parse, socket, [bytes]);
    socket.removeAllListeners("data");
    // A listener of this event also takes the bytes away from the parser's own way of reading.
    socket.on("data", (bytes: Buffer) => this.#take(bytes));
  }

  /** Target of the request that is read or answered; undefined where there is none. */
  get target(): string | undefined {
    return this.#open?.request.url;
  }

  /** A request has begun; the next one is parsed when the response is out. */
  begin(request: IncomingMessage, response: ServerResponse): void {
    const length = request.headers["content-length"];
    this.#open = { request, bodyLeft: length === undefined ? null : Number(length) };
    response.once("close", () => {
      this.#open = null;
      this.#go();
    });
  }

  #take(bytes: Buffer): void {
    this.#held = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    this.#go();
  }

  /** Parses what may be parsed now. Reads on where nothing is left, and waits where the rest has to. */
  #go(): void {
    if (this.#isParsing || this.#isWaiting) return;
    this.#isParsing = true;
    try {
      for (let pieces = 0; this.#held.length > 0; pieces += 1) {
        // Nobody is there for the answers to what is left.
        if (this.#socket.destroyed || this.#socket.writableEnded) {
          this.#held = NOTHING;
          return;
        }
        const mustWait = this.#open?.request.complete === true || isHeldByParser(this.#socket);
        if (mustWait || pieces === PIECES_PER_TURN) {
          this.#socket.pause();
          this.#hasPaused = true;
          if (!mustWait) this.#goLater();
          return;
        }
        this.#parseNext();
      }
    } finally {
      this.#isParsing = false;
    }
    if (!this.#hasPaused) return;
    this.#hasPaused = false;
    if (!isHeldByParser(this.#socket) && !isFull(this.#open?.request)) this.#socket.resume();
  }

  #goLater(): void {
    this.#isWaiting = true;
    setImmediate(() => {
      this.#isWaiting = false;
      this.#go();
    });
  }

  #parseNext(): void {
    const length = this.#pieceLength();
    const piece = this.#held.subarray(0, length);
    this.#held = length === this.#held.length ? NOTHING : this.#held.subarray(length);
    this.#tail = [...this.#tail, ...piece.subarray(-2)].slice(-2);
    if (this.#open !== null && this.#open.bodyLeft !== null) this.#open.bodyLeft -= length;
    this.#parse(piece);
  }

  /** As many of the held bytes as cannot hold more than the end of one request's headers or body. */
  #pieceLength(): number {
    const left = this.#open?.bodyLeft ?? null;
    if (left !== null && left > 0) return Math.min(left, this.#held.length);
    return endOfLines(this.#held, this.#tail) ?? this.#held.length;
  }
}

/** Node's own brake: the parser must not be fed while it has stopped the socket. */
function isHeldByParser(socket: Socket): boolean {
  if (!("_paused" in socket)) return false;
  const { _paused: isPaused } = socket;
  return isPaused === true;
}

/** True where a body waits to be read: whoever reads it makes the socket go on. */
function isFull(request: IncomingMessage | undefined): boolean {
  return (
    request !== undefined && !request.complete && request.readableLength >= request.readableHighWaterMark
  );
}

/** Where the first empty line ends (LF, or CR and LF, after an LF); `before` are the bytes parsed last. */
function endOfLines(bytes: Buffer, before: readonly number[]): number | null {
  const [last, first] = [before.at(-1), before.at(-2)];
  if (last === LF && bytes[0] === LF) return 1;
  if (last === LF && bytes[0] === CR && bytes[1] === LF) return 2;
  if (first === LF && last === CR && bytes[0] === LF) return 1;
  for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at + 1] === LF) return at + 2;
    if (bytes[at + 1] === CR && bytes[at + 2] === LF) return at + 3;
  }
  return null;
}
