// One HTTP POST to a JSON-RPC server over kept connections, without retries. Bounded are the silence on the connection,
// the whole time, the size of the answer and the values in it, so that no server can hold us or fill our memory.

import {
  Agent as HttpAgent,
  type IncomingMessage,
  request as httpRequest,
  type RequestOptions,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { type ConnectionOptions, createSecureContext } from "node:tls";
import { createGunzip } from "node:zlib";
import { valueMarks } from "../../primitives/json-values.ts";

/** A server to ask. */
export interface RpcTarget {
  readonly url: URL;
  /** Value of the authorization header, or null. */
  readonly authorization: string | null;
  /** What differs from Node's own settings for TLS. */
  readonly tls: ConnectionOptions;
  /** Whether answers may come gzipped. */
  readonly gzip: boolean;
  /** For messages; holds no key. */
  readonly name: string;
}

/** A whole HTTP answer. */
export interface HttpAnswer {
  readonly status: number;
  readonly body: Buffer;
}

/** Why no whole answer came. */
export type PostFailure = "broken" | "untrusted" | "timeout" | "too-large" | "closed";

/** A request without an answer. */
export class PostFault extends Error {
  override readonly name = "PostFault";
  readonly failure: PostFailure;

  constructor(failure: PostFailure, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.failure = failure;
  }
}

/** Bounds of a request. */
export interface PostLimits {
  /** From the sending to the last byte, milliseconds. A server that drips bytes must not hold us either. */
  readonly timeoutMs: number;
  /** Longest silence on the connection, milliseconds; none where it is left out. */
  readonly silenceMs?: number;
  /** Bytes of an answer, also after decompression; a larger one is not read on. */
  readonly answerBytes: number;
  /** Values in the JSON of an answer, lists and objects among them; one with more is not read on. */
  readonly answerValues: number;
}

function faultOf(error: Error): PostFault {
  if (error instanceof PostFault) return error;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  // A certificate does not become better by asking again.
  const trust = /CERT|SELF_SIGNED|UNABLE_TO|ALTNAME|ERR_TLS|ERR_SSL|EPROTO/.test(code);
  return new PostFault(trust ? "untrusted" : "broken", error.message || code, error);
}

/** Connections to one server. */
export class HttpPost {
  readonly #target: RpcTarget;
  readonly #isSecure: boolean;
  readonly #agent: HttpAgent;
  readonly #closing = new AbortController();

  constructor(target: RpcTarget) {
    this.#target = target;
    this.#isSecure = target.url.protocol === "https:";
    // A server that closes after each answer says so; then the agent opens a new connection by itself. All of them share
    // one context, whose certificates are read once, and go on with the session of an earlier one.
    const settings = { keepAlive: true, maxSockets: 16, scheduling: "lifo" as const };
    this.#agent = this.#isSecure
      ? new HttpsAgent({ ...settings, ...target.tls, secureContext: createSecureContext(target.tls) })
      : new HttpAgent(settings);
  }

  /** Sends JSON text and gives the whole answer; rejects with `PostFault`. */
  send(body: string, limits: PostLimits): Promise<HttpAnswer> {
    const payload = Buffer.from(body, "utf8");
    const { url, authorization, gzip } = this.#target;
    const options: RequestOptions = {
      method: "POST",
      agent: this.#agent,
      headers: {
        "content-type": "application/json",
        "content-length": payload.length,
        accept: "application/json",
        ...(gzip ? { "accept-encoding": "gzip" } : {}),
        ...(authorization === null ? {} : { authorization }),
      },
    };
    const { timeoutMs, silenceMs } = limits;
    return new Promise((resolve, reject) => {
      if (this.#closing.signal.aborted) {
        reject(new PostFault("closed", "this client was closed"));
        return;
      }
      const fail = (error: Error): void => reject(faultOf(error));
      let isAnswered = false;
      const request = (this.#isSecure ? httpsRequest : httpRequest)(url, options, (answer) => {
        isAnswered = true;
        collect(answer, limits, resolve, fail);
      });
      const end = (failure: PostFailure, message: string): void => {
        const fault = new PostFault(failure, message);
        reject(fault);
        request.destroy(fault);
      };
      const stop = (): void => end("closed", "this client was closed");
      const whole = setTimeout(() => end("timeout", `no whole answer within ${timeoutMs} ms`), timeoutMs);
      if (silenceMs !== undefined) {
        request.setTimeout(silenceMs, () => end("timeout", `no answer within ${silenceMs} ms`));
      }
      this.#closing.signal.addEventListener("abort", stop, { once: true });
      request.on("error", fail);
      request.on("close", () => {
        clearTimeout(whole);
        this.#closing.signal.removeEventListener("abort", stop);
        // Node closes the connection of a server that goes over to another protocol, and calls that no error.
        if (!isAnswered) fail(new PostFault("broken", "the connection was closed without an answer"));
      });
      request.end(payload);
    });
  }

  /** Ends all requests and drops all connections. */
  close(): void {
    this.#closing.abort();
    this.#agent.destroy();
  }
}

function collect(
  answer: IncomingMessage,
  { answerBytes, answerValues }: PostLimits,
  resolve: (answer: HttpAnswer) => void,
  fail: (error: Error) => void,
): void {
  const chunks: Buffer[] = [];
  let [length, values] = [0, 0];
  const packed = answer.headers["content-encoding"] === "gzip";
  const stream = packed ? answer.pipe(createGunzip()) : answer;
  // What has come of a packed answer may be a hundred million bytes still, and all that there is of it: it is left, too.
  const leave = (fault: Error): void => {
    fail(fault);
    answer.destroy();
    stream.destroy();
  };
  stream.on("data", (chunk: Buffer) => {
    length += chunk.length;
    values += valueMarks(chunk);
    const most =
      length > answerBytes ? `${answerBytes} bytes` : values > answerValues ? `${answerValues} values` : null;
    if (most === null) chunks.push(chunk);
    else leave(new PostFault("too-large", `an answer above ${most}`));
  });
  answer.on("error", leave);
  answer.on("close", () => {
    if (!answer.complete) leave(new PostFault("broken", "the connection broke within the answer"));
  });
  stream.on("error", leave);
  stream.on("end", () => resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks) }));
}
