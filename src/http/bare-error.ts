// Answers that are written without the framework, to requests that it must not see: while the service stops or has no
// database, and where a request expects what nobody does here. What needs no database is no matter of this file.

import type { IncomingMessage, ServerResponse } from "node:http";
import { type Answer, COMMON_HEADERS, JSON_TYPE } from "./answer.ts";
import { heightHeaders, type HttpContext, isReading, knownHeightHeaders, RETRY_AFTER_S } from "./context.ts";
import { type ErrorCode, errorBody, ERRORS, pathOf } from "./errors.ts";
import { isMachinePath, prefersHtml, presentPage } from "./page-shell.ts";
import { SECRET_REFUSED, targetHoldsSecret } from "./secret-check.ts";

/** An error that is written without the framework. */
interface BareError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** While the service stops. */
export const CLOSING = {
  code: "SERVICE_UNAVAILABLE",
  message: "The service is stopping. Try again in some seconds.",
  headers: { "retry-after": String(RETRY_AFTER_S.unavailable) },
} as const;
/** While the database does not answer. */
export const NO_DATABASE = {
  code: "SERVICE_UNAVAILABLE",
  message: "The service cannot answer from its database now; /health says why. Try again in some seconds.",
  headers: CLOSING.headers,
} as const;
const EXPECTATION = {
  code: "EXPECTATION_FAILED",
  message:
    "The `Expect` header asks for what this service does not do. Leave it out, or send `100-continue`.",
  headers: {},
} as const;

/** What stands at an address of a page meanwhile: its script says what is wrong, and shows the rows when there are any. */
const PAGE_WITHOUT_ROWS = presentPage("Tokens, markets and swaps of Pearl");
/** First segments of the paths that are answered without a database: `/metrics` and `/health` tell that it is away. */
const WITHOUT_DATABASE: readonly string[] = ["assets", "docs", "health", "metrics", "openapi.json"];

/** False for the paths whose answers no database is read for. */
export function needsDatabase(path: string): boolean {
  return !WITHOUT_DATABASE.includes(path.split("/", 2)[1] ?? "");
}

/** Answers a path that needs the database while there is none: 503, as a page to whoever reads pages. */
export function writeWithoutDatabase(
  context: HttpContext,
  requestId: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const path = pathOf(request.url ?? "/");
  const isPage = isReading(request.method ?? "") && !isMachinePath(path);
  if (!isPage || !prefersHtml(request.headers.accept)) {
    const vary = isPage ? { vary: "accept" } : {};
    const facts = { ...NO_DATABASE, headers: { ...NO_DATABASE.headers, ...vary } };
    return writeError(facts, knownHeightHeaders(context, path), requestId, request, response);
  }
  const headers = { ...PAGE_WITHOUT_ROWS.headers, ...NO_DATABASE.headers, vary: "accept" };
  writeBare({ ...PAGE_WITHOUT_ROWS, status: 503, headers }, requestId, request, response);
}

/** Answers a request that expects what nobody does here. Never rejects. */
export async function refuseExpectation(
  context: HttpContext,
  requestId: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const target = request.url ?? "/";
  try {
    const holdsSecret = await targetHoldsSecret(context.deps.swaps, target);
    const facts = holdsSecret ? { ...SECRET_REFUSED, headers: {} } : EXPECTATION;
    writeError(facts, await heightHeaders(context, pathOf(target)), requestId, request, response);
  } catch (error) {
    context.deps.log.error({ error, request_id: requestId }, "could not answer an expectation");
    response.destroy();
  }
}

/** Answers by an error without the framework, and closes the connection: the request's body is not read. */
export function writeError(
  { code, message, headers }: BareError,
  heights: Readonly<Record<string, string>>,
  requestId: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const body = Buffer.from(JSON.stringify(errorBody(pathOf(request.url ?? "/"), code, message)));
  const answer = { status: ERRORS[code].status, contentType: JSON_TYPE, body };
  writeBare({ ...answer, headers: { ...headers, ...heights } }, requestId, request, response);
}

function writeBare(
  { status, contentType, headers, body }: Pick<Answer, "status" | "contentType" | "headers" | "body">,
  requestId: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  response.writeHead(status, {
    "content-type": contentType,
    "content-length": body.length,
    ...headers,
    ...COMMON_HEADERS,
    "x-request-id": requestId,
    connection: "close",
  });
  response.end(request.method === "HEAD" ? undefined : body);
}
