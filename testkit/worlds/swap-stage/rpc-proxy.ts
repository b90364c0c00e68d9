// Makes an EVM RPC fall silent, lag or lie when a test says so: a proxy before an anvil that answers some questions
// itself.

import {
  type RpcAnswer,
  type RpcCall,
  type RpcRequest,
  type RpcServer,
  serveRpc,
} from "../../doubles/rpc-server.ts";

/** What becomes of a question: passed on, refused with an error, or its true answer changed. */
export type RpcTwist = "pass" | "fail" | ((answer: unknown) => unknown);

/** A proxy of one RPC. */
export class RpcProxy {
  readonly #target: string;
  /** Decides about every question; absent: all pass. */
  twist: (question: RpcCall) => RpcTwist = () => "pass";
  /** While true every connection is cut. */
  isDown = false;
  #server: RpcServer | null = null;

  private constructor(target: string) {
    this.#target = target;
  }

  static async open(target: string): Promise<RpcProxy> {
    const proxy = new RpcProxy(target);
    proxy.#server = await serveRpc((request) => proxy.#serve(request));
    return proxy;
  }

  get url(): string {
    if (this.#server === null) throw new Error("the proxy does not listen");
    return this.#server.url;
  }

  async close(): Promise<void> {
    await this.#server?.close();
  }

  async #serve(request: RpcRequest): Promise<void> {
    const answers = this.isDown ? [] : await Promise.all(request.calls.map((call) => this.#answer(call)));
    // An answer that was under way when the proxy went down is lost, too.
    if (this.isDown) request.response.destroy();
    else request.reply(answers);
  }

  async #answer(question: RpcCall): Promise<RpcAnswer> {
    const twist = this.twist(question);
    if (twist === "fail") return { error: { code: -32_000, message: "not now" } };
    const answer = await fetch(this.#target, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", ...question }),
    });
    const { result, error }: { result?: unknown; error?: { code: number; message: string } } = Object(
      await answer.json(),
    );
    if (error !== undefined) return { error };
    return { result: twist === "pass" ? result : twist(result) };
  }
}
