// Reads an envelope's body by P-13: strict UTF-8, JSON, an object with the right `p` and a printable `op`. Fields are
// kept as parsed, unjudged: each operation reads the names that it knows (P-23).

import { isRecord, parseJson } from "../primitives/plain-json.ts";

/** A body that makes its input a recorded operation (P-14). */
export interface Payload {
  /** 1 to 16 characters 0x21-0x7e; perhaps an unknown operation (P-24). */
  readonly op: string;
  /** The body exactly as inscribed. */
  readonly text: string;
  /** The parsed object; only own members count, of repeated names the last (P-13, P-23). */
  readonly fields: Fields;
}

/** Members of a payload object, of any JSON type. */
export type Fields = Readonly<Record<string, unknown>>;

// ignoreBOM means "do not swallow it": with the mark kept, JSON.parse refuses the body, as P-13 wants.
const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const OP_NAME = /^[\x21-\x7e]{1,16}$/;

/**
 * Reads a body (P-13, P-14). Null where the input carries no operation: bytes that are not UTF-8, text that is not
 * JSON, no object, another `p`, no printable `op`. Never throws, whatever the bytes.
 */
export function readPayload(body: Uint8Array, marker: string): Payload | null {
  const text = decodeStrictly(body);
  if (text === null) return null;
  const parsed = parseJson(text);
  if (!isRecord(parsed)) return null;
  const p = member(parsed, "p");
  const op = member(parsed, "op");
  if (p !== marker || typeof op !== "string" || !OP_NAME.test(op)) return null;
  return { op, text, fields: parsed };
}

/** The own member `name`, undefined where there is none (P-23). */
export function member(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

function decodeStrictly(body: Uint8Array): string | null {
  try {
    return strictUtf8.decode(body);
  } catch {
    return null;
  }
}
