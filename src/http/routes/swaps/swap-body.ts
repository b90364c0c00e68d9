// The body of a swap request as text and as one JSON object (H-46). The text comes first: it is searched for secrets
// before anything else is looked at (S-66).

import type { FastifyInstance, FastifyRequest } from "fastify";
import type { TObject } from "typebox";
import { refused, type SwapRefusal } from "../../../swaps/usecases/outcome.ts";
import type { RequestBody } from "../../../swaps/usecases/swap-service.ts";
import { isRecord, parseJson } from "../../../primitives/plain-json.ts";
import { err, ok, type Result } from "../../../primitives/result.ts";
import { Refusal } from "../../errors.ts";

/** A body that is of another media type, or no JSON object. */
type BodyFault = Refusal | SwapRefusal;

const EMPTY: RequestBody = {};

/** Takes bodies of every media type as bytes, so that handlers judge them. To be called on a plugin of its own. */
export function acceptRawBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
}

/** The object in the body of a request to an operation whose fields these are. */
export function bodyOf(request: FastifyRequest, fields: TObject): Result<RequestBody, BodyFault> {
  const required: readonly string[] = fields.required ?? [];
  return bodyObject(bodyText(request), request.headers["content-type"], required.length === 0);
}

/** The text of the body; "" where there is none, null where it is no UTF-8. */
function bodyText(request: FastifyRequest): string | null {
  const { body } = request;
  if (!Buffer.isBuffer(body)) return "";
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    return null;
  }
}

/**
 * The object in a body. `allOptional`: the operation has no required field, so no body, an empty one and a bare `{}`
 * without content-type are as good as an empty object.
 */
export function bodyObject(
  text: string | null,
  contentType: string | undefined,
  allOptional: boolean,
): Result<RequestBody, BodyFault> {
  const trimmed = text?.trim() ?? null;
  if (trimmed === "" && (allOptional || contentType === undefined)) return ok(EMPTY);
  if (trimmed === "{}" && allOptional && contentType === undefined) return ok(EMPTY);
  if (!isJson(contentType)) {
    return err(new Refusal("UNSUPPORTED_MEDIA_TYPE", "Send the body with `content-type: application/json`."));
  }
  if (text === null) return err(notAnObject("The body is no UTF-8 text."));
  const value = parseJson(text);
  return isRecord(value) ? ok(value) : err(notAnObject("The body must be one JSON object."));
}

function notAnObject(message: string): SwapRefusal {
  return refused("INVALID_REQUEST", message, { body: message });
}

function isJson(contentType: string | undefined): boolean {
  return contentType !== undefined && /^application\/json\s*(;|$)/i.test(contentType.trim());
}
