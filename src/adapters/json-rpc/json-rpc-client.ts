// A client of one JSON-RPC server, for which one hiccup is no failure: batches, retries with backoff for what passes
// (busy, broken connections, half answers), and errors that name server and request and hold no key. A batch that a
// server refuses in whatever words is asked for in halves. What a server means by its errors, and the class of errors
// that its adapter throws, are its `Dialect`.

import type { Static, TSchema } from "typebox";
import { Value } from "typebox/value";
import type { Clock } from "../../follow/ports.ts";
import { type BatchSize, BatchSizes } from "./batch-size.ts";
import { HttpPost, PostFault, type PostFailure, type PostLimits, type RpcTarget } from "./http-post.ts";
import {
  beginningOf,
  isRecord,
  type JsonValue,
  parseJson,
  QUOTED_CHARACTERS,
  refusalSentence,
  repliesOf,
  requestBody,
  type RpcCall,
  type RpcRefusal,
  type RpcReply,
  sharedRefusal,
} from "./rpc-answer.ts";
import { zip } from "../../primitives/elements.ts";
import { err } from "../../primitives/result.ts";

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

/** How patient the client is. */
export interface Patience extends PostLimits {
  /** Tries per request, 1 or more. */
  readonly attempts: number;
  /** Wait after the first failed try; doubles each time. */
  readonly firstDelayMs: number;
}

/** How the calls are made, where that differs from the client's own way; an answer never has more bytes than that allows. */
export interface CallOptions extends Partial<Patience> {
  /** All tries and parts of the question together may take so long, milliseconds; absent: as long as they take. */
  readonly wholeMs?: number;
  readonly batchCalls?: number;
  /** Waits for a free place and makes the request then. */
  readonly inLine?: <T>(request: () => Promise<T>) => Promise<T>;
}

/** A body taken apart: its JSON, and an item for each reply in it, or a sentence part where a result cannot be true. */
export interface ReadBody<Item> {
  readonly json: unknown;
  readonly itemOf: (reply: RpcReply) => Item | string;
}

/** How patient a question is answered. */
interface Bounds extends Patience {
  readonly batch: BatchSize;
  /** When its whole time is up, by the monotonic clock. */
  readonly untilMs: number;
}

type BodyReader<Item> = (body: Buffer) => ReadBody<Item>;

/** A try without an answer that counts. */
interface FailedTry {
  readonly done: false;
  readonly failure: RpcFailure;
  readonly what: string;
  readonly isPassing: boolean;
  /** Whether fewer calls in one request may fare better. */
  readonly lessHelps: "yes" | "perhaps" | "no";
  readonly cause?: unknown;
}

/** One try: an answer that counts, or a failure. */
type Try<Item> = { readonly done: true; readonly items: readonly Item[] } | FailedTry;

const TIME_IS_UP = "no whole answer in the time that all its parts have";
/** Refusals of several calls in one request, or of some of them, in the words that servers have for it. */
const OF_BATCHES = /batch/i;
/** A gateway in front of the server has waited long enough: its word for our own timeout. */
const GATEWAY_TIMEOUTS: ReadonlySet<number> = new Set([408, 504, 524]);
/** What a request without an answer is, and whether fewer calls in it may fare better. */
const POST_FAILURES: Readonly<Record<PostFailure, readonly [RpcFailure, FailedTry["lessHelps"]]>> = {
  broken: ["UNREACHABLE", "perhaps"],
  untrusted: ["UNREACHABLE", "no"],
  closed: ["UNREACHABLE", "no"],
  timeout: ["TIMEOUT", "perhaps"],
  "too-large": ["TOO_LARGE", "yes"],
};

/** Asks one server. */
export class JsonRpcClient {
  /** The server for messages. */
  readonly name: string;
  readonly #dialect: Dialect;
  readonly #post: HttpPost;
  readonly #patience: Patience;
  readonly #clock: Clock;
  readonly #closing = new AbortController();
  readonly #batches: BatchSizes;
  #nextId = 1;

  constructor(target: RpcTarget, dialect: Dialect, patience: Patience, clock: Clock) {
    this.name = target.name;
    this.#dialect = dialect;
    this.#post = new HttpPost(target);
    this.#patience = patience;
    this.#clock = clock;
    this.#batches = new BatchSizes(dialect.batchCalls);
  }

  /** Makes the calls; replies in their order. Rejects with the dialect's error; a refusal of a single call is a reply. */
  calls(calls: readonly RpcCall[], options: CallOptions = {}): Promise<readonly RpcReply[]> {
    return this.callsReadBy(readJson, calls, options);
  }

  /** The same with bodies that are taken apart by `read`. */
  async callsReadBy<Item extends object>(
    read: BodyReader<Item>,
    calls: readonly RpcCall[],
    options: CallOptions,
  ): Promise<readonly Item[]> {
    const { answerBytes } = this.#patience;
    const batch = this.#batches.of(calls[0]?.method ?? "");
    const bounds = {
      batch,
      answerBytes: Math.min(answerBytes, options.answerBytes ?? answerBytes),
      untilMs: this.#clock.monotonicMs() + (options.wholeMs ?? Number.POSITIVE_INFINITY),
    };
    const patience = { ...this.#patience, ...options, ...bounds };
    const inLine = options.inLine ?? ((request) => request());
    const parts: (readonly Item[])[] = [];
    let at = 0;
    let hasFailed = false;
    const lane = async (): Promise<void> => {
      while (at < calls.length && !hasFailed) {
        const size = Math.min(batch.calls, options.batchCalls ?? batch.calls);
        const part = calls.slice(at, at + size);
        at += part.length;
        const place = parts.push([]) - 1;
        try {
          parts[place] = await inLine(() => this.#request(read, part, patience));
        } catch (error) {
          hasFailed = true;
          throw error;
        }
      }
    };
    await Promise.all(Array.from({ length: this.#dialect.lanes }, lane));
    return parts.flat();
  }

  /** The result of one call. Rejects where the server refuses it. */
  async result(call: RpcCall, options: CallOptions = {}): Promise<unknown> {
    const [reply] = await this.calls([call], options);
    return this.resultOf(call, reply);
  }

  /** The result in a reply. @throws the dialect's error where the server refused the call. */
  resultOf(call: RpcCall, reply: RpcReply | undefined): unknown {
    if (reply === undefined) throw this.badAnswer(call, "no answer");
    if (!reply.ok) throw this.refusal(call, reply.error);
    return reply.value;
  }

  /** The value as the schema's type. @throws BAD_ANSWER with these words where it has another shape. */
  shaped<Schema extends TSchema>(
    schema: Schema,
    value: unknown,
    call: RpcCall,
    what: string,
  ): Static<Schema> {
    if (Value.Check(schema, value)) return value;
    throw this.badAnswer(call, what);
  }

  /** An answer that cannot be true. */
  badAnswer(call: RpcCall, what: string): Error {
    return this.#error("BAD_ANSWER", [call], what);
  }

  /** The server's refusal as an error. */
  refusal(call: RpcCall, refusal: RpcRefusal): Error {
    const failure = this.#dialect.refusalFailure(call.method, refusal);
    return this.#error(failure, [call], refusalSentence(refusal), { rpcCode: refusal.code });
  }

  /** Ends all requests; later ones are refused. */
  close(): void {
    this.#closing.abort();
    this.#post.close();
  }

  async #request<Item extends object>(
    read: BodyReader<Item>,
    calls: readonly RpcCall[],
    patience: Bounds,
  ): Promise<readonly Item[]> {
    let delay = patience.firstDelayMs;
    for (let attempt = 1; ; attempt += 1) {
      if (this.#closing.signal.aborted) throw this.#error("UNREACHABLE", calls, "this client was closed");
      const outcome = await this.#once(read, calls, patience);
      if (outcome.done) {
        patience.batch.answered(calls.length);
        return outcome.items;
      }
      const { failure, what, isPassing, lessHelps, cause } = outcome;
      if (lessHelps === "yes" && calls.length > 1) return this.#halves(read, calls, patience, failure);
      if (!isPassing || attempt >= patience.attempts) {
        if (lessHelps === "perhaps" && (await this.#answersOne(read, calls, patience)))
          return this.#halves(read, calls, patience, failure);
        throw this.#error(failure, calls, what, { cause });
      }
      await this.#clock.sleep(delay, this.#closing.signal);
      delay *= 2;
    }
  }

  /** Whether a server that does not answer the calls answers one of them: then it is their number that it refuses. */
  async #answersOne<Item extends object>(
    read: BodyReader<Item>,
    calls: readonly RpcCall[],
    patience: Bounds,
  ): Promise<boolean> {
    if (calls.length < 2 || this.#closing.signal.aborted) return false;
    return (await this.#once(read, calls.slice(0, 1), patience)).done;
  }

  /** A server that refuses so many calls in one request gets fewer, from now on in most cases. */
  async #halves<Item extends object>(
    read: BodyReader<Item>,
    calls: readonly RpcCall[],
    patience: Bounds,
    failure: RpcFailure,
  ): Promise<readonly Item[]> {
    const half = Math.ceil(calls.length / 2);
    // Too large for a bound of this question's own says nothing of other questions.
    const isForAll = failure !== "TOO_LARGE" || patience.answerBytes >= this.#patience.answerBytes;
    if (isForAll) patience.batch.refused(calls.length);
    const items: (readonly Item[])[] = [];
    for (let at = 0; at < calls.length; ) {
      // The first part may have shown that even half is too much.
      const part = calls.slice(at, at + (isForAll ? Math.min(half, patience.batch.calls) : half));
      items.push(await this.#request(read, part, patience));
      at += part.length;
    }
    return items.flat();
  }

  async #once<Item extends object>(
    read: BodyReader<Item>,
    calls: readonly RpcCall[],
    patience: Bounds,
  ): Promise<Try<Item>> {
    const firstId = this.#nextId;
    this.#nextId += calls.length;
    const leftMs = Math.ceil(patience.untilMs - this.#clock.monotonicMs());
    if (leftMs <= 0) return failed("TIMEOUT", TIME_IS_UP, false, "no");
    try {
      const body = requestBody(this.#dialect.version, calls, firstId);
      const timeoutMs = Math.min(patience.timeoutMs, leftMs);
      const answer = await this.#post.send(body, { ...patience, timeoutMs });
      return this.#judge(answer.status, answer.body, read, calls, firstId);
    } catch (cause) {
      if (!(cause instanceof PostFault)) throw cause;
      // One wait for a silent server is enough: waiting again at each try would only hide the silence.
      const isPassing = cause.failure === "broken";
      const [failure, lessHelps] = POST_FAILURES[cause.failure];
      // How much of its time was left is another number each time.
      const what = leftMs < patience.timeoutMs && cause.failure === "timeout" ? TIME_IS_UP : cause.message;
      return { ...failed(failure, what, isPassing, lessHelps), cause };
    }
  }

  #judge<Item extends object>(
    status: number,
    body: Buffer,
    read: BodyReader<Item>,
    calls: readonly RpcCall[],
    firstId: number,
  ): Try<Item> {
    if (status === 401 || status === 403) return failed("AUTH_FAILED", `HTTP ${status}`, false, "no");
    if (status === 429 || status === 503) return failed("BUSY", `HTTP ${status}`, true);
    const { json, itemOf } = read(body);
    if (!isRecord(json) && !Array.isArray(json)) return this.#judgePage(status, body);
    const shared = sharedRefusal(json, calls.length);
    const replies = shared === null ? repliesOf(json, calls.length, firstId) : calls.map(() => err(shared));
    if (typeof replies === "string") {
      return failed("BAD_ANSWER", replies, this.#dialect.isWrongAnswerPassing);
    }
    // Before all else: what limits batches is often worded like a limit of requests in time, which would pass.
    const crowded = calls.length > 1 ? this.#crowdedOut(status, replies, calls) : null;
    if (crowded !== null) return failed("RPC_ERROR", refusalSentence(crowded), false, "yes");
    for (const [i, reply] of replies.entries()) {
      if (!reply.ok && this.#dialect.refusalFailure(calls[i]?.method ?? "", reply.error) === "BUSY") {
        return failed("BUSY", refusalSentence(reply.error), true);
      }
    }
    if (shared !== null && calls.length > 1) {
      const failure = this.#dialect.refusalFailure(calls[0]?.method ?? "", shared);
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
  #crowdedOut(status: number, replies: readonly RpcReply[], calls: readonly RpcCall[]): RpcRefusal | null {
    for (const [reply, { method }] of zip(replies, calls)) {
      if (reply.ok) continue;
      const { error } = reply;
      // Servers give what fits into an answer, and refuse the rest.
      if (OF_BATCHES.test(error.message) || this.#dialect.refusalFailure(method, error) === "TOO_LARGE")
        return error;
      if (status === 413 && replies.every(({ ok }) => !ok)) return error;
    }
    return null;
  }

  /** A body that is no JSON. */
  #judgePage(status: number, body: Buffer): FailedTry {
    const start = JSON.stringify(beginningOf(body.toString("utf8", 0, 4 * QUOTED_CHARACTERS)));
    const what = `HTTP ${status} with ${body.length} bytes that are no JSON: ${start}`;
    // Like our own timeout: waiting again at each try would only hide the silence.
    if (GATEWAY_TIMEOUTS.has(status)) return failed("TIMEOUT", what, false);
    if (status === 413) return failed("TOO_LARGE", what, false, "yes");
    // A gateway's page instead of an answer, or half of one, may pass.
    return failed(status >= 500 ? this.#dialect.pageFailure : "BAD_ANSWER", what, true);
  }

  #error(
    failure: RpcFailure,
    calls: readonly RpcCall[],
    what: string,
    options: { readonly cause?: unknown; readonly rpcCode?: number } = {},
  ): Error {
    return this.#dialect.error(failure, `${this.#nameOf(calls)} at ${this.name}: ${what}`, options);
  }

  #nameOf(calls: readonly RpcCall[]): string {
    const [first] = calls;
    if (first === undefined) return "an empty batch";
    const params = first.params.map((parameter) => this.#dialect.shown(parameter)).join(", ");
    const name = `${first.method}(${params.slice(0, QUOTED_CHARACTERS)})`;
    return calls.length === 1 ? name : `a batch of ${calls.length} calls from ${name}`;
  }
}

function readJson(body: Buffer): ReadBody<RpcReply> {
  return { json: parseJson(body.toString("utf8")), itemOf: (reply) => reply };
}

function failed(
  failure: RpcFailure,
  what: string,
  isPassing: boolean,
  lessHelps: FailedTry["lessHelps"] = "perhaps",
): FailedTry {
  return { done: false, failure, what, isPassing, lessHelps };
}
