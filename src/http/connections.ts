// How many connections there may be, in all and of one client, and how long one may leave its answers lying (H-11).
// Where all places are taken, the connection that has been idle longest makes room: whoever only occupies places
// cannot keep others out with them.

import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { clientKey } from "./client-key.ts";
import type { ConnectionLimits } from "./dependencies.ts";
import { RequestGate } from "./one-at-a-time.ts";

/** Refused connections that are told why before they are closed; more are closed without a word. */
const MAX_TOLD = 128;
/** Connections of one client at a time. */
const MOST_OF_CLIENT = 64;
/** How long a refused client may take to read why. */
const TOLD_MS = 1000;

interface Connection {
  readonly socket: Socket;
  readonly gate: RequestGate;
  readonly client: string;
  /** Bytes that had left when somebody last looked, and when they first were that many. */
  sentBytes: number;
  sinceMs: number;
}

/** What connections are judged with. */
interface ConnectionDependencies {
  readonly limits: ConnectionLimits;
  /** True for the address of a proxy that speaks for many clients: the limit of one client is not for it. */
  readonly isProxy: (address: string) => boolean;
  readonly monotonicMs: () => number;
  /** Answers a connection that is refused. */
  readonly refuse: (socket: Socket) => void;
}

/** The connections of one server. */
export class Connections {
  readonly #parts: ConnectionDependencies;
  readonly #max: number;
  readonly #stallMs: number;
  readonly #connections = new Map<Socket, Connection>();
  /** Those without a request under way, the one that has been so longest first. */
  readonly #idle = new Set<Connection>();
  readonly #clients = new Map<string, number>();
  #told = 0;

  constructor(parts: ConnectionDependencies) {
    this.#parts = parts;
    const { max = 4096, stallMs = 30_000 } = parts.limits;
    this.#max = max;
    this.#stallMs = stallMs;
  }

  /** Connections at present. */
  get size(): number {
    return this.#connections.size;
  }

  /** Watches over a server's connections until it closes. To be called before it listens. */
  watch(server: Server): void {
    server.on("connection", (socket: Socket) => this.#accept(socket));
    // A server that never listens, because requests are injected, never closes either.
    server.once("listening", () => {
      const timer = setInterval(() => this.#cutStalled(), Math.max(10, this.#stallMs / 6));
      timer.unref();
      server.once("close", () => clearInterval(timer));
    });
  }

  /** A request has begun on its connection. */
  begin(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.#connections.get(request.socket);
    // Injected requests have none.
    if (connection === undefined) return;
    connection.gate.begin(request, response);
    this.#idle.delete(connection);
    response.once("close", () => {
      if (this.#connections.get(connection.socket) === connection) this.#idle.add(connection);
    });
  }

  /** Target of the request that is read or answered on a connection; undefined where there is none. */
  targetOf(socket: Socket): string | undefined {
    return this.#connections.get(socket)?.gate.target;
  }

  #accept(socket: Socket): void {
    const address = socket.remoteAddress;
    const isProxy = address !== undefined && this.#parts.isProxy(address);
    const client = isProxy ? "" : clientKey(address);
    const ofClient = this.#clients.get(client) ?? 0;
    if (!isProxy && ofClient >= MOST_OF_CLIENT) return this.#turnAway(socket);
    if (this.#connections.size >= this.#max && !this.#makeRoom()) return this.#turnAway(socket);
    const sinceMs = this.#parts.monotonicMs();
    const connection = { socket, client, gate: new RequestGate(socket), sentBytes: 0, sinceMs };
    this.#connections.set(socket, connection);
    this.#idle.add(connection);
    this.#clients.set(client, ofClient + 1);
    socket.once("close", () => this.#forget(connection));
  }

  #forget(connection: Connection): void {
    if (!this.#connections.delete(connection.socket)) return;
    this.#idle.delete(connection);
    const left = (this.#clients.get(connection.client) ?? 1) - 1;
    if (left > 0) this.#clients.set(connection.client, left);
    else this.#clients.delete(connection.client);
  }

  /** Closes the connection that has been idle longest; false where each has a request under way. */
  #makeRoom(): boolean {
    const [oldest] = this.#idle;
    if (oldest === undefined) return false;
    this.#forget(oldest);
    oldest.socket.destroy();
    return true;
  }

  #turnAway(socket: Socket): void {
    // What it has sent must not be parsed; it is read all the same, or the answer might be lost with it.
    socket.removeAllListeners("data");
    socket.on("error", () => undefined);
    if (this.#told >= MAX_TOLD) {
      socket.destroy();
      return;
    }
    this.#told += 1;
    const timer = setTimeout(() => socket.destroy(), TOLD_MS);
    timer.unref();
    socket.once("close", () => {
      this.#told -= 1;
      clearTimeout(timer);
    });
    socket.on("data", () => undefined);
    this.#parts.refuse(socket);
  }

  #cutStalled(): void {
    const now = this.#parts.monotonicMs();
    for (const connection of this.#connections.values()) {
      const { socket } = connection;
      const sentBytes = socket.bytesWritten - socket.writableLength;
      const waits = socket.writableLength > 0;
      if (!waits || sentBytes !== connection.sentBytes) {
        connection.sentBytes = sentBytes;
        connection.sinceMs = now;
      } else if (now - connection.sinceMs >= this.#stallMs) {
        socket.destroy();
      }
    }
  }
}
