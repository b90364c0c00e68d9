// What does an answer's body say? JSON-RPC answers taken apart and checked; the hex of a large block is cut out of
// the bytes without parsing megabytes of JSON.

/** One call of a request. */
export interface RpcCall {
  readonly method: string;
  readonly params: readonly (string | number | boolean)[];
}

/** The node's word on one call. */
export type RpcReply =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly code: number; readonly message: string };

/** Ids of a request's calls are consecutive numbers from `firstId`. */
export function requestBody(calls: readonly RpcCall[], firstId: number): string {
  const objects = calls.map((call, i) => ({ jsonrpc: "1.0", id: firstId + i, ...call }));
  return JSON.stringify(objects.length === 1 ? objects[0] : objects);
}

/** The code by which pearld and bitcoind say that they do not know a transaction or block. */
export const NOT_FOUND = -5;

/** A hash as the node writes it: lower-case hex of 32 bytes. */
export function isHash(value: unknown): value is string {
  return typeof value === "string" && /^[0-9a-f]{64}$/.test(value);
}

/** A member of a JSON object; undefined where it is none. */
export function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function replyOf(answer: Record<string, unknown>): RpcReply | null {
  const { error } = answer;
  if (error === null || error === undefined)
    return "result" in answer ? { ok: true, result: answer.result } : null;
  if (!isRecord(error) || typeof error.code !== "number" || typeof error.message !== "string") return null;
  return { ok: false, code: error.code, message: error.message };
}

/** Whether the JSON value is a single error object without an id, as some nodes answer a whole batch. */
function sharedError(json: unknown): RpcReply | null {
  if (!isRecord(json) || (json.id !== null && json.id !== undefined)) return null;
  const reply = replyOf(json);
  return reply !== null && !reply.ok ? reply : null;
}

/**
 * The replies in the order of the calls, whatever the order of the answer; a sentence part where the body is not
 * an answer to exactly these calls.
 */
export function repliesOf(
  json: unknown,
  calls: readonly RpcCall[],
  firstId: number,
): readonly RpcReply[] | string {
  const shared = sharedError(json);
  if (shared !== null) return calls.map(() => shared);
  const answers: readonly unknown[] = Array.isArray(json) ? json : [json];
  if (answers.length !== calls.length) return `${answers.length} answers to ${calls.length} calls`;
  const replies = new Map<number, RpcReply>();
  for (const answer of answers) {
    if (!isRecord(answer)) return "an answer that is no object";
    const { id } = answer;
    if (typeof id !== "number" || !Number.isInteger(id) || id < firstId || id >= firstId + calls.length) {
      return `an answer with the id ${JSON.stringify(id)}, which was not asked`;
    }
    const reply = replyOf(answer);
    if (reply === null) return "an answer with neither a result nor an error";
    if (replies.has(id)) return `two answers with the id ${id}`;
    replies.set(id, reply);
  }
  const ordered: RpcReply[] = [];
  for (let i = 0; i < calls.length; i += 1) {
    const reply = replies.get(firstId + i);
    if (reply !== undefined) ordered.push(reply);
  }
  return ordered;
}

const RESULT_KEY = Buffer.from('"result":"', "latin1");
const QUOTE = 0x22;

/** A body whose results are hex: what it says, and the bytes of a result as it stands there. */
export interface BytesBody {
  readonly json: unknown;
  /** Null where the result is no hex. */
  bytesOf(result: unknown): Uint8Array | null;
}

/**
 * Takes a body apart whose results are hex. The way of a node's own writer is read without parsing megabytes of hex;
 * whatever else is valid JSON (white space, escapes, members in any order or twice) is parsed as a whole. Null where the
 * body is no JSON.
 */
export function readBytes(body: Buffer): BytesBody | null {
  return readCut(body) ?? readWhole(body);
}

/** Null unless every result stands there in the expected way and is hex without escapes. */
function readCut(body: Buffer): BytesBody | null {
  const decoded: (Uint8Array | null)[] = [];
  let frame = "";
  let at = 0;
  for (;;) {
    // Inside a JSON string the quotes would be escaped, so whatever matches is a key.
    const key = body.indexOf(RESULT_KEY, at);
    if (key < 0) break;
    const start = key + RESULT_KEY.length;
    const end = body.indexOf(QUOTE, start);
    if (end < 0) return null;
    const bytes = hexBytes(body.toString("latin1", start, end));
    if (bytes === null) return null;
    frame += `${body.toString("utf8", at, start)}#${decoded.length}`;
    decoded.push(bytes);
    at = end;
  }
  const json = parsed(frame + body.toString("utf8", at));
  if (json === undefined) return null;
  // A result that was not cut out, or a cut that is no result: the body is written in another way.
  const results = (Array.isArray(json) ? json : [json])
    .map((answer: unknown) => member(answer, "result"))
    .filter((result) => typeof result === "string");
  const isWhole =
    results.length === decoded.length &&
    new Set(results).size === decoded.length &&
    results.every((result) => /^#[0-9]+$/.test(result));
  if (!isWhole) return null;
  return {
    json,
    bytesOf: (result) => (typeof result === "string" ? (decoded[Number(result.slice(1))] ?? null) : null),
  };
}

function readWhole(body: Buffer): BytesBody | null {
  const json = parsed(body.toString("utf8"));
  if (json === undefined) return null;
  return { json, bytesOf: (result) => (typeof result === "string" ? hexBytes(result) : null) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Bytes of hex text, or null where it is none. */
function hexBytes(text: string): Uint8Array | null {
  if (text.length % 2 !== 0) return null;
  // Buffer stops at the first character that is no hex digit: a shorter result tells.
  const bytes = Buffer.from(text, "hex");
  if (bytes.length * 2 !== text.length) return null;
  // Small buffers share a slab of memory; a block that is kept must not keep its neighbours.
  return bytes.length < bytes.buffer.byteLength ? new Uint8Array(bytes) : new Uint8Array(bytes.buffer);
}
