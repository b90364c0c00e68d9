// The service's digests and the wallet's messages agree with the vector of S-20, with the published EIP-712 example and
// with each other for terms at random; and the service recovers who signed.

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import * as fc from "../../testkit/properties.ts";
import { hashTypedData } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { verifySchnorr } from "../../src/adapters/system/schnorr.ts";
import { recoverSigner, swapCrypto } from "../../src/adapters/system/swap-crypto.ts";
import type { Bytes32, EvmAddress } from "../../src/primitives/brands.ts";
import { escrowDigests, TYPED_DATA } from "../../src/swap/eip712.ts";
import { pearlProofHash } from "../../src/swap/keys.ts";
import { ZERO_ADDRESS, ZERO_BYTES32 } from "../../src/swap/terms.ts";
import {
  askActionMessage,
  askMessage,
  bidOriginMessage,
  evmAddressOf,
  plainKey,
  signPearlProof,
  signSwapMessage,
  type SwapMessage,
  swapMessageDigest,
  termsMessage,
  verifyPearlProof,
} from "../../src/wallet/index.ts";
import {
  DOMAIN,
  smallKey,
  VECTOR_ASK,
  VECTOR_ASK_ID,
  VECTOR_BID_HASH,
  VECTOR_ORDER_HASH,
  VECTOR_TERMS,
} from "./terms.ts";
import { bytesOf, toHex } from "../../testkit/bytes.ts";

const digests = escrowDigests(DOMAIN, swapCrypto.keccak256);

describe("the vector of S-20", () => {
  test("the keys 1 and 2 are buyer and seller", () => {
    assert.equal(evmAddressOf(smallKey(1)), VECTOR_TERMS.buyer);
    assert.equal(evmAddressOf(smallKey(2)), VECTOR_TERMS.seller);
  });

  test("by the service", () => {
    assert.equal(digests.ask(VECTOR_ASK), VECTOR_ASK_ID);
    assert.equal(digests.terms(VECTOR_TERMS), VECTOR_ORDER_HASH);
  });

  test("by the wallet", () => {
    const bid = { ...VECTOR_TERMS, seller: ZERO_ADDRESS, sellerPearlKey: ZERO_BYTES32, askId: ZERO_BYTES32 };
    assert.equal(swapMessageDigest(askMessage(DOMAIN, VECTOR_ASK)), VECTOR_ASK_ID);
    assert.equal(swapMessageDigest(termsMessage(DOMAIN, VECTOR_TERMS)), VECTOR_ORDER_HASH);
    assert.equal(swapMessageDigest(termsMessage(DOMAIN, bid)), VECTOR_BID_HASH);
  });
});

test("the published example of EIP-712 comes out of the encoder that the wallet uses", () => {
  const person = [
    { name: "name", type: "string" },
    { name: "wallet", type: "address" },
  ] as const;
  const digest = hashTypedData({
    domain: {
      name: "Ether Mail",
      version: "1",
      chainId: 1,
      verifyingContract: "0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC",
    },
    types: {
      Person: person,
      Mail: [
        { name: "from", type: "Person" },
        { name: "to", type: "Person" },
        { name: "contents", type: "string" },
      ],
    },
    primaryType: "Mail",
    message: {
      from: { name: "Cow", wallet: "0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826" },
      to: { name: "Bob", wallet: "0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB" },
      contents: "Hello, Bob!",
    },
  });
  assert.equal(digest, "0xbe609aee343fb3c4b28e1df9e632fca64fcfaede20f02e86244efddf30957bd2");
});

test("the types that the service describes are those that the wallet signs", () => {
  const messages: readonly SwapMessage[] = [
    termsMessage(DOMAIN, VECTOR_TERMS),
    askMessage(DOMAIN, VECTOR_ASK),
    askActionMessage(DOMAIN, VECTOR_ASK_ID, "pause", 1_800_000_000),
    bidOriginMessage(DOMAIN, VECTOR_ORDER_HASH, "wallet.example"),
  ];
  for (const { types } of messages) {
    for (const [name, fields] of Object.entries(types)) {
      assert.deepEqual(Object.entries(TYPED_DATA).find(([each]) => each === name)?.[1], fields, name);
    }
  }
});

const bytes32 = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => `0x${toHex(bytes)}` as Bytes32);
const address = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => `0x${toHex(bytes)}` as EvmAddress);
const time = fc.integer({ min: 500_000_000, max: 4_294_967_295 });
const uint = (bits: bigint) => fc.bigInt({ min: 0n, max: (1n << bits) - 1n });
const domain = fc.record({ chainId: fc.integer({ min: 1, max: 2 ** 31 }), verifyingContract: address });
const terms = fc.record({
  buyer: address,
  seller: address,
  hashlock: bytes32,
  usdcAmount: uint(128n),
  pearlAmountSat: uint(64n),
  buyerPearlKey: bytes32,
  sellerPearlKey: bytes32,
  pearlRefundTime: time,
  evmRefundTime: time,
  feeBps: fc.integer({ min: 0, max: 500 }),
  feeRecipient: address,
  askId: bytes32,
  nonce: uint(256n),
});
const ask = fc.record({
  seller: address,
  sellerPearlAddress: fc.string(),
  sellerPearlKey: bytes32,
  pearlAmountSat: uint(64n),
  usdcAmount: uint(128n),
  expiry: time,
  feeBps: fc.integer({ min: 0, max: 500 }),
  feeRecipient: address,
  nonce: uint(256n),
});

describe("service and wallet, terms at random", () => {
  const runs = { numRuns: 150, seed: 20 };

  test("order hashes", () => {
    fc.assert(
      fc.property(domain, terms, (where, what) => {
        const own = escrowDigests(where, swapCrypto.keccak256).terms(what);
        assert.equal(own, swapMessageDigest(termsMessage(where, what)));
      }),
      runs,
    );
  });

  test("ask ids", () => {
    fc.assert(
      fc.property(domain, ask, (where, what) => {
        const own = escrowDigests(where, swapCrypto.keccak256).ask(what);
        assert.equal(own, swapMessageDigest(askMessage(where, what)));
      }),
      runs,
    );
  });

  test("actions on asks, origins of bids", () => {
    const action = fc.constantFrom("pause" as const, "resume" as const, "cancel" as const);
    fc.assert(
      fc.property(domain, bytes32, action, time, fc.string(), (where, hash, word, deadline, text) => {
        const own = escrowDigests(where, swapCrypto.keccak256);
        assert.equal(
          own.askAction({ askId: hash, action: word, deadline }),
          swapMessageDigest(askActionMessage(where, hash, word, deadline)),
        );
        assert.equal(
          own.bidOrigin({ orderHash: hash, origin: word, ref: text }),
          swapMessageDigest(bidOriginMessage(where, hash, word, text)),
        );
      }),
      runs,
    );
  });
});

describe("signatures", () => {
  test("the service recovers who signed, and a wallet of viem signs the same bytes", async () => {
    for (let number = 1; number <= 20; number += 1) {
      const key = smallKey(number);
      const message = askMessage(DOMAIN, { ...VECTOR_ASK, nonce: BigInt(number) });
      const signature = signSwapMessage(message, key);
      const digest = digests.ask({ ...VECTOR_ASK, nonce: BigInt(number) });
      assert.equal(recoverSigner(digest, bytesOf(signature)), evmAddressOf(key));
      const account = privateKeyToAccount(`0x${toHex(key)}`);
      assert.equal(await account.sign({ hash: `0x${digest.slice(2)}` }), signature);
      // Another message, or one bit of the signature, names somebody else or nobody.
      assert.notEqual(recoverSigner(digests.ask(VECTOR_ASK), bytesOf(signature)), evmAddressOf(key));
      for (const bit of [3, 200, 300, 500]) {
        const turned = bytesOf(signature);
        turned[bit >> 3] = (turned[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        assert.notEqual(recoverSigner(digest, turned), evmAddressOf(key));
      }
    }
  });

  test("nothing that is no signature makes the service throw", () => {
    fc.assert(
      fc.property(bytes32, fc.uint8Array({ maxLength: 70 }), (digest, signature) => {
        const signer = recoverSigner(digest, signature);
        assert.ok(signer === null || /^0x[0-9a-f]{40}$/.test(signer));
      }),
      { seed: 31 },
    );
    fc.assert(
      fc.property(bytes32, fc.uint8Array({ minLength: 64, maxLength: 65 }), (digest, signature) => {
        recoverSigner(digest, signature);
      }),
      { seed: 32 },
    );
  });

  test("the proof of the PEARL key (S-32)", () => {
    const key = plainKey(smallKey(3));
    const proof = bytesOf(signPearlProof(key, VECTOR_ASK_ID));
    const hash = pearlProofHash(VECTOR_ASK_ID, swapCrypto.sha256);
    assert.equal(verifySchnorr(key.outputKey, hash, proof), true);
    assert.equal(verifyPearlProof(proof, key.outputKey, VECTOR_ASK_ID), true);
    assert.equal(verifySchnorr(plainKey(smallKey(2)).outputKey, hash, proof), false);
    const otherHash = pearlProofHash(VECTOR_ORDER_HASH, swapCrypto.sha256);
    assert.equal(verifySchnorr(key.outputKey, otherHash, proof), false);
    assert.equal(verifyPearlProof(proof.with(9, (proof[9] ?? 0) ^ 1), key.outputKey, VECTOR_ASK_ID), false);
  });
});
