// The registry of error codes with status and meaning (H-04), and the two bodies that an error may have: the PRC20
// envelope (H-02) and the swap error (H-03).

/** Code -> status, and when it is given (for the documents). */
export const ERRORS = {
  INVALID_REQUEST: { status: 400, when: "A path placeholder, a parameter or the body is malformed." },
  CURSOR_INVALID: { status: 400, when: "`next` or `prev` is no cursor of this list with these filters." },
  ROUTE_NOT_FOUND: { status: 404, when: "No endpoint has this path." },
  METHOD_NOT_ALLOWED: { status: 405, when: "The path exists, but not with this method; see `Allow`." },
  REQUEST_TIMEOUT: { status: 408, when: "The request did not arrive completely in time." },
  LISTING_NOT_OPEN: { status: 409, when: "The listing is filled, cancelled, invalid_spent or expired." },
  BODY_TOO_LARGE: { status: 413, when: "The body is larger than 64 KiB." },
  TARGET_TOO_LONG: { status: 414, when: "The request's path and query are too long." },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, when: "The body is not `application/json`." },
  EXPECTATION_FAILED: {
    status: 417,
    when: "The `Expect` header asks for something else than `100-continue`.",
  },
  RATE_LIMITED: { status: 429, when: "Too many requests from this address; see `Retry-After`." },
  HEADERS_TOO_LARGE: { status: 431, when: "The request's headers are too large." },
  INTERNAL_ERROR: { status: 500, when: "The service failed; the log has the cause under the request's id." },
  SERVICE_UNAVAILABLE: {
    status: 503,
    when: "The service is stopping or full, or its database does not answer; see `Retry-After`.",
  },
  SWAPS_DISABLED: { status: 503, when: "This service serves no swaps; see `Retry-After`." },
  SECRET_REFUSED: { status: 400, when: "The request holds a secret that is not public yet (S-66)." },
  ASK_SELLER_SIGNATURE_INVALID: {
    status: 400,
    when: "`seller_evm_signature` is malformed or not the seller's over these terms (S-31).",
  },
  ASK_BELOW_MIN_USDC: { status: 400, when: "`usdc_amount` is below the minimum; see `details` (S-32)." },
  ASK_INSUFFICIENT_SELLER_BALANCE: {
    status: 400,
    when: "The seller's PEARL address does not hold what its asks need; see `details` (S-34).",
  },
  ASK_PEARL_PROOF_INVALID: {
    status: 400,
    when: "`seller_pearl_signature` is wrong, or required and absent (S-32).",
  },
  ASK_BUYER_PEARL_PUBKEY_MISMATCH: {
    status: 400,
    when: "The buyer's PEARL key does not fit the address, or is the seller's (S-14).",
  },
  ASK_SELLER_PEARL_PUBKEY_MISMATCH: {
    status: 400,
    when: "The seller's PEARL key does not fit the address, or is not the ask's (S-14, S-40).",
  },
  TIMELOCK_INVALID: { status: 400, when: "A refund time leaves too little room; see `details` (S-40)." },
  ASK_ACTION_SIGNATURE_INVALID: {
    status: 401,
    when: "`signature` is missing or not the seller's over this action (H-42).",
  },
  ORIGIN_SIGNATURE_INVALID: {
    status: 401,
    when: "`signature` is missing or not the buyer's over this origin (S-64).",
  },
  ASK_NOT_FOUND: { status: 404, when: "No ask with this id was posted here." },
  DEAL_NOT_FOUND: { status: 404, when: "There is no such deal." },
  ORDER_NOT_FOUND: { status: 404, when: "No order with this hash is indexed." },
  CANONICAL_DEAL_NOT_FOUND: {
    status: 404,
    when: "`evm_order_hash` is not the hash of these terms, or no such order is indexed (S-40).",
  },
  ASK_PAUSED: { status: 409, when: "The ask cannot be taken now; `details.status` says why (S-33)." },
  ASK_TAKEN: { status: 409, when: "An indexed order carries the ask (S-33)." },
  ASK_CANCELLED: { status: 409, when: "The ask is cancelled or expired (S-33)." },
  ASK_NONCE_REVOKED: { status: 409, when: "The seller has revoked asks with this nonce on chain (S-32)." },
  ASK_LIMIT_REACHED: {
    status: 409,
    when: "As many asks as are allowed are there: of this seller, without a proof of the PEARL key, or in all; see `details` (S-32).",
  },
  HASHLOCK_REUSED: {
    status: 409,
    when: "The hashlock's secret is known, or another order of this buyer has it (S-40).",
  },
  INDEXER_NOT_SYNCED: {
    status: 503,
    when: "An index is behind its chain, or nobody writes it; see `details` (S-05).",
  },
  BALANCE_UNAVAILABLE: { status: 503, when: "The seller's PEARL balance cannot be told now (S-34)." },
  EVM_RPC_UNAVAILABLE: { status: 503, when: "No EVM RPC answers, or they do not agree (S-05)." },
  PEARL_NODE_UNAVAILABLE: {
    status: 503,
    when: "The PEARL node does not answer or has lost blocks, or no second one shows the lock; see `details` (S-05, S-09, S-62).",
  },
} as const satisfies Record<string, { status: number; when: string }>;

/** A code of the registry. */
export type ErrorCode = keyof typeof ERRORS;

/** A field of a request, with what is wrong with it: a sentence behind its name, without a full stop. */
type FieldFault = readonly [field: string, fault: string];

/** An expected refusal: a value that handlers return instead of rows. */
export class Refusal {
  readonly code: ErrorCode;
  /** One or two sentences: what was wrong and what to do. */
  readonly message: string;
  /** Height of the state that the refusal was judged on, where one was read. */
  readonly indexedHeight: number | null;
  /** The field that it is about; null where it is about none, and where another thread has told it. */
  readonly field: FieldFault | null;

  constructor(
    code: ErrorCode,
    message: string,
    indexedHeight: number | null = null,
    field: FieldFault | null = null,
  ) {
    this.code = code;
    this.message = message;
    this.indexedHeight = indexedHeight;
    this.field = field;
  }
}

/** `INVALID_REQUEST` for a field of a path, a query or a body; `fault` goes on behind its name. */
export function invalidField(field: string, fault: string): Refusal {
  return new Refusal("INVALID_REQUEST", `\`${field}\` ${fault}.`, null, [field, fault]);
}

/** The body of an error in the PRC20 group and outside of the groups (H-02). */
interface EnvelopeError {
  readonly message: string;
  readonly prev: null;
  readonly next: null;
  readonly result: readonly never[];
  readonly error: ErrorCode;
}

/** The body of an error under the swap paths (H-03). */
interface SwapError {
  readonly ok: false;
  readonly error: ErrorCode;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** The body that an error has at `path`; `details` is shown in the swap group. */
export function errorBody(
  path: string,
  code: ErrorCode,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
): EnvelopeError | SwapError {
  return isSwapPath(path)
    ? { ok: false, error: code, message, details }
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
