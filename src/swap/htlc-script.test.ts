// The worked vector of S-11, byte for byte, and the pushes at the edges of the number encoding.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { swapCrypto } from "../adapters/system/swap-crypto.ts";
import type { Bytes32 } from "../primitives/brands.ts";
import { bytesToHex } from "../primitives/hex.ts";
import { htlcAddressOf, htlcOf, type HtlcTerms, NUMS_KEY, pushNumber } from "./htlc-script.ts";

const CLAIM_HASH = "74d1deff40a3d7b0b356c9e1b8afb35af7b5bce54b99e75b04cba99cedaf7da7";
const REFUND_HASH = "b4c913f2fb86c7b589f493fa013188b82bdc91fcb0134defdf76deda5206d323";
const OUTPUT_KEY = "941727e7cb42917b3e01525f1b90aa2717e619ed264c38b0ecf2636bcb9289a3";
const TERMS: HtlcTerms = {
  hashlock: "0x630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd" as Bytes32,
  buyerKey: "0xc6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5" as Bytes32,
  sellerKey: "0xf9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9" as Bytes32,
  pearlRefundTime: 1_800_000_000,
};

describe("the worked vector of S-11", () => {
  const lock = htlcOf(TERMS, swapCrypto);
  assert.ok(lock !== null);

  test("leaves and their hashes", () => {
    assert.equal(
      bytesToHex(lock.claim.script),
      "82012088a820630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd8820" +
        "c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5ac",
    );
    assert.equal(
      bytesToHex(lock.refund.script),
      "0400d2496bb17520f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9ac",
    );
    assert.equal(bytesToHex(lock.claim.hash), CLAIM_HASH);
    assert.equal(bytesToHex(lock.refund.hash), REFUND_HASH);
  });

  test("root, output key, script and control blocks", () => {
    assert.equal(bytesToHex(lock.root), "5a62f1023a1ef510d9ccff965707f2becd574383b8cec7662188c1ff0f0c0041");
    assert.equal(lock.outputKey, `0x${OUTPUT_KEY}`);
    assert.equal(lock.parity, 0);
    assert.equal(lock.script, `5120${OUTPUT_KEY}`);
    const nums = NUMS_KEY.slice(2);
    assert.equal(bytesToHex(lock.claim.controlBlock), `c0${nums}${REFUND_HASH}`);
    assert.equal(bytesToHex(lock.refund.controlBlock), `c0${nums}${CLAIM_HASH}`);
  });

  test("the address of each network", () => {
    assert.equal(
      htlcAddressOf(lock.script, "prl"),
      "prl1pjstj0e7tg2ghk0sp2f03hy92yut7vx0dyexr3v8v7f3khjuj3x3su36eah",
    );
    assert.match(htlcAddressOf(lock.script, "tprl") ?? "", /^tprl1p.*sh778zz$/);
    assert.match(htlcAddressOf(lock.script, "rprl") ?? "", /^rprl1p.*sd8zl82$/);
  });
});

test("S-10: numbers are pushed in their shortest form", () => {
  const pushes: readonly (readonly [number, string])[] = [
    [0, "00"],
    [1, "51"],
    [16, "60"],
    [17, "0111"],
    [127, "017f"],
    [128, "028000"],
    [255, "02ff00"],
    [256, "020001"],
    [32_767, "02ff7f"],
    [32_768, "03008000"],
    [499_999_999, "04ff64cd1d"],
    [500_000_000, "040065cd1d"],
    [1_800_000_000, "0400d2496b"],
    [2_147_483_647, "04ffffff7f"],
    [2_147_483_648, "050000008000"],
    [4_294_967_295, "05ffffffff00"],
  ];
  for (const [number, hex] of pushes) assert.equal(bytesToHex(pushNumber(number)), hex, String(number));
});

test("S-12: a key that is no point has no lock", () => {
  // x = 5 is on no point; the others are zero, the field prime and beyond it.
  const noPoints = [
    `0x${"5".padStart(64, "0")}`,
    `0x${"0".repeat(64)}`,
    "0xfffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f",
    `0x${"f".repeat(64)}`,
  ] as Bytes32[];
  for (const noPoint of noPoints) {
    assert.equal(htlcOf({ ...TERMS, buyerKey: noPoint }, swapCrypto), null, noPoint);
    assert.equal(htlcOf({ ...TERMS, sellerKey: noPoint }, swapCrypto), null, noPoint);
  }
});

test("S-10: every term counts", () => {
  const other = "0xe493dbf1c10d80f3581e4904930b1404cc6c13900ee0758474fa94abe8c4cd13" as Bytes32;
  const scripts = [
    TERMS,
    { ...TERMS, hashlock: other },
    { ...TERMS, buyerKey: other },
    { ...TERMS, sellerKey: other },
    { ...TERMS, pearlRefundTime: TERMS.pearlRefundTime + 1 },
    { ...TERMS, pearlRefundTime: 800_000 },
    { ...TERMS, buyerKey: TERMS.sellerKey, sellerKey: TERMS.buyerKey },
  ].map((terms) => htlcOf(terms, swapCrypto)?.script);
  assert.ok(scripts.every((script) => script !== undefined));
  assert.equal(new Set(scripts).size, scripts.length);
});
