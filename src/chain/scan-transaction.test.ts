// One transaction alone is read and refused as consensus does.

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { describe, test } from "node:test";
import { contextOf } from "../../test/chain/sample-blocks.ts";
import { scanTransaction } from "./scan-transaction.ts";

function parts(text: string): Uint8Array {
  return new Uint8Array(Buffer.from(text.replaceAll(" ", ""), "hex"));
}

/** The fault code of these bytes, or `accepted`. */
const code = (text: string): string => {
  const result = scanTransaction(parts(text), contextOf());
  return result.ok ? "accepted" : result.error.code;
};

describe("one transaction", () => {
  const input = `${"11".repeat(32)} 00000000 00 ffffffff`;
  const output = "0100000000000000 00";
  test("encodings that consensus refuses are refused", () => {
    assert.equal(code(`02000000 01${input} 01${output} 00000000`), "accepted");
    assert.equal(code(`02000000 0001 01${input} 01${output} 0101aa 00000000`), "accepted");
    assert.equal(code(`02000000 0001 01${input} 01${output} 00 00000000`), "BAD_TRANSACTION");
    assert.equal(code(`02000000 0002 01${input} 01${output} 0101aa 00000000`), "BAD_TRANSACTION");
    assert.equal(code(`02000000 0001 00 01${output} 00000000`), "BAD_TRANSACTION");
    assert.equal(code(`02000000 01${input} 00 00000000 00`), "BAD_TRANSACTION");
    assert.equal(code(`02000000 fd0100${input} 01${output} 00000000`), "BAD_TRANSACTION");
    assert.equal(code(`02000000 fe01000000${input} 01${output} 00000000`), "BAD_TRANSACTION");
    assert.equal(code(`02000000 ff0100000000000000${input} 01${output} 00000000`), "BAD_TRANSACTION");
    assert.equal(code(`02000000 ff0000000001000000${input} 01${output} 00000000`), "TRUNCATED");
    assert.equal(code(`02000000 01${input} 01${output} 00000000 00`), "TRAILING_BYTES");
    assert.equal(code(`02000000 01${input} 01 0000 52ac dfb2 241d 00 00000000`), "accepted");
    assert.equal(code(`02000000 01${input} 01 0100 52ac dfb2 241d 00 00000000`), "BAD_TRANSACTION");
    assert.equal(code(`02000000 01${input} 01 0000 0000 0000 0080 00 00000000`), "BAD_TRANSACTION");
    assert.equal(
      code(`02000000 01${"00".repeat(32)}ffffffff00ffffffff 01${output} 00000000`),
      "BAD_TRANSACTION",
    );
  });

  test("the reveal that a Pearl node mined: ids and owner's output", () => {
    const raw = parts(
      "0100000000010156e1be953df27555232a37667fb57453117c2ff8ecd89fd6cefd8ec6bb5bbbcb0000000000ffffffff0150c30000000000002251209d331cd4b7407636134b328bc0bf4886d1d9006847bb0fa7e5b79b5abed2bae1034028b2b869e4678c7d2f680f4db1ed14e76725557a825831eb9d9655d7ae7cebcc5258fcd59d09ac67ec32eab704813eb662eeb9dfb72266b021fb3a1f640b8fdb76202008151c5cf76c1447f82a1acafbd5829d61922c30645d0881d9a385e25ff70aac00630670726c2d3230106170706c69636174696f6e2f6a736f6e00377b2270223a2270726c2d3230222c226f70223a226d696e74222c227469636b223a2270726c73222c22616d74223a22313030303030227d6821c12008151c5cf76c1447f82a1acafbd5829d61922c30645d0881d9a385e25ff70a00000000",
    );
    const result = scanTransaction(raw, contextOf());
    assert.ok(result.ok && result.value !== null);
    assert.equal(result.value.txid, "4ce09eb37a2022e586b5a8a1ec764eba49313b9b5f2bc9f05f55541c7e82c9b0");
    const scriptHex = "51209d331cd4b7407636134b328bc0bf4886d1d9006847bb0fa7e5b79b5abed2bae1";
    assert.deepEqual(result.value.output(0), { valueSat: 50_000n, scriptHex });
    const key = "2008151c5cf76c1447f82a1acafbd5829d61922c30645d0881d9a385e25ff70a";
    assert.equal(result.value.interesting[0]?.envelope?.keyHex, key);
  });
});
