// Bodies that are meant to hurt: at and above the size limit, nested as deep as they fit, with the names that objects
// inherit, with numbers in every odd form. The reference reads the same blocks and must say the same.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { bodyOf, verdicts, Workshop } from "./workshop.ts";

const text = new TextEncoder();

/** Applies one block with each body in a transaction of its own; gives the verdict of each, null where it left no row. */
function judge(workshop: Workshop, bodies: readonly (string | Uint8Array)[]): (string | null)[] {
  const actor = workshop.actor();
  const made = bodies.map((body) => workshop.inscription(actor, body));
  const changes = workshop.apply(made);
  return made.map((transaction) => {
    const row = changes.operations.find(({ txid }) => txid === transaction.getId());
    return row === undefined ? null : (row.reason ?? "valid");
  });
}

/** A valid deploy of exactly `size` bytes: an ignored field is as long as needed. */
function sized(tick: string, size: number): string {
  const empty = bodyOf({ op: "deploy", tick, max: "1", x: "" });
  return bodyOf({ op: "deploy", tick, max: "1", x: "x".repeat(size - empty.length) });
}

/** A deploy with an ignored field that is nested as deep as 4096 bytes allow. */
function deep(open: string, close: string): string {
  const head = '{"p":"prc-20","op":"deploy","tick":"DEEP","max":"1","x":';
  const depth = Math.floor((4095 - head.length) / (open.length + close.length));
  return `${head}${open.repeat(depth - 1)}[]${close.repeat(depth - 1)}}`;
}

describe("size (P-12)", () => {
  test("4096 bytes are an operation, 4097 are none, whatever the pushes", () => {
    const workshop = new Workshop(11);
    assert.deepEqual(judge(workshop, [sized("A", 4095), sized("B", 4096), sized("C", 4097)]), [
      "valid",
      "valid",
      null,
    ]);
    const actor = workshop.actor();
    const forms = ["shortest", "pushdata1", "pushdata2", "pushdata4"] as const;
    for (const [index, form] of forms.entries()) {
      for (const chunk of [1, 75, 76, 255, 256, 520, 4096]) {
        if (form === "pushdata1" && chunk > 255) continue;
        const at = workshop.draft();
        at.reveal(actor, sized(`K${index}C${chunk}`, 4096), { shape: { form, chunk } });
        at.reveal(actor, sized(`L${index}C${chunk}`, 4097), { shape: { form, chunk } });
        assert.deepEqual(verdicts(workshop.apply([at.finish()])), { valid: 1 }, `${form} ${chunk}`);
      }
    }
    workshop.assertReferenceAgrees();
  });

  test("two bytes, one byte, none", () => {
    const workshop = new Workshop(12);
    assert.deepEqual(judge(workshop, ["{}", "1", ""]), [null, null, null]);
    workshop.assertReferenceAgrees();
  });
});

describe("nesting", () => {
  test("as deep as a body can be: an operation where the brackets close, none where they do not", () => {
    const workshop = new Workshop(13);
    const bodies = [
      deep("[", "]"),
      deep('{"a":', "}").replace("DEEP", "DEEPER"),
      "[".repeat(4096),
      `${"[".repeat(2048)}${"]".repeat(2048)}`,
      '{"a":'.repeat(819),
      `{"p":"prc-20","op":${"[".repeat(2000)}${"]".repeat(2000)}}`,
      bodyOf({ op: "mint", tick: JSON.parse(`${"[".repeat(1900)}${"]".repeat(1900)}`) }),
    ];
    assert.deepEqual(judge(workshop, bodies), ["valid", "valid", null, null, null, null, "FIELD_TYPE"]);
    workshop.assertReferenceAgrees();
  });
});

describe("names that every object knows (P-23: only own members count)", () => {
  const INHERITED = ["__proto__", "constructor", "prototype", "toString", "valueOf", "hasOwnProperty"];

  test("as op: recorded as unknown; as ticker: just letters, or no ticker", () => {
    const workshop = new Workshop(14);
    const ops = INHERITED.map((op) => bodyOf({ op, tick: "A" }));
    assert.deepEqual(
      judge(workshop, ops),
      ops.map(() => "OP_UNKNOWN"),
    );
    const deploys = INHERITED.map((tick) => bodyOf({ op: "deploy", tick, max: "1" }));
    assert.deepEqual(judge(workshop, deploys), ["TICK_INVALID", "valid", "valid", "valid", "valid", "valid"]);
    const mints = INHERITED.map((tick) => bodyOf({ op: "mint", tick: `${tick}x`.replace("__x", "") }));
    assert.deepEqual(new Set(judge(workshop, mints)), new Set(["TICK_INVALID", "TICK_UNKNOWN"]));
    workshop.assertReferenceAgrees();
  });

  test("as members: ignored, and nothing is inherited from them", () => {
    const workshop = new Workshop(15);
    const bodies = [
      '{"__proto__":{"p":"prc-20","op":"deploy","tick":"A","max":"1"}}',
      '{"p":"prc-20","__proto__":{"op":"deploy"},"tick":"A","max":"1"}',
      '{"p":"prc-20","op":"deploy","__proto__":{"tick":"A"},"max":"1"}',
      '{"p":"prc-20","op":"deploy","tick":"A","max":"1","__proto__":{"lim":"9","to":7}}',
      '{"p":"prc-20","op":"deploy","tick":"B","max":"1","__proto__":null,"constructor":null}',
      '{"p":"prc-20","op":"deploy","tick":"C","max":"1","constructor":{"prototype":{"p":"x"}}}',
      '{"p":"prc-20","op":"deploy","tick":"D","max":"1","hasOwnProperty":0,"toString":{}}',
      '{"p":"prc-20","op":"deploy","tick":"E","max":"1","lim":{"__proto__":"1"}}',
      '{"p":"prc-20","op":"send","id":"list:__proto__:0"}',
    ];
    assert.deepEqual(judge(workshop, bodies), [
      null,
      null,
      "TICK_INVALID",
      "valid",
      "valid",
      "valid",
      "valid",
      "FIELD_TYPE",
      "LISTING_ID_INVALID",
    ]);
    assert.equal(Reflect.get({}, "lim"), undefined, "Object.prototype is as it was");
    workshop.assertReferenceAgrees();
  });
});

describe("values in odd forms", () => {
  test("numbers, digits without end, other digits, signs, blanks", () => {
    const workshop = new Workshop(16);
    const amounts = [
      "9".repeat(3900),
      `1${"0".repeat(38)}`,
      `9${"9".repeat(38)}`,
      "1e3",
      "0x10",
      "+1",
      "-1",
      " 1",
      "1 ",
      "1.0",
      "01",
      "",
      "٣",
      "１",
      "1\u0000",
      "\ud800",
      "Infinity",
      "NaN",
    ];
    const given = judge(
      workshop,
      amounts.map((max, index) => bodyOf({ op: "deploy", tick: `T${index}`, max })),
    );
    assert.deepEqual(
      given.map((verdict, index) => [amounts[index]?.slice(0, 40), verdict]),
      amounts.map((max, index) => [max.slice(0, 40), index === 1 ? "valid" : "MAX_INVALID"]),
    );
    const bare = ["1", "1e400", "-0", "null", "true", "[]", "{}"].map(
      (max) => `{"p":"prc-20","op":"deploy","tick":"A","max":${max}}`,
    );
    assert.deepEqual(
      judge(workshop, bare),
      bare.map(() => "FIELD_TYPE"),
    );
    workshop.assertReferenceAgrees();
  });

  test("repeated names, lone surrogates, byte order marks, bytes that are not UTF-8", () => {
    const workshop = new Workshop(17);
    const good = '{"p":"prc-20","op":"deploy","tick":"A","max":"1"}';
    const bytes = text.encode(good);
    const spoiled = (byte: number): Uint8Array => {
      const copy = text.encode('{"p":"prc-20","op":"deploy","tick":"S","max":"1","x":"?"}');
      copy[copy.lastIndexOf(0x3f)] = byte;
      return copy;
    };
    const bodies: (string | Uint8Array)[] = [
      '{"p":"x","p":"prc-20","op":"nothing","op":"deploy","tick":7,"tick":"R","max":[],"max":"1"}',
      '{"p":"prc-20","p":"x","op":"deploy","tick":"Q","max":"1"}',
      '{"p":"prc-20","op":"deploy","tick":"U","max":"1","x":"\\ud800\\udc00\\ud800"}',
      '{"p":"prc-20","op":"deploy","tick":"\\u0056","max":"1"}',
      '{"p":"prc-20","op":"\\u0001","tick":"A"}',
      Uint8Array.of(0xef, 0xbb, 0xbf, ...bytes),
      `{"p":"prc-20","op":"deploy","tick":"W","max":"1","x":"\ufeff"}`,
      spoiled(0xff),
      spoiled(0xc0),
      spoiled(0x80),
      Uint8Array.of(...bytes, 0),
      `${good}\n\t `,
      `${good}${good}`,
    ];
    assert.deepEqual(judge(workshop, bodies), [
      "valid",
      null,
      "valid",
      "valid",
      null,
      null,
      "valid",
      null,
      null,
      null,
      null,
      "valid",
      null,
    ]);
    workshop.assertReferenceAgrees();
  });
});
