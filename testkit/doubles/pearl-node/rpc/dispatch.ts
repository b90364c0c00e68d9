// Turns a JSON-RPC request into an answer by pearld's rules for one request: who may call what, which members must be
// there, and what an answer looks like. It does not depend on the transport.
import { CHAIN_METHODS } from "./chain-methods.ts";
import { Arguments, RPC, RpcFailure, type RpcContext, type RpcMethod } from "./method.ts";
import { NODE_METHODS } from "./node-methods.ts";
import { TX_METHODS } from "./tx-methods.ts";

const METHODS: ReadonlyMap<string, RpcMethod> = new Map([...CHAIN_METHODS, ...TX_METHODS, ...NODE_METHODS]);

/** Methods that pearld knows and refuses with -1. */
const WALLET_TEXT = "This implementation does not implement wallet commands";
const UNIMPLEMENTED: ReadonlyMap<string, string> = new Map([
  ["estimatepriority", "Command unimplemented"],
  ["getmempoolentry", "Command unimplemented"],
  ["getwork", "Command unimplemented"],
  ["getbalance", WALLET_TEXT],
  ["getnewaddress", WALLET_TEXT],
  ["listunspent", WALLET_TEXT],
  ["sendtoaddress", WALLET_TEXT],
]);

/** A request as far as it could be read. */
export interface RpcCommand {
  readonly jsonrpc: unknown;
  readonly method: string;
  readonly params: readonly unknown[] | null;
  readonly id: unknown;
}

/** Reads the members of a request; null when the value is no object or a member has a wrong type. */
export function readRequest(value: unknown): RpcCommand | null {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
  const members = new Map<string, unknown>(Object.entries(value));
  const method = members.get("method") ?? "";
  const params = members.get("params") ?? null;
  if (typeof method !== "string" || (params !== null && !Array.isArray(params))) return null;
  return { jsonrpc: members.get("jsonrpc") ?? "", method, params, id: members.get("id") ?? null };
}

/** Text of an answer; null when pearld would fail to write one (unknown `jsonrpc` version). */
export function answer(
  jsonrpc: unknown,
  id: unknown,
  result: unknown,
  error: RpcFailure | null,
): string | null {
  if (jsonrpc !== "1.0" && jsonrpc !== "2.0") return null;
  const failure = error === null ? null : { code: error.code, message: error.message };
  return JSON.stringify({ jsonrpc, result: failure === null ? (result ?? null) : null, error: failure, id });
}

/** Whether the limited user may call a method. */
export function isLimitedMethod(method: string): boolean {
  return METHODS.get(method)?.limited === true || LIMITED_WEBSOCKET.has(method) || method === "help";
}

const LIMITED_WEBSOCKET: ReadonlySet<string> = new Set([
  "loadtxfilter",
  "notifyblocks",
  "notifynewtransactions",
  "notifyreceived",
  "notifyspent",
  "rescan",
  "rescanblocks",
  "session",
  "stopnotifyblocks",
  "stopnotifynewtransactions",
]);

function call(context: RpcContext, request: RpcCommand): unknown {
  const method = METHODS.get(request.method);
  if (method === undefined) {
    const known = UNIMPLEMENTED.get(request.method);
    throw known === undefined
      ? new RpcFailure(RPC.methodNotFound, "Method not found")
      : new RpcFailure(RPC.misc, known);
  }
  return method.run(context, new Arguments(method.params, request.params ?? []));
}

/** Answers one request over HTTP (or a plain one over a WebSocket). Null: pearld sends nothing for it. */
export async function dispatch(
  context: RpcContext,
  request: RpcCommand,
  isAdmin: boolean,
): Promise<string | null> {
  if (!isAdmin && !isLimitedMethod(request.method)) {
    const failure = new RpcFailure(RPC.internal, "limited user not authorized for this method");
    return answer(request.jsonrpc, request.id, null, failure);
  }
  if (request.method === "" || request.params === null) {
    return answer(
      request.jsonrpc,
      request.id,
      null,
      new RpcFailure(RPC.invalidRequest, "Invalid request: malformed"),
    );
  }
  if (request.id === null) return null;
  await context.faults.hold(request.method);
  try {
    return answer(request.jsonrpc, request.id, call(context, request), null);
  } catch (error) {
    if (!(error instanceof RpcFailure)) throw error;
    return answer(request.jsonrpc, request.id, null, error);
  }
}
