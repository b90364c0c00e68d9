// An RPC that answers from a scripted chain, and lies, stalls or fails where a test says so.

import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { ScriptedBlock, WireLog } from "./scripted-chain.ts";

/** One call as it came. */
export interface WireCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** What a call is answered with. */
export type WireAnswer = { readonly result: unknown } | { readonly error: { code: number; message: string } };

/** Changes one answer; undefined leaves it. */
export type Meddling = (call: WireCall, truth: WireAnswer) => WireAnswer | undefined;
/** Answers a whole request; true where it has done so. */
export type Takeover = (calls: readonly WireCall[], response: ServerResponse) => boolean;

const number = (value: unknown): number => Number(String(value));

/** The server. Everything that it does can be changed while it runs. */
export class ScriptedRpc {
  chain: readonly ScriptedBlock[];
  chainId = 31337;
  /** Block of the `finalized` tag; null: none is final. */
  final: number | null = null;
  meddle: Meddling = () => undefined;
  takeover: Takeover = () => false;
  /** Every call that came, in order. */
  readonly calls: WireCall[] = [];
  #server: Server | null = null;
  readonly #sockets = new Set<Socket>();

  constructor(chain: readonly ScriptedBlock[]) {
    this.chain = chain;
  }

  get url(): string {
    const address = this.#server?.address() as AddressInfo;
    return `http://127.0.0.1:${address.port}`;
  }

  /** The number of the newest block. */
  get head(): number {
    return this.chain.length - 1;
  }

  async start(port = 0): Promise<this> {
    const server = createServer((request, response) => {
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk.toString()));
      request.on("end", () => this.#answer(JSON.parse(body), response));
    });
    server.on("connection", (socket) => {
      this.#sockets.add(socket);
      socket.on("close", () => this.#sockets.delete(socket));
    });
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    this.#server = server;
    return this;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    for (const socket of this.#sockets) socket.destroy();
    if (server !== null) await new Promise((resolve) => server.close(resolve));
  }

  #answer(json: unknown, response: ServerResponse): void {
    const requests = (Array.isArray(json) ? json : [json]) as (WireCall & { id: number })[];
    this.calls.push(...requests);
    if (this.takeover(requests, response)) return;
    const answers = requests.map(({ id, method, params }) => {
      const truth = this.#truth({ method, params });
      return { jsonrpc: "2.0", id, ...(this.meddle({ method, params }, truth) ?? truth) };
    });
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(Array.isArray(json) ? answers : answers[0]));
  }

  #truth({ method, params }: WireCall): WireAnswer {
    if (method === "eth_chainId") return { result: `0x${this.chainId.toString(16)}` };
    if (method === "eth_getBlockByNumber") return { result: this.#byNumber(params[0]) };
    if (method === "eth_getBlockByHash") {
      return { result: this.chain.find(({ block }) => block.hash === params[0])?.block ?? null };
    }
    if (method === "eth_getLogs") return { result: this.#logs(params[0] as Record<string, string>) };
    if (method === "eth_getTransactionReceipt") return { result: this.#receipt(params[0]) };
    return { error: { code: -32601, message: `the method ${method} does not exist` } };
  }

  #byNumber(tag: unknown): unknown {
    if (tag === "latest") return this.chain.at(-1)?.block ?? null;
    if (tag === "finalized") return this.final === null ? null : (this.chain[this.final]?.block ?? null);
    return this.chain[number(tag)]?.block ?? null;
  }

  #receipt(txHash: unknown): unknown {
    const found = this.chain.find(({ block }) => block.transactions.some((hash) => hash === txHash));
    if (found === undefined) return null;
    const logs = found.logs.filter(({ transactionHash }) => transactionHash === txHash);
    return { transactionHash: txHash, blockHash: found.block.hash, logs: logs.map((log) => ({ ...log })) };
  }

  #logs(filter: Record<string, string>): readonly WireLog[] {
    const { blockHash, fromBlock, toBlock } = filter;
    const chosen =
      blockHash === undefined
        ? this.chain.slice(number(fromBlock), number(toBlock) + 1)
        : this.chain.filter(({ block }) => block.hash === blockHash);
    return chosen.flatMap(({ logs }) => logs).map((log) => ({ ...log }));
  }
}
