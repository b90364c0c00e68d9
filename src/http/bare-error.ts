// Answers that are written without the framework, to requests that it must not see: while the service stops or has no
// database, and where a request expects what nobody does here.

import type { IncomingMessage, ServerResponse } from "node:http";
import { COMMON_HEADERS } from "./answer.ts";
import { heightHeaders, type HttpContext, RETRY_AFTER_S } from "./context.ts";
import { type ErrorCode, errorBody, ERRORS, pathOf } from "./errors.ts";
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
  message: "The database of the service does not answer. Try again in some seconds.",
  headers: CLOSING.headers,
} as const;
const EXPECTATION = {
  code: "EXPECTATION_FAILED",
  message:
    "The `Expect` header asks for what this service does not do. Leave it out, or send `100-continue`.",
  headers: {},
} as const;

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
  const body = JSON.stringify(errorBody(pathOf(request.url ?? "/"), code, message));
  response.writeHead(ERRORS[code].status, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(body),
    ...headers,
    ...heights,
    ...COMMON_HEADERS,
    "x-request-id": requestId,
    connection: "close",
  });
  response.end(request.method === "HEAD" ? undefined : body);
}
