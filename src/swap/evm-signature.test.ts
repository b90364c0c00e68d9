// The forms of ECDSA signatures (S-31), with the example of EIP-2098.

import assert from "node:assert/strict";
import { test } from "node:test";
import { bytesToHex, hexToBytes } from "../primitives/hex.ts";
import { normaliseSignature } from "./eip712.ts";

function bytesOf(hex: string): Uint8Array {
  const bytes = hexToBytes(hex);
  assert.ok(bytes !== null);
  return bytes;
}
const normal = (hex: string): string | null => {
  const bytes = normaliseSignature(bytesOf(hex));
  return bytes === null ? null : bytesToHex(bytes);
};

// EIP-2098, first and second test case.
const EVEN =
  "68a020a209d3d56c46f38cc50a33f704f4a9a10a59377f8dd762ac66910e9b90" +
  "7e865ad05c4035ab5792787d4a0297a43617ae897930a6fe4d822b8faea52064";
const ODD_R = "9328da16089fcba9bececa81663203989f2df5fe1faa6291a45381c81bd17f76";
const ODD_S = "139c6d6b623b42da56557e5e734a43dc83345ddfadec52cbe24d0cc64f550793";
const ORDER = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";
const HALF = "7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0";
const ABOVE_HALF = "7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a1";
const ZERO = "0".repeat(64);
const ONE = "1".padStart(64, "0");

test("65 bytes with every v, and the 64 of EIP-2098, become 65 with 27 or 28", () => {
  for (const v of ["00", "1b"]) assert.equal(normal(EVEN + v), `${EVEN}1b`);
  for (const v of ["01", "1c"]) assert.equal(normal(EVEN + v), `${EVEN}1c`);
  assert.equal(normal(EVEN), `${EVEN}1b`);
  assert.equal(normal(`${ODD_R}9${ODD_S.slice(1)}`), `${ODD_R}${ODD_S}1c`);
});

test("another v or length is none", () => {
  for (const v of ["02", "1a", "1d", "1e", "25", "ff"]) assert.equal(normal(EVEN + v), null, v);
  assert.equal(normal(""), null);
  assert.equal(normal(EVEN.slice(2)), null);
  assert.equal(normal(`${EVEN}1b00`), null);
});

test("r and s in range, s low", () => {
  assert.equal(normal(`${ONE}${HALF}1b`), `${ONE}${HALF}1b`);
  for (const [r, s] of [
    [ONE, ABOVE_HALF],
    [ONE, ORDER],
    [ONE, ZERO],
    [ZERO, ONE],
    [ORDER, ONE],
    ["f".repeat(64), ONE],
  ]) {
    assert.equal(normal(`${r}${s}1b`), null, `${r} ${s}`);
  }
  // In the short form the top bit is not part of s.
  assert.equal(normal(`${ONE}8${ZERO.slice(1)}`), null);
});

test("the given bytes stay as they are", () => {
  const given = bytesOf(`${ODD_R}9${ODD_S.slice(1)}`);
  normaliseSignature(given);
  assert.equal(bytesToHex(given), `${ODD_R}9${ODD_S.slice(1)}`);
});
