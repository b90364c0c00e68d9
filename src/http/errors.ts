// Which errors can an answer carry? The registry of codes with status and meaning (H-04), and the two bodies that
// an error may have: the PRC20 envelope (H-02) and the swap error (H-03).

/** Code -> status, and when it is given (for the documents). */
export const ERRORS = {
  INVALID_REQUEST: { status: 400, when: "A path placeholder, a parameter or the body is malformed." },
  CURSOR_INVALID: { status: 400, when: "`next` or `prev` is no cursor of this list with these filters." },
  ROUTE_NOT_FOUND: { status: 404, when: "No endpoint has this path." },
  METHOD_NOT_ALLOWED: { status: 405, when: "The path exists, but not with this method; see `Allow`." },
  REQUEST_TIMEOUT: { status: 408, when: "The request did not arrive completely in time." },
  LISTING_NOT_OPEN: { status: 409, when: "The listing is filled, cancelled, invalid_spent or expired." },
  BODY_TOO_LARGE: { status: 413, when: "The body is larger than 64 KiB." },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, when: "The body is not `application/json`." },
  RATE_LIMITED: { status: 429, when: "Too many requests from this address; see `Retry-After`." },
  HEADERS_TOO_LARGE: { status: 431, when: "The request's headers are too large." },
  INTERNAL_ERROR: { status: 500, when: "The service failed; the log has the cause under the request's id." },
  SERVICE_UNAVAILABLE: { status: 503, when: "The service is stopping or full; see `Retry-After`." },
  SWAPS_DISABLED: { status: 503, when: "This service serves no swaps; see `Retry-After`." },
} as const satisfies Record<string, { status: number; when: string }>;

/** A code of the registry. */
export type ErrorCode = keyof typeof ERRORS;

/** An expected refusal: a value that handlers return instead of rows. */
export class Refusal {
  readonly code: ErrorCode;
  /** One or two sentences: what was wrong and what to do. */
  readonly message: string;
  /** Height of the state that the refusal was judged on, where one was read. */
  readonly indexedHeight: number | null;

  constructor(code: ErrorCode, message: string, indexedHeight: number | null = null) {
    this.code = code;
    this.message = message;
    this.indexedHeight = indexedHeight;
  }
}

/** `INVALID_REQUEST` for one field: `expected` completes the sentence "`field` must be ...". */
export function invalidField(field: string, expected: string): Refusal {
  return new Refusal("INVALID_REQUEST", `\`${field}\` must be ${expected}.`);
}

/** The body of an error in the PRC20 group and outside of the groups (H-02). */
export interface EnvelopeError {
  readonly message: string;
  readonly prev: null;
  readonly next: null;
  readonly result: readonly never[];
  readonly error: ErrorCode;
}

/** The body of an error under the swap paths (H-03). */
export interface SwapError {
  readonly ok: false;
  readonly error: ErrorCode;
  readonly message: string;
  readonly details: Record<string, string>;
}

/** The body that an error has at `path`. */
export function errorBody(path: string, code: ErrorCode, message: string): EnvelopeError | SwapError {
  return isSwapPath(path)
    ? { ok: false, error: code, message, details: {} }
    : { message, prev: null, next: null, result: [], error: code };
}

/** True for the swap group's paths, existing or not. */
export function isSwapPath(path: string): boolean {
  return isAtOrUnder(path, "/api/v1/swaps");
}

/** True where answers carry `x-indexed-height` (H-09): the PRC20 group's paths and the event stream. */
export function showsIndexedHeight(path: string): boolean {
  return isAtOrUnder(path, "/api/v1/prc20") || path === "/api/v1/events";
}

function isAtOrUnder(path: string, root: string): boolean {
  return path.startsWith(root) && (path.length === root.length || path[root.length] === "/");
}

/** The path of a request target, without its query. */
export function pathOf(target: string): string {
  const end = target.search(/[?#]/);
  return end === -1 ? target : target.slice(0, end);
}
