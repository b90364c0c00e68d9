// Sorts the errors of RPCs by what they mean. Providers word the same refusal in many ways: asked too often, asked for
// too much, a call that reverts.

/** The wording of refusals because of too many requests; the same request passes later. */
const TOO_OFTEN =
  /rate.?limit|too many (requests|concurrent)|request (rate|count|limit)|requests? per|per second|throttl|compute units|capacity|quota/i;

/** Refusals of eth_getLogs because of the size of the range or of the answer, or of the time that it takes. */
const TOO_LARGE =
  /range|too (many|large|wide|big|long)|more than|exceed|limit|size|time(d)? ?out|deadline|maximum|response is/i;

/** Blocks that this node does not have (yet): asking for fewer of them does not help. */
const UNKNOWN_BLOCK =
  /(block|header)s?( \w+)? not found|unknown block|cannot be found|after last accepted|not (yet )?available|beyond|(greater|higher) than (the )?(latest|head|current)|ahead of/i;

/** Calls that the EVM ends without a result. */
const CALL_FAILED =
  /revert|out ?of ?gas|gas (is )?exhausted|invalid opcode|invalid jump|stack (over|under)flow|bad instruction|vm execution|execution (error|failed)|opcode/i;

/** How an error of a JSON-RPC call is to be taken. */
export type RefusalKind = "busy" | "too-large" | "unknown-block" | "call-failed" | "other";

/** What the RPC's error means for this method. */
export function refusalKind(method: string, code: number, message: string): RefusalKind {
  if (code === 429 || TOO_OFTEN.test(message)) return "busy";
  if (method === "eth_call" && (code === 3 || code === -32_015 || CALL_FAILED.test(message)))
    return "call-failed";
  if (method !== "eth_getLogs") return "other";
  if (UNKNOWN_BLOCK.test(message)) return "unknown-block";
  return code === -32_005 || TOO_LARGE.test(message) ? "too-large" : "other";
}
