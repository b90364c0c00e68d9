// Tests talk to a consensus node with this client: JSON-RPC over one keep-alive agent of node:http.

import { Agent, request } from "node:http";

/** An answer of the node that carries an error: `code` and `message` are the node's own. */
export class NodeRefusal extends Error {
  /** The node's error code, e.g. -26 for a transaction that its rules refuse. */
  readonly code: number;

  constructor(method: string, code: number, message: string) {
    super(`${method}: ${message} (${code})`);
    this.code = code;
  }
}

/** Where the node listens and who may ask. */
export interface RpcAddress {
  readonly port: number;
  readonly user: string;
  readonly password: string;
}

/** A client of one node. */
export interface RpcClient {
  /** Calls a method. @throws NodeRefusal for an error answer, Error for anything that is no JSON-RPC answer. */
  call(method: string, params?: readonly unknown[]): Promise<unknown>;
  /** As `call`, for methods that answer with text. */
  text(method: string, params?: readonly unknown[]): Promise<string>;
  /** As `call`, for methods that answer with a whole number. */
  integer(method: string, params?: readonly unknown[]): Promise<number>;
  /** Closes the kept connections. */
  close(): void;
}

function post(agent: Agent, address: RpcAddress, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        agent,
        host: "127.0.0.1",
        port: address.port,
        method: "POST",
        auth: `${address.user}:${address.password}`,
        headers: { "content-type": "application/json", "content-length": Buffer.byteLength(body) },
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => resolve(Buffer.concat(chunks).toString("utf8")));
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

function resultOf(method: string, answer: string): unknown {
  const parsed: unknown = JSON.parse(answer);
  if (typeof parsed !== "object" || parsed === null || !("result" in parsed) || !("error" in parsed)) {
    throw new Error(`${method}: no JSON-RPC answer: ${answer.slice(0, 200)}`);
  }
  const { error, result } = parsed;
  if (error === null) return result;
  if (typeof error === "object" && "code" in error && "message" in error) {
    throw new NodeRefusal(method, Number(error.code), String(error.message));
  }
  throw new Error(`${method}: unreadable error: ${answer.slice(0, 200)}`);
}

/** A client that keeps up to four connections open. */
export function rpcClient(address: RpcAddress): RpcClient {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  let id = 0;
  async function call(method: string, params: readonly unknown[] = []): Promise<unknown> {
    id++;
    return resultOf(
      method,
      await post(agent, address, JSON.stringify({ jsonrpc: "1.0", id, method, params })),
    );
  }
  return {
    call,
    async text(method, params) {
      const result = await call(method, params);
      if (typeof result !== "string") throw new Error(`${method}: expected text`);
      return result;
    },
    async integer(method, params) {
      const result = await call(method, params);
      if (!Number.isSafeInteger(result)) throw new Error(`${method}: expected a whole number`);
      return Number(result);
    },
    close: () => agent.destroy(),
  };
}
