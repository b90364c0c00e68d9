// The PEARL node's JSON-RPC: its dialect for the shared client, places in line so that pearld's few clients are not used
// up and polling never waits behind blocks, and results in hex as bytes.

import { type Static, type TSchema, Type } from "typebox";
import type { Clock } from "../../follow/ports.ts";
import { type CallOptions, JsonRpcClient, type Patience } from "../json-rpc/json-rpc-client.ts";
import type { Dialect, RpcFailure } from "../json-rpc/judge-answer.ts";
import { PostFault } from "../json-rpc/http-post.ts";
import type { RpcCall, RpcRefusal, RpcReply } from "../json-rpc/rpc-answer.ts";
import { type BytesReply, readHexResults } from "./hex-results.ts";
import type { Endpoint } from "./node-address.ts";
import { NodeError, type NodeErrorCode } from "./node-error.ts";

/** A hash as the node writes it: lower-case hex of 32 bytes. */
export const HASH = Type.String({ pattern: "^[0-9a-f]{64}$" });
/** A height, or another count. */
export const COUNT = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/** Whether the value is a hash as the node writes it. */
export function isHash(value: unknown): value is string {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
}

/** How patient the client is with the node. */
export interface NodePatience {
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
export const NODE_PATIENCE: NodePatience = {
  attempts: 7,
  firstDelayMs: 50,
  timeoutMs: 7000,
  bytesTimeoutMs: 30_000,
};
/** A whole answer may take this many times the longest silence: one's own node may take minutes over a large batch. */
const WHOLE_ANSWER = 10;
/** More than the hex of any single answer; a larger one is not kept in memory. */
const LARGEST_BODY = 256 * 1024 * 1024;
/** The ids of transactions in a mempool that fit into it. */
const MOST_VALUES = 4_000_000;
/** The same of a batch of results in hex: one that turns out larger, as blocks may, is asked for in halves. */
const LARGEST_BATCH_BODY = 32 * 1024 * 1024;
/** pearld answers 503 above 10 clients; the poller and an operator's own calls need places too. */
const REQUESTS_IN_FLIGHT = 8;
/** "Loading block index" and the like, from nodes that are starting. */
const WARMING_UP = -28;
/** The code by which pearld and bitcoind say that they do not know a transaction or block. */
export const NOT_FOUND = -5;

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

const PEARL_DIALECT: Dialect = {
  version: "1.0",
  batchCalls: 100,
  lanes: REQUESTS_IN_FLIGHT,
  pageFailure: "BAD_ANSWER",
  isWrongAnswerPassing: false,
  shown: String,
  refusalFailure: (_method, { code, message }): RpcFailure => {
    if (code === WARMING_UP) return "BUSY";
    return /not authorized/i.test(message) ? "AUTH_FAILED" : "RPC_ERROR";
  },
  error: (failure, message, options) => {
    const code = failure === "TOO_LARGE" ? "UNREACHABLE" : failure;
    return new NodeError(code, message + ADVICE[code], options);
  },
};

/** Asks one node. */
export class PearlRpc {
  readonly #client: JsonRpcClient;
  readonly #bytesTimeoutMs: number;
  readonly #gate = new Gate(REQUESTS_IN_FLIGHT);
  /** Polling must not wait behind eight large blocks. */
  readonly #pollGate = new Gate(1);

  /** `answerBytes`: no answer is read beyond that. */
  constructor(endpoint: Endpoint, patience: NodePatience, clock: Clock, answerBytes = LARGEST_BODY) {
    const { attempts, firstDelayMs, timeoutMs, bytesTimeoutMs = timeoutMs } = patience;
    const bounds = { answerBytes, answerValues: MOST_VALUES };
    const full = { attempts, firstDelayMs, ...bounds, ...limitsOf(timeoutMs) };
    this.#client = new JsonRpcClient(endpoint, PEARL_DIALECT, full, clock);
    this.#bytesTimeoutMs = bytesTimeoutMs;
  }

  /** Makes the calls; replies in their order. `urgent`: in a lane of its own. */
  calls(calls: readonly RpcCall[], urgent = false): Promise<readonly RpcReply[]> {
    const gate = urgent ? this.#pollGate : this.#gate;
    return this.#client.calls(calls, { inLine: (request) => gate.run(request) });
  }

  /** Makes calls whose results are hex; the bytes in their order. `options` as those of the client. */
  byteCalls(
    calls: readonly RpcCall[],
    options: Pick<CallOptions, "batchCalls" | "answerBytes"> = {},
  ): Promise<readonly BytesReply[]> {
    const inLine = <T>(request: () => Promise<T>): Promise<T> => this.#gate.run(request);
    return this.#client.callsReadBy(readHexResults, calls, {
      ...limitsOf(this.#bytesTimeoutMs),
      ...(calls.length > 1 ? { answerBytes: LARGEST_BATCH_BODY } : {}),
      ...options,
      inLine,
    });
  }

  /** The result of one call, of the schema's type; null for what the node does not know. Rejects with `NodeError`. */
  async ask<Schema extends TSchema>(call: RpcCall, schema: Schema): Promise<Static<Schema> | null> {
    const [found] = await this.askAll([call], schema);
    return found ?? null;
  }

  /** The same for several calls. */
  async askAll<Schema extends TSchema>(
    calls: readonly RpcCall[],
    schema: Schema,
  ): Promise<readonly (Static<Schema> | null)[]> {
    const replies = await this.calls(calls);
    return calls.map((call, i): Static<Schema> | null => {
      const reply = replies[i];
      if (reply?.ok === false && reply.error.code === NOT_FOUND) return null;
      const result = this.resultOf(call, reply);
      return result === null ? null : this.#client.shaped(schema, result, call, "a result of another shape");
    });
  }

  /** The result of one call, as it is. Rejects with `NodeError` where the node refuses it. */
  async result(call: RpcCall, urgent = false): Promise<unknown> {
    const [reply] = await this.calls([call], urgent);
    return this.resultOf(call, reply);
  }

  /** The result in a reply. @throws NodeError where the node refused the call. */
  resultOf(call: RpcCall, reply: RpcReply | undefined): unknown {
    return this.#client.resultOf(call, reply);
  }

  /** An answer that cannot be true. */
  badAnswer(call: RpcCall, what: string): Error {
    return this.#client.badAnswer(call, what);
  }

  /** The node's refusal as an error. */
  refusal(call: RpcCall, refusal: RpcRefusal): Error {
    return this.#client.refusal(call, refusal);
  }

  /** Ends all requests; later ones are refused. */
  close(): void {
    this.#client.close();
  }
}

function limitsOf(silenceMs: number): Pick<Patience, "silenceMs" | "timeoutMs"> {
  return { silenceMs, timeoutMs: WHOLE_ANSWER * silenceMs };
}

/** Whether a request failed since its answer is longer than may be read. */
export function isTooLong(error: unknown): boolean {
  return (
    error instanceof NodeError && error.cause instanceof PostFault && error.cause.failure === "too-large"
  );
}

/** At most so many requests are in flight: first come, first served. */
class Gate {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(places: number) {
    this.#free = places;
  }

  /** Runs the work when a place is free, and frees the place whatever happens. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      // The place goes to the next in line without becoming free, so that no newcomer overtakes.
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
