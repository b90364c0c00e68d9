// The dialect of EVM RPCs for the JSON-RPC client: how patient we are with a stranger's server, what its refusals mean,
// and `EvmUnavailable` as the error. An RPC that is down is given up after about a second, so that the next is asked.
// Providers word the same refusal in many ways: asked too often, asked for too much, a call that reverts.

import { EvmUnavailable } from "../../swaps/evm/evm-unavailable.ts";
import type { Patience } from "../json-rpc/json-rpc-client.ts";
import type { Dialect, RpcFailure } from "../json-rpc/judge-answer.ts";

/** The wording of refusals because of too many requests; the same request passes later. */
const TOO_OFTEN =
  /rate.?limit|too many (requests|concurrent)|request (rate|count|limit)|requests? per|per second|throttl|compute units|capacity|quota/i;

/** Answers for which there is no room, of themselves or beside others in a batch, in the words of go-ethereum and others. */
const TOO_LONG =
  /(response|result|answer|body|payload)\b.{0,40}(too (large|big|long)|exceed)|(too (large|big|long)|exceed\w*)\b.{0,40}(response|result|answer|body|payload)/i;

/** Blocks that this node does not have (yet): asking for fewer of them does not help. */
const UNKNOWN_BLOCK =
  /(block|header)s?( \w+)? not found|unknown block|cannot be found|after last accepted|not (yet )?available|beyond|(greater|higher) than (the )?(latest|head|current)|ahead of/i;

/**
 * Calls that the EVM ends without a result, in the words of go-ethereum, revm ("InvalidJump") and Nethermind. The called
 * contract chooses how it ends: one that is not known here counts as no answer, and then its asks are never paused.
 */
const CALL_FAILED =
  /out ?of ?(gas|offset)|return data out|OOG\b|gas (is )?exhausted|gas uint64 overflow|(invalid|bad) ?(jump|instruction)|opcode|stack ?(over|under)flow|stack limit|NotActivated|AccessViolation|vm execution|execution (error|failed)/i;

/** Calls in the name of a contract, which some clients refuse as if they were transactions (EIP-3607). */
const REFUSES_SENDER = /sender|3607/i;

/**
 * Whether the error says that the call reverted. The words behind that are the called contract's own, whoever deployed it,
 * and say nothing of the RPC.
 */
function saysReverted(code: number, message: string): boolean {
  return code === 3 || /revert/i.test(message);
}

/** Whether the error refuses the account in whose name a call was made. One that says that the call reverted does not. */
export function refusesSender(code: number, message: string): boolean {
  return !saysReverted(code, message) && REFUSES_SENDER.test(message);
}

/** How an error of a JSON-RPC call is to be taken. */
export type RefusalKind = "busy" | "too-large" | "unknown-block" | "call-failed" | "other";

/**
 * What the RPC's error means for this method. A refusal of logs in words that are not known is one of their number, since
 * every provider has other words for that limit; where it is not, the single block that is asked for last is named.
 */
export function refusalKind(method: string, code: number, message: string): RefusalKind {
  if (method === "eth_call" && saysReverted(code, message)) return "call-failed";
  if (code === 429 || TOO_OFTEN.test(message)) return "busy";
  if (method === "eth_call" && (code === -32_015 || CALL_FAILED.test(message))) return "call-failed";
  if (method !== "eth_getLogs") return TOO_LONG.test(message) ? "too-large" : "other";
  return UNKNOWN_BLOCK.test(message) ? "unknown-block" : "too-large";
}

/** Ten seconds for a whole answer, of at most 48 MiB, and as many values as the shortest logs that fit into these have. */
export const EVM_PATIENCE: Patience = {
  attempts: 4,
  firstDelayMs: 100,
  timeoutMs: 10_000,
  answerBytes: 48 * 1024 * 1024,
  answerValues: 1_800_000,
};

/** What the operator can do, as the end of a sentence. */
const ADVICE: Readonly<Record<RpcFailure, string>> = {
  UNREACHABLE: "; check EVM_RPC_URLS and that this RPC runs",
  TIMEOUT: "; this RPC is overloaded or hangs",
  BUSY: "; this RPC limits how often it is asked: raise EVM_POLL_MS or the plan, or add a URL to EVM_RPC_URLS",
  AUTH_FAILED: "; check the key in EVM_RPC_URLS",
  BAD_ANSWER: "; is this an Ethereum JSON-RPC URL?",
  TOO_LARGE: "",
  RPC_ERROR: "",
};

/** JSON-RPC as Ethereum's clients and the providers before them speak it. */
export const EVM_DIALECT: Dialect = {
  version: "2.0",
  batchCalls: 100,
  lanes: 4,
  pageFailure: "BUSY",
  // Behind one URL several servers may answer in turns.
  isWrongAnswerPassing: true,
  shown: (parameter) => JSON.stringify(parameter),
  refusalFailure: (method, { code, message }) => {
    const kind = refusalKind(method, code, message);
    if (kind === "busy") return "BUSY";
    // Logs are asked for by blocks, of which fewer are asked for.
    return kind === "too-large" && method !== "eth_getLogs" ? "TOO_LARGE" : "RPC_ERROR";
  },
  error: (failure, message, options) => new EvmUnavailable(failure, message + ADVICE[failure], options),
};
