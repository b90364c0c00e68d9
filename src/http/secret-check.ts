// Refuses requests that hold a secret that is not public yet (S-66): before any other check, on every path, not stored,
// not echoed, not logged. Also reads request targets in absolute form as the path that they name.

import type { IncomingMessage } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { SwapService } from "../swaps/usecases/swap-service.ts";
import { type HttpContext, sendError } from "./context.ts";
import { WHOLE_SERVER } from "./path-table.ts";

/** The error of such a request. */
export const SECRET_REFUSED = {
  code: "SECRET_REFUSED",
  message:
    "The request holds the secret of a swap that is not public yet. It was not stored. Never send a secret to " +
    "anybody: reveal it only by claiming the PEARL.",
} as const;

/** What stands in the log for a target that may not be repeated. */
const WITHHELD = "(withheld: it held a secret)";

/**
 * A request target as origin form: `http://host/path?query`, which proxies send (RFC 9112 §3.2.2), names the same
 * resource as `/path?query`, and every check looks at the path. `*`, the server as a whole (§3.2.4), becomes a path that
 * is nobody's.
 */
export function originForm(target: string): string {
  if (target === "*") return WHOLE_SERVER;
  const authority = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(target)?.[0];
  if (authority === undefined) return target;
  const rest = target.slice(authority.length);
  return rest.startsWith("/") ? rest : `/${rest}`;
}

/** Whether a target holds a secret, as sent or percent-decoded: false at once where it does not. */
export function targetHoldsSecret(service: SwapService | null, target: string): false | Promise<boolean> {
  // Shorter ones hold no 64 digits: most requests are judged by this line.
  if (service === null || target.length < 64) return false;
  return service.holdsSecret(Buffer.from(target, "latin1"));
}

/** The answer to such a request. The log shows nothing of its target. */
export function refuseSecret(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const sent = sendError(context, request, reply, SECRET_REFUSED);
  request.raw.url = WITHHELD;
  return sent;
}

/** Whether a body follows the headers. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const { "content-length": length, "transfer-encoding": encoding } = headers;
  return encoding !== undefined || (length !== undefined && length !== "0");
}
