// JSON-RPC on the wire, versions 1.0 and 2.0: the body of a request, and an answer taken apart into one reply per call,
// in the order of the calls.

import { isRecord } from "../../primitives/plain-json.ts";
import { err, ok, type Result } from "../../primitives/result.ts";

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

/** The server's refusal of one call. */
export interface RpcRefusal {
  /** 0 where the server gives none. */
  readonly code: number;
  /** Its beginning, where it is longer than any that says something. */
  readonly message: string;
}

/** Characters of a refusal that are looked at: what it means is searched for in it, which of megabytes would take its time. */
const MOST_CHARACTERS = 10_000;

/** The server's word on one call. */
export type RpcReply = Result<unknown, RpcRefusal>;

/** Body of a request; the ids of its calls are consecutive numbers from `firstId`. */
export function requestBody(version: "1.0" | "2.0", calls: readonly RpcCall[], firstId: number): string {
  const objects = calls.map((call, i) => ({ jsonrpc: version, id: firstId + i, ...call }));
  return JSON.stringify(objects.length === 1 ? objects[0] : objects);
}

/** A copy: a piece of a text keeps all of it, which may be as long as an answer, and what is told of failures is remembered. */
function copyOfBeginning(text: string): string {
  return text.length <= MOST_CHARACTERS ? text : Buffer.from(text.slice(0, MOST_CHARACTERS)).toString();
}

function replyOf(answer: Readonly<Record<string, unknown>>): RpcReply | null {
  const { error } = answer;
  if (error === null || error === undefined) {
    return "result" in answer ? ok(answer["result"]) : null;
  }
  if (!isRecord(error) || typeof error["message"] !== "string") return null;
  const code = typeof error["code"] === "number" ? error["code"] : 0;
  return err({ code, message: copyOfBeginning(error["message"]) });
}

/**
 * The error that answers the whole request: a single error object where several calls were made, or one with no id. Some
 * servers put it into a list.
 */
export function sharedRefusal(json: unknown, callCount: number): RpcRefusal | null {
  const answer: unknown = Array.isArray(json) && json.length === 1 ? json[0] : json;
  if (!isRecord(answer)) return null;
  const hasId = answer["id"] !== null && answer["id"] !== undefined;
  if (hasId && (callCount === 1 || answer !== json)) return null;
  const reply = replyOf(answer);
  return reply === null || reply.ok ? null : reply.error;
}

/**
 * The replies in the order of the calls, whatever the order of the answer; a sentence part where the body is no answer
 * to exactly these calls.
 */
export function repliesOf(json: unknown, callCount: number, firstId: number): readonly RpcReply[] | string {
  const answers: readonly unknown[] = Array.isArray(json) ? json : [json];
  if (answers.length !== callCount) return `${answers.length} answers to ${callCount} calls`;
  const replies: (RpcReply | undefined)[] = Array.from({ length: callCount });
  for (const answer of answers) {
    if (!isRecord(answer)) return "an answer that is no object";
    const { id } = answer;
    const index = typeof id === "number" && Number.isInteger(id) ? id - firstId : -1;
    if (index < 0 || index >= callCount)
      return `an answer with the id ${shownValue(id)}, which was not asked`;
    const reply = replyOf(answer);
    if (reply === null) return "an answer with neither a result nor an error";
    if (replies[index] !== undefined) return `two answers with the id ${shownValue(id)}`;
    replies[index] = reply;
  }
  // As many answers as calls, none twice and none foreign: none is missing.
  return replies.filter((reply) => reply !== undefined);
}

/** Characters of a page or a request that messages quote. */
export const QUOTED_CHARACTERS = 120;

/**
 * At most so many characters, and no piece of a word at the end: servers repeat a path or a login that is a key, and a piece
 * of it is none that the log knows to leave out.
 */
export function beginningOf(text: string, most = QUOTED_CHARACTERS): string {
  if (text.length <= most) return text;
  const whole = /^[^\w]/.test(text.slice(most))
    ? text.slice(0, most)
    : text.slice(0, most).replace(/[\w%+/=.:@~-]+$/, "");
  return `${whole}…`;
}

/** A refusal as messages show it. */
export function refusalSentence(refusal: RpcRefusal): string {
  return `error ${refusal.code}: ${beginningOf(refusal.message, 2 * QUOTED_CHARACTERS)}`;
}

/** Characters of a text that messages show. */
const SHOWN_CHARACTERS = 80;

/**
 * A value of an answer as messages show it. Of a list or an object no more than that it is one: it may be as long as an answer,
 * and of more lists within each other than can be written down.
 */
export function shownValue(value: unknown): string {
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "a list" : "an object";
  if (typeof value !== "string") return String(value);
  return JSON.stringify(value.length > SHOWN_CHARACTERS ? `${value.slice(0, SHOWN_CHARACTERS)}…` : value);
}
