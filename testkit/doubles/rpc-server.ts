// The one JSON-RPC server of the tests: takes a request's calls apart and gives them to whoever plays the node, who
// answers each of them, or the whole request in any way that HTTP allows.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo } from "node:net";

/** One call as it came. */
export interface RpcCall {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** What a call is answered with. */
export type RpcAnswer = { readonly result: unknown } | { readonly error: { code: number; message: string } };

/** One request: its calls, and the ways to answer it. */
export class RpcRequest {
  readonly calls: readonly RpcCall[];
  readonly isBatch: boolean;
  readonly headers: IncomingMessage["headers"];
  readonly path: string;
  readonly response: ServerResponse;
  readonly #version: string;

  constructor(body: string, incoming: IncomingMessage, response: ServerResponse, version: string) {
    const parsed: unknown = JSON.parse(body);
    this.isBatch = Array.isArray(parsed);
    this.calls = Array.isArray(parsed) ? parsed.map(callOf) : [callOf(parsed)];
    this.headers = incoming.headers;
    this.path = incoming.url ?? "";
    this.response = response;
    this.#version = version;
  }

  /** Answers each call, in order. */
  reply(answers: readonly RpcAnswer[]): void {
    // pearld's version names both, one of them null; version 2 has only the one that there is.
    const both = this.#version === "1.0" ? { result: null, error: null } : {};
    const whole = answers.map((answer, at) => ({
      jsonrpc: this.#version,
      id: this.calls[at]?.id,
      ...both,
      ...answer,
    }));
    this.send(200, `${JSON.stringify(this.isBatch ? whole : whole[0])}\n`);
  }

  /** Answers each call with a result, in order. */
  answer(result: (call: RpcCall) => unknown): void {
    this.reply(this.calls.map((call) => ({ result: result(call) })));
  }

  /** Sends this text as the whole body. */
  send(status: number, text: string, type = "application/json"): void {
    this.response.writeHead(status, { "content-type": type }).end(text);
  }
}

/** How a server listens. */
export interface RpcServerOptions {
  /** 0: any free one. */
  readonly port?: number;
  readonly tls?: { readonly key: string; readonly cert: string };
  /** What answers call themselves; pearld says "1.0". */
  readonly version?: "1.0" | "2.0";
}

/** A listening server. */
export interface RpcServer {
  readonly url: string;
  /** For who counts connections or serves more than JSON-RPC. */
  readonly server: ReturnType<typeof createServer> | ReturnType<typeof createSecureServer>;
  /** Cuts all connections. */
  close(): Promise<void>;
}

/** Serves on 127.0.0.1. A handler that throws cuts the connection. */
export async function serveRpc(
  handle: (request: RpcRequest) => Promise<void> | void,
  { port = 0, tls, version = "2.0" }: RpcServerOptions = {},
): Promise<RpcServer> {
  const take = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    await handle(new RpcRequest(Buffer.concat(chunks).toString(), incoming, response, version));
  };
  const listener = (incoming: IncomingMessage, response: ServerResponse): void => {
    take(incoming, response).catch(() => response.destroy());
  };
  const server = tls === undefined ? createServer(listener) : createSecureServer(tls, listener);
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const address = server.address() as AddressInfo;
  return {
    url: `${tls === undefined ? "http" : "https"}://127.0.0.1:${address.port}`,
    server,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

function callOf(item: unknown): RpcCall {
  const { id, method, params }: Record<string, unknown> = Object(item);
  // All clients of ours, and viem, number their calls.
  if (typeof id !== "number") throw new TypeError(`a call with the id ${String(id)}`);
  return { id, method: String(method), params: Array.isArray(params) ? params : [] };
}
