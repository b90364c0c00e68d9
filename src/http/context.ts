// What all handlers share: the dependencies, the response cache, the table of paths, and the one way in which an answer
// or an error leaves the server.

import { Readable } from "node:stream";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { TipState } from "../index/queries.ts";
import type { SwapService } from "../swaps/usecases/swap-service.ts";
import { type Answer, COMMON_HEADERS, deliver, jsonAnswer, piecesOf } from "./answer.ts";
import type { HttpDependencies } from "./dependencies.ts";
import { ERRORS, type ErrorCode, errorBody, isSwapPath, pathOf, showsIndexedHeight } from "./errors.ts";
import type { HeldAnswers } from "./held-answers.ts";
import { absentPage, isMachinePath, prefersHtml } from "./page-shell.ts";
import { type PathTable, WHOLE_SERVER } from "./path-table.ts";
import type { ResponseCache } from "./response-cache.ts";

/** Shared by all routes of one server. */
export interface HttpContext {
  readonly deps: HttpDependencies;
  readonly cache: ResponseCache;
  readonly held: HeldAnswers;
  readonly paths: PathTable;
}

/** Seconds after which a refused client may try again. */
export const RETRY_AFTER_S = { swapsDisabled: 3600, unavailable: 5 } as const;

/** Sends an answer in the form that this client takes. `held`: where the answer is no one's but this client's. */
export async function sendAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
  held?: HeldAnswers,
): Promise<FastifyReply> {
  const { status, headers, body } = await deliver(answer, request.headers, held);
  reply.code(status).header("x-request-id", request.id).headers(headers);
  // Of nothing the framework tells whoever sends HEAD that it is 0 bytes, which a 304 must not say of bytes that are there
  // (RFC 9110 §8.6); of a stream it tells no length.
  if (body === null) return reply.send(request.method === "HEAD" ? Readable.from([]) : undefined);
  if (request.method !== "HEAD") held?.hold(reply.raw, body);
  const pieces = piecesOf(body);
  return reply.send(pieces === null ? body : Readable.from(pieces));
}

/** One error to be sent: a `Refusal`, or one that says more. */
interface ErrorFacts {
  readonly code: ErrorCode;
  readonly message: string;
  readonly headers?: Record<string, string>;
  /** More about the error, in the swap group (H-03). */
  readonly details?: Readonly<Record<string, unknown>>;
  /** Height of the state that it was judged on; null or absent: the present one. */
  readonly indexedHeight?: number | null;
}

/** Sends an error in the shape of its path's group (H-02, H-03), with the height where the group shows it (H-09). */
export async function sendError(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  facts: ErrorFacts,
): Promise<FastifyReply> {
  const path = pathOf(request.raw.url ?? "/");
  const headers = { ...facts.headers, ...(await heightHeaders(context, path, facts.indexedHeight ?? null)) };
  const body = errorBody(path, facts.code, facts.message, facts.details);
  const answer = jsonAnswer(ERRORS[facts.code].status, body, headers);
  return sendAnswer(request, reply, answer);
}

/** The headers that say which state an answer at this path is of (H-09, H-47). `judgedAt`: null for the present one. */
export async function heightHeaders(
  context: HttpContext,
  path: string,
  judgedAt: number | null = null,
): Promise<Record<string, string>> {
  if (!showsIndexedHeight(path)) return heightsAt(context, path);
  return { "x-indexed-height": String(judgedAt ?? (await presentHeight(context))) };
}

/** The same of what is known without asking the store: for answers that cannot wait for it. */
export function knownHeightHeaders(context: HttpContext, path: string): Record<string, string> {
  if (!showsIndexedHeight(path)) return heightsAt(context, path);
  return { "x-indexed-height": String(context.cache.knownHeight() ?? context.deps.status().indexedHeight) };
}

function heightsAt({ deps: { swaps } }: HttpContext, path: string): Record<string, string> {
  return swaps === null || !isSwapPath(path) ? {} : swapHeights(swaps);
}

/** The headers that say which state an answer about swaps is of (H-47). */
export function swapHeights(swaps: SwapService): Record<string, string> {
  const { pearl, evm } = swaps.heights();
  return { "x-indexed-height": String(pearl), "x-evm-indexed-height": String(evm) };
}

/**
 * The committed state, for whoever is about to be told of it or of what led to it: a commit may be visible before the
 * server is told of it, and from now on nobody is given an answer that was kept of the state before (H-09).
 */
export async function seenState({ cache, deps }: HttpContext): Promise<TipState> {
  const generation = cache.begin();
  const state = await deps.queries.state();
  cache.observe(generation, state);
  return state;
}

/** Height of the committed state; the follower's last known one where the store does not answer. */
export async function presentHeight(context: HttpContext): Promise<number> {
  const known = context.cache.knownHeight();
  if (known !== null) return known;
  try {
    return (await seenState(context)).height;
  } catch (error) {
    context.deps.log.warn({ error }, "the store did not answer for the height of an error answer");
    return context.deps.status().indexedHeight;
  }
}

/**
 * Answers a request that no route takes: OPTIONS, 405 with `Allow`, or 404, which is a page for whoever reads pages and
 * JSON for everybody else (H-04).
 */
export async function answerUnrouted(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const path = pathOf(request.raw.url ?? "/");
  if (path === WHOLE_SERVER && request.method === "OPTIONS")
    return sendOptions(context, request, reply, path, ALL_METHODS);
  const methods = context.paths.methodsOf(path);
  const mayBePage = isReading(request.method) && !isMachinePath(path);
  if (methods === null) {
    if (mayBePage && prefersHtml(request.headers.accept)) {
      return sendAnswer(request, reply, absentPage("No such page"));
    }
    return sendError(context, request, reply, {
      code: "ROUTE_NOT_FOUND",
      message: "There is no endpoint at this path. /openapi.json lists all of them.",
      headers: mayBePage ? { vary: "accept, accept-encoding" } : {},
    });
  }
  const allow = [...methods].toSorted().join(", ");
  if (request.method === "OPTIONS") return sendOptions(context, request, reply, path, allow);
  if (!methods.has(request.method)) {
    return sendError(context, request, reply, {
      code: "METHOD_NOT_ALLOWED",
      message: `${request.method} is not possible here. Use one of: ${allow}.`,
      headers: { allow },
    });
  }
  // The path is one of ours and the method too: only its percent-encoding can be broken.
  if (mayBePage) return sendAnswer(request, reply, absentPage("No such page"));
  if (isSwapPath(path) && context.deps.swaps === null) return sendSwapsDisabled(context, request, reply);
  return sendError(context, request, reply, {
    code: "INVALID_REQUEST",
    message:
      "The path is not correctly percent-encoded. Write each `%` as `%25` or follow it by two hex digits.",
  });
}

/**
 * What a page of another origin may send beside what every page may (H-08): the type of a body, and what a client says of
 * an answer, or of the events, that it has already.
 */
const ASKED_HEADERS = "content-type, if-none-match, last-event-id";

/** `Allow` of the server as a whole. */
export const ALL_METHODS = "GET, HEAD, OPTIONS, POST";

/** True for the methods that change nothing and are answered by rows or a page. */
export function isReading(method: string): boolean {
  return method === "GET" || method === "HEAD";
}

/** The one answer of all swap endpoints while no swaps are served (H-45). */
export async function sendSwapsDisabled(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  return sendError(context, request, reply, {
    code: "SWAPS_DISABLED",
    message:
      "This service serves no swaps: no escrow contract is configured. Use an instance that serves them.",
    headers: { "retry-after": String(RETRY_AFTER_S.swapsDisabled) },
  });
}

async function sendOptions(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  path: string,
  allow: string,
): Promise<FastifyReply> {
  if (showsIndexedHeight(path)) reply.header("x-indexed-height", String(await presentHeight(context)));
  reply.code(204).headers({
    allow,
    "x-request-id": request.id,
    ...COMMON_HEADERS,
    "access-control-allow-methods": "GET, HEAD, POST",
    "access-control-allow-headers": ASKED_HEADERS,
    "access-control-max-age": "86400",
  });
  return reply.send();
}
