// The contract's digests are those of EIP-712: the published vector, made by the contract at the vector's address, and
// random messages beside viem's own implementation.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import * as fc from "../../testkit/properties.ts";
import { type Address, encodeFunctionData, type Hex, hashTypedData, toHex } from "viem";
import { privateKeyToAddress } from "viem/accounts";
import { escrowAbi } from "../../src/adapters/evm-rpc/escrow-abi.ts";
import { ContractStage, word } from "./contract-stage.ts";
import { type AskMessage, askTypes, type TermsMessage, termsTypes } from "./typed-messages.ts";

const VECTOR_ADDRESS: Address = "0x1111111111111111111111111111111111111111";
const ZERO: Address = "0x0000000000000000000000000000000000000000";
const TERMS_TYPE_HASH = "09029d9d97419a2e0f2a554f3935e1951475934ee31e1141d28c59625f36bab9";
const ASK_TYPE_HASH = "bf23e67c83798e2354e5b18cae7dc531e6cda5bb123bd0f5b9ec9afe815e42ef";
const ASK_ID = "0x69148f6149d2636f0fb051c99ba9539c77c5d167cd603b99e2f7b951c7a4eaf6";
const ORDER_HASH = "0x735effa59f638b09ffa1b4ef38366014fecec8a3b5c35f7955ea19abf6235780";
const OPEN_BID_HASH = "0xd82bd350419b2791eeca068582eb5bfbe1336d4af0dd8af2ab5f6546dd262be1";

const shared = {
  seller: privateKeyToAddress(word(2n)),
  sellerPearlKey: "0xf9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9",
  pearlAmountSat: 500_000_000_000n,
  usdcAmount: 250_000_000n,
  feeBps: 200,
  feeRecipient: "0x2222222222222222222222222222222222222222",
  nonce: 0n,
} as const;
const ask: AskMessage = {
  ...shared,
  sellerPearlAddress: "rprl1plycg5qvjtrp3qjf5f7zl382j9x6nrjz9sdhenvyxq8c3808qxmussd3k73",
  expiry: 1_799_990_000n,
};
const terms: TermsMessage = {
  ...shared,
  buyer: privateKeyToAddress(word(1n)),
  hashlock: "0x630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd",
  buyerPearlKey: "0xc6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5",
  pearlRefundTime: 1_800_000_000n,
  evmRefundTime: 1_800_021_600n,
  askId: ASK_ID,
};

let stage: ContractStage;
before(async () => {
  stage = await ContractStage.open();
  const code = await stage.anvil.publicClient.getCode({ address: stage.escrow.address });
  assert.ok(code !== undefined);
  await stage.anvil.testClient.setCode({ address: VECTOR_ADDRESS, bytecode: code });
});
after(() => stage.close());

function atVector(data: Hex): Promise<Hex | undefined> {
  return stage.anvil.publicClient.call({ to: VECTOR_ADDRESS, data }).then((answer) => answer.data);
}
function askAtVector(message: AskMessage): Promise<Hex | undefined> {
  return atVector(encodeFunctionData({ abi: escrowAbi, functionName: "hashAsk", args: [message] }));
}
function termsAtVector(message: TermsMessage): Promise<Hex | undefined> {
  return atVector(encodeFunctionData({ abi: escrowAbi, functionName: "hashTerms", args: [message] }));
}

test("S-20: the vector's ask id, order hash and open bid hash come out of the contract", async () => {
  assert.equal(await askAtVector(ask), ASK_ID);
  assert.equal(await termsAtVector(terms), ORDER_HASH);
  const bid = { ...terms, seller: ZERO, sellerPearlKey: word(0n), askId: word(0n) };
  assert.equal(await termsAtVector(bid), OPEN_BID_HASH);
});

test("S-20: both type hashes of the vector stand in the code", () => {
  const built = readFileSync(new URL("../../contracts/build/PearlUsdcEscrow.json", import.meta.url), "utf8");
  assert.ok(built.includes(TERMS_TYPE_HASH));
  assert.ok(built.includes(ASK_TYPE_HASH));
});

test("S-20: the domain is name, version, chain and address as of the call, without salt", async () => {
  const data = await stage.read.eip712Domain();
  const [fields, name, version, chainId, verifyingContract, salt, extensions] = data;
  assert.deepEqual([fields, name, version, chainId], ["0x0f", "PearlUsdcEscrow", "1", 31337n]);
  assert.equal(verifyingContract.toLowerCase(), stage.escrow.address.toLowerCase());
  assert.deepEqual([salt, extensions], [word(0n), []]);
});

const address = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => toHex(bytes));
const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => toHex(bytes));
const uint64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const uint256 = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
const common = {
  seller: address,
  sellerPearlKey: bytes32,
  pearlAmountSat: uint64,
  usdcAmount: uint256,
  feeBps: fc.integer({ min: 0, max: 65535 }),
  feeRecipient: address,
  nonce: uint256,
};
const anyAsk = fc.record({
  ...common,
  sellerPearlAddress: fc.string({ unit: "grapheme", maxLength: 80 }),
  expiry: uint64,
});
const anyTerms = fc.record({
  ...common,
  buyer: address,
  hashlock: bytes32,
  buyerPearlKey: bytes32,
  pearlRefundTime: uint64,
  evmRefundTime: uint64,
  askId: bytes32,
});

test("S-20: any message has viem's digest, and nothing about it is checked", async () => {
  const domain = stage.domain();
  await fc.assert(
    fc.asyncProperty(anyAsk, anyTerms, async (someAsk, someTerms) => {
      const askId = hashTypedData({ domain, types: askTypes, primaryType: "Ask", message: someAsk });
      assert.equal(await stage.hashAsk(someAsk), askId);
      const hash = hashTypedData({ domain, types: termsTypes, primaryType: "Terms", message: someTerms });
      assert.equal(await stage.hashTerms(someTerms), hash);
    }),
    { numRuns: 60, seed: 20 },
  );
});

test("S-20: on another chain id the digest is another one", async () => {
  const here = await stage.hashTerms(terms);
  await stage.anvil.rpc("anvil_setChainId", [31338]);
  try {
    assert.notEqual(await stage.hashTerms(terms), here);
  } finally {
    await stage.anvil.rpc("anvil_setChainId", [31337]);
  }
});
