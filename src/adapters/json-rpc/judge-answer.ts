// What an answer of a JSON-RPC server comes to: an item for each call, or a failure, of which is told whether it may pass
// and whether fewer calls in one request may fare better.

import { zip } from "../../primitives/elements.ts";
import { isRecord } from "../../primitives/plain-json.ts";
import { err } from "../../primitives/result.ts";
import {
  beginningOf,
  type JsonValue,
  QUOTED_CHARACTERS,
  refusalSentence,
  repliesOf,
  type RpcCall,
  type RpcRefusal,
  type RpcReply,
  sharedRefusal,
} from "./rpc-answer.ts";

/** Why a request has no result. */
export type RpcFailure =
  | "UNREACHABLE"
  | "TIMEOUT"
  | "BUSY"
  | "AUTH_FAILED"
  | "BAD_ANSWER"
  | "TOO_LARGE"
  | "RPC_ERROR";

/** What differs between the kinds of servers. */
export interface Dialect {
  readonly version: "1.0" | "2.0";
  /** Calls of one request at most; fewer where a server refuses batches of that size. */
  readonly batchCalls: number;
  /** Requests of one `calls` under way at the same time. */
  readonly lanes: number;
  /** What a page instead of JSON means where the HTTP status is 500 or above. */
  readonly pageFailure: RpcFailure;
  /** Whether an answer to other calls than were made may be right the next time. */
  readonly isWrongAnswerPassing: boolean;
  /** A parameter as messages show it. */
  readonly shown: (parameter: JsonValue) => string;
  /** What the server means by the error: BUSY passes, so the request is made again. */
  refusalFailure(method: string, refusal: RpcRefusal): RpcFailure;
  /** The adapter's own error; the message ends with what the operator can do. */
  error(
    failure: RpcFailure,
    message: string,
    options: { readonly cause?: unknown; readonly rpcCode?: number },
  ): Error;
}

/** A body taken apart: its JSON, and an item for each reply in it, or a sentence part where a result cannot be true. */
export interface ReadBody<Item> {
  readonly json: unknown;
  readonly itemOf: (reply: RpcReply) => Item | string;
}

/** A try without an answer that counts. */
export interface FailedTry {
  readonly done: false;
  readonly failure: RpcFailure;
  readonly what: string;
  readonly isPassing: boolean;
  /** Whether fewer calls in one request may fare better. */
  readonly lessHelps: "yes" | "perhaps" | "no";
  readonly cause?: unknown;
}

/** One try: an answer that counts, or a failure. */
export type Try<Item> = { readonly done: true; readonly items: readonly Item[] } | FailedTry;

/** What was asked in one request. */
interface Asked<Item> {
  readonly calls: readonly RpcCall[];
  /** The id of the first call. */
  readonly firstId: number;
  readonly read: (body: Buffer) => ReadBody<Item>;
}

/** Refusals of several calls in one request, or of some of them, in the words that servers have for it. */
const OF_BATCHES = /batch/i;
/** A gateway in front of the server has waited long enough: its word for our own timeout. */
const GATEWAY_TIMEOUTS: ReadonlySet<number> = new Set([408, 504, 524]);

/** What the server's answer to these calls comes to. */
export function judgeAnswer<Item extends object>(
  { status, body }: { readonly status: number; readonly body: Buffer },
  { calls, firstId, read }: Asked<Item>,
  dialect: Dialect,
): Try<Item> {
  if (status === 401 || status === 403) return failed("AUTH_FAILED", `HTTP ${status}`, false, "no");
  if (status === 429 || status === 503) return failed("BUSY", `HTTP ${status}`, true);
  const { json, itemOf } = read(body);
  if (!isRecord(json) && !Array.isArray(json)) return pageInstead(status, body, dialect);
  const shared = sharedRefusal(json, calls.length);
  const replies = shared === null ? repliesOf(json, calls.length, firstId) : calls.map(() => err(shared));
  if (typeof replies === "string") return failed("BAD_ANSWER", replies, dialect.isWrongAnswerPassing);
  // Before all else: what limits batches is often worded like a limit of requests in time, which would pass.
  const crowded = calls.length > 1 ? crowdedOut(status, replies, calls, dialect) : null;
  if (crowded !== null) return failed("RPC_ERROR", refusalSentence(crowded), false, "yes");
  for (const [reply, { method }] of zip(replies, calls)) {
    if (!reply.ok && dialect.refusalFailure(method, reply.error) === "BUSY")
      return failed("BUSY", refusalSentence(reply.error), true);
  }
  if (shared !== null && calls.length > 1) {
    const failure = dialect.refusalFailure(calls[0]?.method ?? "", shared);
    return failed(failure, refusalSentence(shared), false, failure === "AUTH_FAILED" ? "no" : "perhaps");
  }
  const items: Item[] = [];
  for (const reply of replies) {
    const item = itemOf(reply);
    if (typeof item === "string") return failed("BAD_ANSWER", item, false, "no");
    items.push(item);
  }
  return { done: true, items };
}

/** A refusal of one of several calls that may be answered among fewer; null where there is none such. */
function crowdedOut(
  status: number,
  replies: readonly RpcReply[],
  calls: readonly RpcCall[],
  dialect: Dialect,
): RpcRefusal | null {
  for (const [reply, { method }] of zip(replies, calls)) {
    if (reply.ok) continue;
    const { error } = reply;
    // Servers give what fits into an answer, and refuse the rest.
    if (OF_BATCHES.test(error.message) || dialect.refusalFailure(method, error) === "TOO_LARGE") return error;
    if (status === 413 && replies.every(({ ok }) => !ok)) return error;
  }
  return null;
}

/** A body that is no JSON. */
function pageInstead(status: number, body: Buffer, { pageFailure }: Dialect): FailedTry {
  const start = JSON.stringify(beginningOf(body.toString("utf8", 0, 4 * QUOTED_CHARACTERS)));
  const what = `HTTP ${status} with ${body.length} bytes that are no JSON: ${start}`;
  // Like our own timeout: waiting again at each try would only hide the silence.
  if (GATEWAY_TIMEOUTS.has(status)) return failed("TIMEOUT", what, false);
  if (status === 413) return failed("TOO_LARGE", what, false, "yes");
  // A gateway's page instead of an answer, or half of one, may pass.
  return failed(status >= 500 ? pageFailure : "BAD_ANSWER", what, true);
}

/** A failure with these words; as a rule fewer calls may fare better. */
export function failed(
  failure: RpcFailure,
  what: string,
  isPassing: boolean,
  lessHelps: FailedTry["lessHelps"] = "perhaps",
): FailedTry {
  return { done: false, failure, what, isPassing, lessHelps };
}
