// Mutated witnesses: which of them still name a leaf, and which secrets they show.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { swapCrypto } from "../adapters/system/swap-crypto.ts";
import type { Bytes32 } from "../primitives/brands.ts";
import { concatBytes } from "../primitives/bytes.ts";
import { hexToBytes } from "../primitives/hex.ts";
import { fromBytes32, taggedHash, toBytes32 } from "./crypto.ts";
import { branchHash, claimScript, leafHash, htlcOf, NUMS_KEY, refundScript } from "./htlc-script.ts";
import {
  mayShowClaim,
  preimagesIn,
  shownClaim,
  spendPath,
  spentLeafHash,
  withoutAnnex,
} from "./spend-leaf.ts";

const { sha256 } = swapCrypto;
const SECRET = Uint8Array.from({ length: 32 }, (_, index) => index);
const TERMS = {
  hashlock: toBytes32(sha256(SECRET)),
  buyerKey: "0xc6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5" as Bytes32,
  sellerKey: "0xf9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9" as Bytes32,
  pearlRefundTime: 1_800_000_000,
};
const lock = htlcOf(TERMS, swapCrypto);
assert.ok(lock !== null);
const SIGNATURE = new Uint8Array(64).fill(7);
const ANNEX = Uint8Array.of(0x50, 1, 2, 3);
const claim = [SIGNATURE, SECRET, lock.claim.script, lock.claim.controlBlock];
const refund = [SIGNATURE, lock.refund.script, lock.refund.controlBlock];
const path = (witness: readonly Uint8Array[]) => spendPath(witness, lock, swapCrypto);
const flip = (bytes: Uint8Array, bit: number) =>
  bytes.with(bit >> 3, (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7)));

describe("the leaf of a spend", () => {
  test("claim and refund, with and without an annex, whatever lies below the leaf", () => {
    assert.equal(path(claim), "claim");
    assert.equal(path(refund), "refund");
    assert.equal(path([...claim, ANNEX]), "claim");
    assert.equal(path([...refund, ANNEX]), "refund");
    assert.equal(path([SECRET, SIGNATURE, SIGNATURE, ...claim.slice(2)]), "claim");
    assert.equal(path(refund.slice(1)), "refund");
  });

  test("key path, empty and cut witnesses are neither", () => {
    const cut = [[], [SIGNATURE], [SIGNATURE, ANNEX], [lock.claim.controlBlock], [ANNEX]];
    for (const witness of cut) assert.equal(path(witness), "other");
    assert.equal(path(claim.slice(0, 3)), "other");
    assert.equal(path([...claim, SIGNATURE]), "other");
    assert.equal(path([...claim, new Uint8Array(0)]), "other");
    // Two annexes: the outer one is set aside, the inner one is no control block.
    assert.equal(path([...claim, ANNEX, ANNEX]), "other");
  });

  test("every bit of control block and leaf counts", () => {
    for (const [good, leaf] of [
      [claim, lock.claim],
      [refund, lock.refund],
    ] as const) {
      const below = good.slice(0, -2);
      for (let bit = 0; bit < leaf.controlBlock.length * 8; bit += 1) {
        assert.equal(path([...below, leaf.script, flip(leaf.controlBlock, bit)]), "other", `control ${bit}`);
      }
      for (let bit = 0; bit < leaf.script.length * 8; bit += 1) {
        assert.equal(path([...below, flip(leaf.script, bit), leaf.controlBlock]), "other", `leaf ${bit}`);
      }
    }
  });

  test("lengths that no control block has", () => {
    const control = lock.claim.controlBlock;
    for (const length of [0, 1, 32, 33, 34, 64]) {
      assert.equal(path([...claim.slice(0, 3), control.slice(0, length)]), "other", String(length));
    }
    const tooDeep = concatBytes(control, new Uint8Array(32 * 128));
    assert.equal(path([...claim.slice(0, 3), tooDeep]), "other");
    assert.equal(path([...claim.slice(0, 3), concatBytes(control, new Uint8Array(32))]), "other");
  });

  test("the control block of the other leaf", () => {
    assert.equal(path([SIGNATURE, SECRET, lock.claim.script, lock.refund.controlBlock]), "other");
    assert.equal(path([SIGNATURE, lock.refund.script, lock.claim.controlBlock]), "other");
  });

  test("a leaf of an output that has another tree is recognised as that output's, not as ours", () => {
    // Three leaves: ours and a third one, which the seller could spend.
    const extra = leafHash(0xc0, Uint8Array.of(0x51), sha256);
    const root = branchHash(lock.root, extra, sha256);
    const internal = fromBytes32(NUMS_KEY);
    const output = swapCrypto.tweakAdd(internal, taggedHash("TapTweak", concatBytes(internal, root), sha256));
    assert.ok(output !== null);
    const base = concatBytes(Uint8Array.of(0xc0 | output.parity), internal);
    const viaThird = [Uint8Array.of(0x51), concatBytes(base, lock.root)];
    const viaClaim = [...claim.slice(0, 3), concatBytes(base, lock.refund.hash, extra)];
    const key = toBytes32(output.key);
    assert.deepEqual(spentLeafHash(viaThird, key, swapCrypto), extra);
    assert.deepEqual(spentLeafHash(viaClaim, key, swapCrypto), lock.claim.hash);
    assert.equal(path(viaThird), "other");
    assert.equal(path(viaClaim), "other");
    // Another leaf version gives another hash.
    assert.notDeepEqual(leafHash(0xc2, lock.claim.script, sha256), lock.claim.hash);
  });

  test("the leaves are those of the terms", () => {
    assert.deepEqual(lock.claim.script, claimScript(TERMS.hashlock, TERMS.buyerKey));
    assert.deepEqual(lock.refund.script, refundScript(TERMS.pearlRefundTime, TERMS.sellerKey));
  });
});

describe("secrets", () => {
  const known = (hashlock: Bytes32) => hashlock === TERMS.hashlock;
  const expected = [{ hashlock: TERMS.hashlock, secret: toBytes32(SECRET) }];

  test("wherever the item stands, once", () => {
    assert.deepEqual(preimagesIn(claim, known, sha256), expected);
    assert.deepEqual(preimagesIn([SECRET], known, sha256), expected);
    assert.deepEqual(preimagesIn([SECRET, ...claim, SECRET], known, sha256), expected);
    assert.deepEqual(preimagesIn([...refund, SECRET], known, sha256), expected);
  });

  test("several hashlocks, in order", () => {
    const other = new Uint8Array(32).fill(9);
    const both = preimagesIn([other, SIGNATURE, SECRET], () => true, sha256);
    assert.deepEqual(
      both.map(({ secret }) => secret),
      [toBytes32(other), toBytes32(SECRET)],
    );
  });

  test("an annex of 32 bytes is looked at too", () => {
    const annex = new Uint8Array(32).fill(1).with(0, 0x50);
    assert.equal(preimagesIn([SIGNATURE, annex], () => true, sha256).length, 1);
  });

  test("other lengths and unknown hashes are none", () => {
    assert.deepEqual(
      preimagesIn([SECRET.slice(1), concatBytes(SECRET, Uint8Array.of(0))], known, sha256),
      [],
    );
    assert.deepEqual(
      preimagesIn(claim, () => false, sha256),
      [],
    );
    assert.deepEqual(preimagesIn([], known, sha256), []);
  });
});

test("the annex is the last of two or more items, where it begins with 0x50", () => {
  assert.deepEqual(withoutAnnex([ANNEX]), [ANNEX]);
  assert.deepEqual(withoutAnnex([SIGNATURE, ANNEX]), [SIGNATURE]);
  assert.deepEqual(withoutAnnex([ANNEX, SIGNATURE]), [ANNEX, SIGNATURE]);
  assert.deepEqual(withoutAnnex([]), []);
  assert.deepEqual(withoutAnnex([SIGNATURE, hexToBytes("50") ?? ANNEX]), [SIGNATURE]);
});

const shown = (witness: readonly Uint8Array[], isWanted: (hashlock: Bytes32) => boolean = () => true) =>
  shownClaim(witness, isWanted, swapCrypto);
const whole = { hashlock: TERMS.hashlock, secret: toBytes32(SECRET), script: lock.script };
const bytesOfItems = (items: readonly Uint8Array[]) =>
  concatBytes(...items.flatMap((item) => [Uint8Array.of(item.length), item]));
const may = (bytes: Uint8Array, isWanted: (hashlock: Bytes32) => boolean = () => true) =>
  mayShowClaim(bytes, isWanted, sha256);

describe("a claim by itself", () => {
  test("shows secret, hashlock and the script that it spends, with an annex and whatever lies below", () => {
    for (const witness of [claim, [...claim, ANNEX], claim.slice(1), [SECRET, SIGNATURE, ...claim]]) {
      assert.deepEqual(shown(witness), whole);
      assert.ok(may(bytesOfItems(witness)));
    }
  });

  test("shows nothing where it is none: another leaf or secret, a hashlock that is not wanted, one bit of the leaf", () => {
    const [, , script, control] = claim;
    assert.ok(script && control);
    const others = [
      refund,
      [SIGNATURE, SECRET, lock.refund.script, lock.refund.controlBlock],
      [SECRET, SIGNATURE, script, control],
      [SIGNATURE, SECRET.with(0, 1), script, control],
      [SIGNATURE, SECRET.subarray(1), script, control],
      [SIGNATURE, SECRET, script],
      claim.slice(2),
      [],
    ];
    for (const witness of others) {
      assert.equal(shown(witness), null);
      assert.equal(may(bytesOfItems(witness)), false);
    }
    for (const isWanted of [() => false, (hashlock: Bytes32) => hashlock !== TERMS.hashlock]) {
      assert.equal(shown(claim, isWanted), null);
      assert.equal(may(bytesOfItems(claim), isWanted), false);
    }
    for (let bit = 0; bit < script.length * 8; bit += 1) {
      const witness = [SIGNATURE, SECRET, flip(script, bit), control];
      // Another buyer's key makes another claim leaf, of another script.
      assert.ok(shown(witness)?.script !== lock.script, `leaf ${bit}`);
    }
  });

  test("names the script of its control block, which is another one with every bit, or none", () => {
    for (let bit = 0; bit < lock.claim.controlBlock.length * 8; bit += 1) {
      const witness = [...claim.slice(0, 3), flip(lock.claim.controlBlock, bit)];
      assert.notEqual(shown(witness)?.script, lock.script, `control ${bit}`);
    }
  });

  test("is found in bytes wherever it stands, whole alone", () => {
    const bytes = bytesOfItems(claim.slice(1));
    const around = new Uint8Array(300).fill(73);
    assert.ok(may(concatBytes(around, bytes, around)));
    assert.ok(may(bytes));
    assert.equal(may(bytes.subarray(1)), false);
    assert.equal(may(bytes.subarray(0, -1)), false);
    assert.equal(may(around), false);
    assert.equal(may(new Uint8Array(0)), false);
  });
});
