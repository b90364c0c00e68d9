// Answers whose results are hex, as blocks, headers and transactions come: the hex of a large block is cut out of the
// bytes without parsing megabytes of JSON.

import type { ReadBody } from "../json-rpc/judge-answer.ts";
import { isRecord, parseJson } from "../../primitives/plain-json.ts";
import type { RpcRefusal } from "../json-rpc/rpc-answer.ts";
import { ok, type Result } from "../../primitives/result.ts";

/** A binary result: the bytes, or the node's refusal. */
export type BytesReply = Result<Uint8Array, RpcRefusal>;

const RESULT_KEY = Buffer.from('"result":"', "latin1");
const QUOTE = 0x22;
/** A mark that the body itself holds, plain or in an escape, would be taken for one that stands for cut hex. */
const MARK_OR_ESCAPE = /[#\\]/;

/**
 * Takes a body apart whose results are hex. A body as nodes write it is read without parsing megabytes of hex;
 * whatever else is valid JSON (white space, escapes, members in any order or twice) is parsed as a whole.
 */
export function readHexResults(body: Buffer): ReadBody<BytesReply> {
  return readCut(body) ?? readWhole(body);
}

/** Null unless every result stands there in the expected way and is hex without escapes. */
function readCut(body: Buffer): ReadBody<BytesReply> | null {
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
    const between = body.toString("utf8", at, start);
    if (MARK_OR_ESCAPE.test(between)) return null;
    frame += `${between}#${decoded.length}`;
    decoded.push(bytes);
    at = end;
  }
  const rest = body.toString("utf8", at);
  if (MARK_OR_ESCAPE.test(rest)) return null;
  const json = parseJson(frame + rest);
  if (json === undefined) return null;
  // A result that was not cut out, or a cut that is no result: the body is written in another way.
  const results = (Array.isArray(json) ? json : [json])
    .map((answer: unknown) => (isRecord(answer) ? answer["result"] : undefined))
    .filter((result) => typeof result === "string");
  const isWhole =
    results.length === decoded.length &&
    new Set(results).size === decoded.length &&
    results.every((result) => /^#[0-9]+$/.test(result));
  if (!isWhole) return null;
  return readBy(json, (result) => decoded[Number(result.slice(1))] ?? null);
}

function readWhole(body: Buffer): ReadBody<BytesReply> {
  return readBy(parseJson(body.toString("utf8")), hexBytes);
}

function readBy(json: unknown, bytesOf: (result: string) => Uint8Array | null): ReadBody<BytesReply> {
  return {
    json,
    itemOf: (reply) => {
      if (!reply.ok) return reply;
      const bytes = typeof reply.value === "string" ? bytesOf(reply.value) : null;
      return bytes === null ? "a result that is no hex" : ok(bytes);
    },
  };
}

/** Bytes of hex text, or null where it is none. */
function hexBytes(text: string): Uint8Array | null {
  if (text.length % 2 !== 0) return null;
  // Buffer stops at the first character that is no hex digit, so a result that is too short shows one.
  const bytes = Buffer.from(text, "hex");
  if (bytes.length * 2 !== text.length) return null;
  // Small buffers share a slab of memory; a block that is kept must not keep its neighbours.
  return bytes.length < bytes.buffer.byteLength ? new Uint8Array(bytes) : new Uint8Array(bytes.buffer);
}
