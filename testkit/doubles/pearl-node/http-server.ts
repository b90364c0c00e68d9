// Speaks HTTP as pearld does: Basic auth, one POST per connection unless keep-alive is asked for, batches, plain texts
// for 401 and 503, answers without a length that end with the connection.
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { answer, dispatch, readRequest } from "./rpc/dispatch.ts";
import { RPC, RpcFailure, type RpcContext } from "./rpc/method.ts";

/** Who is asking: the full user, the limited one, or nobody known. */
export type Caller = "admin" | "limited" | null;

/** What the server shows over TLS, as PEM texts. */
export interface TlsIdentity {
  readonly key: string;
  readonly cert: string;
}

/** Accounts and manners of the server. */
export interface ServerOptions {
  readonly rpcUser: string;
  readonly rpcPassword: string;
  readonly limitUser: string | undefined;
  readonly limitPassword: string | undefined;
  readonly keepAlive: boolean;
  /** Requests served at once; more are answered 503. */
  readonly maxClients: number;
  /** Absent: plain HTTP. */
  readonly tls: TlsIdentity | undefined;
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** Says who a user name and a password belong to. */
export function callerOf(user: string, password: string, options: ServerOptions): Caller {
  const given = digest(`${user}:${password}`);
  if (timingSafeEqual(given, digest(`${options.rpcUser}:${options.rpcPassword}`))) return "admin";
  const { limitUser, limitPassword } = options;
  if (limitUser === undefined || limitPassword === undefined) return null;
  return timingSafeEqual(given, digest(`${limitUser}:${limitPassword}`)) ? "limited" : null;
}

/** Says who a request comes from; `absent` tells a missing header from a wrong one. */
export function callerOfRequest(
  request: IncomingMessage,
  options: ServerOptions,
): { caller: Caller; absent: boolean } {
  const header = request.headers.authorization;
  if (header === undefined) return { caller: null, absent: true };
  const encoded = /^basic\s+(\S+)$/i.exec(header)?.[1];
  if (encoded === undefined) return { caller: null, absent: false };
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const colon = text.indexOf(":");
  return {
    caller: colon < 0 ? null : callerOf(text.slice(0, colon), text.slice(colon + 1), options),
    absent: false,
  };
}

function parseFailure(jsonrpc: string, reason: string): string {
  return answer(jsonrpc, null, null, new RpcFailure(RPC.parse, `Failed to parse request: ${reason}`)) ?? "";
}

/** Writes an error that nobody expects to stderr: a bug of the node. */
export function reportBug(error: unknown): void {
  process.stderr.write(`pearl-node: ${error instanceof Error ? error.stack : String(error)}\n`);
}

/** Answers of a body, already joined for a batch; null: the connection is closed without a word. */
async function replyTo(context: RpcContext, body: string, isAdmin: boolean): Promise<string | null> {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch (error) {
    return parseFailure(
      body.startsWith("[") ? "2.0" : "1.0",
      error instanceof Error ? error.message : "not JSON",
    );
  }
  if (!Array.isArray(value)) {
    const request = readRequest(value);
    if (request === null) return parseFailure("1.0", "json: cannot unmarshal the request");
    return request.id === null ? null : ((await dispatch(context, request, isAdmin)) ?? "");
  }
  if (value.length === 0) {
    return (
      answer("2.0", null, null, new RpcFailure(RPC.invalidRequest, "Invalid request: empty batch")) ?? ""
    );
  }
  const replies: string[] = [];
  for (const entry of value) {
    const request = readRequest(entry);
    const reply = request === null ? null : await dispatch(context, request, isAdmin);
    if (reply !== null) replies.push(reply);
  }
  return replies.length === 0 ? "" : `[${replies.join(",")}]`;
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString("utf8");
}

function closing(response: ServerResponse, keepAlive: boolean): void {
  if (keepAlive) return;
  response.shouldKeepAlive = false;
  response.setHeader("Connection", "close");
}

function sendText(response: ServerResponse, status: number, text: string, keepAlive: boolean): void {
  // The request's body is drained: closing over unread bytes would reset the connection before the text arrives.
  response.req.resume();
  closing(response, keepAlive);
  response.setHeader("Content-Length", Buffer.byteLength(text) + 1);
  response.setHeader("Content-Type", "text/plain; charset=utf-8");
  response.setHeader("X-Content-Type-Options", "nosniff");
  response.writeHead(status);
  response.end(`${text}\n`);
}

function sendReply(context: RpcContext, response: ServerResponse, reply: string, keepAlive: boolean): void {
  closing(response, keepAlive);
  const body = Buffer.from(`${reply}\n`);
  response.setHeader("Content-Type", "application/json");
  const cut = context.faults.takeCut();
  if (keepAlive) {
    response.setHeader("Content-Length", body.length);
  } else {
    // pearld announces no length: the end of the connection is the end of the body.
    response.removeHeader("Transfer-Encoding");
    response.removeHeader("Content-Length");
  }
  response.writeHead(200);
  if (!cut) response.end(body);
  else response.write(body.subarray(0, body.length >> 1), () => response.socket?.destroy());
}

/** Makes the HTTP server; WebSocket upgrades are left to others. Not listening yet. */
export function makeHttpServer(context: RpcContext, options: ServerOptions): Server {
  let clients = 0;
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (clients + 1 > options.maxClients || context.faults.takeBusy()) {
      sendText(response, 503, "503 Too busy.  Try again later.", options.keepAlive);
      return;
    }
    clients += 1;
    try {
      const { caller } = callerOfRequest(request, options);
      if (caller === null) {
        response.setHeader("WWW-Authenticate", 'Basic realm="pearld RPC"');
        sendText(response, 401, "401 Unauthorized.", options.keepAlive);
        return;
      }
      if (request.url === "/ws") {
        sendText(response, 400, "400 Bad Request.", options.keepAlive);
        return;
      }
      const reply = await replyTo(context, await readBody(request), caller === "admin");
      if (reply === null) response.socket?.destroy();
      else sendReply(context, response, reply, options.keepAlive);
    } finally {
      clients -= 1;
    }
  };
  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    serve(request, response).catch((error: unknown) => {
      // A client that went away while sending is its own affair; anything else is a bug worth a trace.
      if (!request.destroyed) reportBug(error);
      response.socket?.destroy();
    });
  };
  const { tls } = options;
  const server = tls === undefined ? createServer(listener) : createSecureServer(tls, listener);
  server.keepAliveTimeout = 60_000;
  return server;
}
