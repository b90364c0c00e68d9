// Recognises a leaf script that is an operation's envelope: byte-exact P-12 over bytes[start, end), without a script
// interpreter. It runs for every tapscript input of the chain: nothing is allocated before the last byte matched.

import type { Envelope, RecogniseEnvelope } from "../chain/block-shapes.ts";
import { equalRange } from "../primitives/bytes.ts";
import { bytesToHex } from "../primitives/hex.ts";
import { BODY_MAX_BYTES, BODY_MIN_BYTES, CONTENT_TYPE } from "./rules.ts";

const OP_0 = 0x00;
const OP_PUSHDATA1 = 0x4c;
const OP_PUSHDATA2 = 0x4d;
const OP_PUSHDATA4 = 0x4e;
const OP_IF = 0x63;
const OP_ENDIF = 0x68;
const OP_CHECKSIG = 0xac;

/** Bytes of `<32-byte key> OP_CHECKSIG OP_FALSE OP_IF`. */
const HEAD_BYTES = 36;

/**
 * The recogniser of P-12 for one marker (ASCII).
 *
 * The returned function answers null for anything but exactly that script: a second envelope, an extra opcode, a
 * truncated push, a body outside 2 .. 4096 bytes. `Envelope.body` may be a part of the block's own bytes.
 * Source: P-12.
 */
export function recogniseEnvelope(marker: string): RecogniseEnvelope {
  const markerBytes = new TextEncoder().encode(marker);
  const contentType = new TextEncoder().encode(CONTENT_TYPE);
  return (bytes, start, end) => {
    const first = bodyStart(bytes, start, end, markerBytes, contentType);
    if (first < 0) return null;
    const size = bodySize(bytes, first, end);
    if (size < BODY_MIN_BYTES) return null;
    return { keyHex: bytesToHex(bytes, start + 1, start + 33), body: bodyOf(bytes, first, size) };
  };
}

/** Offset of the first body push, or -1 where the script does not begin as P-12 says. */
function bodyStart(
  bytes: Uint8Array,
  start: number,
  end: number,
  marker: Uint8Array,
  contentType: Uint8Array,
): number {
  if (end - start <= HEAD_BYTES || bytes[start] !== 32) return -1;
  if (bytes[start + 33] !== OP_CHECKSIG || bytes[start + 34] !== OP_0 || bytes[start + 35] !== OP_IF)
    return -1;
  const afterMarker = endOfPushOf(bytes, start + HEAD_BYTES, end, marker);
  if (afterMarker < 0) return -1;
  const afterType = endOfPushOf(bytes, afterMarker, end, contentType);
  if (afterType < 0 || afterType >= end || bytes[afterType] !== OP_0) return -1;
  return afterType + 1;
}

/** Offset after the push at `at` where it pushes exactly `expected`, else -1. */
function endOfPushOf(bytes: Uint8Array, at: number, end: number, expected: Uint8Array): number {
  const from = pushStart(bytes, at, end);
  if (from < 0) return -1;
  const length = pushLength(bytes, at);
  if (length !== expected.length || length > end - from) return -1;
  return equalRange(bytes, from, expected, 0, length) ? from + length : -1;
}

/** Sum of the body pushes up to an OP_ENDIF that is the script's last byte; -1 where it is not so or too much. */
function bodySize(bytes: Uint8Array, first: number, end: number): number {
  let at = first;
  let size = 0;
  while (at < end) {
    if (bytes[at] === OP_ENDIF) return at === end - 1 && at > first ? size : -1;
    const from = pushStart(bytes, at, end);
    if (from < 0) return -1;
    const length = pushLength(bytes, at);
    if (length > end - from) return -1;
    size += length;
    if (size > BODY_MAX_BYTES) return -1;
    at = from + length;
  }
  return -1;
}

/** Offset of the data of the push opcode at `at`; -1 where there is none or its length bytes are cut off. */
function pushStart(bytes: Uint8Array, at: number, end: number): number {
  if (at >= end) return -1;
  const opcode = byteAt(bytes, at);
  // OP_0 is a push as well, of no bytes, but P-12 accepts 0x01 to 0x4e only.
  if (opcode === OP_0 || opcode > OP_PUSHDATA4) return -1;
  const from =
    opcode < OP_PUSHDATA1
      ? at + 1
      : opcode === OP_PUSHDATA1
        ? at + 2
        : opcode === OP_PUSHDATA2
          ? at + 3
          : at + 5;
  return from <= end ? from : -1;
}

/** Length that the push opcode at `at` announces; its length bytes must be there (see pushStart). */
function pushLength(bytes: Uint8Array, at: number): number {
  const opcode = byteAt(bytes, at);
  if (opcode < OP_PUSHDATA1) return opcode;
  if (opcode === OP_PUSHDATA1) return byteAt(bytes, at + 1);
  const low = byteAt(bytes, at + 1) + byteAt(bytes, at + 2) * 0x100;
  if (opcode === OP_PUSHDATA2) return low;
  return low + byteAt(bytes, at + 3) * 0x10000 + byteAt(bytes, at + 4) * 0x1000000;
}

function byteAt(bytes: Uint8Array, at: number): number {
  return bytes[at] ?? 0;
}

/** The body's bytes: where one push holds them all, the block's own bytes, else joined in a copy. */
function bodyOf(bytes: Uint8Array, first: number, size: number): Envelope["body"] {
  const start = pushStart(bytes, first, bytes.length);
  if (pushLength(bytes, first) === size) return bytes.subarray(start, start + size);
  const body = new Uint8Array(size);
  let at = first;
  let filled = 0;
  while (filled < size) {
    const from = pushStart(bytes, at, bytes.length);
    const length = pushLength(bytes, at);
    body.set(bytes.subarray(from, from + length), filled);
    filled += length;
    at = from + length;
  }
  return body;
}
