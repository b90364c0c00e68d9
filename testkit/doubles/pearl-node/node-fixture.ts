// Gives a test of this folder a node: one in memory with a fixed clock, owned by key 1.
import { connect } from "node:net";
import { startPearlNode, type PearlNode, type PearlNodeOptions } from "./index.ts";
import { key } from "./test-wallet.ts";

/** The key that mines. */
export const MINER = key(1);

/** Unix seconds at which the test clock stands still. */
export const TEST_TIME = 1_790_000_000;

/** A node in memory; `options` override the fixture's. */
export function testNode(options: Partial<PearlNodeOptions> = {}): Promise<PearlNode> {
  return startPearlNode({
    rpcUser: "user",
    rpcPassword: "secret",
    miningScript: MINER.script,
    clock: () => TEST_TIME,
    ...options,
  });
}

/** The `result` of one RPC call, or its error, over real HTTP. */
export async function rpc(
  node: PearlNode,
  method: string,
  params: readonly unknown[] = [],
  login = "user:secret",
): Promise<{ result: unknown; error: { code: number; message: string } | null }> {
  const response = await fetch(node.url, {
    method: "POST",
    headers: { authorization: `Basic ${btoa(login)}` },
    body: JSON.stringify({ jsonrpc: "1.0", method, params, id: 1 }),
  });
  const body: { result: unknown; error: { code: number; message: string } | null } = JSON.parse(
    await response.text(),
  );
  return body;
}

/** Everything that the node sends back for one raw HTTP request, head and body. */
export function rawHttp(
  node: PearlNode,
  body: string,
  headers = `Authorization: Basic ${btoa("user:secret")}\r\n`,
): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const socket = connect(node.port, node.host);
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1");
  });
  socket.on("close", () => resolve(text));
  socket.on("error", reject);
  socket.write(
    `POST / HTTP/1.1\r\nHost: node\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  return promise;
}
