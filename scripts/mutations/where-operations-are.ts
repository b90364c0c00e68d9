// Breaks of P-10 to P-15: which inputs are looked at, what an envelope is, what its body must be, who sent it.

import { type Break, inFile } from "./break.ts";

const cursor = inFile("src/chain/block-cursor.ts", [
  {
    rule: "P-11",
    find: ") === ANNEX_TAG",
    replace: ") === 0x51",
    why: "an annex is taken for the control block",
  },
  {
    rule: "P-11",
    find: "items >= 2 && lastEnd",
    replace: "items >= 3 && lastEnd",
    why: "of two items the annex is not set aside",
  },
  {
    rule: "P-11",
    find: "items > 2 && this",
    replace: "items > 3 && this",
    why: "leaf, control block and annex alone are enough",
  },
  {
    rule: "P-11",
    find: "(secondStart, secondEnd",
    replace: "(lastStart, lastEnd",
    why: "the annex is read as the control block",
  },
  {
    rule: "P-11",
    find: "thirdStart, thirdEnd",
    replace: "secondStart, secondEnd",
    why: "the control block is read as the leaf",
  },
  {
    rule: "P-11",
    find: "thirdEnd, lastStart, lastEnd,",
    replace: "thirdEnd, -1, -1,",
    why: "the annex is lost",
  },
  {
    rule: "P-11",
    find: "const CONTROL_BASE = 33;",
    replace: "const CONTROL_BASE = 65;",
    why: "a control block without a path is refused",
  },
  {
    rule: "P-11",
    find: "33 + 32 * 128;",
    replace: "33 + 32 * 127;",
    why: "a path of 128 steps is refused",
  },
  {
    rule: "P-11",
    find: "33 + 32 * 128;",
    replace: "33 + 32 * 129;",
    why: "a path of 129 steps is taken",
  },

  {
    rule: "P-11",
    find: "& 0xfe) === 0xc0",
    replace: "& 0xff) === 0xc0",
    why: "the parity bit of the control block counts",
  },
  {
    rule: "P-11",
    find: "& 0xfe) === 0xc0",
    replace: "& 0xf0) === 0xc0",
    why: "other leaf versions are taken",
  },

  {
    rule: "P-63",
    find: "if (probe.mayBeAnchor",
    replace: "if (i === 0 && probe.mayBeAnchor",
    why: "only the first input closes listings",
  },
]);

const scanner = inFile("src/chain/block-pass.ts", [
  {
    rule: "P-63",
    find: ", input.index)",
    replace: ", 0)",
    why: "a listing made and spent in one block stays open",
  },
]);

const envelope = inFile("src/prc20/envelope.ts", [
  {
    rule: "P-12",
    find: "if (length !== expected.length || length > end - from) return -1;\n  return equalRange(bytes, from, expected, 0, length)",
    replace:
      "if (length < expected.length || length > end - from) return -1;\n  return equalRange(bytes, from, expected, 0, expected.length)",
    why: "a marker that only begins right is taken",
  },

  {
    rule: "P-12",
    find: "BODY_MIN_BYTES)",
    replace: "0)",
    why: "a body of less than 2 bytes is taken",
    equivalent: "no text of less than 2 bytes is a JSON object, so P-13 refuses the same bodies",
  },

  {
    rule: "P-12",
    find: "BODY_MAX_BYTES)",
    replace: "BODY_MAX_BYTES + 1)",
    why: "a body of 4097 bytes is taken",
  },

  {
    rule: "P-12",
    find: "> OP_PUSHDATA4)",
    replace: "> OP_PUSHDATA2)",
    why: "OP_PUSHDATA4 is refused",
  },

  {
    rule: "P-12",
    find: "bytes, at + 1);",
    replace: "bytes, at + 1) < 76 ? 0xffff : byteAt(bytes, at + 1);",
    why: "a push that is not minimal is refused",
  },

  {
    rule: "P-15",
    find: " + 1, start + 33",
    replace: ", start + 32",
    why: "the key begins one byte early",
  },
]);

const payload = inFile("src/prc20/payload.ts", [
  {
    rule: "P-13",
    find: "/^[\\x21-\\x7e]{1,16}$/",
    replace: "/^[\\x21-\\x7e]{1,17}$/",
    why: "an op of 17 characters is recorded",
  },
  {
    rule: "P-13",
    find: "/^[\\x21-\\x7e]{1,16}$/",
    replace: "/^[\\x21-\\x7e]{1,15}$/",
    why: "an op of 16 characters leaves no row",
  },
  {
    rule: "P-13",
    find: "/^[\\x21-\\x7e]{1,16}$/",
    replace: "/^[\\x20-\\x7e]{1,16}$/",
    why: "a blank in an op is recorded",
  },
  {
    rule: "P-23",
    find: "return Object.hasOwn(fields, name) ? fields[name] : undefined;",
    replace: "return fields[name];",
    why: "members of Object.prototype count",
  },
  {
    rule: "P-14",
    find: ", text, fields",
    replace: ", text: JSON.stringify(parsed), fields",
    why: "payload_json is rewritten",
  },
]);

const reading = inFile("src/prc20/read-block.ts", [
  {
    rule: "P-14",
    find: "recorded !== null",
    replace: "(recorded !== null && recorded.operation !== null)",
    why: "an unknown op leaves no row",
  },

  {
    rule: "P-15",
    find: "addressOf(keyHex);",
    replace: 'addressOf(keyHex.replace(/^../, "00"));',
    why: "the sender is another key's address",
  },
]);

/** P-10 to P-15. */
export const WHERE_OPERATIONS_ARE: readonly Break[] = [
  ...cursor,
  ...scanner,
  ...envelope,
  ...payload,
  ...reading,
];
