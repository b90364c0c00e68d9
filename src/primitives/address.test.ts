// `address.ts` is P-22 exactly: public vectors, and @scure/base as the second opinion.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { bech32m } from "@scure/base";
import * as fc from "../../testkit/properties.ts";
import { AddressCache, addressOfKey, keyOfAddress, parseAddress, scriptHexOfAddress } from "./address.ts";
import { bytesToHex } from "./hex.ts";

const KEY = "1e89c01f8a1968e908480b487c0673c07fef9c48268d403e3af0678a460a4f76";
const ADDRESS = "prl1pr6yuq8u2r95wjzzgpdy8cpnncpl7l8zgy6x5q0367pnc53s2famqg7pt74";

function scure(hrp: string, version: number, program: Uint8Array): string {
  return bech32m.encode(hrp, [version, ...bech32m.toWords(program)], 200);
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

  test("the address cache gives the same answers before and after it forgets", () => {
    const book = new AddressCache("prl", 4);
    for (let round = 0; round < 3; round += 1) {
      for (let i = 0; i < 20; i += 1) {
        const key = i.toString(16).padStart(64, "0");
        assert.equal(book.addressOfKey(key), addressOfKey(key, "prl"));
        assert.equal(book.addressOfKey(key), addressOfKey(key, "prl"));
      }
    }
  });
});
