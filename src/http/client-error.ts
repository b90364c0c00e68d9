// Answers clients whose bytes are no HTTP request: an error in the form of the path's group (H-02, H-03), written to the
// bare socket, since there is no request to answer.

import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Log } from "../follow/ports.ts";
import { COMMON_HEADERS } from "./answer.ts";
import { ALL_METHODS, RETRY_AFTER_S } from "./context.ts";
import { ERRORS, type ErrorCode, errorBody, pathOf } from "./errors.ts";
import { originForm } from "./secret-check.ts";

interface Facts {
  readonly code: ErrorCode;
  readonly reason: string;
  readonly message: string;
}

const FACTS: Readonly<Record<string, Facts>> = {
  HPE_HEADER_OVERFLOW: {
    code: "HEADERS_TOO_LARGE",
    reason: "Request Header Fields Too Large",
    message: "The request line and headers are too large. Send fewer or shorter ones.",
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    code: "BODY_TOO_LARGE",
    reason: "Content Too Large",
    message: "The body's chunk extensions are too large. Send none.",
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    code: "REQUEST_TIMEOUT",
    reason: "Request Timeout",
    message: "The request did not arrive completely in time. Send it again.",
  },
};

const LONG_TARGET: Facts = {
  code: "TARGET_TOO_LONG",
  reason: "URI Too Long",
  message: "The request's path and query are too long. All endpoints take less than 8 KiB.",
};

const TOO_MANY: Facts = {
  code: "SERVICE_UNAVAILABLE",
  reason: "Service Unavailable",
  message: "Too many connections are open. Use fewer, or try again later.",
};

const NO_TUNNEL: Facts = {
  code: "METHOD_NOT_ALLOWED",
  reason: "Method Not Allowed",
  message: `CONNECT is for proxies, and this is none. Use one of: ${ALL_METHODS}.`,
};

const MALFORMED: Facts = {
  code: "INVALID_REQUEST",
  reason: "Bad Request",
  message: "This is no well-formed HTTP/1.1 request.",
};

/** A request line of more bytes is what made the headers too large. */
const LONG_LINE_BYTES = 8192;
/** Longest path that is looked for in bytes that could not be read. */
const READ_BYTES = 512;

/** What an answer to a bare socket needs. */
interface ClientErrorDependencies {
  readonly nextRequestId: () => string;
  readonly log: Log;
  /** Target of the request that is read on a connection; undefined where there is none. */
  readonly targetOf: (socket: Socket) => string | undefined;
  /**
   * The headers that say which state answers at a path are of. At once: until the answer is written, whatever else the
   * connection has brought is parsed and refused in its turn.
   */
  readonly heights: (path: string) => Record<string, string>;
}

/** A handler that answers and closes a connection whose request could not be parsed. */
export function clientErrorWriter({
  nextRequestId,
  log,
  targetOf,
  heights,
}: ClientErrorDependencies): (error: Error & { readonly code?: string }, socket: Socket) => void {
  return (error, socket) => {
    if (error.code === "ECONNRESET" || socket.destroyed) return;
    // The bytes that the parser read last; Node's types do not know them.
    const packet = "rawPacket" in error ? error.rawPacket : null;
    const bytes = Buffer.isBuffer(packet) ? packet : Buffer.alloc(0);
    const facts = factsOf(error.code ?? "", bytes);
    const requestId = nextRequestId();
    // An error in a body: what begins the bytes then is no request line.
    const target = targetOf(socket);
    const path = target === undefined ? pathIn(bytes) : pathOf(originForm(target));
    // Neither the bytes nor the target: both may hold anything.
    log.debug(
      { request_id: requestId, status: ERRORS[facts.code].status, cause: error.code ?? "" },
      "bytes that are no request",
    );
    if (socket.writable) socket.write(answerTo(facts, path, requestId, heights(path)));
    socket.destroySoon();
  };
}

/** Answers a CONNECT, of which Node hands over the bare socket, and closes the connection. */
export function refuseTunnel(socket: Duplex, requestId: string): void {
  socket.on("error", () => undefined);
  const answer = answerTo(NO_TUNNEL, "", requestId, { allow: ALL_METHODS });
  socket.end(answer, () => socket.destroy());
}

/** Answers a connection that is not served: there are as many as may be, or as many of this client (H-11). */
export function writeTooMany(socket: Socket, requestId: string): void {
  const retry = { "retry-after": String(RETRY_AFTER_S.unavailable) };
  if (socket.writable) socket.end(answerTo(TOO_MANY, "", requestId, retry));
}

function answerTo(
  { code, reason, message }: Facts,
  path: string,
  requestId: string,
  more: Readonly<Record<string, string>> = {},
): string {
  const body = JSON.stringify(errorBody(path, code, message));
  const headers = {
    "content-type": "application/json; charset=utf-8",
    "content-length": String(Buffer.byteLength(body)),
    ...COMMON_HEADERS,
    "x-request-id": requestId,
    ...more,
    connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${ERRORS[code].status} ${reason}\r\n${lines.join("")}\r\n${body}`;
}

function factsOf(code: string, bytes: Buffer): Facts {
  if (code === "HPE_HEADER_OVERFLOW" && lineLength(bytes) > LONG_LINE_BYTES) return LONG_TARGET;
  return FACTS[code] ?? MALFORMED;
}

/** Bytes of the first line where these bytes begin with a request; else 0. */
function lineLength(bytes: Buffer): number {
  if (pathIn(bytes) === "") return 0;
  const end = bytes.indexOf("\n");
  return end === -1 ? bytes.length : end;
}

/** The path of the request that these bytes begin with, "" where they do not begin with one. */
function pathIn(bytes: Buffer): string {
  const start = bytes.toString("latin1", 0, READ_BYTES);
  const target = /^[A-Z]{1,32} (\S+)/.exec(start)?.[1];
  return target === undefined ? "" : pathOf(originForm(target));
}
