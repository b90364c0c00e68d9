// Plays a node whose every answer a test decides: a small HTTP server for the adapter's tests, with pearld's manners by
// default (one answer per connection).

import type { TLSSocket } from "node:tls";
import { type WebSocket, WebSocketServer } from "ws";
import { type RpcRequest, type RpcServer, serveRpc } from "../../testkit/doubles/rpc-server.ts";

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
  readonly requests: RpcRequest[];
  /** TCP connections so far. */
  connections(): number;
  /** TLS connections that went on with the session of an earlier one. */
  resumed(): number;
  /** Open WebSockets that sent `notifyblocks`. */
  readonly subscribers: Set<WebSocket>;
  /** Handshakes for a WebSocket, refused ones included. */
  handshakes(): number;
  close(): Promise<void>;
}

/** Serves `/ws`, or refuses it as a node without WebSocket does. */
function acceptSubscribers(
  server: RpcServer["server"],
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
        const call: { readonly id: unknown; readonly method: string } = JSON.parse(data.toString("utf8"));
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
  handle: (request: RpcRequest) => void,
  options: FakeOptions = {},
): Promise<FakeNode> {
  const requests: RpcRequest[] = [];
  const subscribers = new Set<WebSocket>();
  let connections = 0;
  let resumed = 0;
  let handshakes = 0;
  const rpc = await serveRpc(
    (request) => {
      if (options.keepAlive !== true) request.response.setHeader("connection", "close");
      requests.push(request);
      handle(request);
    },
    { version: "1.0", ...(options.tls === undefined ? {} : { tls: options.tls }) },
  );
  const { server } = rpc;
  server.on("connection", () => {
    connections += 1;
  });
  server.on("secureConnection", (socket: TLSSocket) => {
    if (socket.isSessionReused()) resumed += 1;
  });
  const sockets = acceptSubscribers(server, options.webSocket === true, subscribers);
  server.on("upgrade", () => {
    handshakes += 1;
  });
  return {
    url: rpc.url,
    requests,
    connections: () => connections,
    resumed: () => resumed,
    subscribers,
    handshakes: () => handshakes,
    close: async () => {
      for (const client of sockets.clients) client.terminate();
      await rpc.close();
    },
  };
}
