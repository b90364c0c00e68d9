// How is one RPC asked so that one hiccup is no failure? JSON-RPC calls in batches with a limit on requests in flight,
// retries with backoff for what passes (busy, broken connections, half answers), and errors that name RPC and request.

import type { Clock } from "../../follow/ports.ts";
import { type EvmFailure, EvmUnavailable } from "../../swaps/evm/evm-unavailable.ts";
import { type HttpAnswer, HttpPost, PostFault, type PostFailure } from "./http-post.ts";
import { isRecord, repliesOf, requestBody, type RpcCall, type RpcReply, sharedError } from "./rpc-answer.ts";
import { refusalKind, refusesBatch } from "./rpc-faults.ts";
import type { RpcUrl } from "./rpc-url.ts";

/** How patient the client is. */
export interface Patience {
  /** Tries per request, 1 or more. */
  readonly attempts: number;
  /** Wait after the first failed try; doubles each time. */
  readonly firstDelayMs: number;
  /** Longest time from the sending of a request to the last byte of its answer. */
  readonly timeoutMs: number;
  /** Bytes of an answer above which it is not read on. */
  readonly answerBytes: number;
}

/** An RPC that is down is given up after about a second, so that the next one is asked. */
export const DEFAULT_PATIENCE: Patience = {
  attempts: 4,
  firstDelayMs: 100,
  timeoutMs: 10_000,
  answerBytes: 48 * 1024 * 1024,
};

/** Calls of one request; halved where an RPC refuses batches of that size. */
const BATCH_CALLS = 100;
/** Requests of one `calls` under way at the same time. */
const REQUESTS_IN_FLIGHT = 4;
const QUOTED_CHARACTERS = 120;

/** One try: an answer that counts, or a failure that may pass. */
type Outcome =
  | { readonly done: true; readonly replies: readonly RpcReply[] }
  | {
      readonly done: false;
      readonly error: EvmUnavailable;
      readonly again: boolean;
      readonly split: boolean;
    };

const FAILURE_CODES: Readonly<Record<PostFailure, EvmFailure>> = {
  broken: "UNREACHABLE",
  untrusted: "UNREACHABLE",
  closed: "UNREACHABLE",
  timeout: "TIMEOUT",
  "too-large": "TOO_LARGE",
};

function nameOf(calls: readonly RpcCall[]): string {
  const [first] = calls;
  if (first === undefined) return "an empty batch";
  const parameters = first.params.map((value) => JSON.stringify(value)).join(", ");
  const name = `${first.method}(${parameters.slice(0, QUOTED_CHARACTERS)})`;
  return calls.length === 1 ? name : `a batch of ${calls.length} calls from ${name}`;
}

/** Asks one RPC. */
export class JsonRpc {
  /** The RPC for messages. */
  readonly name: string;
  readonly #post: HttpPost;
  readonly #patience: Patience;
  readonly #clock: Clock;
  readonly #closing = new AbortController();
  #batchCalls = BATCH_CALLS;
  #nextId = 1;

  constructor(target: RpcUrl, patience: Patience, clock: Clock) {
    this.name = target.name;
    this.#post = new HttpPost(target);
    this.#patience = patience;
    this.#clock = clock;
  }

  /**
   * Makes the calls; replies in their order. `patience`: what differs from the client's own. Rejects with
   * `EvmUnavailable`; a JSON-RPC error of a single call is a reply.
   */
  async calls(calls: readonly RpcCall[], patience: Partial<Patience> = {}): Promise<readonly RpcReply[]> {
    const full = { ...this.#patience, ...patience };
    const replies: RpcReply[] = [];
    for (let at = 0; at < calls.length; ) {
      const parts: (readonly RpcCall[])[] = [];
      while (parts.length < REQUESTS_IN_FLIGHT && at < calls.length) {
        const part = calls.slice(at, at + this.#batchCalls);
        parts.push(part);
        at += part.length;
      }
      // All of them are awaited even where one fails, so that no rejection is left without a listener.
      const ended = await Promise.allSettled(parts.map((part) => this.#request(part, full)));
      for (const one of ended) {
        if (one.status === "rejected") throw one.reason;
        replies.push(...one.value);
      }
    }
    return replies;
  }

  /** The result of one call. Rejects where the RPC answers with an error. */
  async result(call: RpcCall, patience: Partial<Patience> = {}): Promise<unknown> {
    const [reply] = await this.calls([call], patience);
    if (reply === undefined) throw this.badAnswer(call, "no answer");
    if (!reply.ok) throw this.refusal(call, reply);
    return reply.result;
  }

  /** An answer that cannot be true. */
  badAnswer(call: RpcCall, what: string): EvmUnavailable {
    return this.#error("BAD_ANSWER", [call], what);
  }

  /** The RPC's refusal as an error. */
  refusal(call: RpcCall, reply: { readonly code: number; readonly message: string }): EvmUnavailable {
    const message = `error ${reply.code}: ${reply.message.slice(0, 2 * QUOTED_CHARACTERS)}`;
    return this.#error("RPC_ERROR", [call], message, { rpcCode: reply.code });
  }

  /** Ends all requests; later ones are refused. */
  close(): void {
    this.#closing.abort();
    this.#post.close();
  }

  async #request(calls: readonly RpcCall[], patience: Patience): Promise<readonly RpcReply[]> {
    let delay = patience.firstDelayMs;
    for (let attempt = 1; ; attempt += 1) {
      if (this.#closing.signal.aborted) throw this.#error("UNREACHABLE", calls, "this client was closed");
      const outcome = await this.#once(calls, patience);
      if (outcome.done) return outcome.replies;
      if (outcome.split && calls.length > 1) return this.#halves(calls, patience);
      if (!outcome.again || attempt >= patience.attempts) throw outcome.error;
      await this.#clock.sleep(delay, this.#closing.signal);
      delay *= 2;
    }
  }

  /** An RPC that refuses batches of this size gets smaller ones from now on. */
  async #halves(calls: readonly RpcCall[], patience: Patience): Promise<readonly RpcReply[]> {
    const half = Math.ceil(calls.length / 2);
    this.#batchCalls = Math.min(this.#batchCalls, half);
    const first = await this.#request(calls.slice(0, half), patience);
    return [...first, ...(await this.#request(calls.slice(half), patience))];
  }

  async #once(calls: readonly RpcCall[], patience: Patience): Promise<Outcome> {
    const firstId = this.#nextId;
    this.#nextId += calls.length;
    let answer: HttpAnswer;
    try {
      answer = await this.#post.send(requestBody(calls, firstId), patience);
    } catch (error) {
      if (!(error instanceof PostFault)) throw error;
      const { failure } = error;
      return {
        done: false,
        error: this.#error(FAILURE_CODES[failure], calls, error.message, { cause: error }),
        again: failure === "broken",
        split: failure === "too-large",
      };
    }
    return this.#read(answer, calls, firstId);
  }

  #read(answer: HttpAnswer, calls: readonly RpcCall[], firstId: number): Outcome {
    const { status } = answer;
    if (status === 401 || status === 403) return this.#fault("AUTH_FAILED", calls, `HTTP ${status}`, false);
    if (status === 429) return this.#fault("BUSY", calls, "HTTP 429, too many requests", true);
    const text = answer.body.toString("utf8");
    const json = parseJson(text);
    if (!isRecord(json) && !Array.isArray(json)) {
      const what = `HTTP ${status} with ${answer.body.length} bytes that are no JSON: ${JSON.stringify(text.slice(0, QUOTED_CHARACTERS))}`;
      // A gateway's page instead of an answer, or half of one, may pass.
      const fault = this.#fault(status >= 500 ? "BUSY" : "BAD_ANSWER", calls, what, true);
      return { ...fault, split: refusesBatch(status, "") };
    }
    const shared = sharedError(json, calls.length);
    if (shared !== null) {
      const what = `error ${shared.code}: ${shared.message.slice(0, 2 * QUOTED_CHARACTERS)}`;
      const busy = refusalKind("", shared.code, shared.message) === "busy";
      const fault = this.#fault(busy ? "BUSY" : "RPC_ERROR", calls, what, busy);
      return { ...fault, split: !busy && refusesBatch(status, shared.message) };
    }
    const replies = repliesOf(json, calls, firstId);
    if (typeof replies === "string") return this.#fault("BAD_ANSWER", calls, replies, true);
    for (const [i, reply] of replies.entries()) {
      const call = calls[i];
      if (reply.ok || call === undefined) continue;
      if (refusalKind(call.method, reply.code, reply.message) === "busy") {
        return this.#fault("BUSY", calls, `error ${reply.code}: ${reply.message.slice(0, 200)}`, true);
      }
    }
    return { done: true, replies };
  }

  #fault(
    code: EvmFailure,
    calls: readonly RpcCall[],
    what: string,
    again: boolean,
  ): Outcome & { done: false } {
    return { done: false, error: this.#error(code, calls, what), again, split: false };
  }

  #error(
    code: EvmFailure,
    calls: readonly RpcCall[],
    what: string,
    options: { cause?: unknown; rpcCode?: number } = {},
  ): EvmUnavailable {
    return new EvmUnavailable(code, `${nameOf(calls)} at ${this.name}: ${what}${ADVICE[code]}`, options);
  }
}

/** What the operator can do, as the end of a sentence. */
const ADVICE: Readonly<Record<EvmFailure, string>> = {
  UNREACHABLE: "; check EVM_RPC_URLS and that this RPC runs",
  TIMEOUT: "; this RPC is overloaded or hangs",
  BUSY: "; this RPC limits how often it is asked: raise EVM_POLL_MS or the plan, or add a URL to EVM_RPC_URLS",
  AUTH_FAILED: "; check the key in EVM_RPC_URLS",
  BAD_ANSWER: "; is this an Ethereum JSON-RPC URL?",
  UNSETTLED: "",
  TOO_LARGE: "",
  RPC_ERROR: "",
  WRONG_CHAIN: "; check EVM_RPC_URLS and EVM_CHAIN_ID",
};

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
