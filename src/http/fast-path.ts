// Serves hot answers at the speed of a bare node:http server. Before Fastify sees a request, one lookup by its raw
// target: a cached answer is written with headers made in advance. Everything else takes the ordinary way.

import type { IncomingMessage, ServerResponse } from "node:http";
import { chooseEncoding, endWith, headersOf, isKnownToClient, withoutContent } from "./answer.ts";
import type { ReadyAnswer, ResponseCache } from "./response-cache.ts";

/** Writes the kept answer for a request, if there is one. Returns false where Fastify has to answer. */
export function serveKept(
  cache: ResponseCache,
  nextRequestId: () => string,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  if (request.method !== "GET" && request.method !== "HEAD") return false;
  const kept = cache.find(request.url ?? "");
  return kept !== undefined && writeReady(kept, nextRequestId, request, response);
}

/** Writes an answer to a GET or HEAD request. Returns false where it first has to be compressed. */
export function writeReady(
  kept: ReadyAnswer,
  nextRequestId: () => string,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const { "accept-encoding": acceptEncoding, "if-none-match": ifNoneMatch } = request.headers;
  if (acceptEncoding === undefined && ifNoneMatch === undefined) {
    writePlain(kept, nextRequestId(), request.method === "HEAD", response);
    return true;
  }
  return serveNegotiated(kept, nextRequestId, request, response);
}

function writePlain(kept: ReadyAnswer, requestId: string, isHead: boolean, response: ServerResponse): void {
  const headers = kept.flatHeaders;
  // writeHead copies the list at once, so the one slot for the id can be used again.
  headers[headers.length - 1] = requestId;
  response.writeHead(kept.answer.status, headers);
  endWith(response, isHead ? undefined : kept.answer.body);
}

function serveNegotiated(
  kept: ReadyAnswer,
  nextRequestId: () => string,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const { answer } = kept;
  const encoding = chooseEncoding(answer, request.headers["accept-encoding"]);
  const headers = headersOf(answer, encoding);
  if (isKnownToClient(answer, encoding, request.headers["if-none-match"])) {
    response.writeHead(304, { ...withoutContent(headers), "x-request-id": nextRequestId() });
    response.end();
    return true;
  }
  const body = answer.encoded.get(encoding);
  // Not compressed yet: the ordinary way does it without blocking.
  if (body === undefined) return false;
  const length = String(body.length);
  response.writeHead(200, { ...headers, "content-length": length, "x-request-id": nextRequestId() });
  endWith(response, request.method === "HEAD" ? undefined : body);
  return true;
}
