// Where a secret in a text is found, and where 64 digits are none; and that the worst body takes linear time.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { swapCrypto } from "../adapters/system/swap-crypto.ts";
import type { Bytes32 } from "../primitives/brands.ts";
import { bytesToHex } from "../primitives/hex.ts";
import { toBytes32 } from "./bytes32.ts";
import { carriesSecret } from "./secret-search.ts";

const SECRET = Uint8Array.from({ length: 32 }, (_, index) => 0xa0 + index);
const HEX = bytesToHex(SECRET);
const HASHLOCK = toBytes32(swapCrypto.sha256(SECRET));
const isGuarded = (hashlock: Bytes32) => hashlock === HASHLOCK;
const found = (text: string) => carriesSecret(text, isGuarded, swapCrypto.sha256);

describe("S-66: a secret in a text", () => {
  test("alone, in either case, with 0x, in JSON, in a path", () => {
    const texts = [
      HEX,
      HEX.toUpperCase(),
      `0x${HEX}`,
      `0X${HEX.toUpperCase()}`,
      `{"secret":"${HEX}"}`,
      `{"secret":"0x${HEX}","x":1}`,
      `/api/v1/deals/0x${HEX}/verify-lock`,
      `?a=${HEX}&b=`,
      `${"x".repeat(1000)}${HEX}`,
      `${"00".repeat(32)} ${HEX}`,
    ];
    for (const text of texts) assert.equal(found(text), true, text);
  });

  test("within a longer run at an even offset, or at its end", () => {
    const texts = [
      `00${HEX}`,
      `${HEX}00`,
      `${HEX}0`,
      `${"ff".repeat(40)}${HEX}${"ff".repeat(40)}`,
      // An odd number of digits before it: found because it is the end of the run.
      `0${HEX}`,
      `0x1${HEX}`,
      `${"f".repeat(101)}${HEX}`,
    ];
    for (const text of texts) assert.equal(found(text), true, text);
  });

  test("not at an odd offset within a run, cut, or of another hash", () => {
    const texts = [
      "",
      `0${HEX}0`,
      `0${HEX}00`,
      HEX.slice(1),
      HEX.slice(0, 63),
      `${HEX.slice(0, 32)} ${HEX.slice(32)}`,
      `${HEX.slice(0, 32)}x${HEX.slice(32)}`,
      "ab".repeat(32),
      HASHLOCK,
    ];
    for (const text of texts) assert.equal(found(text), false, text);
  });

  test("every hash of a run is asked for once: 64 KiB of digits cost 32,737 questions", () => {
    let questions = 0;
    const answer = carriesSecret(
      "ab".repeat(32_768),
      () => {
        questions += 1;
        return false;
      },
      swapCrypto.sha256,
    );
    assert.equal(answer, false);
    assert.equal(questions, 32_768 - 31);
  });
});
