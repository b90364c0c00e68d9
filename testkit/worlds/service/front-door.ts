// The HTTP interface of one life of the service, without sockets: what is asked takes the way through routes, schemas and
// rows that a request takes.

import type { FastifyInstance } from "fastify";
import { serverOver } from "../../../src/app/cli/service-host.ts";
import type { Config } from "../../../src/app/config/config.ts";
import { interfaceOf } from "../../../src/app/serve.ts";
import type { Clock } from "../../../src/follow/ports.ts";
import type { AnsweringParts } from "../../../src/http/dependencies.ts";
import type { JsonRow } from "../../rows.ts";

/** An answer as it came. */
export interface Answer {
  readonly status: number;
  /** `x-indexed-height`; null where the header is missing. */
  readonly height: number | null;
  readonly body: string;
}

/** An answer of the swap group. */
export interface JsonAnswer {
  readonly status: number;
  readonly body: JsonRow;
}

/** The interface of one life. */
export class FrontDoor {
  readonly #app: FastifyInstance;

  private constructor(app: FastifyInstance) {
    this.#app = app;
  }

  /** Documents and pages are left out: they say nothing of the chains, and building them takes longer than a story. */
  static async open(config: Config, clock: Clock, answering: AnsweringParts): Promise<FrontDoor> {
    const parts: AnsweringParts = { ...answering, serves: "interface" };
    return new FrontDoor(await serverOver(interfaceOf(config, parts, clock)));
  }

  /** A GET. */
  async get(path: string): Promise<Answer> {
    const response = await this.#app.inject({ method: "GET", url: path });
    const height = response.headers["x-indexed-height"];
    return {
      status: response.statusCode,
      height: height === undefined ? null : Number(height),
      body: response.body,
    };
  }

  /** Asks below /api/v1/. */
  async json(
    method: "GET" | "POST",
    path: string,
    body: Readonly<Record<string, unknown>> | null,
  ): Promise<JsonAnswer> {
    const url = `/api/v1/${path}`;
    const response = await this.#app.inject({ method, url, ...(body === null ? {} : { payload: body }) });
    return { status: response.statusCode, body: JSON.parse(response.body) as JsonRow };
  }

  /** Opens the event stream after this id; `take` gets the text as it comes. Answers how to go away. */
  async listen(after: number | null, take: (text: string) => void): Promise<() => void> {
    const headers = after === null ? {} : { "last-event-id": String(after) };
    const response = await this.#app.inject({
      method: "GET",
      url: "/api/v1/events",
      headers,
      payloadAsStream: true,
    });
    const stream = response.stream();
    stream.setEncoding("utf8");
    stream.on("data", take);
    stream.on("error", () => undefined);
    return () => response.raw.res.destroy();
  }

  close(): Promise<void> {
    return this.#app.close();
  }
}
