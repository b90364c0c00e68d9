// Reads whether an input carries an operation, and the text that it inscribed: section 2, P-11 to P-15. It reads the
// witness alone; every rule that fails gives null, never an exception.
import { addressOfKey } from "./values.ts";

/** An input that passes P-11 to P-13. */
export interface RecordedOperation {
  /** K: the 32 bytes of the leaf's key. */
  key: Uint8Array;
  /** P-15: the address whose output key is K. */
  sender: string;
  /** P-13: 1 to 16 characters 0x21 to 0x7e. */
  op: string;
  /** The parsed object. Read it with Object.hasOwn only (P-23). */
  fields: Record<string, unknown>;
  /** P-14: the body's text exactly as inscribed. */
  payload: string;
  /** P-11: the annex that was set aside, or null. */
  annex: Uint8Array | null;
}

/** P-11 to P-13 for the witness stack of one input; null where it carries no operation. */
export function readOperation(witness: Uint8Array[], marker: string, hrp: string): RecordedOperation | null {
  const spend = splitWitness(witness);
  if (spend === null) return null;
  const leaf = parseLeaf(spend.leaf, marker);
  if (leaf === null) return null;
  const body = parseBody(leaf.body, marker);
  if (body === null) return null;
  return { key: leaf.key, sender: addressOfKey(leaf.key, hrp), ...body, annex: spend.annex };
}

/** P-11: the leaf script and the annex. */
function splitWitness(witness: Uint8Array[]): { leaf: Uint8Array; annex: Uint8Array | null } | null {
  let items = witness;
  let annex: Uint8Array | null = null;
  const last = items.at(-1);
  if (items.length >= 2 && last !== undefined && last[0] === 0x50) {
    annex = last;
    items = items.slice(0, -1);
  }
  const control = items.at(-1);
  const leaf = items.at(-2);
  if (control === undefined || leaf === undefined) return null;
  if (control.length < 33 || control.length > 33 + 32 * 128) return null;
  if ((control.length - 33) % 32 !== 0) return null;
  const first = control[0];
  if (first !== 0xc0 && first !== 0xc1) return null;
  return { leaf, annex };
}

/** P-12: the key and the joined body pushes of a leaf of exactly that shape. */
function parseLeaf(script: Uint8Array, marker: string): { key: Uint8Array; body: Uint8Array } | null {
  if (script.length < 36) return null;
  if (script[0] !== 0x20) return null;
  const key = script.slice(1, 33);
  if (script[33] !== 0xac) return null; // OP_CHECKSIG
  if (script[34] !== 0x00) return null; // OP_FALSE
  if (script[35] !== 0x63) return null; // OP_IF
  const markerPush = readPush(script, 36);
  if (markerPush === null || !isAscii(markerPush.bytes, marker)) return null;
  const typePush = readPush(script, markerPush.next);
  if (typePush === null || !isAscii(typePush.bytes, "application/json")) return null;
  if (script[typePush.next] !== 0x00) return null; // OP_0
  let position = typePush.next + 1;
  const chunks: Uint8Array[] = [];
  while (script[position] !== 0x68) {
    const push = readPush(script, position);
    if (push === null) return null;
    chunks.push(push.bytes);
    position = push.next;
  }
  if (chunks.length === 0) return null;
  if (position + 1 !== script.length) return null; // nothing may follow OP_ENDIF
  const body = Buffer.concat(chunks);
  if (body.length < 2 || body.length > 4096) return null;
  return { key, body };
}

/** P-12: one push by opcode 0x01-0x4b, OP_PUSHDATA1, 2 or 4; null for any other opcode or a truncated push. */
function readPush(script: Uint8Array, position: number): { bytes: Uint8Array; next: number } | null {
  const opcode = script[position];
  if (opcode === undefined) return null;
  let lengthBytes = 0;
  if (opcode === 0x4c) lengthBytes = 1;
  else if (opcode === 0x4d) lengthBytes = 2;
  else if (opcode === 0x4e) lengthBytes = 4;
  else if (opcode < 0x01 || opcode > 0x4b) return null;
  let length = opcode;
  if (lengthBytes > 0) {
    const field = script.slice(position + 1, position + 1 + lengthBytes);
    if (field.length !== lengthBytes) return null;
    length = Buffer.from(field).readUIntLE(0, lengthBytes);
  }
  const start = position + 1 + lengthBytes;
  const bytes = script.slice(start, start + length);
  if (bytes.length !== length) return null;
  return { bytes, next: start + length };
}

function isAscii(bytes: Uint8Array, text: string): boolean {
  return Buffer.from(bytes).equals(Buffer.from(text, "ascii"));
}

/** P-13: the text, the object and its `op`. */
function parseBody(
  body: Uint8Array,
  marker: string,
): { op: string; fields: Record<string, unknown>; payload: string } | null {
  let payload: string;
  let parsed: unknown;
  try {
    payload = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body);
    parsed = JSON.parse(payload);
  } catch {
    return null;
  }
  if (!isPlainObject(parsed)) return null;
  const p = ownMember(parsed, "p");
  const op = ownMember(parsed, "op");
  if (p !== marker) return null;
  if (typeof op !== "string" || !/^[\x21-\x7e]{1,16}$/.test(op)) return null;
  return { op, fields: parsed, payload };
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** P-23: an own member's value; undefined where the object has none of that name. (JSON yields no undefined.) */
export function ownMember(fields: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}
