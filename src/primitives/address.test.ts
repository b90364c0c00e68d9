// `address.ts` is P-22 exactly: public vectors, and @scure/base as the second opinion.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { bech32m } from "@scure/base";
import * as fc from "../../testkit/properties.ts";
import { addressOfKey, keyOfAddress, parseAddress, scriptHexOfAddress } from "./address.ts";
import { bytesToHex } from "./hex.ts";

const KEY = "1e89c01f8a1968e908480b487c0673c07fef9c48268d403e3af0678a460a4f76";
const CHARSET = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
const ADDRESS = "prl1pr6yuq8u2r95wjzzgpdy8cpnncpl7l8zgy6x5q0367pnc53s2famqg7pt74";

function scure(hrp: string, version: number, program: Uint8Array): string {
  return bech32m.encode(hrp, [version, ...bech32m.toWords(program)], 200);
}

/** BIP350 over the text after `prl1`, where a character outside the set counts as `stranger`: six values. */
function checksumFor(text: string, stranger: number): number[] {
  const hrp = Array.from("prl", (character) => character.charCodeAt(0));
  const values = [...hrp.map((code) => code >> 5), 0, ...hrp.map((code) => code & 31)];
  for (const character of text.slice(4)) {
    const value = CHARSET.indexOf(character);
    values.push(value === -1 ? stranger : value);
  }
  const generator = [0x3b6a57b2, 0x26508e6d, 0x1ea119fa, 0x3d4233dd, 0x2a1462b3];
  let register = 1;
  for (const value of [...values, 0, 0, 0, 0, 0, 0]) {
    const top = register >>> 25;
    register = ((register & 0x1ffffff) << 5) ^ value;
    for (const [bit, constant] of generator.entries()) if ((top >> bit) & 1) register ^= constant;
  }
  return [25, 20, 15, 10, 5, 0].map((shift) => ((register ^ 0x2bc830a3) >>> shift) & 31);
}

describe("address", () => {
  test("the public vectors of the chain", () => {
    assert.equal(addressOfKey(KEY, "prl"), ADDRESS);
    assert.equal(parseAddress(ADDRESS, "prl"), ADDRESS);
    assert.equal(keyOfAddress(addressOfKey(KEY, "prl")), KEY);
    assert.equal(scriptHexOfAddress(addressOfKey(KEY, "prl")), `5120${KEY}`);
    const testnet = "tprl1p8wpt9v4frpf3tkn0srd97pksgsxc5hs52lafxwru9kgeephvs7rqm5v93u";
    assert.equal(parseAddress(testnet, "tprl"), testnet);
    assert.equal(parseAddress(testnet, "prl"), null);
    const simnet = "rprl1pn5e3e49hgpmrvy6tx29up06gsmgajqrgg7aslfl9k7d440kjhtss6skc54";
    assert.equal(parseAddress(simnet, "rprl"), simnet);
  });

  test("upper case is an address and becomes lower case, mixed case and look-alikes are none", () => {
    assert.equal(parseAddress(ADDRESS.toUpperCase(), "prl"), ADDRESS);
    assert.equal(parseAddress(`P${ADDRESS.slice(1)}`, "prl"), null);
    assert.equal(parseAddress(`${ADDRESS.slice(0, -1)}Q`, "prl"), null);
    const key = "00".repeat(31);
    for (let last = 0; last < 256; last += 1) {
      const upper = addressOfKey(key + last.toString(16).padStart(2, "0"), "prl").toUpperCase();
      if (upper.includes("K")) assert.equal(parseAddress(upper.replace("K", "\u212a"), "prl"), null);
    }
  });

  test("BIP350: its addresses of version 1 with 32 bytes, and everything that it calls invalid", () => {
    const valid = {
      tb1pqqqqp399et2xygdj5xreqhjjvcmzhxw4aywxecjdzew6hylgvsesf3hn0c:
        "5120000000c4a5cad46221b2a187905e5266362b99d5e91c6ce24d165dab93e86433",
      bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0:
        "512079be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798",
    };
    for (const [text, script] of Object.entries(valid)) {
      const address = parseAddress(text, text.slice(0, 2));
      assert.ok(address !== null, text);
      assert.equal(scriptHexOfAddress(address), script);
      assert.equal(addressOfKey(script.slice(4), text.slice(0, 2)), text);
    }
    const others = [
      // Valid, of another version or length.
      "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4",
      "tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7",
      "bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y",
      "BC1SW50QGDZ25J",
      "bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs",
      // Invalid.
      "tc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq5zuyut",
      "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd",
      "tb1z0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqglt7rf",
      "BC1S0XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ54WELL",
      "tb1q0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq24jc47",
      "bc1p38j9r5y49hruaue7wxjce0updqjuyyx0kh56v8s25huc6995vvpql3jow4",
      "BC130XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ7ZWS8R",
      "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v8n0nx0muaewav253zgeav",
      "tb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq47Zagq",
      "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v07qwwzcrf",
      "tb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vpggkg4j",
    ];
    for (const text of others)
      for (const hrp of ["bc", "tb"]) assert.equal(parseAddress(text, hrp), null, text);
  });

  test("a character that is none of the 32 is refused under any checksum", () => {
    // The checksum is right for the value that the table has for it: only the look at the character refuses it.
    const values = Array.from(ADDRESS.slice(-6), (character) => CHARSET.indexOf(character));
    assert.deepEqual(checksumFor(ADDRESS.slice(0, -6), 0xff), values);
    for (const stranger of ["b", "i", "o", "1", "\u{80}", "ÿ", "ł"]) {
      const data = `${ADDRESS.slice(0, 20)}${stranger}${ADDRESS.slice(21, -6)}`;
      const checksum = checksumFor(data, 0xff);
      const text = data + [...checksum].map((value) => CHARSET[value]).join("");
      assert.equal(text.length, ADDRESS.length);
      assert.equal(parseAddress(text, "prl"), null, text);
    }
  });

  test("other witness versions, program lengths, checksums and separators are refused", () => {
    const v2 = "prl1zqu04ax80tw03rs0v90rel24a77z722yyrdum43fcdvdtfgug4svquahpxa";
    assert.equal(parseAddress(v2, "prl"), null);
    for (const length of [2, 20, 31, 33, 40]) {
      assert.equal(parseAddress(scure("prl", 1, new Uint8Array(length)), "prl"), null);
    }
    assert.equal(parseAddress(scure("prl", 0, new Uint8Array(32)), "prl"), null);
    for (const text of [
      "",
      "prl",
      "prl1",
      "prl1p",
      ADDRESS.slice(0, -1),
      `${ADDRESS}q`,
      ` ${ADDRESS.slice(1)}`,
    ]) {
      assert.equal(parseAddress(text, "prl"), null);
    }
    assert.equal(parseAddress(ADDRESS.replace("1", "q"), "prl"), null);
  });

  test("padding bits that are not zero are refused", () => {
    const words = [1, ...bech32m.toWords(new Uint8Array(32))];
    words[words.length - 1] = 1;
    assert.equal(parseAddress(bech32m.encode("prl", words, 200), "prl"), null);
  });

  test("equals @scure/base for every key and prefix, and comes back", () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 32, maxLength: 32 }),
        fc.constantFrom("prl", "tprl", "rprl", "rltc"),
        (key, hrp) => {
          const hex = bytesToHex(key);
          const address = addressOfKey(hex, hrp);
          assert.equal(address, scure(hrp, 1, key));
          assert.equal(parseAddress(address, hrp), address);
          assert.equal(keyOfAddress(address), hex);
        },
      ),
    );
  });

  test("one changed character is always noticed, and no text throws", () => {
    fc.assert(
      fc.property(fc.nat(ADDRESS.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (at, character) => {
        fc.pre(ADDRESS[at] !== character);
        assert.equal(parseAddress(ADDRESS.slice(0, at) + character + ADDRESS.slice(at + 1), "prl"), null);
      }),
    );
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => parseAddress(text, "prl") === null));
  });

  test("a key that is none is a bug of the caller", () => {
    assert.throws(() => addressOfKey("00", "prl"), RangeError);
    assert.throws(() => addressOfKey("zz".repeat(32), "prl"), RangeError);
  });
});
