// Builds the HTTP server: cached answers before Fastify, then the checks of every request, then the routes, and one place for
// everything that goes wrong. It opens no port: the caller does.

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
import { type ErrorCode, pathOf } from "./errors.ts";
import { serveKept } from "./fast-path.ts";
import { type OpenApiDocument, openApiDocument } from "./openapi.ts";
import { HeldAnswers } from "./held-answers.ts";
import { PathTable } from "./path-table.ts";
import { registerRead } from "./read-route.ts";
import {
  BODY_LIMIT_BYTES,
  lacksHost,
  requestChecks,
  type RequestChecks,
  TOO_LARGE,
} from "./request-checks.ts";
import { BUILT_FOLDER, registerAssets } from "./routes/assets.ts";
import { registerDocs } from "./routes/docs.ts";
import { registerEvents } from "./routes/events.ts";
import { registerHealth } from "./routes/health.ts";
import { registerPages } from "./routes/page.ts";
import { READ_ROUTES } from "./routes/reads.ts";
import { registerDisabledSwaps, SWAP_ROUTES } from "./routes/swaps/index.ts";
import { registerSwaps } from "./routes/swaps/swap-route.ts";
import { hasBody, originForm, targetHoldsSecret } from "./secret-check.ts";
import { ResponseCache } from "./response-cache.ts";

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
  const checks = requestChecks(context, isProxy);
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
    frameworkErrors: (_error, request, reply) => answerBrokenPath(context, checks, request, reply),
    clientErrorHandler: clientErrorWriter({
      nextRequestId,
      log: deps.log,
      targetOf: (socket) => connections.targetOf(socket),
      heights: (path) => knownHeightHeaders(context, path),
    }),
    serverFactory: (handler) => nodeServer(context, connections, nextRequestId, lifecycle, handler),
  });
  installHooks(app, context, checks);
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

function installHooks(app: FastifyInstance, context: HttpContext, checks: RequestChecks): void {
  const { deps, paths } = context;
  app.addHook("onRoute", (route) => {
    for (const method of [route.method].flat()) paths.add(method, route.url);
  });
  // Hooks with callbacks: a promise in each would cost every answer some turns of the event loop's queue.
  app.addHook("onRequest", (request, reply, done) => {
    reply.headers({ "x-request-id": request.id, ...COMMON_HEADERS });
    // Before the body is read: a path that is none of ours is 404 whatever its body.
    const answered = checks(request, reply, () =>
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
  checks: RequestChecks,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const answered = checks(request, reply, () => answerUnrouted(context, request, reply));
  Promise.resolve(answered).catch((error: unknown) => {
    context.deps.log.error({ error, request_id: request.id }, "could not answer a malformed path");
    reply.raw.destroy();
  });
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

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
