// The one class of errors of the node, with a closed list of codes. A message says what went wrong and what the
// operator can do.

/** Why a request to the node failed. */
export type NodeErrorCode =
  /** No connection, or it broke every time. */
  | "UNREACHABLE"
  /** The node kept answering that it is busy (HTTP 503) or still starting. */
  | "BUSY"
  /** User or password refused, or the user may not call the method. */
  | "AUTH_FAILED"
  /** The connection stood, and no whole answer came in time. */
  | "TIMEOUT"
  /** An answer that cannot be true: wrong type, length, id, or no JSON at all. */
  | "BAD_ANSWER"
  /** The node refused the request with a JSON-RPC error. */
  | "RPC_ERROR"
  /** Another network or genesis block than configured. */
  | "WRONG_NETWORK";

/** A failed request. The message names the request and says what to do; it holds no password. */
export class NodeError extends Error {
  override readonly name = "NodeError";
  readonly code: NodeErrorCode;
  /** The JSON-RPC error code, where there is one. */
  readonly rpcCode: number | null;

  constructor(code: NodeErrorCode, message: string, options: { cause?: unknown; rpcCode?: number } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.rpcCode = options.rpcCode ?? null;
  }
}
