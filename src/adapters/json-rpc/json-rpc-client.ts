// A client of one JSON-RPC server, for which one hiccup is no failure: batches, retries with backoff for what passes
// (busy, broken connections, half answers), and errors that name server and request and hold no key. A batch that a
// server refuses in whatever words is asked for in halves. What a server means by its errors, and the class of errors
// that its adapter throws, are its `Dialect`.

import type { Static, TSchema } from "typebox";
import { Value } from "typebox/value";
import { parseJson } from "../../primitives/plain-json.ts";
import type { Clock } from "../../follow/ports.ts";
import { type BatchSize, BatchSizes } from "./batch-size.ts";
import { HttpPost, PostFault, type PostFailure, type PostLimits, type RpcTarget } from "./http-post.ts";
import {
  type Dialect,
  failed,
  type FailedTry,
  judgeAnswer,
  type ReadBody,
  type RpcFailure,
  type Try,
} from "./judge-answer.ts";
import {
  QUOTED_CHARACTERS,
  refusalSentence,
  requestBody,
  type RpcCall,
  type RpcRefusal,
  type RpcReply,
} from "./rpc-answer.ts";

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

/** A question as it is asked: how its bodies are read, and how patiently. */
interface Question<Item> extends Patience {
  readonly read: (body: Buffer) => ReadBody<Item>;
  readonly batch: BatchSize;
  /** When its whole time is up, by the monotonic clock. */
  readonly untilMs: number;
}

type Calls = readonly RpcCall[];

const TIME_IS_UP = "no whole answer in the time that all its parts have";
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
    read: Question<Item>["read"],
    calls: Calls,
    options: CallOptions,
  ): Promise<readonly Item[]> {
    const { answerBytes } = this.#patience;
    const batch = this.#batches.of(calls[0]?.method ?? "");
    const bounds = {
      read,
      batch,
      answerBytes: Math.min(answerBytes, options.answerBytes ?? answerBytes),
      untilMs: this.#clock.monotonicMs() + (options.wholeMs ?? Number.POSITIVE_INFINITY),
    };
    const question = { ...this.#patience, ...options, ...bounds };
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
          parts[place] = await inLine(() => this.#request(question, part));
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

  async #request<Item extends object>(asked: Question<Item>, calls: Calls): Promise<readonly Item[]> {
    let delay = asked.firstDelayMs;
    for (let attempt = 1; ; attempt += 1) {
      if (this.#closing.signal.aborted) throw this.#error("UNREACHABLE", calls, "this client was closed");
      const outcome = await this.#once(asked, calls);
      if (outcome.done) {
        asked.batch.answered(calls.length);
        return outcome.items;
      }
      const { failure, what, isPassing, lessHelps, cause } = outcome;
      if (lessHelps === "yes" && calls.length > 1) return this.#halves(asked, calls, failure);
      if (!isPassing || attempt >= asked.attempts) {
        if (lessHelps === "perhaps" && (await this.#answersOne(asked, calls)))
          return this.#halves(asked, calls, failure);
        throw this.#error(failure, calls, what, { cause });
      }
      await this.#clock.sleep(delay, this.#closing.signal);
      delay *= 2;
    }
  }

  /** Whether a server that does not answer the calls answers one of them: then it is their number that it refuses. */
  async #answersOne<Item extends object>(asked: Question<Item>, calls: Calls): Promise<boolean> {
    if (calls.length < 2 || this.#closing.signal.aborted) return false;
    return (await this.#once(asked, calls.slice(0, 1))).done;
  }

  /** A server that refuses so many calls in one request gets fewer, from now on in most cases. */
  async #halves<Item extends object>(
    asked: Question<Item>,
    calls: Calls,
    failure: RpcFailure,
  ): Promise<readonly Item[]> {
    const half = Math.ceil(calls.length / 2);
    // Too large for a bound of this question's own says nothing of other questions.
    const isForAll = failure !== "TOO_LARGE" || asked.answerBytes >= this.#patience.answerBytes;
    if (isForAll) asked.batch.refused(calls.length);
    const items: (readonly Item[])[] = [];
    for (let at = 0; at < calls.length; ) {
      // The first part may have shown that even half is too much.
      const part = calls.slice(at, at + (isForAll ? Math.min(half, asked.batch.calls) : half));
      items.push(await this.#request(asked, part));
      at += part.length;
    }
    return items.flat();
  }

  async #once<Item extends object>(asked: Question<Item>, calls: Calls): Promise<Try<Item>> {
    const firstId = this.#nextId;
    this.#nextId += calls.length;
    const leftMs = Math.ceil(asked.untilMs - this.#clock.monotonicMs());
    if (leftMs <= 0) return failed("TIMEOUT", TIME_IS_UP, false, "no");
    try {
      const body = requestBody(this.#dialect.version, calls, firstId);
      const timeoutMs = Math.min(asked.timeoutMs, leftMs);
      const answer = await this.#post.send(body, { ...asked, timeoutMs });
      return judgeAnswer(answer, { calls, firstId, read: asked.read }, this.#dialect);
    } catch (cause) {
      if (!(cause instanceof PostFault)) throw cause;
      // One wait for a silent server is enough: waiting again at each try would only hide the silence.
      const isPassing = cause.failure === "broken";
      const [failure, lessHelps] = POST_FAILURES[cause.failure];
      // How much of its time was left is another number each time.
      const what = leftMs < asked.timeoutMs && cause.failure === "timeout" ? TIME_IS_UP : cause.message;
      return { ...failed(failure, what, isPassing, lessHelps), cause };
    }
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
