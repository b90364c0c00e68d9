// The curve functions give an answer for every byte string and never throw (S-10, S-12).

import assert from "node:assert/strict";
import { test } from "node:test";
import { hexToBytes } from "../../primitives/hex.ts";
import { swapCrypto } from "./swap-crypto.ts";

const bytes = (hex: string): Uint8Array => hexToBytes(hex) ?? new Uint8Array(0);
const G = bytes("79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798");
const ORDER = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";

test("S-10: a tweak from the group order on, of another length, or a key that is no point is null", () => {
  assert.equal(swapCrypto.tweakAdd(G, bytes(ORDER)), null);
  assert.equal(swapCrypto.tweakAdd(G, new Uint8Array(32).fill(255)), null);
  assert.equal(swapCrypto.tweakAdd(G, new Uint8Array(31)), null);
  assert.equal(swapCrypto.tweakAdd(new Uint8Array(32), new Uint8Array(32).fill(1)), null);
  assert.equal(swapCrypto.tweakAdd(G.slice(1), new Uint8Array(32).fill(1)), null);
  assert.notEqual(swapCrypto.tweakAdd(G, bytes(`${ORDER.slice(0, -1)}0`.replace(/4140$/, "413f"))), null);
});

test("S-12: only 32 bytes that are an x coordinate are a point", () => {
  assert.equal(swapCrypto.isPoint(G), true);
  assert.equal(swapCrypto.isPoint(new Uint8Array(32)), false);
  assert.equal(swapCrypto.isPoint(new Uint8Array(32).fill(255)), false);
  assert.equal(swapCrypto.isPoint(G.slice(0, 31)), false);
  assert.equal(swapCrypto.isPoint(Uint8Array.of(2, ...G)), false);
});
