// The vector of S-20: type hashes, ask id, order hash, and an open bid.

import assert from "node:assert/strict";
import { test } from "node:test";
import { swapCrypto } from "../adapters/system/swap-crypto.ts";
import type { Bytes32, EvmAddress } from "../primitives/brands.ts";
import { toBytes32 } from "./crypto.ts";
import { escrowDigests, typeText } from "./eip712.ts";
import { type AskTerms, type Terms, ZERO_ADDRESS, ZERO_BYTES32 } from "./terms.ts";

const CONTRACT = `0x${"11".repeat(20)}` as EvmAddress;
const FEE_RECIPIENT = `0x${"22".repeat(20)}` as EvmAddress;
// The addresses of the EVM keys 1 and 2.
const BUYER = "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf" as EvmAddress;
const SELLER = "0x2b5ad5c4795c026514f8317c7a215e218dccd6cf" as EvmAddress;
const BUYER_KEY = "0xc6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5" as Bytes32;
const SELLER_KEY = "0xf9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9" as Bytes32;
const ASK_ID = "0x69148f6149d2636f0fb051c99ba9539c77c5d167cd603b99e2f7b951c7a4eaf6" as Bytes32;

const ASK: AskTerms = {
  seller: SELLER,
  sellerPearlAddress: "rprl1plycg5qvjtrp3qjf5f7zl382j9x6nrjz9sdhenvyxq8c3808qxmussd3k73",
  sellerPearlKey: SELLER_KEY,
  pearlAmountSat: 500_000_000_000n,
  usdcAmount: 250_000_000n,
  expiry: 1_799_990_000,
  feeBps: 200,
  feeRecipient: FEE_RECIPIENT,
  nonce: 0n,
};
const TERMS: Terms = {
  buyer: BUYER,
  seller: SELLER,
  hashlock: "0x630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd" as Bytes32,
  usdcAmount: ASK.usdcAmount,
  pearlAmountSat: ASK.pearlAmountSat,
  buyerPearlKey: BUYER_KEY,
  sellerPearlKey: SELLER_KEY,
  pearlRefundTime: 1_800_000_000,
  evmRefundTime: 1_800_021_600,
  feeBps: 200,
  feeRecipient: FEE_RECIPIENT,
  askId: ASK_ID,
  nonce: 0n,
};
const digests = escrowDigests({ chainId: 31337, verifyingContract: CONTRACT }, swapCrypto.keccak256);

function hashOf(text: string): string {
  return toBytes32(swapCrypto.keccak256(new TextEncoder().encode(text)));
}

test("type hashes", () => {
  assert.equal(
    hashOf(typeText("Terms")),
    "0x09029d9d97419a2e0f2a554f3935e1951475934ee31e1141d28c59625f36bab9",
  );
  assert.equal(hashOf(typeText("Ask")), "0xbf23e67c83798e2354e5b18cae7dc531e6cda5bb123bd0f5b9ec9afe815e42ef");
  assert.equal(typeText("AskAction"), "AskAction(bytes32 askId,string action,uint64 deadline)");
  assert.equal(typeText("BidOrigin"), "BidOrigin(bytes32 orderHash,string origin,string ref)");
});

test("ask id, order hash, open bid", () => {
  assert.equal(digests.ask(ASK), ASK_ID);
  assert.equal(digests.terms(TERMS), "0x735effa59f638b09ffa1b4ef38366014fecec8a3b5c35f7955ea19abf6235780");
  const bid = { ...TERMS, seller: ZERO_ADDRESS, sellerPearlKey: ZERO_BYTES32, askId: ZERO_BYTES32 };
  assert.equal(digests.terms(bid), "0xd82bd350419b2791eeca068582eb5bfbe1336d4af0dd8af2ab5f6546dd262be1");
});

test("chain and contract count", () => {
  const elsewhere = [
    { chainId: 1, verifyingContract: CONTRACT },
    { chainId: 31337, verifyingContract: FEE_RECIPIENT },
  ].map((domain) => escrowDigests(domain, swapCrypto.keccak256).terms(TERMS));
  assert.equal(new Set([...elsewhere, digests.terms(TERMS)]).size, 3);
});

test("a value that its type cannot hold is a bug of the caller", () => {
  assert.throws(() => digests.terms({ ...TERMS, pearlAmountSat: 1n << 64n }), RangeError);
  assert.throws(() => digests.terms({ ...TERMS, nonce: -1n }), RangeError);
  assert.throws(() => digests.terms({ ...TERMS, feeBps: 65_536 }), RangeError);
});
