// Makes an EVM RPC fall silent, lag or lie when a test says so: a proxy before an anvil that answers some questions
// itself.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** One question as JSON-RPC has it. */
export interface RpcQuestion {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** What becomes of a question: passed on, refused with an error, or its true answer changed. */
export type RpcTwist = "pass" | "fail" | ((answer: unknown) => unknown);

/** A proxy of one RPC. */
export class RpcProxy {
  readonly url: string;
  /** Decides about every question; absent: all pass. */
  twist: (question: RpcQuestion) => RpcTwist = () => "pass";
  /** While true every connection is cut. */
  isDown = false;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async open(target: string): Promise<RpcProxy> {
    const proxy: { value: RpcProxy | null } = { value: null };
    const server = createServer((request, response) => {
      proxy.value?.serve(target, request, response).catch(() => response.destroy());
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    proxy.value = new RpcProxy(server);
    return proxy.value;
  }

  /** Answers one HTTP request. */
  async serve(target: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    if (this.isDown) {
      request.socket.destroy();
      return;
    }
    const asked: unknown = JSON.parse(Buffer.concat(chunks).toString());
    const answered = Array.isArray(asked)
      ? await Promise.all(asked.map((one) => this.#answer(target, Object(one))))
      : await this.#answer(target, Object(asked));
    // An answer that was under way when the proxy went down is lost, too.
    if (this.isDown) {
      request.socket.destroy();
      return;
    }
    response.setHeader("content-type", "application/json").end(JSON.stringify(answered));
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((done) => this.#server.close(() => done()));
  }

  async #answer(target: string, question: RpcQuestion & { readonly id: unknown }): Promise<unknown> {
    const twist = this.twist(question);
    const head = { jsonrpc: "2.0", id: question.id };
    if (twist === "fail") return { ...head, error: { code: -32_000, message: "not now" } };
    const answer = await fetch(target, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(question),
    });
    const body: Record<string, unknown> = Object(await answer.json());
    return twist === "pass" ? body : { ...head, result: twist(body["result"]) };
  }
}
