// A string is an address exactly where P-15 and P-22 say so. Amounts and tickers are covered through the operations.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { bech32, bech32m } from "@scure/base";
import { addressOfKey, parseAddress } from "./values.ts";

const words = (program: Uint8Array) => bech32m.toWords(program);

describe("P-22: addresses", () => {
  const program = Buffer.alloc(32, 5);
  const good = bech32m.encode("rprl", [1, ...words(program)]);

  const manyK = bech32m.encode("rprl", [1, ...Array(51).fill(22), 16]);

  test("the public vectors", () => {
    const key = Buffer.from("1e89c01f8a1968e908480b487c0673c07fef9c48268d403e3af0678a460a4f76", "hex");
    const text = "prl1pr6yuq8u2r95wjzzgpdy8cpnncpl7l8zgy6x5q0367pnc53s2famqg7pt74";
    assert.equal(addressOfKey(key, "prl"), text);
    assert.equal(parseAddress(text, "prl"), text);
    assert.equal(parseAddress(text, "tprl"), null);
    assert.equal(
      parseAddress("prl1zqu04ax80tw03rs0v90rel24a77z722yyrdum43fcdvdtfgug4svquahpxa", "prl"),
      null,
    );
  });

  test("upper case is accepted and shown lower, mixed case is not", () => {
    assert.equal(parseAddress(good.toUpperCase(), "rprl"), good);
    assert.equal(parseAddress(manyK.toUpperCase(), "rprl"), manyK);
    assert.equal(parseAddress(`R${good.slice(1)}`, "rprl"), null);
    assert.equal(parseAddress(good.slice(0, 5) + good.slice(5).toUpperCase(), "rprl"), null);
  });

  const refused: [string, string][] = [
    ["empty", ""],
    ["the bech32 checksum", bech32.encode("rprl", [1, ...bech32.toWords(program)])],
    ["witness version 0", bech32m.encode("rprl", [0, ...words(program)])],
    ["witness version 2", bech32m.encode("rprl", [2, ...words(program)])],
    ["a program of 31 bytes", bech32m.encode("rprl", [1, ...words(program.subarray(1))])],
    ["a program of 33 bytes", bech32m.encode("rprl", [1, ...words(Buffer.alloc(33))])],
    ["padding that is not zero", bech32m.encode("rprl", [1, ...words(program).slice(0, -1), 11])],
    ["a group of padding too many", bech32m.encode("rprl", [1, ...words(program), 0])],
    ["another prefix", bech32m.encode("prl", [1, ...words(program)])],
    ["no version", bech32m.encode("rprl", [])],
    ["a wrong letter", good.slice(0, -1) + (good.endsWith("q") ? "p" : "q")],
    ["a space after it", `${good} `],
    ["a Kelvin sign, whose lower case is k", manyK.toUpperCase().replace("K", "\u212a")],
  ];
  for (const [name, text] of refused) {
    test(`refused: ${name}`, () => assert.equal(parseAddress(text, "rprl"), null));
  }
});
