// Our message of P-53 equals the one that bitcoinjs-lib computes for the same transaction.

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { hash } from "node:crypto";
import { test } from "node:test";
import { Transaction } from "bitcoinjs-lib";
import * as fc from "../../testkit/properties.ts";
import type { Txid } from "../primitives/brands.ts";
import { displayHexToBytes } from "../primitives/hex.ts";
import { listingSignatureHash } from "./taproot-sighash.ts";

const sha256 = (bytes: Uint8Array): Uint8Array => new Uint8Array(hash("sha256", bytes, "buffer"));
const hexOf = (length: number): fc.Arbitrary<string> =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((bytes) => Buffer.from(bytes).toString("hex"));
const satoshis = fc.bigInt({ min: 0n, max: 2_100_000_000_000_000_000n });

test("the listing's signature hash equals hashForWitnessV1, at any place in a batch", () => {
  fc.assert(
    fc.property(
      fc.record({
        anchorTxid: hexOf(32),
        anchorVout: fc.nat(0xffff_fffe),
        anchorAmountSat: satoshis,
        anchorKey: hexOf(32),
        sellerNetSat: satoshis,
        sellerScriptHex: fc.oneof(
          hexOf(32).map((key) => `5120${key}`),
          fc.integer({ min: 0, max: 300 }).chain(hexOf),
        ),
        before: fc.nat(3),
      }),
      (listing) => {
        const anchorScriptHex = `5120${listing.anchorKey}`;
        const tx = new Transaction();
        tx.version = 2;
        const scripts: Uint8Array[] = [];
        const values: bigint[] = [];
        for (let i = 0; i < listing.before; i += 1) {
          tx.addInput(new Uint8Array(32).fill(i + 1), i, 5);
          tx.addOutput(Uint8Array.of(0x6a), 0n);
          scripts.push(Uint8Array.of(0x51));
          values.push(1n);
        }
        const txid = displayHexToBytes(listing.anchorTxid);
        assert.ok(txid !== null);
        tx.addInput(txid, listing.anchorVout, 0xffff_ffff);
        tx.addOutput(Buffer.from(listing.sellerScriptHex, "hex"), listing.sellerNetSat);
        scripts.push(Buffer.from(anchorScriptHex, "hex"));
        values.push(listing.anchorAmountSat);
        const theirs = tx.hashForWitnessV1(listing.before, scripts, values, 0x83);
        const ours = listingSignatureHash(
          { ...listing, anchorTxid: listing.anchorTxid as Txid, anchorScriptHex },
          sha256,
        );
        assert.deepEqual(ours, new Uint8Array(theirs));
      },
    ),
  );
});

test("a txid or a script that is no hex is a bug of the caller", () => {
  const good = {
    anchorTxid: "00".repeat(32) as Txid,
    anchorVout: 0,
    anchorAmountSat: 0n,
    anchorScriptHex: "",
    sellerNetSat: 0n,
    sellerScriptHex: "",
  };
  assert.equal(listingSignatureHash(good, sha256).length, 32);
  assert.throws(() => listingSignatureHash({ ...good, anchorTxid: "00" as Txid }, sha256), RangeError);
  assert.throws(() => listingSignatureHash({ ...good, sellerScriptHex: "0" }, sha256), RangeError);
});
