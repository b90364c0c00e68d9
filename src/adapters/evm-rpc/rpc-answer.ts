// What does an answer's body say? JSON-RPC 2.0 answers taken apart: one reply per call, in the order of the calls.

/** Something that goes through JSON. */
export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

/** One call of a request. */
export interface RpcCall {
  readonly method: string;
  readonly params: readonly JsonValue[];
}

/** The RPC's word on one call. */
export type RpcReply =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly code: number; readonly message: string };

/** Body of a request; the ids of its calls are consecutive numbers from `firstId`. */
export function requestBody(calls: readonly RpcCall[], firstId: number): string {
  const objects = calls.map((call, i) => ({ jsonrpc: "2.0", id: firstId + i, ...call }));
  return JSON.stringify(objects.length === 1 ? objects[0] : objects);
}

/** Whether the value is an object with names. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function replyOf(answer: Record<string, unknown>): RpcReply | null {
  const { error } = answer;
  if (error === null || error === undefined)
    return "result" in answer ? { ok: true, result: answer["result"] } : null;
  if (!isRecord(error) || typeof error["message"] !== "string") return null;
  return {
    ok: false,
    code: typeof error["code"] === "number" ? error["code"] : 0,
    message: error["message"],
  };
}

/** The error that answers the whole request: a single error object, where several calls were made or with no id. */
export function sharedError(
  json: unknown,
  calls: number,
): { readonly code: number; readonly message: string } | null {
  if (!isRecord(json)) return null;
  if (calls === 1 && json["id"] !== null && json["id"] !== undefined) return null;
  const reply = replyOf(json);
  return reply === null || reply.ok ? null : reply;
}

/** The replies in the order of the calls; a sentence part where the body is no answer to exactly these calls. */
export function repliesOf(
  json: unknown,
  calls: readonly RpcCall[],
  firstId: number,
): readonly RpcReply[] | string {
  const answers: readonly unknown[] = Array.isArray(json) ? json : [json];
  if (answers.length !== calls.length) return `${answers.length} answers to ${calls.length} calls`;
  const replies: (RpcReply | undefined)[] = Array.from({ length: calls.length });
  for (const answer of answers) {
    if (!isRecord(answer)) return "an answer that is no object";
    const { id } = answer;
    const index = typeof id === "number" && Number.isInteger(id) ? id - firstId : -1;
    if (index < 0 || index >= calls.length) return `an answer with the id ${shown(id)}, which was not asked`;
    const reply = replyOf(answer);
    if (reply === null) return "an answer with neither a result nor an error";
    if (replies[index] !== undefined) return `two answers with the id ${shown(id)}`;
    replies[index] = reply;
  }
  // As many answers as calls, none twice and none foreign: none is missing.
  return replies.filter((reply) => reply !== undefined);
}

function shown(id: unknown): string {
  return id === undefined ? "undefined" : JSON.stringify(id).slice(0, 40);
}
