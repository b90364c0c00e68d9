// Lets a real process follow a simulated world: a small JSON-RPC server over a `SimulatedWorld`, with as much delay as a test
// needs to interrupt something. It answers what pearld's limited user may ask and no more.

import { setTimeout as delay } from "node:timers/promises";
import { NETWORKS } from "../../../src/chain/networks.ts";
import { type RpcAnswer, type RpcCall, type RpcRequest, serveRpc } from "../../doubles/rpc-server.ts";
import type { SimulatedWorld } from "./simulated-world.ts";

/** A serving world. */
export interface WorldServer {
  readonly url: string;
  /** Milliseconds before each answer to `getblock`; may be changed at any time. */
  blockDelayMs: number;
  /** Blocks above this height are not answered for until it is raised. */
  withheldAbove: number;
  /** False: requests are answered 503, as a node does that is overloaded. */
  isServing: boolean;
  /** True: requests are taken and none is answered. */
  isHanging: boolean;
  /** Called with the heights of each batch of `getblockhash`, before it is answered. */
  onHashes: (heights: readonly number[]) => void;
  close(): Promise<void>;
}

/** Settings of a service over a served world. `database`: its URL. */
export function settingsOver(
  world: SimulatedWorld,
  server: WorldServer,
  { database, port }: { readonly database: string; readonly port: number },
): Readonly<Record<string, string>> {
  return {
    STRAND_NETWORK: "simnet",
    PEARL_RPC_URL: server.url,
    PRC20_FEE_ADDRESS: world.feeAddress,
    DATABASE_URL: database,
    PORT: `${port}`,
    PEARL_POLL_MS: "20",
  };
}

const WITHHELD_POLL_MS = 20;

function failure(code: number, message: string): RpcAnswer {
  return { error: { code, message } };
}

function answerOf(world: SimulatedWorld, { method, params: [first] }: RpcCall): RpcAnswer {
  if (method === "getblockcount") return { result: world.tip.height };
  if (method === "getcurrentnet") return { result: NETWORKS.simnet.currentNet };
  if (method === "getrawmempool") return { result: [] };
  if (method === "getblockhash") {
    const block = typeof first === "number" ? world.best[first] : undefined;
    return block === undefined ? failure(-1, "Block number out of range") : { result: block.hash };
  }
  if (method === "getblock") {
    const block = typeof first === "string" ? world.block(first) : null;
    return block === null
      ? failure(-5, "Block not found")
      : { result: Buffer.from(block.raw).toString("hex") };
  }
  return failure(-32601, "Method not found");
}

/** Height of the block that a call wants to have; -1 for every other call. */
function heightAskedFor(world: SimulatedWorld, { method, params: [hash] }: RpcCall): number {
  return method === "getblock" && typeof hash === "string" ? (world.block(hash)?.height ?? -1) : -1;
}

/** Serves a world on a free port. */
export async function serveWorld(world: SimulatedWorld): Promise<WorldServer> {
  const state: Omit<WorldServer, "url" | "close"> = {
    blockDelayMs: 0,
    withheldAbove: Number.MAX_SAFE_INTEGER,
    isServing: true,
    isHanging: false,
    onHashes: () => undefined,
  };
  const answer = async (request: RpcRequest): Promise<void> => {
    if (state.isHanging) return;
    if (!state.isServing) {
      request.send(503, "Server too busy. Try again later.\n", "text/plain");
      return;
    }
    const { calls, response } = request;
    const asked = calls
      .filter(({ method }) => method === "getblockhash")
      .map(({ params }) => Number(params[0]));
    if (asked.length > 0) state.onHashes(asked);
    if (state.blockDelayMs > 0 && calls.some(({ method }) => method === "getblock"))
      await delay(state.blockDelayMs);
    const highest = Math.max(...calls.map((call) => heightAskedFor(world, call)));
    while (highest > state.withheldAbove && !response.destroyed) await delay(WITHHELD_POLL_MS);
    request.reply(calls.map((call) => answerOf(world, call)));
  };
  const rpc = await serveRpc(answer, { version: "1.0" });
  return Object.assign(state, { url: rpc.url, close: () => rpc.close() });
}
