// Breaks of P-10 to P-15: which inputs are looked at, what an envelope is, what its body must be, who sent it.

import { type Break, inFile } from "./break.ts";

const cursor = inFile("src/chain/block-cursor.ts", [
  {
    rule: "P-11",
    find: "view.getUint8(lastStart) === ANNEX_TAG",
    replace: "view.getUint8(lastStart) === 0x51",
    why: "an annex is taken for the control block",
  },
  {
    rule: "P-11",
    find: "if (items >= 2 && lastEnd > lastStart",
    replace: "if (items >= 3 && lastEnd > lastStart",
    why: "of two items the annex is not set aside",
  },
  {
    rule: "P-11",
    find: "const leaf = items > 2 && this.#isControlBlock(secondStart, secondEnd);",
    replace: "const leaf = items > 3 && this.#isControlBlock(secondStart, secondEnd);",
    why: "leaf, control block and annex alone are enough",
  },
  {
    rule: "P-11",
    find: "const leaf = items > 2 && this.#isControlBlock(secondStart, secondEnd);",
    replace: "const leaf = items > 2 && this.#isControlBlock(lastStart, lastEnd);",
    why: "the annex is read as the control block",
  },
  {
    rule: "P-11",
    find: "if (leaf) this.#note(input, thirdStart, thirdEnd, lastStart, lastEnd, spends);",
    replace: "if (leaf) this.#note(input, secondStart, secondEnd, lastStart, lastEnd, spends);",
    why: "the control block is read as the leaf",
  },
  {
    rule: "P-11",
    find: "if (leaf) this.#note(input, thirdStart, thirdEnd, lastStart, lastEnd, spends);",
    replace: "if (leaf) this.#note(input, thirdStart, thirdEnd, -1, -1, spends);",
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
    find: "const CONTROL_MAX = 33 + 32 * 128;",
    replace: "const CONTROL_MAX = 33 + 32 * 127;",
    why: "a path of 128 steps is refused",
  },
  {
    rule: "P-11",
    find: "const CONTROL_MAX = 33 + 32 * 128;",
    replace: "const CONTROL_MAX = 33 + 32 * 129;",
    why: "a path of 129 steps is taken",
  },
  {
    rule: "P-11",
    find: " || (length - CONTROL_BASE) % CONTROL_STEP !== 0",
    replace: "",
    why: "any length of control block is taken",
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
    find: "else if (spends === 1) this.#note(input, -1, -1, lastStart, lastEnd, 1);\n      return true;",
    replace: "return true;",
    why: "a spend of an anchor with an annex and no leaf goes unseen",
  },
  {
    rule: "P-63",
    find: "else if (probe.mayBeAnchor(bytes, at)) this.#spend(i);",
    replace: "else if (i === 0 && probe.mayBeAnchor(bytes, at)) this.#spend(i);",
    why: "only the first input closes listings",
  },
  {
    rule: "P-63",
    find: "for (let i = 0; i < this.#spendCount; i += 1) this.#note(this.#spends[i] ?? 0, -1, -1, -1, -1, 1);",
    replace: "",
    why: "a spend in a transaction without witness goes unseen",
  },
]);

const scanner = inFile("src/chain/scan-block.ts", [
  {
    rule: "P-10",
    find: "if (cursor.noteCount === 0 || index === 0) return;",
    replace: "if (cursor.noteCount === 0) return;",
    why: "operations of the coinbase count",
  },
  {
    rule: "P-63",
    find: "this.#anchors.make(txid, input.index);",
    replace: "this.#anchors.make(txid, 0);",
    why: "a listing made and spent in one block stays open",
  },
]);

const envelope = inFile("src/prc20/envelope.ts", [
  {
    rule: "P-12",
    find: "bytes[start] !== 32",
    replace: "bytes[start] === 33",
    why: "any first opcode is taken for the key's push",
  },
  {
    rule: "P-12",
    find: "bytes[start + 33] !== OP_CHECKSIG || ",
    replace: "",
    why: "a leaf that never checked the signature makes a sender",
  },
  {
    rule: "P-12",
    find: "bytes[start + 34] !== OP_0 || ",
    replace: "",
    why: "any opcode before OP_IF is taken: the envelope might be executed",
  },
  {
    rule: "P-12",
    find: " || bytes[start + 35] !== OP_IF",
    replace: "",
    why: "any opcode is taken for OP_IF",
  },
  {
    rule: "P-12",
    find: "if (afterType < 0 || afterType >= end || bytes[afterType] !== OP_0) return -1;",
    replace: "if (afterType < 0 || afterType >= end) return -1;",
    why: "any opcode is taken for the separator",
  },
  {
    rule: "P-12",
    find: "for (let i = 0; i < length; i++) if (bytes[from + i] !== expected[i]) return -1;",
    replace: "",
    why: "any marker and content type of the right length is taken",
  },
  {
    rule: "P-12",
    find: "if (length !== expected.length || length > end - from) return -1;\n  for (let i = 0; i < length; i++)",
    replace:
      "if (length < expected.length || length > end - from) return -1;\n  for (let i = 0; i < expected.length; i++)",
    why: "a marker that only begins right is taken",
  },
  {
    rule: "P-12",
    find: "at === end - 1 && at > first ? size : -1",
    replace: "at > first ? size : -1",
    why: "something may follow OP_ENDIF",
  },
  {
    rule: "P-12",
    find: "at === end - 1 && at > first ? size : -1",
    replace: "at === end - 1 ? size : -1",
    why: "no body push is needed",
    equivalent: "without a push the size is 0, and a body below 2 bytes is refused right after",
  },
  {
    rule: "P-12",
    find: "if (size < BODY_MIN_BYTES) return null;",
    replace: "if (size < 0) return null;",
    why: "a body of less than 2 bytes is taken",
    equivalent: "no text of less than 2 bytes is a JSON object, so P-13 refuses the same bodies",
  },
  {
    rule: "P-12",
    find: "if (size > BODY_MAX_BYTES) return -1;",
    replace: "if (size >= BODY_MAX_BYTES) return -1;",
    why: "a body of 4096 bytes is refused",
  },
  {
    rule: "P-12",
    find: "if (size > BODY_MAX_BYTES) return -1;",
    replace: "if (size > BODY_MAX_BYTES + 1) return -1;",
    why: "a body of 4097 bytes is taken",
  },
  {
    rule: "P-12",
    find: "size += length;",
    replace: "size = length;",
    why: "only the last push is the body",
  },
  {
    rule: "P-12",
    find: "if (opcode === OP_0 || opcode > OP_PUSHDATA4) return -1;",
    replace: "if (opcode === OP_0 || opcode > OP_PUSHDATA2) return -1;",
    why: "OP_PUSHDATA4 is refused",
  },
  {
    rule: "P-12",
    find: "if (opcode === OP_0 || opcode > OP_PUSHDATA4) return -1;",
    replace: "if (opcode > OP_PUSHDATA4) return -1;",
    why: "OP_0 is a body push",
  },
  {
    rule: "P-12",
    find: "if (opcode === OP_PUSHDATA1) return byteAt(bytes, at + 1);",
    replace:
      "if (opcode === OP_PUSHDATA1) return byteAt(bytes, at + 1) < 76 ? 0xffff : byteAt(bytes, at + 1);",
    why: "a push that is not minimal is refused",
  },
  {
    rule: "P-12",
    find: "if (length > end - from) return -1;\n    size += length;",
    replace: "size += length;",
    why: "a truncated push reads beyond the leaf",
    equivalent: "a push beyond the end leaves the loop, and a loop that ends without OP_ENDIF is refused too",
  },
  {
    rule: "P-15",
    find: "keyHex: bytesToHex(bytes, start + 1, start + 33)",
    replace: "keyHex: bytesToHex(bytes, start, start + 32)",
    why: "the key begins one byte early",
  },
]);

const payload = inFile("src/prc20/payload.ts", [
  {
    rule: "P-13",
    find: "{ fatal: true, ignoreBOM: true }",
    replace: "{ fatal: false, ignoreBOM: true }",
    why: "bytes that are not UTF-8 are replaced",
  },
  {
    rule: "P-13",
    find: "{ fatal: true, ignoreBOM: true }",
    replace: "{ fatal: true, ignoreBOM: false }",
    why: "a byte order mark is dropped",
  },
  {
    rule: "P-13",
    find: " && !Array.isArray(value)",
    replace: "",
    why: "an array is an object",
    equivalent: "an array that JSON makes has no own members p and op, so it carries no operation either",
  },
  {
    rule: "P-13",
    find: "if (p !== marker || ",
    replace: "if (p === undefined || ",
    why: "any p is taken",
  },
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
    find: "return { op, text, fields: parsed };",
    replace: "return { op, text: JSON.stringify(parsed), fields: parsed };",
    why: "payload_json is rewritten",
  },
]);

const reading = inFile("src/prc20/read-block.ts", [
  {
    rule: "P-14",
    find: "if (recorded !== null || spends !== null) inputs.push",
    replace: "if ((recorded !== null && recorded.operation !== null) || spends !== null) inputs.push",
    why: "an unknown op leaves no row",
  },
  {
    rule: "P-63",
    find: "if (recorded !== null || spends !== null) inputs.push",
    replace: "if (recorded !== null) inputs.push",
    why: "a spend without an operation closes nothing",
  },
  {
    rule: "P-15",
    find: "const sender = addressOf(keyHex);",
    replace: 'const sender = addressOf(keyHex.replace(/^../, "00"));',
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
