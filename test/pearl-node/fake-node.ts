// Plays a node whose every answer a test decides: a small HTTP server for the adapter's tests, with pearld's manners by
// default (one answer per connection).

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";
import { type WebSocket, WebSocketServer } from "ws";

/** One call as the adapter sent it. */
export interface FakeCall {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** One request: its calls and how it is answered. */
export interface FakeRequest {
  readonly calls: readonly FakeCall[];
  readonly isBatch: boolean;
  readonly headers: IncomingMessage["headers"];
  readonly response: ServerResponse;
  /** Answers each call with its result, in order. */
  answer(results: (call: FakeCall) => unknown): void;
  /** Sends this text as the whole body. */
  send(status: number, text: string): void;
}

/** Options of the fake. */
export interface FakeOptions {
  readonly keepAlive?: boolean;
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Whether `/ws` is there. */
  readonly webSocket?: boolean;
}

/** A running fake. */
export interface FakeNode {
  readonly url: string;
  readonly requests: FakeRequest[];
  /** TCP connections so far. */
  connections(): number;
  /** Open WebSockets that sent `notifyblocks`. */
  readonly subscribers: Set<WebSocket>;
  /** Handshakes for a WebSocket, refused ones included. */
  handshakes(): number;
  close(): Promise<void>;
}

function readBody(request: IncomingMessage): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => resolve(Buffer.concat(chunks).toString("utf8")));
  });
}

/** Serves `/ws`, or refuses it as a node without WebSocket does. */
function acceptSubscribers(
  server: ReturnType<typeof createServer> | ReturnType<typeof createSecureServer>,
  offered: boolean,
  subscribers: Set<WebSocket>,
): WebSocketServer {
  const sockets = new WebSocketServer({ noServer: true });
  server.on("upgrade", (incoming, socket, head) => {
    if (!offered || incoming.url !== "/ws" || incoming.headers.authorization === undefined) {
      socket.end("HTTP/1.1 405 Method Not Allowed\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
      return;
    }
    sockets.handleUpgrade(incoming, socket, head, (client) => {
      client.on("message", (data: Buffer) => {
        const call: FakeCall = JSON.parse(data.toString("utf8"));
        if (call.method === "notifyblocks") subscribers.add(client);
        client.send(JSON.stringify({ jsonrpc: "1.0", result: null, error: null, id: call.id }));
      });
      client.on("close", () => subscribers.delete(client));
    });
  });
  return sockets;
}

/** Starts a fake whose answers `handle` gives. */
export async function startFakeNode(
  handle: (request: FakeRequest) => void,
  options: FakeOptions = {},
): Promise<FakeNode> {
  const requests: FakeRequest[] = [];
  const subscribers = new Set<WebSocket>();
  let connections = 0;
  let handshakes = 0;
  const onRequest = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const parsed: FakeCall | FakeCall[] = JSON.parse(await readBody(incoming));
    const calls = Array.isArray(parsed) ? parsed : [parsed];
    if (options.keepAlive !== true) response.setHeader("connection", "close");
    const send = (status: number, text: string): void => {
      response.writeHead(status, { "content-type": "application/json" }).end(text);
    };
    const request: FakeRequest = {
      calls,
      isBatch: Array.isArray(parsed),
      headers: incoming.headers,
      response,
      send,
      answer: (results) => {
        const answers = calls.map((call) => ({
          jsonrpc: "1.0",
          result: results(call),
          error: null,
          id: call.id,
        }));
        send(200, `${JSON.stringify(Array.isArray(parsed) ? answers : answers[0])}\n`);
      },
    };
    requests.push(request);
    handle(request);
  };
  const listener = (incoming: IncomingMessage, response: ServerResponse): void =>
    void onRequest(incoming, response);
  const server =
    options.tls === undefined ? createServer(listener) : createSecureServer(options.tls, listener);
  server.on("connection", () => {
    connections += 1;
  });
  const sockets = acceptSubscribers(server, options.webSocket === true, subscribers);
  server.on("upgrade", () => {
    handshakes += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${options.tls === undefined ? "http" : "https"}://127.0.0.1:${port}`,
    requests,
    connections: () => connections,
    subscribers,
    handshakes: () => handshakes,
    close: async () => {
      for (const client of sockets.clients) client.terminate();
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}
