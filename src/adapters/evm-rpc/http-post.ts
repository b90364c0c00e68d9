// How does one request reach an RPC and its whole answer come back? One POST over a kept connection, no retries, with
// bounds on the whole time and on the size of the answer. Nothing is shared with the client of the PEARL node, which is
// another adapter with other bounds: one's own node may take minutes over a batch while bytes keep coming, and may show
// a pinned certificate; a stranger's RPC gets a whole time and a size, and may pack its answers.

import {
  Agent as HttpAgent,
  type IncomingMessage,
  request as httpRequest,
  type RequestOptions,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { createGunzip } from "node:zlib";
import type { RpcUrl } from "./rpc-url.ts";

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
  /** From the sending to the last byte. A server that drips bytes must not hold us either. */
  readonly timeoutMs: number;
  /** Bytes of an answer, also after decompression. */
  readonly answerBytes: number;
}

function faultOf(error: Error): PostFault {
  if (error instanceof PostFault) return error;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  // A certificate does not become better by asking again.
  const trust = /CERT|SELF_SIGNED|UNABLE_TO|ALTNAME|ERR_TLS|ERR_SSL|EPROTO/.test(code);
  return new PostFault(trust ? "untrusted" : "broken", error.message || code, error);
}

/** Connections to one RPC. */
export class HttpPost {
  readonly #target: RpcUrl;
  readonly #agent: HttpAgent;
  readonly #closing = new AbortController();

  constructor(target: RpcUrl) {
    this.#target = target;
    const settings = { keepAlive: true, maxSockets: 16, scheduling: "lifo" as const };
    this.#agent = target.secure ? new HttpsAgent(settings) : new HttpAgent(settings);
  }

  /** Sends JSON text and gives the whole answer; rejects with `PostFault`. */
  send(body: string, limits: PostLimits): Promise<HttpAnswer> {
    const payload = Buffer.from(body, "utf8");
    const { url, secure, authorization } = this.#target;
    const options: RequestOptions = {
      method: "POST",
      agent: this.#agent,
      headers: {
        "content-type": "application/json",
        "content-length": payload.length,
        accept: "application/json",
        ...(secure ? { "accept-encoding": "gzip" } : {}),
        ...(authorization === null ? {} : { authorization }),
      },
    };
    return new Promise((resolve, reject) => {
      if (this.#closing.signal.aborted) {
        reject(new PostFault("closed", "this client was closed"));
        return;
      }
      const request = (secure ? httpsRequest : httpRequest)(url, options, (answer) =>
        collect(answer, limits.answerBytes, resolve, fail),
      );
      const stop = (): void => {
        request.destroy(new PostFault("closed", "this client was closed"));
      };
      const limit = setTimeout(() => {
        const fault = new PostFault("timeout", `no whole answer within ${limits.timeoutMs} ms`);
        reject(fault);
        request.destroy(fault);
      }, limits.timeoutMs);
      const fail = (error: Error): void => reject(faultOf(error));
      this.#closing.signal.addEventListener("abort", stop, { once: true });
      request.on("error", fail);
      request.on("close", () => {
        clearTimeout(limit);
        this.#closing.signal.removeEventListener("abort", stop);
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
  mostBytes: number,
  resolve: (answer: HttpAnswer) => void,
  fail: (error: Error) => void,
): void {
  const chunks: Buffer[] = [];
  let length = 0;
  const packed = answer.headers["content-encoding"] === "gzip";
  const stream = packed ? answer.pipe(createGunzip()) : answer;
  stream.on("data", (chunk: Buffer) => {
    length += chunk.length;
    if (length > mostBytes) answer.destroy(new PostFault("too-large", `an answer above ${mostBytes} bytes`));
    else chunks.push(chunk);
  });
  const finish = (): void => resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks) });
  answer.on("error", fail);
  answer.on("close", () => {
    if (!answer.complete) fail(new PostFault("broken", "the connection broke within the answer"));
  });
  stream.on("error", fail);
  stream.on("end", finish);
}
