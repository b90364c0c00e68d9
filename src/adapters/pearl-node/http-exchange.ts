// How does one request reach the node and its whole answer come back? One POST, no retries: status and body bytes,
// or a `TransportFault` that says whether trying again can help. Bounded are silence and the whole time.

import {
  Agent as HttpAgent,
  type IncomingMessage,
  request as httpRequest,
  type RequestOptions,
} from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { Endpoint } from "./node-address.ts";

/** A whole HTTP answer. */
export interface HttpAnswer {
  readonly status: number;
  readonly body: Buffer;
}

/** A connection that failed. `timeout` tells a silent node from a broken connection. */
export class TransportFault extends Error {
  override readonly name = "TransportFault";
  readonly timeout: boolean;
  /** False where the same request must fail again, as with a certificate that is not trusted. */
  readonly again: boolean;

  constructor(message: string, timeout: boolean, again: boolean, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.timeout = timeout;
    this.again = again;
  }
}

/** How long one request may take. */
export interface ExchangeLimits {
  /** Longest silence on the connection, milliseconds. */
  readonly silenceMs: number;
  /** From the sending to the last byte, milliseconds: a node that drips bytes must not hold us either. */
  readonly wholeMs: number;
}

/** More than the hex of any batch that is asked for; a larger answer is not kept in memory. */
const LARGEST_BODY = 256 * 1024 * 1024;

/** Errors of Node's and OpenSSL's certificate checks; the node's certificate will not become better by asking. */
function isTrustError(code: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO|ALTNAME|ERR_TLS|ERR_SSL|EPROTO/.test(code);
}

function codeOf(error: Error): string {
  return "code" in error && typeof error.code === "string" ? error.code : "";
}

/** Connections to one node. */
export class HttpExchange {
  readonly #endpoint: Endpoint;
  readonly #agent: HttpAgent;

  constructor(endpoint: Endpoint) {
    this.#endpoint = endpoint;
    // pearld closes after each answer and says so; then the agent opens a new connection by itself.
    const settings = { keepAlive: true, maxSockets: 16, scheduling: "lifo" as const };
    this.#agent = endpoint.secure
      ? new HttpsAgent({ ...settings, ...endpoint.tls })
      : new HttpAgent(settings);
  }

  /** Sends a body and gives the whole answer; rejects with `TransportFault`. */
  post(body: string, limits: ExchangeLimits, signal: AbortSignal): Promise<HttpAnswer> {
    const payload = Buffer.from(body, "utf8");
    const options: RequestOptions = {
      method: "POST",
      agent: this.#agent,
      signal,
      headers: {
        authorization: this.#endpoint.authorization,
        "content-type": "application/json",
        "content-length": payload.length,
      },
    };
    return new Promise((resolve, reject) => {
      const send = this.#endpoint.secure ? httpsRequest : httpRequest;
      const request = send(this.#endpoint.url, options, (answer) => collect(answer, resolve, fail));
      const fail = (error: Error): void => {
        if (error instanceof TransportFault) reject(error);
        else
          reject(
            new TransportFault(error.message || codeOf(error), false, !isTrustError(codeOf(error)), error),
          );
      };
      const { silenceMs, wholeMs } = limits;
      request.setTimeout(silenceMs, () => {
        request.destroy(new TransportFault(`no answer within ${silenceMs} ms`, true, true));
      });
      const whole = setTimeout(() => {
        request.destroy(new TransportFault(`no whole answer within ${wholeMs} ms`, true, true));
      }, wholeMs);
      request.on("close", () => clearTimeout(whole));
      request.on("error", fail);
      request.end(payload);
    });
  }

  /** Drops all connections. */
  close(): void {
    this.#agent.destroy();
  }
}

function collect(
  answer: IncomingMessage,
  resolve: (answer: HttpAnswer) => void,
  fail: (error: Error) => void,
): void {
  const chunks: Buffer[] = [];
  let length = 0;
  answer.on("data", (chunk: Buffer) => {
    length += chunk.length;
    if (length > LARGEST_BODY)
      answer.destroy(new TransportFault(`an answer above ${LARGEST_BODY} bytes`, false, false));
    else chunks.push(chunk);
  });
  answer.on("error", fail);
  answer.on("close", () => {
    if (!answer.complete) fail(new TransportFault("the connection broke within the answer", false, true));
    else resolve({ status: answer.statusCode ?? 0, body: Buffer.concat(chunks) });
  });
}
