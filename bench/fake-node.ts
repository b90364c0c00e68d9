// Plays the node that the service follows in the benchmark. It serves a workload's blocks over the real RPC and
// WebSocket, makes a block its tip when the benchmark says so, and measures its own answer time.
// node fake-node.ts INDEX.json TIP, with an IPC channel: says {port}, is told {announce: height}, says
// {announced: height, at: ns} and, for every block body that it was asked for, {served: height, ms}.

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { type WebSocket, WebSocketServer } from "ws";
import { SIMNET } from "../testkit/doubles/pearl-node/network.ts";
import { GENESIS } from "./block-maker.ts";
import { bodyReader, workloadOf } from "./workload.ts";

/** What the node says to the benchmark. `at`: CLOCK_MONOTONIC in nanoseconds, the same clock in every process. */
export type NodeMessage =
  | { readonly port: number }
  | { readonly announced: number; readonly at: string }
  | { readonly served: number; readonly ms: number };

/** What it is told: to make a block its tip, or the last one of the workload's branch. */
export type NodeOrder = { readonly announce: number } | { readonly follow: "branch" };

interface Call {
  readonly id: unknown;
  readonly method: string;
  readonly params: readonly unknown[];
}

const work = workloadOf(process.argv[2] ?? "");
const bodyOf = bodyReader(work);
const { branch = [] } = work;
const bodies = new Map([...work.blocks, ...branch].map((block) => [block.hash, block]));
let hashes = [GENESIS, ...work.blocks.map((block) => block.hash)];
let tip = Number(process.argv[3] ?? "0");
/** Answers that are made before they are asked for: the hex of a block is no part of what is measured. */
const prepared = new Map<string, Buffer>();
const listeners = new Set<WebSocket>();

const say = (message: NodeMessage): void => void process.send?.(message);

function blockHex(hash: string): Buffer | null {
  const known = prepared.get(hash);
  if (known !== undefined) return known;
  const block = bodies.get(hash);
  if (block === undefined ? hash !== GENESIS : block.height > tip) return null;
  const raw = block === undefined ? Buffer.from(SIMNET.genesisBlock) : bodyOf(block);
  return Buffer.from(raw.toString("hex"), "latin1");
}

/** The answer's text around a result that is JSON already. */
function framed(id: unknown, result: Buffer | string): Buffer {
  const body = typeof result === "string" ? Buffer.from(result) : result;
  return Buffer.concat([
    Buffer.from('{"result":'),
    body,
    Buffer.from(`,"error":null,"id":${JSON.stringify(id)}}`),
  ]);
}

function refused(id: unknown, code: number, message: string): Buffer {
  return Buffer.from(JSON.stringify({ result: null, error: { code, message }, id }));
}

function answer({ id, method, params }: Call): Buffer {
  switch (method) {
    case "getblockcount":
      return framed(id, String(tip));
    case "getcurrentnet":
      return framed(id, String(SIMNET.magic));
    case "getrawmempool":
      return framed(id, "[]");
    case "getblockhash": {
      const hash = Number(params[0]) > tip ? undefined : hashes[Number(params[0])];
      return hash === undefined
        ? refused(id, -1, "Block number out of range")
        : framed(id, JSON.stringify(hash));
    }
    case "getblock": {
      const hex = blockHex(String(params[0]));
      if (hex === null) return refused(id, -5, "Block not found");
      return framed(id, Buffer.concat([Buffer.from('"'), hex, Buffer.from('"')]));
    }
    default:
      return refused(id, -32601, `no method ${method}`);
  }
}

function serve(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const started = performance.now();
    const asked = JSON.parse(Buffer.concat(chunks).toString("utf8")) as Call | Call[];
    const calls = Array.isArray(asked) ? asked : [asked];
    const separated = calls.flatMap((call, i) =>
      i === 0 ? [answer(call)] : [Buffer.from(","), answer(call)],
    );
    const body = Array.isArray(asked) ? [Buffer.from("["), ...separated, Buffer.from("]")] : separated;
    const bytes = Buffer.concat(body);
    response.writeHead(200, { "content-type": "application/json", "content-length": bytes.length });
    response.end(bytes);
    const ms = performance.now() - started;
    for (const { method, params } of calls) {
      if (method === "getblock") say({ served: bodies.get(String(params[0]))?.height ?? -1, ms });
    }
  });
}

/** Makes the block the tip and tells everybody who listens; what it will be asked for is ready before. */
function announce(height: number): void {
  const hash = hashes[height] ?? "";
  const block = bodies.get(hash);
  if (block === undefined) throw new Error(`no block ${height}`);
  prepared.clear();
  prepared.set(hash, Buffer.from(bodyOf(block).toString("hex"), "latin1"));
  const text = JSON.stringify({
    jsonrpc: "1.0",
    method: "blockconnected",
    params: [hash, height, 0],
    id: null,
  });
  const at = process.hrtime.bigint();
  tip = height;
  for (const socket of listeners) socket.send(text);
  say({ announced: height, at: at.toString() });
}

const server = createServer({ keepAliveTimeout: 72_000 }, serve);
const sockets = new WebSocketServer({ server, path: "/ws" });
sockets.on("connection", (socket) => {
  socket.on("message", () => listeners.add(socket));
  socket.on("close", () => listeners.delete(socket));
});
function followBranch(): void {
  const from = branch[0]?.height ?? 0;
  hashes = [...hashes.slice(0, from), ...branch.map((block) => block.hash)];
  announce(hashes.length - 1);
}

process.on("message", (order: NodeOrder) => {
  if ("announce" in order) announce(order.announce);
  else followBranch();
});
process.on("disconnect", () => process.exit(0));
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  say({ port: typeof address === "object" && address !== null ? address.port : 0 });
});
