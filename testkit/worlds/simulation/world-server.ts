// Lets a real process follow a simulated world: a small JSON-RPC server over a `World`, with as much delay as a test
// needs to interrupt something. It answers what pearld's limited user may ask and no more.

import { createServer, type IncomingMessage } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { NETWORKS } from "../../../src/chain/networks.ts";
import type { World } from "./world.ts";

/** A serving world. */
export interface WorldServer {
  readonly url: string;
  /** Milliseconds before each answer to `getblock`; may be changed at any time. */
  blockDelayMs: number;
  /** Blocks above this height are not answered for until it is raised. */
  withheldAbove: number;
  /** False: requests are answered 503, as a node does that is overloaded. */
  isServing: boolean;
  /** Called with the heights of each batch of `getblockhash`, before it is answered. */
  onHashes: (heights: readonly number[]) => void;
  close(): Promise<void>;
}

const WITHHELD_POLL_MS = 20;

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

interface Failure {
  readonly code: number;
  readonly message: string;
}

function failure(code: number, message: string): { readonly error: Failure } {
  return { error: { code, message } };
}

function answerOf(
  world: World,
  { method, params }: Call,
): { readonly result: unknown } | { readonly error: Failure } {
  const [first] = params;
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
function heightAskedFor(world: World, { method, params: [hash] }: Call): number {
  return method === "getblock" && typeof hash === "string" ? (world.block(hash)?.height ?? -1) : -1;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}

function callsOf(text: string): readonly Call[] {
  const parsed: unknown = JSON.parse(text);
  const list: readonly unknown[] = Array.isArray(parsed) ? parsed : [parsed];
  return list.map((item) => {
    const read = (name: string): unknown =>
      typeof item === "object" && item !== null ? Reflect.get(item, name) : null;
    const params: unknown = read("params");
    return { id: read("id"), method: String(read("method")), params: Array.isArray(params) ? params : [] };
  });
}

/** Serves a world on a free port. */
export async function serveWorld(world: World): Promise<WorldServer> {
  const state: Pick<WorldServer, "blockDelayMs" | "withheldAbove" | "isServing" | "onHashes"> = {
    blockDelayMs: 0,
    withheldAbove: Number.MAX_SAFE_INTEGER,
    isServing: true,
    onHashes: () => undefined,
  };
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const text = await bodyOf(request);
      if (!state.isServing) {
        response.writeHead(503, { "content-type": "text/plain" }).end("Server too busy. Try again later.\n");
        return;
      }
      const calls = callsOf(text);
      const asked = calls
        .filter(({ method }) => method === "getblockhash")
        .map(({ params }) => Number(params[0]));
      if (asked.length > 0) state.onHashes(asked);
      if (state.blockDelayMs > 0 && calls.some(({ method }) => method === "getblock"))
        await delay(state.blockDelayMs);
      const highest = Math.max(...calls.map((call) => heightAskedFor(world, call)));
      while (highest > state.withheldAbove && !response.destroyed) await delay(WITHHELD_POLL_MS);
      const answers = calls.map((call) => ({
        jsonrpc: "1.0",
        result: null,
        error: null,
        id: call.id,
        ...answerOf(world, call),
      }));
      const body = JSON.stringify(text.trimStart().startsWith("[") ? answers : answers[0]);
      response.writeHead(200, { "content-type": "application/json" }).end(body);
    };
    answer().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return Object.assign(state, {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}
