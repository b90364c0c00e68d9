// BIP341's published output vectors through the service's Taproot functions and the wallet's addresses, and BIP340's
// vectors through both sides' signature code. vectors/*.json hold the values of the BIPs' own files, reshaped.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test } from "node:test";
import { schnorr } from "@noble/curves/secp256k1.js";
import { verifySchnorr } from "../../src/adapters/system/schnorr.ts";
import { swapCrypto } from "../../src/adapters/system/swap-crypto.ts";
import { taggedHash, toBytes32 } from "../../src/swap/crypto.ts";
import { keyFitsAddress } from "../../src/swap/keys.ts";
import { branchHash, leafHash } from "../../src/swap/htlc-script.ts";
import { spentLeafHash } from "../../src/swap/spend-leaf.ts";
import { parseAddress } from "../../src/primitives/address.ts";
import { addressOfScript, p2trScript, plainKey } from "../../src/wallet/index.ts";
import { bytesOf, toHex } from "../../testkit/bytes.ts";

const { sha256, tweakAdd } = swapCrypto;

type Tree = { readonly script: string; readonly leafVersion: number } | readonly [Tree, Tree];
interface OutputVector {
  readonly internalKey: string;
  readonly tree: Tree | null;
  readonly leafHashes: readonly string[];
  readonly root: string | null;
  readonly tweak: string;
  readonly outputKey: string;
  readonly address: string;
  readonly controlBlocks: readonly string[];
}
interface SignatureVector {
  readonly secretKey: string | null;
  readonly publicKey: string;
  readonly auxRand: string | null;
  readonly message: string;
  readonly signature: string;
  readonly valid: boolean;
}

const folder = new URL("./vectors/", import.meta.url);
const OUTPUTS: readonly OutputVector[] = JSON.parse(
  readFileSync(new URL("bip341-outputs.json", folder), "utf8"),
);
const SIGNATURES: readonly SignatureVector[] = JSON.parse(
  readFileSync(new URL("bip340.json", folder), "utf8"),
);

type LeafOfTree = Extract<Tree, { script: string }>;

function isLeaf(tree: Tree): tree is LeafOfTree {
  return "script" in tree;
}

function leavesOf(tree: Tree): readonly LeafOfTree[] {
  return isLeaf(tree) ? [tree] : tree.flatMap(leavesOf);
}

function hashOf(tree: Tree): Uint8Array {
  if (isLeaf(tree)) return leafHash(tree.leafVersion, bytesOf(tree.script), sha256);
  return branchHash(hashOf(tree[0]), hashOf(tree[1]), sha256);
}

describe("BIP341, outputs", () => {
  assert.equal(OUTPUTS.length, 7);

  for (const vector of OUTPUTS) {
    test(`output ${vector.outputKey.slice(0, 8)}`, () => {
      const internal = bytesOf(vector.internalKey);
      const leaves = vector.tree === null ? [] : leavesOf(vector.tree);
      assert.deepEqual(
        leaves.map((leaf) => toHex(hashOf(leaf))),
        vector.leafHashes,
      );
      const root = vector.tree === null ? new Uint8Array(0) : hashOf(vector.tree);
      assert.equal(vector.root ?? "", toHex(root));
      const tweak = taggedHash("TapTweak", Uint8Array.of(...internal, ...root), sha256);
      assert.equal(toHex(tweak), vector.tweak);
      const output = tweakAdd(internal, tweak);
      assert.ok(output !== null);
      assert.equal(toHex(output.key), vector.outputKey);
      assert.equal(addressOfScript(p2trScript(output.key), "bc"), vector.address);
      assert.equal(vector.controlBlocks.length, leaves.length);
      for (const [index, control] of vector.controlBlocks.entries()) {
        const witness = [bytesOf(leaves[index]?.script ?? ""), bytesOf(control)];
        const spent = spentLeafHash(witness, toBytes32(output.key), swapCrypto);
        assert.equal(spent === null ? null : toHex(spent), vector.leafHashes[index]);
        assert.equal(spentLeafHash(witness, toBytes32(internal), swapCrypto), null);
      }
      // Only the output without a tree is its key's BIP86 address.
      const address = parseAddress(vector.address, "bc");
      assert.ok(address !== null);
      assert.equal(keyFitsAddress(toBytes32(internal), address, swapCrypto), vector.tree === null);
      assert.equal(keyFitsAddress(toBytes32(output.key), address, swapCrypto), true);
    });
  }
});

test("BIP340: every vector, verified by the service, verified and signed by the wallet's library", () => {
  assert.equal(SIGNATURES.length, 15);
  assert.equal(SIGNATURES.filter(({ valid }) => valid).length, 5);
  for (const [index, vector] of SIGNATURES.entries()) {
    const [key, message, signature] = [vector.publicKey, vector.message, vector.signature].map(bytesOf);
    assert.ok(key && message && signature);
    assert.equal(verifySchnorr(key, message, signature), vector.valid, `service, ${index}`);
    assert.equal(schnorr.verify(signature, message, key), vector.valid, `library, ${index}`);
    if (vector.secretKey === null || vector.auxRand === null) continue;
    const secret = bytesOf(vector.secretKey);
    assert.equal(toHex(plainKey(secret).outputKey), vector.publicKey);
    assert.equal(toHex(schnorr.sign(message, secret, bytesOf(vector.auxRand))), vector.signature);
  }
});
