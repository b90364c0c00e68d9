// P-12 byte by byte: the recogniser beside a second implementation that reads scripts push by push, over every form of
// push, over scripts that something was put into, taken out of or changed in, and wherever they stand in a block.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "../../testkit/properties.ts";
import { leafHead, witnessOf } from "../../testkit/oracles/prc20/hand-made.ts";
import { readOperation } from "../../testkit/oracles/prc20/envelope.ts";
import { recogniseEnvelope } from "../../src/prc20/envelope.ts";
import { readPayload } from "../../src/prc20/payload.ts";

const MARKER = "prc-20";
const KEY = Buffer.alloc(32, 0x4b);
const ENDIF = Buffer.from([0x68]);
const recognise = recogniseEnvelope(MARKER);

/** The forms of a push: the length as opcode, or behind OP_PUSHDATA1, 2 and 4. */
type Form = 0 | 1 | 2 | 4;

function push(bytes: Uint8Array, form: Form): Buffer {
  if (form === 0) return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  const length = Buffer.alloc(form);
  length.writeUIntLE(bytes.length, 0, form);
  return Buffer.concat([Buffer.from([form === 1 ? 0x4c : form === 2 ? 0x4d : 0x4e]), length, bytes]);
}

/** The form, or the next longer one where it cannot hold so much. */
function fitting(form: Form, length: number): Form {
  if (form === 0 && (length === 0 || length > 75)) return fitting(1, length);
  return form === 1 && length > 255 ? 2 : form;
}

/** The body that the recogniser finds, as text; null where it finds no envelope. The script stands among other bytes. */
function found(
  script: Uint8Array,
  before = Buffer.alloc(3, 0x20),
  after = Buffer.alloc(5, 0x68),
): string | null {
  const bytes = Buffer.concat([before, script, after]);
  const envelope = recognise(bytes, before.length, before.length + script.length);
  return envelope === null ? null : Buffer.from(envelope.body).toString("latin1");
}

function leaf(...parts: readonly Uint8Array[]): Buffer {
  return Buffer.concat([leafHead(KEY), ...parts, ENDIF]);
}

function letters(length: number): Buffer {
  return Buffer.alloc(length, 0x61);
}

/** A script with these pushes in place of marker and content type, and a body of two bytes. */
function named(...parts: readonly Uint8Array[]): Buffer {
  const start = Buffer.concat([Buffer.from([0x20]), KEY, Buffer.from("ac0063", "hex")]);
  return Buffer.concat([start, ...parts, Buffer.from([0]), push(letters(2), 0), ENDIF]);
}

describe("P-12: an envelope and nothing else", () => {
  test("a body of 2 to 4096 bytes in any pushes, empty ones too", () => {
    for (const [length, isOne] of [
      [0, false],
      [1, false],
      [2, true],
      [4096, true],
      [4097, false],
    ] as const) {
      const expected = isOne ? "a".repeat(length) : null;
      assert.equal(found(leaf(push(letters(length), 2))), expected, `${length} in one push`);
      assert.equal(found(leaf(push(letters(length), 4))), expected, `${length} behind OP_PUSHDATA4`);
      const halves = [letters(length >> 1), letters(length - (length >> 1))].map((half) => push(half, 2));
      assert.equal(found(leaf(...halves, push(letters(0), 1))), expected, `${length} in three pushes`);
    }
    assert.equal(found(leaf()), null, "no push");
  });

  test("a length that is not there is none, whichever of its bytes says so", () => {
    const two = Buffer.from("aa");
    // Two bytes are there: a length of anything else is one too few, or too many.
    for (const bytes of [2, 4] as const) {
      for (let at = 0; at < bytes; at += 1) {
        for (const value of [0, 1, 2, 3, 0x80, 0xff]) {
          const length = Buffer.from([2, 0, 0, 0]).subarray(0, bytes);
          length[at] = value;
          const script = leaf(Buffer.from([bytes === 2 ? 0x4d : 0x4e, ...length]), two);
          assert.equal(
            found(script),
            length.readUIntLE(0, bytes) === 2 ? "aa" : null,
            length.toString("hex"),
          );
        }
      }
    }
  });

  test("every opcode in place of the body's push, beside it, and in place of OP_ENDIF", () => {
    const whole = leaf(push(Buffer.from("aa"), 0));
    for (let opcode = 0; opcode < 256; opcode += 1) {
      const instead = leaf(Buffer.concat([Buffer.from([opcode]), Buffer.from("aa")]));
      assert.equal(found(instead), opcode === 2 ? "aa" : null, `${opcode} for the push`);
      const long = leaf(Buffer.from([opcode, 2, 0, 0, 0]), letters(2));
      const pushed = opcode === 6 ? "\u0002\0\0\0aa" : opcode === 0x4e ? "aa" : null;
      assert.equal(found(long), pushed, `${opcode} for OP_PUSHDATA4`);
      const first = leaf(Buffer.from([opcode]), push(Buffer.from("aa"), 0));
      // Three bytes, or OP_PUSHDATA1 with the push's opcode as its length: then it is another push.
      const read = opcode === 3 ? "\u0002aa" : opcode === 0x4c ? "aa" : null;
      assert.equal(found(first), read, `${opcode} before it`);
      const last = leaf(push(Buffer.from("aa"), 0), Buffer.from([opcode]));
      assert.equal(found(last), null, `${opcode} behind it`);
      const end = Buffer.concat([whole.subarray(0, -1), Buffer.from([opcode])]);
      assert.equal(found(end), opcode === 0x68 ? "aa" : null, `${opcode} for OP_ENDIF`);
      assert.equal(found(Buffer.concat([whole, Buffer.from([opcode])])), null, `${opcode} at the end`);
    }
  });

  test("every byte of the head counts, and every byte that is missing or too much", () => {
    const whole = leaf(push(Buffer.from("aa"), 0));
    const head = whole.length - 4;
    for (let at = 0; at < whole.length; at += 1) {
      const less = Buffer.concat([whole.subarray(0, at), whole.subarray(at + 1)]);
      assert.equal(found(less), null, `without byte ${at}`);
      assert.equal(found(whole.subarray(0, at)), null, `cut at ${at}`);
      assert.equal(found(whole.subarray(at + 1)), null, `from byte ${at + 1} on`);
      const isFree = (at >= 1 && at <= 32) || (at > head && at < whole.length - 1);
      const other = Buffer.from(whole);
      other[at] = (other[at] ?? 0) ^ 0x80;
      assert.equal(found(other) === null, !isFree, `byte ${at} changed`);
    }
  });

  test("marker and content type in any form of push, and in no other length", () => {
    const [marker, type] = [Buffer.from(MARKER), Buffer.from("application/json")];
    for (const one of [0, 1, 2, 4] as const) {
      for (const other of [0, 1, 2, 4] as const) {
        assert.equal(found(named(push(marker, one), push(type, other))), "aa");
        assert.equal(found(named(push(marker.subarray(1), one), push(type, other))), null);
        assert.equal(found(named(push(marker, one), push(type.subarray(0, -1), other))), null);
        assert.equal(found(named(push(Buffer.concat([marker, marker]), one), push(type, other))), null);
        assert.equal(found(named(push(type, other), push(marker, one))), null);
      }
    }
    assert.equal(found(named(push(marker, 0))), null);
    assert.equal(found(named(push(marker, 0), push(type, 0), push(Buffer.alloc(0), 1))), null);
  });

  test("random scripts carry what a second implementation finds in them", () => {
    const anyForm = fc.constantFrom<Form>(0, 1, 2, 4);
    const anyPieces = fc.array(fc.tuple(fc.nat({ max: 400 }), anyForm), { maxLength: 6 });
    const anyChange = fc.option(
      fc.record({ at: fc.nat(), take: fc.nat({ max: 3 }), put: fc.uint8Array({ maxLength: 3 }) }),
    );
    let operations = 0;
    fc.assert(
      fc.property(anyPieces, fc.nat({ max: 5000 }), anyForm, anyChange, (pieces, size, form, change) => {
        let rest: Uint8Array = Buffer.from(JSON.stringify({ p: MARKER, op: "mint", x: "x".repeat(size) }));
        const pushes = pieces.map(([length, shape]) => {
          const piece = rest.subarray(0, length);
          rest = rest.subarray(length);
          return push(piece, fitting(shape, piece.length));
        });
        let script = leaf(...pushes, push(rest, fitting(form, rest.length)));
        if (change !== null) {
          const at = change.at % script.length;
          const changed = [script.subarray(0, at), change.put, script.subarray(at + change.take)];
          script = Buffer.concat(changed);
        }
        const expected = readOperation(witnessOf(script), MARKER, "rprl")?.payload ?? null;
        const body = found(script);
        const payload = body === null ? null : readPayload(Buffer.from(body, "latin1"), MARKER);
        assert.equal(payload?.text ?? null, expected);
        if (expected !== null) operations += 1;
      }),
      { numRuns: 1500 },
    );
    assert.ok(operations > 100 && operations < 1400, `${operations} of 1500 carried an operation`);
  });
});
