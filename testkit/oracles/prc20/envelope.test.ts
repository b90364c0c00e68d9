// An input carries an operation exactly where P-10 to P-13 say so. Every way in and out is seen through the rows of the
// index.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Transaction } from "bitcoinjs-lib";
import { push } from "../../bytes.ts";
import {
  ReferenceChain,
  GENESIS,
  PARAMS,
  person,
  controlBlock,
  leafHead,
  leafOf,
  transaction,
  witnessOf,
} from "./hand-made.ts";
import { ReferenceIndex } from "./index.ts";
import type { OperationRow } from "./index.ts";

const ALICE = person("alice");
const PING = '{"p":"prc-20","op":"ping"}';
const HEAD = leafHead(ALICE.key);
const END = Buffer.from([0x68]);
const SIG = Buffer.alloc(64, 1);
const LEAF = leafOf(ALICE.key, Buffer.from(PING));

function rowsOf(witness: Uint8Array[]): OperationRow[] {
  return new ReferenceChain().block(transaction([{ witness }]));
}

/** The payload of the one row, or null where nothing was recorded. */
function payloadOf(witness: Uint8Array[]): string | null {
  const rows = rowsOf(witness);
  assert.ok(rows.length <= 1);
  return rows[0]?.payload_json ?? null;
}

function bodyRow(body: Uint8Array | string): string | null {
  return payloadOf(witnessOf(leafOf(ALICE.key, Buffer.from(body))));
}

describe("P-10: where operations are", () => {
  test("an operation row stands for its input, with the sender of the leaf's key", () => {
    const [row] = new ReferenceChain().block(transaction([{}, { by: ALICE, payload: PING }]));
    assert.ok(row !== undefined);
    assert.equal(row.vout, 1);
    assert.equal(row.tx_index, 1);
    assert.equal(row.from, ALICE.address);
    assert.equal(row.reason, "OP_UNKNOWN");
    assert.deepEqual([row.valid, row.tick, row.to, row.amount, row.listing_id], [0, "", null, null, null]);
  });

  test("the coinbase is skipped even where its witness holds a leaf", () => {
    const index = new ReferenceIndex(PARAMS);
    const coinbase = transaction([{ by: ALICE, payload: PING }]);
    const next = transaction([{ by: ALICE, payload: PING }]);
    const raw = [coinbase.toBuffer(), next.toBuffer()];
    index.apply({ height: 1, hash: GENESIS, time: 0, transactions: raw });
    assert.deepEqual(
      index.snapshot().operations.map((row) => row.tx_index),
      [1],
    );
  });
});

describe("P-11: the witness", () => {
  const annex = Buffer.from("50aa", "hex");
  const cases: [string, Uint8Array[], boolean][] = [
    ["signature, leaf, control block", [SIG, LEAF, controlBlock()], true],
    ["two items are enough", [LEAF, controlBlock()], true],
    ["one item is not", [LEAF], false],
    ["annex set aside", [SIG, LEAF, controlBlock(), annex], true],
    ["an annex of the one byte 0x50", [LEAF, controlBlock(), Buffer.from([0x50])], true],
    [
      "two trailing 0x50 items: the inner one is no control block",
      [LEAF, controlBlock(), annex, annex],
      false,
    ],
    ["only one item left after the annex", [controlBlock(), annex], false],
    ["an empty last item is no annex and no control block", [LEAF, controlBlock(), Buffer.alloc(0)], false],
    ["leaf version parity bit 0", [LEAF, controlBlock(0, 0xc0)], true],
    ["another leaf version", [LEAF, controlBlock(0, 0xc2)], false],
    ["128 siblings", [LEAF, controlBlock(128)], true],
    ["129 siblings", [LEAF, controlBlock(129)], false],
    ["a control block of 32 bytes", [LEAF, controlBlock().subarray(0, 32)], false],
    ["a control block of 34 bytes", [LEAF, Buffer.concat([controlBlock(), Buffer.from([0])])], false],
    ["leaf not before the control block", [LEAF, SIG, controlBlock()], false],
    // The control block of 33 bytes that starts with 0x50 would be taken for an annex.
    ["a 0x50 control block", [SIG, LEAF, controlBlock(0, 0x50)], false],
  ];
  for (const [name, witness, expected] of cases) {
    test(name, () => assert.equal(payloadOf(witness), expected ? PING : null));
  }
});

const padded = (length: number) => PING + " ".repeat(length - PING.length);

describe("P-12: the leaf", () => {
  const body = push(PING);
  const envelope = Buffer.concat([Buffer.from("0063", "hex"), push("prc-20"), push("application/json")]);
  const rest = Buffer.concat([Buffer.from([0]), body, END]);
  const keyPart = Buffer.concat([Buffer.from([0x20]), ALICE.key, Buffer.from([0xac])]);
  const swap = (at: number, byte: number) => {
    const copy = Buffer.from(LEAF);
    copy[at] = byte;
    return copy;
  };
  const withType = (marker: Uint8Array, type: Uint8Array) =>
    Buffer.concat([keyPart, Buffer.from("0063", "hex"), marker, type, rest]);

  const accepted: [string, Buffer][] = [
    ["as written", Buffer.concat([keyPart, envelope, rest])],
    ["marker by OP_PUSHDATA1", withType(push("prc-20", "pushdata1"), push("application/json"))],
    ["type by OP_PUSHDATA2", withType(push("prc-20"), push("application/json", "pushdata2"))],
    ["marker by OP_PUSHDATA4", withType(push("prc-20", "pushdata4"), push("application/json", "pushdata4"))],
    ["body by OP_PUSHDATA1", Buffer.concat([HEAD, push(PING, "pushdata1"), END])],
    ["body by OP_PUSHDATA2", Buffer.concat([HEAD, push(PING, "pushdata2"), END])],
    ["body by OP_PUSHDATA4", Buffer.concat([HEAD, push(PING, "pushdata4"), END])],
    ["many pushes", Buffer.concat([HEAD, ...PING.split("").map((letter) => push(letter)), END])],
    ["the longest direct push, 75 bytes", Buffer.concat([HEAD, push(padded(75)), END])],
    ["an empty push by OP_PUSHDATA1", Buffer.concat([HEAD, push("", "pushdata1"), body, END])],
    ["an empty push by OP_PUSHDATA2", Buffer.concat([HEAD, body, push("", "pushdata2"), END])],
    ["an empty push by OP_PUSHDATA4", Buffer.concat([HEAD, body, push("", "pushdata4"), END])],
  ];
  for (const [name, leaf] of accepted) {
    test(`carries one: ${name}`, () => assert.equal(payloadOf(witnessOf(leaf))?.trimEnd(), PING));
  }

  const refused: [string, Buffer][] = [
    ["no key push", swap(0, 0x21)],
    ["the key by OP_PUSHDATA1", Buffer.concat([Buffer.from([0x4c]), LEAF])],
    ["OP_CHECKSIGVERIFY", swap(33, 0xad)],
    ["OP_1 in the place of OP_FALSE", swap(34, 0x51)],
    ["OP_NOTIF", swap(35, 0x64)],
    [
      "an empty push by OP_PUSHDATA1 in the place of OP_FALSE",
      Buffer.from(LEAF.toString("hex").replace("ac0063", "ac4c0063"), "hex"),
    ],
    ["another marker", withType(push("prl-20"), push("application/json"))],
    ["upper-case marker", withType(push("PRC-20"), push("application/json"))],
    ["another content type", withType(push("prc-20"), push("application/jsoN"))],
    ["content type with a charset", withType(push("prc-20"), push("application/json;charset=utf-8"))],
    ["a non-minimal OP_0", Buffer.concat([keyPart, envelope, push("", "pushdata1"), body, END])],
    ["no OP_0", Buffer.concat([keyPart, envelope, body, END])],
    ["no body push", Buffer.concat([HEAD, END])],
    ["OP_0 among the body pushes", Buffer.concat([HEAD, Buffer.from([0]), body, END])],
    [
      "OP_1NEGATE (0x4f) is no push of 79 bytes",
      Buffer.concat([HEAD, Buffer.from([0x4f]), Buffer.from(padded(79)), END]),
    ],
    ["0x50 is no push of 80 bytes", Buffer.concat([HEAD, Buffer.from([0x50]), Buffer.from(padded(80)), END])],
    ["OP_1 among the body pushes", Buffer.concat([HEAD, body, Buffer.from([0x51]), END])],
    ["an opcode after OP_ENDIF", Buffer.concat([LEAF, Buffer.from([0x51])])],
    ["a second envelope", Buffer.concat([LEAF, envelope, rest])],
    ["no OP_ENDIF", LEAF.subarray(0, -1)],
    ["a truncated push", Buffer.concat([HEAD, Buffer.from([0x05, 0x68])])],
    ["a truncated OP_PUSHDATA1", Buffer.concat([HEAD, Buffer.from([0x4c])])],
    ["a truncated OP_PUSHDATA2", Buffer.concat([HEAD, Buffer.from([0x4d, 0x01])])],
    ["a truncated OP_PUSHDATA4", Buffer.concat([HEAD, Buffer.from([0x4e, 0xff, 0xff, 0xff, 0xff, 0x68])])],
    ["an empty leaf", Buffer.alloc(0)],
    ["only the key part", keyPart],
  ];
  for (const [name, leaf] of refused) {
    test(`carries none: ${name}`, () => assert.equal(payloadOf(witnessOf(leaf)), null));
  }

  test("every cut of a good leaf carries none and throws nothing", () => {
    for (let length = 0; length < LEAF.length; length++) {
      assert.equal(payloadOf(witnessOf(LEAF.subarray(0, length))), null);
    }
  });

  test("any 32 bytes are a key, also no point", () => {
    const [row] = rowsOf(witnessOf(leafOf(Buffer.alloc(32, 0xff), Buffer.from(PING))));
    assert.match(row?.from ?? "", /^rprl1p/);
  });

  test("the body has 2 to 4096 bytes", () => {
    assert.equal(bodyRow(padded(4096)), padded(4096));
    assert.equal(bodyRow(padded(4097)), null);
    assert.equal(bodyRow("{"), null);
    assert.equal(payloadOf(witnessOf(Buffer.concat([HEAD, push("", "pushdata1"), END]))), null);
    // One push of 4096 bytes: the 520 bytes of consensus are not checked here.
    assert.equal(payloadOf(witnessOf(Buffer.concat([HEAD, push(padded(4096)), END]))), padded(4096));
  });
});

describe("P-13: the body", () => {
  const recorded: [string, string][] = [
    ["white space around", ` \n\t${PING}\r `],
    ["of repeated names the last counts", '{"p":"x","p":"prc-20","op":1,"op":"ping"}'],
    ["escapes", '{"\\u0070":"prc\\u002d20","op":"pin\\u0067"}'],
    ["16 characters", '{"p":"prc-20","op":"!234567890abcde~"}'],
    ["U+FEFF inside a string", '{"p":"prc-20","op":"ping","x":"\uFEFF"}'],
    ["a lone surrogate by escape", '{"p":"prc-20","op":"ping","x":"\\ud800"}'],
    ["__proto__ as an ordinary member", '{"p":"prc-20","op":"ping","__proto__":{"op":"mint"}}'],
    ["deep JSON", `{"p":"prc-20","op":"ping","x":${"[".repeat(2000)}${"]".repeat(2000)}}`],
  ];
  for (const [name, body] of recorded) {
    test(`recorded: ${name}`, () => assert.equal(bodyRow(body), body));
  }

  const dropped: [string, Uint8Array | string][] = [
    ["a byte order mark", `\uFEFF${PING}`],
    [
      "bad UTF-8",
      Buffer.concat([Buffer.from('{"p":"prc-20","op":"ping","x":"'), Buffer.from([0xff]), Buffer.from('"}')]),
    ],
    [
      "an overlong form",
      Buffer.concat([
        Buffer.from('{"p":"prc-20","op":"ping","x":"'),
        Buffer.from([0xc0, 0x80]),
        Buffer.from('"}'),
      ]),
    ],
    [
      "an encoded surrogate",
      Buffer.concat([
        Buffer.from('{"p":"prc-20","op":"ping","x":"'),
        Buffer.from([0xed, 0xa0, 0x80]),
        Buffer.from('"}'),
      ]),
    ],
    ["no JSON", "{p:1}"],
    ["a trailing comma", '{"p":"prc-20","op":"ping",}'],
    ["a raw line feed inside a string", '{"p":"prc-20","op":"ping","x":"\n"}'],
    ["NUL after it", `${PING}\0`],
    ["no-break space after it", `${PING}\u00a0`],
    ["null", "null"],
    ["a string", '"ping"'],
    ["an array", `[${PING}]`],
    ["no p", '{"op":"ping"}'],
    ["another p", '{"p":"PRC-20","op":"ping"}'],
    ["p by prototype", '{"__proto__":{"p":"prc-20"},"op":"ping"}'],
    ["no op", '{"p":"prc-20"}'],
    ["op is no string", '{"p":"prc-20","op":["ping"]}'],
    ["op empty", '{"p":"prc-20","op":""}'],
    ["op of 17 characters", '{"p":"prc-20","op":"12345678901234567"}'],
    ["op with a space", '{"p":"prc-20","op":"pi ng"}'],
    ["op with a line feed at its end", '{"p":"prc-20","op":"ping\\n"}'],
    ["op with DEL", '{"p":"prc-20","op":"ping\\u007f"}'],
    ["op not ASCII", '{"p":"prc-20","op":"pïng"}'],
    ["2500 open brackets", "[".repeat(2500)],
  ];
  for (const [name, body] of dropped) {
    test(`not recorded: ${name}`, () => assert.equal(bodyRow(body), null));
  }
});

describe("the real simnet reveal", () => {
  const raw =
    "0100000000010156e1be953df27555232a37667fb57453117c2ff8ecd89fd6cefd8ec6bb5bbbcb0000000000ffffffff0150c300000000" +
    "00002251209d331cd4b7407636134b328bc0bf4886d1d9006847bb0fa7e5b79b5abed2bae1034028b2b869e4678c7d2f680f4db1ed14e7" +
    "6725557a825831eb9d9655d7ae7cebcc5258fcd59d09ac67ec32eab704813eb662eeb9dfb72266b021fb3a1f640b8fdb76202008151c5c" +
    "f76c1447f82a1acafbd5829d61922c30645d0881d9a385e25ff70aac00630670726c2d3230106170706c69636174696f6e2f6a736f6e00" +
    "377b2270223a2270726c2d3230222c226f70223a226d696e74222c227469636b223a2270726c73222c22616d74223a22313030303030" +
    "227d6821c12008151c5cf76c1447f82a1acafbd5829d61922c30645d0881d9a385e25ff70a00000000";

  function rowsUnder(marker: string): OperationRow[] {
    const index = new ReferenceIndex({ ...PARAMS, marker });
    const coinbase = transaction([{}]).toBuffer();
    const reveal = Transaction.fromHex(raw).toBuffer();
    index.apply({ height: 1, hash: GENESIS, time: 0, transactions: [coinbase, reveal] });
    return index.snapshot().operations;
  }

  test("no operation under prc-20", () => assert.deepEqual(rowsUnder("prc-20"), []));

  test("one under prl-20", () => {
    assert.deepEqual(rowsUnder("prl-20"), [
      {
        height: 1,
        tx_index: 1,
        txid: "4ce09eb37a2022e586b5a8a1ec764eba49313b9b5f2bc9f05f55541c7e82c9b0",
        vout: 0,
        op: "mint",
        payload_json: '{"p":"prl-20","op":"mint","tick":"prls","amt":"100000"}',
        from: "rprl1pyqyp28zu7akpg3lc9gdv4774s2wkry3vxpj96zypmx3ctcjl7u9qud0v33",
        tick: "PRLS",
        valid: 0,
        reason: "TICK_UNKNOWN",
        to: null,
        amount: null,
        listing_id: null,
      },
    ]);
  });
});
