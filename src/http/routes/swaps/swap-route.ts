// A swap endpoint is defined as one value, like a PRC20 endpoint: it registers the route, validates its parameters and
// documents it. This file owns the order of checks that all swap requests share: secrets, path and query, body, then
// the use case (S-66, H-04, H-46).

import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { TObject, TSchema } from "typebox";
import { invalidFields, type SwapOutcome, type SwapRefusal } from "../../../swaps/usecases/outcome.ts";
import type { RequestBody, SwapService } from "../../../swaps/usecases/swap-service.ts";
import { ok } from "../../../primitives/result.ts";
import { type Answer, jsonAnswer } from "../../answer.ts";
import { clientKey } from "../../client-key.ts";
import { type HttpContext, RETRY_AFTER_S, sendAnswer, sendError, swapHeights } from "../../context.ts";
import { ERRORS, type ErrorCode, Refusal } from "../../errors.ts";
import { routerPath } from "../../read-route.ts";
import { refuseSecret } from "../../secret-check.ts";
import { acceptRawBodies, bodyOf } from "./swap-body.ts";
import { swapReader } from "./swap-parameters.ts";

/** What a handler returns. */
export type SwapResult = SwapOutcome | Refusal;

/** What a handler gets. Query values are raw text, for the handler's own reader. */
export interface SwapRequest {
  /** The text of a placeholder, which fits its pattern. @throws where the route's path has none of this name. */
  param(name: string): string;
  readonly query: unknown;
  readonly body: RequestBody;
  /** The client as H-10 counts it. */
  readonly client: string;
}

/** What all swap endpoints have. */
interface SwapEndpoint {
  readonly path: string;
  readonly name: string;
  readonly summary: string;
  readonly params: TObject;
  readonly query: TObject;
  readonly response: TSchema;
  /** An answer as it may look, for the documents. */
  readonly example: unknown;
  readonly errors: readonly ErrorCode[];
  run(service: SwapService, request: SwapRequest): Promise<SwapResult> | SwapResult;
}

/** An endpoint that takes a body. */
interface SwapPostRoute extends SwapEndpoint {
  readonly method: "POST";
  /** `required` of the schema decides whether a body may be left out (H-46). */
  readonly body: TObject;
  /** A body as it may look, for the documents. */
  readonly bodyExample: unknown;
  /** Whether a 201 is possible. */
  readonly creates: boolean;
}

/** One swap endpoint: a read, or one that takes a body. */
export type SwapRoute = (SwapEndpoint & { readonly method: "GET" }) | SwapPostRoute;

/** Adds the swap endpoints of a service that serves swaps. */
export async function registerSwaps(
  app: FastifyInstance,
  context: HttpContext,
  service: SwapService,
  routes: readonly SwapRoute[],
): Promise<void> {
  await app.register(async (group) => {
    acceptRawBodies(group);
    for (const route of routes) {
      const readPath = swapReader(route.params);
      group.route({
        method: route.method,
        url: routerPath(route.path),
        handler: (request, reply) => handle(context, service, { ...route, readPath }, request, reply),
      });
    }
  });
}

/** An endpoint with the reader of its placeholders. */
type ReadableRoute = SwapRoute & { readonly readPath: ReturnType<typeof swapReader> };

async function handle(
  context: HttpContext,
  service: SwapService,
  route: ReadableRoute,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  if (Buffer.isBuffer(request.body) && (await service.holdsSecret(request.body))) {
    return refuseSecret(context, request, reply);
  }
  const result = await resultOf(service, route, request);
  if (result instanceof Refusal) {
    return sendError(context, request, reply, { code: result.code, message: result.message });
  }
  if (result.kind === "refused") {
    const { code, message, details } = result;
    const headers = ERRORS[code].status === 503 ? retryAfter() : {};
    return sendError(context, request, reply, { code, message, details, headers });
  }
  // A POST is never answered by 304: its `If-None-Match`, if any, is not about its answer.
  if (route.method === "POST") delete request.headers["if-none-match"];
  return sendAnswer(request, reply, answerOf(service, result), context.held);
}

/** What a request comes to in which no secret was found. */
async function resultOf(
  service: SwapService,
  route: ReadableRoute,
  request: FastifyRequest,
): Promise<SwapResult> {
  const path = route.readPath(request.params);
  if (!path.ok) return invalidFields(path.error);
  const body = route.method === "GET" ? ok<RequestBody>({}) : bodyOf(request, route.body);
  if (!body.ok) return body.error;
  return route.run(service, {
    param: placeholders(path.value),
    query: request.query,
    body: body.value,
    client: clientKey(request.ip),
  });
}

/** The placeholders of a path by name. */
function placeholders(values: object): SwapRequest["param"] {
  const texts = new Map<string, unknown>(Object.entries(values));
  return (name) => {
    const text = texts.get(name);
    if (typeof text !== "string") throw new TypeError(`the path has no {${name}}`);
    return text;
  };
}

function answerOf(service: SwapService, result: Exclude<SwapResult, Refusal | SwapRefusal>): Answer {
  const headers = swapHeights(service);
  if (result.kind === "noVerdict") {
    const { orderHash, code, message, details } = result;
    const body = {
      ok: false,
      order_hash: orderHash,
      verified: false,
      error: code,
      reason: code,
      message,
      details,
    };
    return jsonAnswer(503, body, { ...headers, ...retryAfter() });
  }
  return jsonAnswer(result.created ? 201 : 200, { ok: true, ...result.value }, headers);
}

function retryAfter(): Record<string, string> {
  return { "retry-after": String(RETRY_AFTER_S.unavailable) };
}
