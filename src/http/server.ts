// Builds the HTTP server: cached answers before Fastify, then limits, then the routes, and one place for everything
// that goes wrong. It opens no port: the caller does.

import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { BlockList, isIP } from "node:net";
import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from "fastify";
import { StoreUnavailable } from "../index/ports.ts";
import { COMMON_HEADERS } from "./answer.ts";
import {
  CLOSING,
  needsDatabase,
  NO_DATABASE,
  refuseExpectation,
  writeError,
  writeWithoutDatabase,
} from "./bare-error.ts";
import { clientAddress, clientKey, type ProxyTest } from "./client-key.ts";
import { clientErrorWriter, refuseTunnel, writeTooMany } from "./client-error.ts";
import { Connections } from "./connections.ts";
import { answerUnrouted, type HttpContext, knownHeightHeaders, sendError } from "./context.ts";
import type { HttpDependencies } from "./dependencies.ts";
import type { SwapService } from "../swaps/usecases/swap-service.ts";
import { type ErrorCode, pathOf } from "./errors.ts";
import { serveKept } from "./fast-path.ts";
import { type OpenApiDocument, openApiDocument } from "./openapi.ts";
import { HeldAnswers } from "./held-answers.ts";
import { PathTable } from "./path-table.ts";
import { RateLimiter, type RateVerdict } from "./rate-limit.ts";
import { registerRead } from "./read-route.ts";
import { BUILT_FOLDER, registerAssets } from "./routes/assets.ts";
import { registerDocs } from "./routes/docs.ts";
import { registerEvents } from "./routes/events.ts";
import { isHealthPath, registerHealth } from "./routes/health.ts";
import { registerPages } from "./routes/page.ts";
import { READ_ROUTES } from "./routes/reads.ts";
import { registerDisabledSwaps, SWAP_ROUTES } from "./routes/swaps/index.ts";
import { registerSwaps } from "./routes/swaps/swap-route.ts";
import { hasBody, originForm, refuseSecret, strayBody, targetHoldsSecret } from "./secret-check.ts";
import { ResponseCache } from "./response-cache.ts";

/** Largest body that is read (H-04). */
const BODY_LIMIT_BYTES = 64 * 1024;
/** Methods under the limit of reads; every other one is under that of POST (H-10). */
const READ_METHODS: readonly string[] = ["GET", "HEAD", "OPTIONS"];
/** How long a connection may stay without a request, and how long a request may take to arrive. */
const TIMEOUTS = {
  keepAliveTimeout: 72_000,
  headersTimeout: 20_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
} as const;
const CACHE_BYTES_DEFAULT = 64 * 1024 * 1024;

export { READ_ROUTES };

/** The OpenAPI document of this version (H-50). */
export function interfaceDocument(version: string): OpenApiDocument {
  return openApiDocument({ version, reads: READ_ROUTES, swaps: SWAP_ROUTES });
}

function compilesNothing(): never {
  throw new Error("no route hands Fastify a schema: the routes read and write by their own");
}

/** Fastify would load its compilers of schemas, two libraries, at every start. */
const NO_SCHEMAS = {
  compilersFactory: { buildValidator: compilesNothing, buildSerializer: compilesNothing },
};

/**
 * The server, ready to listen. Closing it ends the event streams, answers what is under way and refuses what comes
 * later with 503. @throws PageNotBuilt where the files of the pages are missing.
 */
export async function buildServer(deps: HttpDependencies): Promise<FastifyInstance> {
  const cache = new ResponseCache(deps.cacheBytes ?? CACHE_BYTES_DEFAULT);
  const isProxy = proxyTest(deps);
  const held = new HeldAnswers(
    (request) => clientKey(clientAddress(request, isProxy)),
    deps.connections?.heldBytes,
  );
  const context: HttpContext = { deps, cache, held, paths: new PathTable() };
  const nextRequestId = requestIds();
  const limits = requestLimits(deps, isProxy);
  const lifecycle = { closing: false };
  const connections = new Connections({
    limits: deps.connections ?? {},
    isProxy: (address) => isProxy(address, 0),
    monotonicMs: () => deps.clock.monotonicMs(),
    refuse: (socket) => writeTooMany(socket, nextRequestId()),
  });
  const app = fastify({
    logger: false,
    bodyLimit: BODY_LIMIT_BYTES,
    genReqId: nextRequestId,
    requestIdHeader: false,
    trustProxy: isProxy,
    // This server answers by itself while it closes; Fastify's own answer has another shape.
    return503OnClosing: false,
    schemaController: NO_SCHEMAS,
    // Longer than any request line: ids of any length are judged by their schema.
    routerOptions: { maxParamLength: 32_768 },
    frameworkErrors: (_error, request, reply) => answerBrokenPath(context, limits, request, reply),
    clientErrorHandler: clientErrorWriter({
      nextRequestId,
      log: deps.log,
      targetOf: (socket) => connections.targetOf(socket),
      heights: (path) => knownHeightHeaders(context, path),
    }),
    serverFactory: (handler) => nodeServer(context, connections, nextRequestId, lifecycle, handler),
  });
  installHooks(app, context, limits);
  const unsubscribe = deps.feed.subscribe(() => cache.advance());
  app.addHook("preClose", async () => {
    lifecycle.closing = true;
    unsubscribe();
  });
  registerHealth(app, context);
  if (deps.serves !== "health") await registerInterface(app, context);
  const { metrics } = deps;
  if (metrics !== undefined) {
    app.get("/metrics", async (_request, reply) => {
      const { type, text } = await metrics();
      return reply.header("content-type", type).send(text);
    });
  }
  await app.ready();
  return app;
}

async function registerInterface(app: FastifyInstance, context: HttpContext): Promise<void> {
  const { deps } = context;
  for (const route of READ_ROUTES) registerRead(app, context, route);
  registerEvents(app, context);
  if (deps.swaps !== null) await registerSwaps(app, context, deps.swaps, SWAP_ROUTES);
  else registerDisabledSwaps(app, context);
  if (deps.serves === "interface") return;
  registerDocs(app, () => interfaceDocument(deps.version));
  registerPages(app, context);
  registerAssets(app, deps.pageFolder ?? BUILT_FOLDER);
}

/** Who is trusted to speak for others (H-10): one answer for connections, limits and the framework's `ip`. */
function proxyTest({ trustProxy }: HttpDependencies): ProxyTest {
  if (trustProxy === false) return () => false;
  // With a number of hops, whoever connects is the nearest of them.
  if (typeof trustProxy === "number") return (_address, hop) => hop < trustProxy;
  const trusted = new BlockList();
  for (const range of trustProxy) {
    const [address = "", prefix] = range.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (prefix === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(prefix), family);
  }
  return (address) => {
    const family = isIP(address);
    return family !== 0 && trusted.check(address, family === 6 ? "ipv6" : "ipv4");
  };
}

/** Ids that no two requests of one process share, and two processes hardly ever. */
function requestIds(): () => string {
  const prefix = randomBytes(6).toString("hex");
  let last = 0;
  return () => {
    last += 1;
    return `${prefix}-${last.toString(36)}`;
  };
}

/** The Node server: kept answers first, then Fastify. */
function nodeServer(
  context: HttpContext,
  connections: Connections,
  nextRequestId: () => string,
  lifecycle: { readonly closing: boolean },
  handler: (request: IncomingMessage, response: ServerResponse) => void,
): Server {
  const { deps } = context;
  const { swaps } = deps;
  // A limit has to count every request, so with one all of them take the ordinary way.
  const keepsAnswers = deps.rateLimit === null;
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    connections.begin(request, response);
    request.url = originForm(request.url ?? "/");
    const path = pathOf(request.url);
    if (lifecycle.closing)
      return writeError(CLOSING, knownHeightHeaders(context, path), nextRequestId(), request, response);
    if (deps.isOpen?.() === false && needsDatabase(path))
      return writeWithoutDatabase(context, nextRequestId(), request, response);
    // What the ordinary way has to refuse, or to look at twice, is no kept answer; nor is a body searched for here.
    const isOrdinary =
      !keepsAnswers ||
      lacksHost(request) ||
      (swaps !== null && hasBody(request)) ||
      targetHoldsSecret(swaps, request.url) !== false;
    if (isOrdinary) return handler(request, response);
    let requestId = "";
    const takeId = () => {
      requestId = nextRequestId();
      return requestId;
    };
    if (!serveKept(context, takeId, request, response)) return handler(request, response);
    if (deps.logRequests === true) {
      const { method, url } = request;
      deps.log.debug(
        { request_id: requestId, method, url, status: response.statusCode, kept: true },
        "request",
      );
    }
  };
  // A missing `Host` is answered by us, in the form of the path's group.
  const server = createServer({ ...TIMEOUTS, requireHostHeader: false }, listener);
  connections.watch(server);
  server.on("checkExpectation", (request, response) => {
    connections.begin(request, response);
    request.url = originForm(request.url ?? "/");
    void refuseExpectation(context, nextRequestId(), request, response);
  });
  server.on("connect", (_request, socket) => refuseTunnel(socket, nextRequestId()));
  return server;
}

/** False for a content type that is none: the framework refuses it before it reads the body. */
function hasReadableType({ headers }: FastifyRequest): boolean {
  const type = headers["content-type"];
  return type === undefined || /^\s*[\w!#$%&'*.^`|~+-]+\/[\w!#$%&'*.^`|~+-]+\s*(;|$)/.test(type);
}

/** HTTP/1.1 wants one `Host` (RFC 9112 §3.2); a request without one, or with several, was meant for nobody in particular. */
function lacksHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (/^host$/i.test(rawHeaders[at] ?? "")) hosts += 1;
  return hosts > 1 || (hosts === 0 && httpVersion === "1.1");
}

/** A request whose body nobody reads is searched for secrets all the same (S-66), then goes its way. */
async function afterStrayBody(
  context: HttpContext,
  swaps: SwapService,
  request: FastifyRequest,
  reply: FastifyReply,
  goOn: () => unknown,
): Promise<unknown> {
  const body = await strayBody(request.raw, BODY_LIMIT_BYTES);
  if (body === null) {
    // The rest of the body stands on the connection, unread.
    reply.header("connection", "close");
    return sendError(context, request, reply, TOO_LARGE);
  }
  return (await swaps.holdsSecret(body)) ? refuseSecret(context, request, reply) : goOn();
}

/** Counts a request and judges it; undefined where nothing limits it (H-10). */
type RequestLimits = (request: FastifyRequest) => RateVerdict | undefined;

/** The limits of reads and of all else, each by client. */
function requestLimits(deps: HttpDependencies, isProxy: ProxyTest): RequestLimits {
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

/**
 * What every request has to pass before it goes its way: the search for secrets before anything else (S-66), the limits,
 * the one `Host`, and the body that nobody reads. A promise only where one is needed.
 */
function afterChecks(
  context: HttpContext,
  limits: RequestLimits,
  request: FastifyRequest,
  reply: FastifyReply,
  goOn: () => unknown,
): unknown {
  const { swaps } = context.deps;
  const limited = (): unknown => {
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
  const suspicion = targetHoldsSecret(swaps, request.raw.url ?? "/");
  if (suspicion === false) return limited();
  return suspicion.then((found) => (found ? refuseSecret(context, request, reply) : limited()));
}

function installHooks(app: FastifyInstance, context: HttpContext, limits: RequestLimits): void {
  const { deps, paths } = context;
  app.addHook("onRoute", (route) => {
    for (const method of [route.method].flat()) paths.add(method, route.url);
  });
  // Hooks with callbacks: a promise in each would cost every answer some turns of the event loop's queue.
  app.addHook("onRequest", (request, reply, done) => {
    reply.headers({ "x-request-id": request.id, ...COMMON_HEADERS });
    // Before the body is read: a path that is none of ours is 404 whatever its body.
    const answered = afterChecks(context, limits, request, reply, () =>
      request.is404 ? answerUnrouted(context, request, reply) : done(),
    );
    // The framework must not wait for it: `done` may have been called already.
    if (answered instanceof Promise) answered.catch((error: unknown) => done(asError(error)));
  });
  app.setNotFoundHandler((request, reply) => answerUnrouted(context, request, reply));
  app.setErrorHandler((error, request, reply) => answerFailure(context, error, request, reply));
  if (deps.logRequests !== true) return;
  app.addHook("onResponse", async (request, reply) => {
    const { method, id: request_id } = request;
    const ms = Math.round(reply.elapsedTime);
    deps.log.debug({ request_id, method, url: request.raw.url, status: reply.statusCode, ms }, "request");
  });
}

/** A path that the router cannot read: no hook has seen it yet. */
function answerBrokenPath(
  context: HttpContext,
  limits: RequestLimits,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const answered = afterChecks(context, limits, request, reply, () =>
    answerUnrouted(context, request, reply),
  );
  Promise.resolve(answered).catch((error: unknown) => {
    context.deps.log.error({ error, request_id: request.id }, "could not answer a malformed path");
    reply.raw.destroy();
  });
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

const TOO_LARGE = { code: "BODY_TOO_LARGE", message: "The body may have at most 64 KiB." } as const;
const NO_HOST = {
  code: "INVALID_REQUEST",
  message:
    "HTTP/1.1 demands one `Host` header, and the request has none or several. Send the name that you connected to.",
} as const;

/** Codes of Fastify for requests that it could not read. */
const FRAMEWORK_CODES: Readonly<Record<string, { code: ErrorCode; message: string }>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: TOO_LARGE,
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: "UNSUPPORTED_MEDIA_TYPE",
    message: "Send the body as `application/json`.",
  },
};

/** What Fastify adds to its errors; nothing of what is none. */
function frameworkFields(error: unknown): Partial<FastifyError> {
  return error instanceof Error ? error : {};
}

async function answerFailure(
  context: HttpContext,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { code = "", statusCode = 500 } = frameworkFields(error);
  const known = FRAMEWORK_CODES[code];
  if (known !== undefined) return sendError(context, request, reply, known);
  if (statusCode >= 400 && statusCode < 500) {
    return sendError(context, request, reply, {
      code: "INVALID_REQUEST",
      message: "The request's body must be one JSON object.",
    });
  }
  const { method, id: request_id } = request;
  if (error instanceof StoreUnavailable) {
    context.deps.log.warn({ error, request_id }, "the database does not answer");
    return sendError(context, request, reply, NO_DATABASE);
  }
  context.deps.log.error({ error, request_id, method, url: request.raw.url }, "a request failed");
  return sendError(context, request, reply, {
    code: "INTERNAL_ERROR",
    message: `The service could not answer. Try again; if it stays, report the request id ${request_id}.`,
  });
}
