// The envelope is the one of P-12, and equals one that a real node has accepted.

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { describe, test } from "node:test";
import { script as bitcoinScript, opcodes } from "bitcoinjs-lib";
import { buildCommit, inscriptionLeaf, operationBody } from "./inscription.ts";
import { verifyHash } from "./keys.ts";
import { tapLeafHash, taprootSignatureHash } from "./signature-hash.ts";
import { parseTx } from "./transaction.ts";

// A reveal that pearld mined on simnet, of another token protocol with the same shape of envelope.
const REVEAL =
  "0100000000010156e1be953df27555232a37667fb57453117c2ff8ecd89fd6cefd8ec6bb5bbbcb0000000000ffffffff0150c3000000" +
  "0000002251209d331cd4b7407636134b328bc0bf4886d1d9006847bb0fa7e5b79b5abed2bae1034028b2b869e4678c7d2f680f4db1ed1" +
  "4e76725557a825831eb9d9655d7ae7cebcc5258fcd59d09ac67ec32eab704813eb662eeb9dfb72266b021fb3a1f640b8fdb7620200815" +
  "1c5cf76c1447f82a1acafbd5829d61922c30645d0881d9a385e25ff70aac00630670726c2d3230106170706c69636174696f6e2f6a736" +
  "f6e00377b2270223a2270726c2d3230222c226f70223a226d696e74222c227469636b223a2270726c73222c22616d74223a2231303030" +
  "3030227d6821c12008151c5cf76c1447f82a1acafbd5829d61922c30645d0881d9a385e25ff70a00000000";

describe("the simnet reveal", () => {
  const tx = parseTx(Uint8Array.from(Buffer.from(REVEAL, "hex")));
  const [signature, leaf, control] = tx.inputs[0]?.witness ?? [];
  assert.ok(signature && leaf && control);
  const senderKey = leaf.slice(1, 33);
  const body = operationBody("prl-20", "mint", { tick: "prls", amt: "100000" });
  const commit = buildCommit(senderKey, "prl-20", body);

  test("leaf, control block and output key are rebuilt", () => {
    assert.deepEqual(commit.leafScript, leaf);
    assert.deepEqual(commit.controlBlock, control);
    assert.equal(
      Buffer.from(commit.commitScript).toString("hex"),
      "5120d8621945b48053dadae42a1f20d95c9760fb24112612234c724c992a098ce700",
    );
  });

  test("its signature verifies under our leaf signature hash, and not one bit further", () => {
    const spent = [{ amount: 100_000n, script: commit.commitScript }];
    const hash = taprootSignatureHash(tx, 0, spent, { leafHash: tapLeafHash(leaf) });
    assert.equal(verifyHash(signature, hash, senderKey), true);
    const dearer = [{ amount: 100_001n, script: commit.commitScript }];
    const other = taprootSignatureHash(tx, 0, dearer, { leafHash: tapLeafHash(leaf) });
    assert.equal(verifyHash(signature, other, senderKey), false);
  });
});

describe("the leaf", () => {
  const key = new Uint8Array(32).fill(7);

  for (const size of [2, 75, 76, 255, 256, 520, 521, 1041, 4096]) {
    test(`body of ${size} bytes: pushes of at most 520, in order`, () => {
      const body = `{${"x".repeat(size - 2)}}`;
      const parts = bitcoinScript.decompile(inscriptionLeaf(key, "prc-20", body));
      assert.ok(parts);
      const { OP_CHECKSIG, OP_FALSE, OP_IF, OP_ENDIF } = opcodes;
      assert.deepEqual(
        parts
          .slice(0, 7)
          .map((part) => (typeof part === "number" ? part : Buffer.from(part).toString("latin1"))),
        [
          Buffer.from(key).toString("latin1"),
          OP_CHECKSIG,
          OP_FALSE,
          OP_IF,
          "prc-20",
          "application/json",
          OP_FALSE,
        ],
      );
      assert.equal(parts.at(-1), OP_ENDIF);
      const pushes = parts.slice(7, -1).map((part) => (typeof part === "number" ? assert.fail() : part));
      assert.ok(pushes.every((part) => part.length <= 520));
      assert.equal(Buffer.concat(pushes).toString(), body);
    });
  }

  test("the length is counted in UTF-8 bytes and bounded", () => {
    assert.throws(() => inscriptionLeaf(key, "prc-20", "x"), RangeError);
    assert.throws(() => inscriptionLeaf(key, "prc-20", "x".repeat(4097)), RangeError);
    assert.throws(() => inscriptionLeaf(key, "prc-20", "é".repeat(2049)), RangeError);
    assert.throws(() => inscriptionLeaf(key, "", "{}"), RangeError);
    assert.throws(() => inscriptionLeaf(key.slice(1), "prc-20", "{}"), RangeError);
  });
});
