// The bytes of a JSON answer with its entity tag, and what a client gets of them: 304 where it already has them, a
// compressed form where it takes one and it pays (H-08). And the port to a thread that makes such answers.

import { hash } from "node:crypto";
import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { PaddedText } from "../index/pages.ts";
import type { BlockHash } from "../primitives/brands.ts";
import type { Refusal } from "./errors.ts";
import type { Result } from "../primitives/result.ts";

/** Encodings that are offered; "identity" is the plain bytes. */
type Encoding = "identity" | "gzip" | "br";

/** A finished answer: immutable but for the compressed forms, each made once, when it is first asked for. */
export interface Answer {
  /** It is sent as long as the process lives: its compressed forms may take their time, and are small. */
  readonly isLasting: boolean;
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
  /** Entity tag of the bytes, without quotes. Other encodings add their name. */
  readonly tag: string;
  /** Headers beyond those that `headersOf` adds. */
  readonly headers: Readonly<Record<string, string>>;
  readonly encoded: Map<Encoding, Buffer>;
  /** Forms that are being made: whoever asks meanwhile waits for the same bytes. */
  readonly compressing: Map<Encoding, Promise<Buffer>>;
}

/** What is written to one client. */
interface Delivery {
  readonly status: number;
  readonly headers: Record<string, string>;
  /** Null where the answer has no body (304). `content-length` is in the headers. */
  readonly body: Buffer | null;
}

/** Content type of every JSON answer (H-01). */
export const JSON_TYPE = "application/json; charset=utf-8";

/** Smaller bodies fit into one packet anyway: compressing them costs more than it saves. */
const COMPRESS_FROM_BYTES = 1400;

/**
 * Headers of every answer: who may read it, and which of its headers (H-08); and that a browser must not guess another
 * type than the one that it names.
 */
export const COMMON_HEADERS: Readonly<Record<string, string>> = {
  "access-control-allow-origin": "*",
  "x-content-type-options": "nosniff",
  "access-control-expose-headers":
    "etag, retry-after, ratelimit-limit, ratelimit-remaining, ratelimit-reset, x-indexed-height, x-evm-indexed-height, x-request-id",
};

const LIST_END = "]}";

const deflate = promisify(gzip);
const brotli = promisify(brotliCompress);

/** What is handed to a connection at a time: its client has taken one piece before it is given the next (H-11). */
const PIECE_BYTES = 256 * 1024;

/** The pieces of a body that is too large to wait for a client as a whole; null where it is not. */
export function piecesOf(body: Buffer): readonly Buffer[] | null {
  if (body.length <= PIECE_BYTES) return null;
  const count = Math.ceil(body.length / PIECE_BYTES);
  return Array.from({ length: count }, (_, at) => body.subarray(at * PIECE_BYTES, (at + 1) * PIECE_BYTES));
}

/** Ends a response by a body, a large one piece by piece. */
export function endWith(response: ServerResponse, body: Buffer | undefined): void {
  const pieces = body === undefined ? null : piecesOf(body);
  if (pieces === null) response.end(body);
  else Readable.from(pieces).pipe(response);
}

/** The bytes of a JSON body and their entity tag. */
interface TaggedBody {
  readonly body: Buffer;
  readonly tag: string;
}

/** A value as a JSON body. */
export function jsonBody(value: unknown): TaggedBody {
  return tagged(Buffer.from(JSON.stringify(value)));
}

/**
 * An object of at least one field, all ASCII, and a last field `result` with these elements, as a JSON body. It is put
 * around the elements where they are, if there is room: memory outside of V8's heap is what a page costs most of.
 */
export function listBody(fields: object, { buffer, from, to }: PaddedText): TaggedBody {
  const head = `${JSON.stringify(fields).slice(0, -1)},"result":[`;
  const hasRoom = from >= head.length && buffer.length - to >= LIST_END.length;
  if (!hasRoom) {
    return tagged(Buffer.concat([Buffer.from(head), buffer.subarray(from, to), Buffer.from(LIST_END)]));
  }
  const bytes = Buffer.from(buffer.buffer, buffer.byteOffset, buffer.byteLength);
  const start = from - head.length;
  bytes.write(head, start, "latin1");
  return tagged(bytes.subarray(start, to + bytes.write(LIST_END, to, "latin1")));
}

function tagged(body: Buffer): TaggedBody {
  return { body, tag: hash("sha256", body, "base64url").slice(0, 22) };
}

/** An answer with a JSON body. */
export function jsonAnswer(status: number, value: unknown, headers: Record<string, string> = {}): Answer {
  return answerOf(status, jsonBody(value), headers);
}

/** An answer with a text of another type. */
export function textAnswer(
  contentType: string,
  text: string | Buffer,
  headers: Record<string, string>,
): Answer {
  const body = typeof text === "string" ? Buffer.from(text) : text;
  return { ...answerOf(200, tagged(body), headers), contentType };
}

/** An answer with this JSON body. */
export function answerOf(status: number, made: TaggedBody, headers: Record<string, string>): Answer {
  const { body, tag } = made;
  const encoded = new Map<Encoding, Buffer>([["identity", body]]);
  const compressing = new Map<Encoding, Promise<Buffer>>();
  return { isLasting: false, status, contentType: JSON_TYPE, body, tag, headers, encoded, compressing };
}

/** The encoding that these bytes should have for a client with this `Accept-Encoding`. */
export function chooseEncoding(answer: Answer, acceptEncoding: string | undefined): Encoding {
  if (acceptEncoding === undefined) return "identity";
  const { br, gzip: gz, identity } = encodingQualities(acceptEncoding);
  const best = Math.max(br, gz);
  // Plain bytes are always taken (RFC 9110 §12.5.3) but by whoever says that they are not, whatever it pays.
  const isPlain = identity !== 0 && (answer.body.length < COMPRESS_FROM_BYTES || (identity ?? 0) > best);
  if (best <= 0 || isPlain) return "identity";
  return br >= gz ? "br" : "gzip";
}

/** How much may be compressed at a time. */
export interface CompressionRoom {
  /** True where a body of so many bytes may be compressed now; it counts until it is left. */
  enter(bytes: number): boolean;
  leave(bytes: number): void;
}

/**
 * The bytes in an encoding; compresses at the first call, once for all who ask until it is done. Null where there is no
 * room for that now.
 */
async function encodedBody(
  answer: Answer,
  encoding: Encoding,
  room: CompressionRoom | undefined,
): Promise<Buffer | null> {
  const { encoded, compressing, body } = answer;
  const known = encoded.get(encoding) ?? compressing.get(encoding);
  if (known !== undefined) return known;
  if (room?.enter(body.length) === false) return null;
  const made = compressed(answer, encoding);
  compressing.set(encoding, made);
  try {
    encoded.set(encoding, await made);
    return await made;
  } finally {
    compressing.delete(encoding);
    room?.leave(body.length);
  }
}

function compressed({ body, isLasting }: Answer, encoding: Encoding): Promise<Buffer> {
  return encoding === "br"
    ? brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: isLasting ? 9 : 4 } })
    : deflate(body, { level: isLasting ? 9 : 6 });
}

/** Entity tag of the bytes in an encoding, without quotes: other bytes have another tag (RFC 9110 §8.8.3). */
function tagIn(answer: Answer, encoding: Encoding): string {
  return encoding === "identity" ? answer.tag : `${answer.tag}-${encoding}`;
}

/** One place of a list of entity tags up to its comma or the end; places may be empty (RFC 9110 §5.6.1.2, §8.8.3). */
const LISTED_TAG = /[ \t]*(?:(?:W\/)?"([\x21\x23-\x7e\x80-\xff]*)"[ \t]*)?(?:,|$)/y;

/** The tags of a list, without quotes; null where it is no such list. */
function tagsIn(list: string): ReadonlySet<string> | null {
  const tags = new Set<string>();
  for (let at = 0; at < list.length; at = LISTED_TAG.lastIndex) {
    LISTED_TAG.lastIndex = at;
    const place = LISTED_TAG.exec(list);
    if (place === null) return null;
    if (place[1] !== undefined) tags.add(place[1]);
  }
  return tags;
}

/**
 * True where `If-None-Match` names the answer in the encoding that this client takes (RFC 9110 §13.1.2: lists, W/, *).
 * What is no list of tags names none.
 * A cache that holds another one only has nothing that it could hand out, and must not use a 304 whose tag it does not
 * know (RFC 9111 §4.3.4).
 */
export function isKnownToClient(
  answer: Answer,
  encoding: Encoding,
  ifNoneMatch: string | undefined,
): boolean {
  if (ifNoneMatch === undefined || answer.status !== 200) return false;
  if (ifNoneMatch.trim() === "*") return true;
  return tagsIn(ifNoneMatch)?.has(tagIn(answer, encoding)) ?? false;
}

/** Headers of an answer in an encoding, `x-request-id` and `content-length` aside. */
export function headersOf(answer: Answer, encoding: Encoding): Record<string, string> {
  const headers: Record<string, string> = {
    "content-type": answer.contentType,
    "cache-control": "no-cache",
    etag: `"${tagIn(answer, encoding)}"`,
    vary: "accept-encoding",
    ...COMMON_HEADERS,
    ...answer.headers,
  };
  if (encoding !== "identity") headers["content-encoding"] = encoding;
  return headers;
}

/**
 * What this client gets of an answer. Where there is no `room` to compress it, that is the plain bytes, which take no time
 * and lie there already: whoever says that he takes none can read them all the same.
 */
export async function deliver(
  answer: Answer,
  request: IncomingHttpHeaders,
  room?: CompressionRoom,
): Promise<Delivery> {
  const encoding = chooseEncoding(answer, request["accept-encoding"]);
  if (isKnownToClient(answer, encoding, request["if-none-match"])) {
    return { status: 304, headers: withoutContent(headersOf(answer, encoding)), body: null };
  }
  const packed = await encodedBody(answer, encoding, room);
  const body = packed ?? answer.body;
  const headers = headersOf(answer, packed === null ? "identity" : encoding);
  headers["content-length"] = String(body.length);
  return { status: answer.status, headers, body };
}

/** The headers of a 304: those that describe the missing bytes are left out. */
export function withoutContent(headers: Record<string, string>): Record<string, string> {
  const { "content-type": _type, "content-encoding": _encoding, ...rest } = headers;
  return rest;
}

/** Weights of a list by RFC 9110 §12.4.2, by lower-case name: those of `Accept` and of `Accept-Encoding`. */
export function qualitiesIn(header: string): ReadonlyMap<string, number> {
  const qualities = new Map<string, number>();
  for (const part of header.toLowerCase().split(",")) {
    const [name = "", ...parameters] = part.split(";").map((piece) => piece.trim());
    const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    const quality = weight === undefined ? 1 : Number(weight);
    qualities.set(name, Number.isFinite(quality) ? quality : 0);
  }
  return qualities;
}

/** Qualities by RFC 9110 §12.5.3: an unnamed one has that of `*`, else 0; null for plain bytes of which nothing is said. */
function encodingQualities(acceptEncoding: string) {
  const qualities = qualitiesIn(acceptEncoding);
  const others = qualities.get("*");
  return {
    br: qualities.get("br") ?? others ?? 0,
    gzip: qualities.get("gzip") ?? others ?? 0,
    identity: qualities.get("identity") ?? (others === 0 ? 0 : null),
  };
}

/** The answer to a read, ready to be sent. */
export interface MadeAnswer extends TaggedBody {
  /** Of the state that all its rows come from (H-09). */
  readonly height: number;
  readonly hash: BlockHash | null;
}

/** Somebody beside the calling thread who makes answers of list endpoints. */
export interface AnswerMaker {
  /**
   * Orders the answer of a route, by the route's name and the request's raw placeholders and parameters. Null where
   * it has enough to do or is not ready. Resolves with null where it ends before it answers: either way the caller
   * makes the answer. Rejects where making it failed.
   */
  ask(route: string, params: unknown, query: unknown): Promise<Result<MadeAnswer, Refusal> | null> | null;
}
