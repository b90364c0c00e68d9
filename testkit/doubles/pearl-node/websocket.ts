// Speaks over /ws as pearld does: authentication by header or by the first message, the plain methods, and
// notifications of blocks and new transactions.
import type { IncomingMessage, Server } from "node:http";
import type { Duplex } from "node:stream";
import { WebSocketServer, type RawData, type WebSocket } from "ws";
import type { Block } from "./block-codec.ts";
import type { BlockNode } from "./block-index.ts";
import { toHex } from "../../bytes.ts";
import { callerOf, callerOfRequest, reportBug, type Caller, type ServerOptions } from "./http-server.ts";
import { answer, dispatch, isLimitedMethod, readRequest, type RpcCommand } from "./rpc/dispatch.ts";
import { RPC, RpcFailure, type RpcContext } from "./rpc/method.ts";
import { prl, txShape } from "./rpc/shapes.ts";
import type { MempoolEntry } from "./mempool-entry.ts";

/** One connection and what it listens to. */
interface Client {
  readonly socket: WebSocket;
  readonly sessionId: number;
  caller: Caller;
  blocks: boolean;
  /** Listens to new transactions: not, by id, or verbose. */
  transactions: "no" | "plain" | "verbose";
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString("utf8");
  return (data instanceof ArrayBuffer ? Buffer.from(data) : data).toString("utf8");
}

/** The WebSocket side of a node. */
export class NodeWebSockets {
  readonly #context: RpcContext;
  readonly #options: ServerOptions;
  readonly #server = new WebSocketServer({ noServer: true });
  readonly #clients = new Set<Client>();
  #sessions = 0;

  constructor(context: RpcContext, options: ServerOptions) {
    this.#context = context;
    this.#options = options;
    context.core.chain.listen({
      connected: (node, block) => this.#announceBlock("connected", node, block),
      disconnected: (node, block) => this.#announceBlock("disconnected", node, block),
      settled: () => undefined,
    });
    context.core.mempool.onAccepted((entry) => this.#announceTransaction(entry));
  }

  /** Takes the upgrades of an HTTP server. */
  attach(server: Server): void {
    server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      const { caller, absent } = callerOfRequest(request, this.#options);
      if (request.url !== "/ws" || (caller === null && !absent)) {
        const status = request.url === "/ws" ? "401 Unauthorized" : "404 Not Found";
        socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n${status}.\n`);
        return;
      }
      this.#server.handleUpgrade(request, socket, head, (webSocket) => this.#welcome(webSocket, caller));
    });
  }

  /** Connections that asked to be told of blocks. */
  get blockListeners(): number {
    return [...this.#clients].filter(({ blocks }) => blocks).length;
  }

  /** Closes every connection at once. */
  dropAll(): void {
    for (const client of this.#clients) client.socket.terminate();
  }

  #welcome(socket: WebSocket, caller: Caller): void {
    this.#sessions += 1;
    const client: Client = { socket, sessionId: this.#sessions, caller, blocks: false, transactions: "no" };
    this.#clients.add(client);
    socket.on("close", () => this.#clients.delete(client));
    socket.on("error", () => socket.terminate());
    socket.on("message", (data: RawData) => {
      this.#receive(client, textOf(data)).catch((error: unknown) => {
        reportBug(error);
        socket.terminate();
      });
    });
  }

  async #receive(client: Client, text: string): Promise<void> {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      if (client.caller === null) client.socket.terminate();
      else
        this.#send(
          client,
          answer("1.0", null, null, new RpcFailure(RPC.parse, "Failed to parse request: not JSON")),
        );
      return;
    }
    if (!Array.isArray(value)) {
      this.#send(client, await this.#reply(client, value));
      return;
    }
    const replies: string[] = [];
    for (const entry of value) {
      const reply = await this.#reply(client, entry);
      if (reply !== null) replies.push(reply);
    }
    if (replies.length > 0) this.#send(client, `[${replies.join(",")}]`);
  }

  async #reply(client: Client, value: unknown): Promise<string | null> {
    const request = readRequest(value);
    if (request === null) {
      if (client.caller === null) client.socket.terminate();
      return answer("1.0", null, null, new RpcFailure(RPC.parse, "Failed to parse request: not a request"));
    }
    if (request.method === "authenticate") return this.#authenticate(client, request);
    if (client.caller === null) {
      client.socket.terminate();
      return null;
    }
    if (request.id === null) return null;
    if (client.caller === "limited" && !isLimitedMethod(request.method)) {
      const failure = new RpcFailure(RPC.invalidParams, "limited user not authorized for this method");
      return answer(request.jsonrpc, request.id, null, failure);
    }
    const own = this.#subscription(client, request);
    if (own === undefined) return dispatch(this.#context, request, client.caller === "admin");
    await this.#context.faults.hold(request.method);
    return answer(request.jsonrpc, request.id, own, null);
  }

  /** Result of the methods that exist on WebSockets only; undefined for all others. */
  #subscription(client: Client, request: RpcCommand): unknown {
    switch (request.method) {
      case "notifyblocks":
        client.blocks = true;
        return null;
      case "stopnotifyblocks":
        client.blocks = false;
        return null;
      case "notifynewtransactions":
        client.transactions = request.params?.[0] === true ? "verbose" : "plain";
        return null;
      case "stopnotifynewtransactions":
        client.transactions = "no";
        return null;
      case "session":
        return { sessionid: client.sessionId };
      default:
        return undefined;
    }
  }

  #authenticate(client: Client, request: RpcCommand): string | null {
    const [user, password] = request.params ?? [];
    const known = typeof user === "string" && typeof password === "string";
    const caller = known && client.caller === null ? callerOf(user, password, this.#options) : null;
    if (caller === null) {
      // Wrong credentials and a second attempt both end the connection, as in pearld.
      client.socket.terminate();
      return null;
    }
    client.caller = caller;
    return answer(request.jsonrpc, request.id, null, null);
  }

  #send(client: Client, text: string | null): void {
    if (text !== null && client.socket.readyState === client.socket.OPEN) client.socket.send(text);
  }

  #notify(client: Client, method: string, params: readonly unknown[]): void {
    if (this.#context.faults.notificationsMuted) return;
    this.#send(client, JSON.stringify({ jsonrpc: "1.0", method, params, id: null }));
  }

  #announceBlock(event: "connected" | "disconnected", node: BlockNode, block: Block): void {
    for (const client of this.#clients) {
      if (!client.blocks) continue;
      this.#notify(client, `block${event}`, [node.hash, node.height, node.header.time]);
      const header = toHex(block.headerBytes);
      // The transaction list is filled by loadtxfilter only, which this node does not have.
      const filtered = event === "connected" ? [node.height, header, []] : [node.height, header];
      this.#notify(client, `filteredblock${event}`, filtered);
    }
  }

  #announceTransaction(entry: MempoolEntry): void {
    for (const client of this.#clients) {
      if (client.transactions === "plain") {
        const total = entry.tx.tx.outs.reduce((sum, out) => sum + out.value, 0n);
        this.#notify(client, "txaccepted", [entry.tx.txid, prl(total)]);
      } else if (client.transactions === "verbose") {
        this.#notify(client, "txacceptedverbose", [txShape(this.#context.core, entry.tx, undefined)]);
      }
    }
  }
}
