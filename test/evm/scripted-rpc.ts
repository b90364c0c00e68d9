// An RPC that answers from a scripted chain, and lies, stalls or fails where a test says so.

import type { ServerResponse } from "node:http";
import {
  type RpcAnswer,
  type RpcCall,
  type RpcRequest,
  type RpcServer,
  serveRpc,
} from "../../testkit/doubles/rpc-server.ts";
import type { ScriptedBlock, WireLog } from "./scripted-chain.ts";

/** Changes one answer; undefined leaves it. */
export type Meddling = (call: RpcCall, truth: RpcAnswer) => RpcAnswer | undefined;
/** Answers a whole request; true where it has done so. */
export type Takeover = (calls: readonly RpcCall[], response: ServerResponse) => boolean;

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
  readonly calls: RpcCall[] = [];
  #server: RpcServer | null = null;

  constructor(chain: readonly ScriptedBlock[]) {
    this.chain = chain;
  }

  get url(): string {
    if (this.#server === null) throw new Error("the RPC does not listen");
    return this.#server.url;
  }

  /** The number of the newest block. */
  get head(): number {
    return this.chain.length - 1;
  }

  async start(port = 0): Promise<this> {
    this.#server = await serveRpc((request) => this.#answer(request), { port });
    return this;
  }

  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = null;
    await server?.close();
  }

  #answer(request: RpcRequest): void {
    this.calls.push(...request.calls);
    if (this.takeover(request.calls, request.response)) return;
    request.reply(
      request.calls.map((call) => {
        const truth = this.#truth(call);
        return this.meddle(call, truth) ?? truth;
      }),
    );
  }

  #truth({ method, params }: RpcCall): RpcAnswer {
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
