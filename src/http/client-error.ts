// What do clients get whose bytes are no HTTP request? An error in the envelope, written to the bare socket, since
// there is no request to answer (H-02).

import type { Socket } from "node:net";
import { ERRORS, type ErrorCode, errorBody } from "./errors.ts";

const FACTS: Readonly<Record<string, { code: ErrorCode; reason: string; message: string }>> = {
  HPE_HEADER_OVERFLOW: {
    code: "HEADERS_TOO_LARGE",
    reason: "Request Header Fields Too Large",
    message: "The request line and headers are too large. Send fewer or shorter ones.",
  },
  ERR_HTTP_REQUEST_TIMEOUT: {
    code: "REQUEST_TIMEOUT",
    reason: "Request Timeout",
    message: "The request did not arrive completely in time. Send it again.",
  },
};

const MALFORMED = {
  code: "INVALID_REQUEST",
  reason: "Bad Request",
  message: "This is no well-formed HTTP/1.1 request.",
} as const;

/** Answers and closes a connection whose request could not be parsed. */
export function writeClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || socket.destroyed) return;
  const { code, reason, message } = FACTS[error.code ?? ""] ?? MALFORMED;
  const body = JSON.stringify(errorBody("", code, message));
  if (socket.writable) {
    socket.write(
      `HTTP/1.1 ${ERRORS[code].status} ${reason}\r\ncontent-type: application/json; charset=utf-8\r\n` +
        `content-length: ${Buffer.byteLength(body)}\r\naccess-control-allow-origin: *\r\nconnection: close\r\n\r\n` +
        body,
    );
  }
  socket.destroySoon();
}
