// Keys, scripts and addresses agree with published vectors (BIP86, P-22).

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHmac, pbkdf2Sync } from "node:crypto";
import { test } from "node:test";
import { secp256k1 } from "@noble/curves/secp256k1.js";
import { addressOfSigner, addressOfScript, bip86Key, p2trScript, plainKey, scriptOfAddress } from "./keys.ts";

const MNEMONIC = `${"abandon ".repeat(11)}about`;
const HARD = 0x80000000;

/** BIP39 seed and BIP32 private derivation, for the vectors of BIP86 wallets only. */
function derivedKey(path: readonly number[]): Uint8Array {
  const seed = pbkdf2Sync(MNEMONIC, "mnemonic", 2048, 64, "sha512");
  let node = createHmac("sha512", "Bitcoin seed").update(seed).digest();
  for (const index of path) {
    const key = node.subarray(0, 32);
    const number = Buffer.alloc(4);
    number.writeUInt32BE(index);
    const head =
      index >= HARD ? Buffer.concat([Buffer.of(0), key]) : Buffer.from(secp256k1.getPublicKey(key));
    const next = createHmac("sha512", node.subarray(32)).update(head).update(number).digest();
    const sum = BigInt(`0x${next.toString("hex", 0, 32)}`) + BigInt(`0x${key.toString("hex")}`);
    const child = (sum % secp256k1.Point.CURVE().n).toString(16).padStart(64, "0");
    node = Buffer.concat([Buffer.from(child, "hex"), next.subarray(32)]);
  }
  return Uint8Array.from(node.subarray(0, 32));
}

test("the BIP86 addresses of Pearl wallets, mainnet and test networks", () => {
  const internal = derivedKey([86 + HARD, 808276 + HARD, HARD, 0, 0]);
  assert.equal(
    Buffer.from(plainKey(internal).outputKey).toString("hex"),
    "e0cafb2d3590eae1a95747476dd321335ac47b9c348026f19543dc6289f4ec4e",
  );
  const key = bip86Key(internal);
  assert.equal(
    Buffer.from(key.outputKey).toString("hex"),
    "1e89c01f8a1968e908480b487c0673c07fef9c48268d403e3af0678a460a4f76",
  );
  assert.equal(
    addressOfSigner(key, "prl"),
    "prl1pr6yuq8u2r95wjzzgpdy8cpnncpl7l8zgy6x5q0367pnc53s2famqg7pt74",
  );
  const test1 = bip86Key(derivedKey([86 + HARD, 1 + HARD, HARD, 0, 0]));
  assert.equal(
    addressOfSigner(test1, "tprl"),
    "tprl1p8wpt9v4frpf3tkn0srd97pksgsxc5hs52lafxwru9kgeephvs7rqm5v93u",
  );
});

test("address and script are each other's inverse", () => {
  const address = "prl1pr6yuq8u2r95wjzzgpdy8cpnncpl7l8zgy6x5q0367pnc53s2famqg7pt74";
  const script = scriptOfAddress(address, "prl");
  assert.ok(script);
  assert.equal(addressOfScript(script, "prl"), address);
  assert.deepEqual(scriptOfAddress(address.toUpperCase(), "prl"), script);
  assert.equal(addressOfScript(Uint8Array.of(0x6a), "prl"), null);
});

test("what is no address by P-22 has no script", () => {
  const address = "prl1pr6yuq8u2r95wjzzgpdy8cpnncpl7l8zgy6x5q0367pnc53s2famqg7pt74";
  const refused = [
    ["another prefix", address, "tprl"],
    ["mixed case", address.replace("pr6yu", "PR6YU"), "prl"],
    ["one letter changed", `${address.slice(0, -1)}5`, "prl"],
    ["version 2", "prl1zqu04ax80tw03rs0v90rel24a77z722yyrdum43fcdvdtfgug4svquahpxa", "prl"],
    ["empty", "", "prl"],
    ["the checksum of version 0", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "bc"],
  ] as const;
  for (const [what, text, hrp] of refused) assert.equal(scriptOfAddress(text, hrp), null, what);
});

test("a program need not be a point on the curve", () => {
  const script = p2trScript(new Uint8Array(32).fill(0xff));
  const address = addressOfScript(script, "rprl");
  assert.ok(address);
  assert.deepEqual(scriptOfAddress(address, "rprl"), script);
});
