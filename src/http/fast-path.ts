// Serves hot answers at the speed of a bare node:http server. Before Fastify sees a request, one lookup by its raw
// target: a cached answer is written with headers made in advance. Everything else takes the ordinary way.

import type { IncomingMessage, ServerResponse } from "node:http";
import { chooseEncoding, endWith, headersOf, isKnownToClient, withoutContent } from "./answer.ts";
import type { HeldAnswers } from "./held-answers.ts";
import type { ReadyAnswer, ResponseCache } from "./response-cache.ts";

/** Writes the kept answer for a request, if there is one. Returns false where Fastify has to answer. */
export function serveKept(
  { cache, held }: { readonly cache: ResponseCache; readonly held: HeldAnswers },
  nextRequestId: () => string,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  if (request.method !== "GET" && request.method !== "HEAD") return false;
  const kept = cache.find(request.url ?? "");
  return kept !== undefined && writeReady(kept, held, nextRequestId, request, response);
}

/** Writes an answer to a GET or HEAD request. Returns false where it first has to be compressed. */
export function writeReady(
  kept: ReadyAnswer,
  held: HeldAnswers,
  nextRequestId: () => string,
  request: IncomingMessage,
  response: ServerResponse,
): boolean {
  const { "accept-encoding": acceptEncoding, "if-none-match": ifNoneMatch } = request.headers;
  if (acceptEncoding === undefined && ifNoneMatch === undefined) {
    writePlain(kept, held, nextRequestId(), response);
    return true;
  }
  return serveNegotiated(kept, held, nextRequestId, request, response);
}

function writePlain(kept: ReadyAnswer, held: HeldAnswers, requestId: string, response: ServerResponse): void {
  const headers = kept.flatHeaders;
  // writeHead copies the list at once, so the one slot for the id can be used again.
  headers[headers.length - 1] = requestId;
  response.writeHead(kept.answer.status, headers);
  finish(response, held, kept.answer.body);
}

function serveNegotiated(
  kept: ReadyAnswer,
  held: HeldAnswers,
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
  finish(response, held, body);
  return true;
}

function finish(response: ServerResponse, held: HeldAnswers, body: Buffer): void {
  if (response.req.method === "HEAD") return endWith(response, undefined);
  held.hold(response, body);
  endWith(response, body);
}
