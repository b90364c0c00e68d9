// Starts a private Pearl chain inside a process. `startPearlNode` gives a simnet node that speaks pearld's JSON-RPC
// over HTTP and WebSocket with the real bytes, and the same handles in-process for tests and the demo. It shares no
// code with the service: parsing, signature hashes and script checks come from libraries.
import type { Server } from "node:http";
import { toHex } from "../../bytes.ts";
import type { Chain } from "./chain.ts";
import { PearlCore } from "./core.ts";
import { Faults } from "./faults.ts";
import { makeHttpServer, type TlsIdentity } from "./http-server.ts";
import type { Mempool } from "./mempool.ts";
import type { BlockPlan } from "./mining.ts";
import { SIMNET, type Network, type NetworkName } from "./network.ts";
import type { PolicyName } from "./policy.ts";
import { rejectCode } from "./rpc/tx-methods.ts";
import { NodeWebSockets } from "./websocket.ts";

/** Options of a node. */
export interface PearlNodeOptions {
  readonly network?: NetworkName;
  /** Folder of the chain file; absent: the chain lives in memory only. */
  readonly folder?: string;
  readonly rpcUser: string;
  readonly rpcPassword: string;
  /** The user who may call the limited methods only. */
  readonly limitUser?: string;
  readonly limitPassword?: string;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** Unix seconds; default the system's clock. */
  readonly clock?: () => number;
  /** Who is paid for blocks. */
  readonly miningScript: Uint8Array;
  /** Default false: every HTTP answer closes its connection, as in pearld. */
  readonly keepAlive?: boolean;
  /** PEM texts; absent: plain HTTP and WebSocket. */
  readonly tls?: TlsIdentity;
  /** Default `mainnet`: the standard group of rules is enforced. */
  readonly policy?: PolicyName;
  /** Requests served at once before the text 503; default 10. */
  readonly maxClients?: number;
  /** Peers that the node claims to have; default 8. */
  readonly connections?: number;
}

/** Outcome of handing in a transaction: pearld's code and text where it is refused. */
export type SubmitOutcome =
  | { readonly ok: true; readonly txid: string }
  | { readonly ok: false; readonly code: number; readonly message: string };

/** A running node. */
export interface PearlNode {
  readonly url: string;
  /** The WebSocket's address. */
  readonly webSocketUrl: string;
  readonly host: string;
  readonly port: number;
  readonly network: Network;
  readonly chain: Chain;
  readonly mempool: Mempool;
  readonly faults: Faults;
  /** Mines blocks and returns their hashes; throws when `plan` makes an invalid one. */
  generate(count: number, plan?: BlockPlan): string[];
  /** Offers a transaction to the mempool. */
  submitRaw(hex: string): SubmitOutcome;
  /** Bytes (hex) of a block as planned, valid if its transactions are; not submitted. */
  assembleBlock(plan?: BlockPlan): string;
  /** Offers a block; null: taken, otherwise why not. */
  submitBlock(hex: string): string | null;
  /** Raw block (hex) by hash, side chains included; null when unknown. */
  rawBlock(hash: string): string | null;
  /** False: unknown block, or the genesis. */
  invalidateBlock(hash: string): boolean;
  /** False: unknown block. */
  reconsiderBlock(hash: string): boolean;
  setClock(clock: () => number): void;
  setConnections(count: number): void;
  /** WebSocket connections that are told of blocks now. */
  blockListeners(): number;
  /** Ends every WebSocket connection. */
  dropWebSockets(): void;
  /** Stops listening, ends all connections and closes the file. */
  close(): Promise<void>;
}

/** Listens on the wanted port and answers the one that it got. Throws when it is taken. */
async function listen(server: Server, host: string, wanted: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(wanted, host, resolve);
  await promise;
  server.removeListener("error", reject);
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the node listens on no TCP port");
  return address.port;
}

/** In-process handles of a core. */
function handles(
  core: PearlCore,
): Pick<
  PearlNode,
  | "network"
  | "chain"
  | "mempool"
  | "generate"
  | "submitRaw"
  | "assembleBlock"
  | "submitBlock"
  | "rawBlock"
  | "invalidateBlock"
  | "reconsiderBlock"
  | "setClock"
> {
  return {
    network: core.network,
    chain: core.chain,
    mempool: core.mempool,
    generate: (count, plan) => core.generate(count, plan),
    submitRaw: (hex) => {
      const taken = core.submitTransaction(hex);
      if (taken.ok) return { ok: true, txid: taken.value.tx.txid };
      return { ok: false, code: rejectCode(taken.reject), message: `TX rejected: ${taken.reject.message}` };
    },
    assembleBlock: (plan) => core.assemble(plan),
    submitBlock: (hex) => core.submitBlockHex(hex),
    rawBlock: (hash) => {
      const node = core.chain.index.get(hash);
      return node === undefined ? null : toHex(node.raw);
    },
    invalidateBlock: (hash) => core.invalidate(hash),
    reconsiderBlock: (hash) => core.reconsider(hash),
    setClock: (clock) => core.chain.setClock(clock),
  };
}

/** Starts a node; resolves when it listens. Throws on a taken port or a foreign chain file. */
export async function startPearlNode(options: PearlNodeOptions): Promise<PearlNode> {
  const core = new PearlCore({
    network: SIMNET,
    clock: options.clock ?? (() => Date.now() / 1000),
    miningScript: options.miningScript,
    policy: options.policy ?? "mainnet",
    folder: options.folder,
  });
  const faults = new Faults();
  let connections = options.connections ?? 8;
  const context = { core, faults, connections: () => connections };
  const serverOptions = {
    rpcUser: options.rpcUser,
    rpcPassword: options.rpcPassword,
    limitUser: options.limitUser,
    limitPassword: options.limitPassword,
    keepAlive: options.keepAlive ?? false,
    maxClients: options.maxClients ?? 10,
    tls: options.tls,
  };
  const server = makeHttpServer(context, serverOptions);
  const sockets = new NodeWebSockets(context, serverOptions);
  sockets.attach(server);
  const host = options.host ?? "127.0.0.1";
  const secure = options.tls === undefined ? "" : "s";
  let port: number;
  try {
    port = await listen(server, host, options.port ?? 0);
  } catch (error) {
    core.close();
    throw error;
  }
  return {
    ...handles(core),
    url: `http${secure}://${host}:${port}`,
    webSocketUrl: `ws${secure}://${host}:${port}/ws`,
    host,
    port,
    faults,
    setConnections: (count) => {
      connections = count;
    },
    blockListeners: () => sockets.blockListeners,
    dropWebSockets: () => sockets.dropAll(),
    close: async () => {
      sockets.dropAll();
      const closed = new Promise<void>((done) => server.close(() => done()));
      server.closeAllConnections();
      faults.thaw();
      await closed;
      core.close();
    },
  };
}
