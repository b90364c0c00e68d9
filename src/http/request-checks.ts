// What every request has to pass before it goes its way (S-66, H-04, H-10): no secret in its target, fewer requests of its
// client than the limits, one `Host`, and no secret in a body that nobody reads.

import type { IncomingMessage } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { SwapService } from "../swaps/usecases/swap-service.ts";
import { clientAddress, type ProxyTest } from "./client-key.ts";
import { type HttpContext, sendError } from "./context.ts";
import type { HttpDependencies } from "./dependencies.ts";
import { pathOf } from "./errors.ts";
import { RateLimiter, type RateVerdict } from "./rate-limit.ts";
import { isHealthPath } from "./routes/health.ts";
import { hasBody, refuseSecret, targetHoldsSecret } from "./secret-check.ts";

/** Largest body that is read (H-04). */
export const BODY_LIMIT_BYTES = 64 * 1024;
/** Methods under the limit of reads; every other one is under that of POST (H-10). */
const READ_METHODS: readonly string[] = ["GET", "HEAD", "OPTIONS"];

/** The refusal of a larger one. */
export const TOO_LARGE = { code: "BODY_TOO_LARGE", message: "The body may have at most 64 KiB." } as const;
const NO_HOST = {
  code: "INVALID_REQUEST",
  message:
    "HTTP/1.1 demands one `Host` header, and the request has none or several. Send the name that you connected to.",
} as const;

/** Calls back where the request may go its way, else answers it. A promise only where one is needed. */
export type RequestChecks = (request: FastifyRequest, reply: FastifyReply, goOn: () => unknown) => unknown;

/** The checks of one server. */
export function requestChecks(context: HttpContext, isProxy: ProxyTest): RequestChecks {
  const { swaps } = context.deps;
  const limits = requestLimits(context.deps, isProxy);
  const afterTarget: RequestChecks = (request, reply, goOn) => {
    const verdict = limits(request);
    if (verdict !== undefined) reply.headers(verdict.headers);
    if (verdict?.allowed === false) {
      return sendError(context, request, reply, {
        code: "RATE_LIMITED",
        message: `Too many requests. Try again in ${verdict.headers["retry-after"]} seconds.`,
      });
    }
    if (lacksHost(request.raw)) return sendError(context, request, reply, NO_HOST);
    const isRead = !request.is404 && request.method === "POST" && hasReadableType(request);
    if (swaps === null || isRead || !hasBody(request.raw)) return goOn();
    return afterStrayBody(context, swaps, request, reply, goOn);
  };
  return (request, reply, goOn) => {
    const suspicion = targetHoldsSecret(swaps, request.raw.url ?? "/");
    if (suspicion === false) return afterTarget(request, reply, goOn);
    return suspicion.then((found) =>
      found ? refuseSecret(context, request, reply) : afterTarget(request, reply, goOn),
    );
  };
}

/** Counts a request and judges it by the limits of reads or of all else, each by client; undefined where nothing limits it. */
function requestLimits(
  deps: HttpDependencies,
  isProxy: ProxyTest,
): (request: FastifyRequest) => RateVerdict | undefined {
  const reads = deps.rateLimit ? new RateLimiter(deps.rateLimit, deps.clock) : null;
  const posts = deps.rateLimitPost ? new RateLimiter(deps.rateLimitPost, deps.clock) : null;
  return (request) => {
    const isRead = READ_METHODS.includes(request.method);
    const limiter = isRead ? reads : posts;
    // Whoever watches over the service has to see it most of all while it is asked too much.
    if (limiter === null || (isRead && isHealthPath(pathOf(request.raw.url ?? "/")))) return undefined;
    return limiter.take(clientAddress(request.raw, isProxy));
  };
}

/** A request whose body nobody reads is searched for secrets all the same (S-66), then goes its way. */
async function afterStrayBody(
  context: HttpContext,
  swaps: SwapService,
  request: FastifyRequest,
  reply: FastifyReply,
  goOn: () => unknown,
): Promise<unknown> {
  const body = await strayBody(request.raw);
  if (body === null) {
    // The rest of the body stands on the connection, unread.
    reply.header("connection", "close");
    return sendError(context, request, reply, TOO_LARGE);
  }
  return (await swaps.holdsSecret(body)) ? refuseSecret(context, request, reply) : goOn();
}

/** The bytes of a body that no handler reads; null where they are too many. Never rejects. */
async function strayBody(request: IncomingMessage): Promise<Buffer | null> {
  if (Number(request.headers["content-length"] ?? 0) > BODY_LIMIT_BYTES) return null;
  const parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const part of request.iterator({ destroyOnReturn: false })) {
      if (!Buffer.isBuffer(part)) break;
      parts.push(part);
      size += part.length;
      if (size > BODY_LIMIT_BYTES) return null;
    }
  } catch {
    // The client has gone: what came is judged, and nobody reads the answer.
  }
  return Buffer.concat(parts);
}

/** False for a content type that is none: the framework refuses it before it reads the body. */
function hasReadableType({ headers }: FastifyRequest): boolean {
  const type = headers["content-type"];
  return type === undefined || /^\s*[\w!#$%&'*.^`|~+-]+\/[\w!#$%&'*.^`|~+-]+\s*(;|$)/.test(type);
}

/** HTTP/1.1 wants one `Host` (RFC 9112 §3.2); a request without one, or with several, was meant for nobody in particular. */
export function lacksHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (/^host$/i.test(rawHeaders[at] ?? "")) hosts += 1;
  return hosts > 1 || (hosts === 0 && httpVersion === "1.1");
}
