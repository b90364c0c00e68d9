// How is the node asked so that one hiccup is no failure? JSON-RPC calls with a limit on requests in flight, retries
// for what passes (busy, broken connections, half answers), and errors that name the request.

import type { Clock } from "../../follow/ports.ts";
import { Gate } from "./gate.ts";
import { type ExchangeLimits, type HttpAnswer, HttpExchange, TransportFault } from "./http-exchange.ts";
import { type Endpoint, placeOf } from "./node-address.ts";
import { NodeError, type NodeErrorCode } from "./node-error.ts";
import { readBytes, repliesOf, requestBody, type RpcCall, type RpcReply } from "./rpc-answer.ts";

/** How patient the client is. */
export interface Patience {
  /** Tries per request, 1 or more. */
  readonly attempts: number;
  /** Wait after the first failed try; doubles each time. */
  readonly firstDelayMs: number;
  /** Longest silence on a connection. */
  readonly timeoutMs: number;
  /** The same while blocks and transactions are awaited, which a node reads from its disk; default `timeoutMs`. */
  readonly bytesTimeoutMs?: number;
}

/**
 * About three seconds in all for a refused connection. A node that hangs is told within seven: whoever follows it has to
 * know before H-20's 15 s are over.
 */
export const DEFAULT_PATIENCE: Patience = {
  attempts: 7,
  firstDelayMs: 50,
  timeoutMs: 7000,
  bytesTimeoutMs: 30_000,
};
/** A whole answer may take this many times the longest silence. */
const WHOLE_ANSWER = 10;

/** pearld answers 503 above 10 clients; the poller and an operator's own calls need places too. */
const REQUESTS_IN_FLIGHT = 8;
/** "Loading block index" and the like, from nodes that are starting. */
const WARMING_UP = -28;
const QUOTED_BYTES = 120;

/** One try: an answer that counts, or a failure that may pass. */
type Outcome<T> =
  | { readonly done: true; readonly value: T }
  | { readonly done: false; readonly error: NodeError; readonly again: boolean };

/** A binary result: the bytes, or the node's refusal. */
export type BytesReply =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly code: number; readonly message: string };

function nameOf(calls: readonly RpcCall[]): string {
  const [first] = calls;
  if (first === undefined) return "an empty batch";
  const name = `${first.method}(${first.params.join(", ")})`;
  return calls.length === 1 ? name : `a batch of ${calls.length} calls from ${name}`;
}

/** Asks one node. */
export class RpcClient {
  readonly #exchange: HttpExchange;
  readonly #place: string;
  readonly #patience: Patience;
  readonly #clock: Clock;
  readonly #gate = new Gate(REQUESTS_IN_FLIGHT);
  /** Polling must not wait behind eight large blocks. */
  readonly #pollGate = new Gate(1);
  readonly #closing = new AbortController();
  #nextId = 1;

  constructor(endpoint: Endpoint, patience: Patience, clock: Clock) {
    this.#exchange = new HttpExchange(endpoint);
    this.#place = placeOf(endpoint);
    this.#patience = patience;
    this.#clock = clock;
  }

  /** Makes the calls in one request; replies in their order. `urgent`: in a lane of its own. */
  calls(calls: readonly RpcCall[], urgent = false): Promise<readonly RpcReply[]> {
    if (calls.length === 0) return Promise.resolve([]);
    const limits = limitsOf(this.#patience.timeoutMs);
    return this.#request(calls, urgent ? this.#pollGate : this.#gate, limits, (answer, firstId) => {
      const json = parseJson(answer.body);
      return json === undefined ? this.#notJson(calls, answer) : this.#replies(json, calls, firstId);
    });
  }

  /** Makes calls whose results are hex; the bytes in their order. */
  byteCalls(calls: readonly RpcCall[]): Promise<readonly BytesReply[]> {
    if (calls.length === 0) return Promise.resolve([]);
    const limits = limitsOf(this.#patience.bytesTimeoutMs ?? this.#patience.timeoutMs);
    return this.#request(calls, this.#gate, limits, (answer, firstId): Outcome<readonly BytesReply[]> => {
      const read = readBytes(answer.body);
      if (read === null) return this.#notJson(calls, answer);
      const replies = this.#replies(read.json, calls, firstId);
      if (!replies.done) return replies;
      const bytes: BytesReply[] = [];
      for (const reply of replies.value) {
        const decoded = reply.ok ? read.bytesOf(reply.result) : null;
        if (!reply.ok) bytes.push(reply);
        else if (decoded === null) return this.#fault("BAD_ANSWER", calls, "a result that is no hex", false);
        else bytes.push({ ok: true, bytes: decoded });
      }
      return { done: true, value: bytes };
    });
  }

  /** An answer that cannot be true. */
  badAnswer(call: RpcCall, what: string): NodeError {
    return this.#error("BAD_ANSWER", [call], what);
  }

  /** The node's refusal as an error. */
  refusal(call: RpcCall, reply: { readonly code: number; readonly message: string }): NodeError {
    const limited = /not authorized/i.test(reply.message);
    return this.#error(
      limited ? "AUTH_FAILED" : "RPC_ERROR",
      [call],
      `error ${reply.code}: ${reply.message}`,
      {
        rpcCode: reply.code,
      },
    );
  }

  /** Ends all requests; later ones are refused. */
  close(): void {
    this.#closing.abort();
    this.#exchange.close();
  }

  #request<T>(
    calls: readonly RpcCall[],
    gate: Gate,
    limits: ExchangeLimits,
    read: (answer: HttpAnswer, firstId: number) => Outcome<T>,
  ): Promise<T> {
    return gate.run(() => this.#retry(calls, limits, read));
  }

  async #retry<T>(
    calls: readonly RpcCall[],
    limits: ExchangeLimits,
    read: (answer: HttpAnswer, firstId: number) => Outcome<T>,
  ): Promise<T> {
    let delay = this.#patience.firstDelayMs;
    for (let attempt = 1; ; attempt += 1) {
      if (this.#closing.signal.aborted) throw this.#error("UNREACHABLE", calls, "this client was closed");
      const outcome = await this.#once(calls, limits, read);
      if (outcome.done) return outcome.value;
      if (!outcome.again || attempt >= this.#patience.attempts) throw outcome.error;
      await this.#clock.sleep(delay, this.#closing.signal);
      delay *= 2;
    }
  }

  async #once<T>(
    calls: readonly RpcCall[],
    limits: ExchangeLimits,
    read: (answer: HttpAnswer, firstId: number) => Outcome<T>,
  ): Promise<Outcome<T>> {
    const firstId = this.#nextId;
    this.#nextId += calls.length;
    let answer: HttpAnswer;
    try {
      answer = await this.#exchange.post(requestBody(calls, firstId), limits, this.#closing.signal);
    } catch (error) {
      if (!(error instanceof TransportFault)) throw error;
      // Silence was waited for long enough: to wait for it again, seven times over, would only hide it.
      const again = error.again && !error.timeout;
      return this.#fault(error.timeout ? "TIMEOUT" : "UNREACHABLE", calls, error.message, again, error);
    }
    if (answer.status === 401 || answer.status === 403) {
      return this.#fault("AUTH_FAILED", calls, `HTTP ${answer.status}`, false);
    }
    if (answer.status === 503 || answer.status === 429) {
      return this.#fault("BUSY", calls, `HTTP ${answer.status}`, true);
    }
    return read(answer, firstId);
  }

  #replies(json: unknown, calls: readonly RpcCall[], firstId: number): Outcome<readonly RpcReply[]> {
    const replies = repliesOf(json, calls, firstId);
    if (typeof replies === "string") return this.#fault("BAD_ANSWER", calls, replies, false);
    const warming = replies.find((reply) => !reply.ok && reply.code === WARMING_UP);
    if (warming !== undefined && !warming.ok) return this.#fault("BUSY", calls, warming.message, true);
    return { done: true, value: replies };
  }

  /** Half bodies of answers without a length look like this too, so it is tried again. */
  #notJson(calls: readonly RpcCall[], answer: HttpAnswer): Outcome<never> {
    const start = answer.body.toString("utf8", 0, QUOTED_BYTES);
    const what = `HTTP ${answer.status} with ${answer.body.length} bytes that are no JSON: ${JSON.stringify(start)}`;
    return this.#fault("BAD_ANSWER", calls, what, true);
  }

  #fault(
    code: NodeErrorCode,
    calls: readonly RpcCall[],
    what: string,
    again: boolean,
    cause?: unknown,
  ): { readonly done: false; readonly error: NodeError; readonly again: boolean } {
    return { done: false, error: this.#error(code, calls, what, { cause }), again };
  }

  #error(
    code: NodeErrorCode,
    calls: readonly RpcCall[],
    what: string,
    options: { cause?: unknown; rpcCode?: number } = {},
  ): NodeError {
    return new NodeError(code, `${nameOf(calls)} at ${this.#place}: ${what}${ADVICE[code]}`, options);
  }
}

/** What the operator can do, as the end of a sentence. */
const ADVICE: Readonly<Record<NodeErrorCode, string>> = {
  UNREACHABLE: "; check that the node runs and that PEARL_RPC_URL and PEARL_RPC_CA are right",
  BUSY: "; the node has no free place: raise its rpcmaxclients or stop other clients",
  AUTH_FAILED: "; check PEARL_RPC_USER and PEARL_RPC_PASSWORD",
  TIMEOUT: "; the node is overloaded or hangs: look at its log",
  BAD_ANSWER: "; is PEARL_RPC_URL the RPC port of a PEARL node?",
  RPC_ERROR: "",
  WRONG_NETWORK: "",
};

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
}

function limitsOf(silenceMs: number): ExchangeLimits {
  return { silenceMs, wholeMs: WHOLE_ANSWER * silenceMs };
}
