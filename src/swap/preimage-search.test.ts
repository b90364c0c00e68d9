// A text is searched for 32 bytes where S-66 says and nowhere else, and the worst texts give few windows.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  assert as assertProperty,
  constantFrom,
  integer,
  property,
  tuple,
} from "../../testkit/properties.ts";
import { bytesToHex } from "../primitives/hex.ts";
import { preimageWindows } from "./preimage-search.ts";

const HEX = bytesToHex(Uint8Array.from({ length: 32 }, (_, index) => 0xa0 + index));

function values(text: string): readonly string[] {
  // All characters here are one byte each.
  const windows = preimageWindows(new TextEncoder().encode(text));
  if (windows === null) return [];
  return Array.from(windows.offsets, (offset) => bytesToHex(windows.bytes, offset, offset + 32));
}

const filled = (piece: string): string => piece.repeat(Math.ceil(65_536 / piece.length)).slice(0, 65_536);

const found = (text: string): boolean => values(text).includes(HEX);

function spelled(text: string, prefix: string): string {
  return text.replaceAll(/./g, (one) => `${prefix}${one.charCodeAt(0).toString(16)}`);
}

/** What the rule says of one reading of a text, by regular expressions. */
function windowsByTheRule(text: string): readonly string[] {
  const all: string[] = [];
  for (const [run] of text.matchAll(/[0-9a-fA-F]{64,}/g)) {
    const even = Array.from({ length: ((run.length - 64) >> 1) + 1 }, (_, i) => run.slice(2 * i, 2 * i + 64));
    all.push(...(run.length > 4096 ? [...even.slice(0, 64), ...even.slice(-64)] : even));
    if (run.length % 2 === 1) all.push(run.slice(-64));
  }
  return all.map((digits) => digits.toLowerCase());
}

describe("S-66: a secret in a text", () => {
  test("alone, in either case, with 0x, in JSON, in a path", () => {
    const texts = [
      HEX,
      HEX.toUpperCase(),
      `0x${HEX}`,
      `0X${HEX.toUpperCase()}`,
      `{"secret":"${HEX}"}`,
      `{"secret":"0x${HEX}","x":1}`,
      `/api/v1/deals/0x${HEX}/verify-lock`,
      `?a=${HEX}&b=`,
      `${"x".repeat(1000)}${HEX}`,
      `${"00".repeat(32)} ${HEX}`,
    ];
    for (const text of texts) assert.equal(found(text), true, text);
  });

  test("within a longer run at an even offset, or at its end", () => {
    const texts = [
      `00${HEX}`,
      `${HEX}00`,
      `${HEX}0`,
      `${"ff".repeat(40)}${HEX}${"ff".repeat(40)}`,
      // An odd number of digits before it: found because it is the end of the run.
      `0${HEX}`,
      `0x1${HEX}`,
      `${"f".repeat(101)}${HEX}`,
    ];
    for (const text of texts) assert.equal(found(text), true, text);
  });

  test("not at an odd offset within a run, cut, or with other digits", () => {
    const texts = [
      "",
      `0${HEX}0`,
      `0${HEX}00`,
      HEX.slice(1),
      HEX.slice(0, 63),
      `${HEX.slice(0, 32)} ${HEX.slice(32)}`,
      `${HEX.slice(0, 32)}x${HEX.slice(32)}`,
      "ab".repeat(32),
    ];
    for (const text of texts) assert.equal(found(text), false, text);
  });

  test("written with percent signs or JSON escapes, as a whole, in part or mixed", () => {
    const texts = [
      spelled(HEX, "%"),
      spelled(HEX, "\\u00"),
      `%30x${spelled(HEX, "%")}`,
      `${HEX.slice(0, 20)}${spelled(HEX.slice(20, 21), "%")}${HEX.slice(21)}`,
      `${spelled(HEX.slice(0, 1), "\\u00")}${HEX.slice(1)}`,
      `${spelled(HEX.slice(0, 9), "%")}${spelled(HEX.slice(9, 30), "\\u00")}${HEX.slice(30)}`,
      // No escape: two digits of the secret.
      `%${HEX}`,
      `\\u00e9${HEX}`,
      `%zz${HEX}\\u`,
      `%2${spelled(HEX, "%")}%`,
    ];
    for (const text of texts) assert.equal(found(text), true, text);
  });

  test("a run of 4,096 digits is searched everywhere, a longer one at its first and last 64 windows", () => {
    const run = (digits: number, at: number): string => `${"cd".repeat(at / 2)}${HEX}`.padEnd(digits, "cd");
    for (const at of [0, 126, 128, 2000, 4032]) assert.equal(found(run(4096, at)), true, `4096: ${at}`);
    const long = 5000;
    for (const at of [0, 126, long - 64 - 126, long - 64]) assert.equal(found(run(long, at)), true, `${at}`);
    for (const at of [128, 2000, long - 64 - 128]) assert.equal(found(run(long, at)), false, `${at}`);
    assert.equal(found(`${"c".repeat(long + 1)}${HEX}`), true, "the end of an odd run");
    assert.equal(values("ab".repeat(32_768)).length, 128);
  });

  test("every window of a plain text is found once, and no other", () => {
    const run = tuple(constantFrom("x", " ", "0x", "g"), integer({ min: 60, max: 140 }));
    assertProperty(
      property(tuple(run, run, run, constantFrom(1, 31, 32)), ([...parts]) => {
        const [one, two, three, step] = parts;
        const text = [one, two, three]
          .map(([gap, length], i) => gap + bytesToHex(new Uint8Array(70).fill(i * step)).slice(0, length))
          .join("");
        assert.deepEqual(values(text).toSorted(), windowsByTheRule(text).toSorted());
      }),
      { numRuns: 50 },
    );
  });

  test("64 KiB give at most 33,300 windows, however they are written", () => {
    const runs = [64, 65, 66, 127, 128, 600, 4094, 4095, 4096];
    const pieces = runs.flatMap((length) => {
      const digits = "5".repeat(length);
      return [
        `${digits} `,
        `${digits}%`,
        `${digits}%35`,
        `${digits}%20`,
        `${digits}\\u0035`,
        `${digits}\\u0020`,
      ];
    });
    let most = 0;
    for (const piece of pieces) most = Math.max(most, values(filled(piece)).length);
    assert.ok(most > 32_000, "the plain worst case is among them");
    assert.ok(most <= 33_300, `${most}`);
    assert.ok(values(filled("\\u0061")).length <= 130);
  });
});
