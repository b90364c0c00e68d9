// The last of an address's 52 characters carries one bit of the key and four bits of padding. An address with any
// padding bit set is refused, also where its checksum is right (P-22).

import assert from "node:assert/strict";
import { test } from "node:test";
import { bech32m } from "@scure/base";
import { parseAddress } from "./address.ts";

test("P-22: only zero padding is an address, whatever the last bit of the key is", () => {
  for (const lastByte of [0x00, 0x01, 0xff]) {
    const words = [1, ...bech32m.toWords(new Uint8Array(32).fill(lastByte))];
    const keyBit = (words.at(-1) ?? 0) & 16;
    for (let padding = 0; padding < 16; padding += 1) {
      words[words.length - 1] = keyBit | padding;
      const text = bech32m.encode("prl", words);
      assert.equal(parseAddress(text, "prl"), padding === 0 ? text : null, `padding ${padding}`);
    }
  }
});
