// The dialect of EVM RPCs for the JSON-RPC client: how patient we are with a stranger's server, what its refusals mean,
// and `EvmUnavailable` as the error. An RPC that is down is given up after about a second, so that the next is asked.

import { EvmUnavailable } from "../../swaps/evm/evm-unavailable.ts";
import type { Dialect, Patience, RpcFailure } from "../json-rpc/json-rpc-client.ts";
import { refusalKind } from "./rpc-faults.ts";

/** Ten seconds for a whole answer, of at most 48 MiB. */
export const EVM_PATIENCE: Patience = {
  attempts: 4,
  firstDelayMs: 100,
  timeoutMs: 10_000,
  answerBytes: 48 * 1024 * 1024,
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
  refusalFailure: (method, { code, message }) =>
    refusalKind(method, code, message) === "busy" ? "BUSY" : "RPC_ERROR",
  error: (failure, message, options) => new EvmUnavailable(failure, message + ADVICE[failure], options),
};
