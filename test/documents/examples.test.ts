// The examples of `/docs` hold together as what they stand for would: whoever tries his code on them, or posts one, meets
// the hashes, keys, addresses and signatures that belong to each other.

import assert from "node:assert/strict";
import { test } from "node:test";
import { hex } from "@scure/base";
import { EXAMPLES } from "../../src/http/schemas/examples.ts";
import { SWAP_EXAMPLES } from "../../src/http/schemas/swap-examples.ts";
import { TAKE_EXAMPLE } from "../../src/http/schemas/take-example.ts";
import { dealRow as rowOfDeal } from "../../src/swap/rows.ts";
import type { SwapRules } from "../../src/swap/subject.ts";
import { ASK_RECORD, context, type Given, RULES, subject, TAKE } from "../swap/rules-subjects.ts";
import {
  addressOfScript,
  askMessage,
  fillTemplatePsbt,
  p2trScript,
  signSwapMessage,
  swapLock,
  swapLockAddress,
  swapMessageDigest,
  termsMessage,
} from "../../src/wallet/index.ts";

const { dealRow, bidRow, askRow, askCreateBody, askTakeBody, typedData } = SWAP_EXAMPLES;
const DOMAIN = typedData.domain;
/** The seller's EVM key of the vector of S-20. */
const SELLER_EVM_KEY = hex.decode("2".padStart(64, "0"));

const bytes = (text: string) => hex.decode(text.slice(2));

function termsOf(row: typeof dealRow | typeof bidRow) {
  const none = `0x${"0".repeat(64)}`;
  return termsMessage(DOMAIN, {
    buyer: row.buyer_evm,
    seller: row.seller_evm ?? `0x${"0".repeat(40)}`,
    hashlock: row.hashlock,
    usdcAmount: BigInt(row.usdc_amount),
    pearlAmountSat: BigInt(row.pearl_amount_sat),
    buyerPearlKey: row.buyer_pearl_pubkey,
    sellerPearlKey: row.seller_pearl_pubkey ?? none,
    pearlRefundTime: row.pearl_refund_time,
    evmRefundTime: row.evm_refund_time,
    feeBps: row.fee_bps,
    feeRecipient: row.fee_recipient,
    askId: row.ask_id ?? none,
    nonce: BigInt(row.nonce),
  });
}

const ASK = askMessage(DOMAIN, {
  seller: askCreateBody.seller_evm,
  sellerPearlAddress: askCreateBody.seller_pearl_address,
  sellerPearlKey: askCreateBody.seller_pearl_pubkey,
  pearlAmountSat: BigInt(askCreateBody.pearl_amount_sat),
  usdcAmount: BigInt(askCreateBody.usdc_amount),
  expiry: askCreateBody.expiry,
  feeBps: askRow.fee_bps,
  feeRecipient: askRow.fee_recipient,
  nonce: BigInt(askRow.nonce),
});

test("S-20: the ids of the order, the bid and the ask are the digests of their terms", () => {
  assert.equal(swapMessageDigest(termsOf(dealRow)), dealRow.deal_hash);
  assert.equal(swapMessageDigest(termsOf(bidRow)), bidRow.order_hash);
  assert.equal(swapMessageDigest(ASK), askRow.ask_id);
  assert.equal(dealRow.ask_id, askRow.ask_id);
});

test("S-31: the ask has its seller's signature", () => {
  const signature = signSwapMessage(ASK, SELLER_EVM_KEY);
  assert.equal(askCreateBody.seller_evm_signature, signature);
  assert.equal(askRow.seller_evm_signature, signature);
});

test("S-14: each address belongs to its key, and the lock's address to neither of them", () => {
  const pairs = [
    [dealRow.buyer_pearl_pubkey, dealRow.buyer_pearl_address],
    [dealRow.seller_pearl_pubkey, dealRow.seller_pearl_address],
    [askTakeBody.buyer_pearl_pubkey, askTakeBody.buyer_pearl_address],
    [askCreateBody.seller_pearl_pubkey, askCreateBody.seller_pearl_address],
  ] as const;
  for (const [key, address] of pairs) assert.equal(addressOfScript(p2trScript(bytes(key)), "rprl"), address);
  const lock = swapLock({
    hashlock: bytes(dealRow.hashlock),
    buyerKey: bytes(dealRow.buyer_pearl_pubkey),
    sellerKey: bytes(dealRow.seller_pearl_pubkey),
    refundTime: dealRow.pearl_refund_time,
  });
  assert.equal(swapLockAddress(lock, "rprl"), dealRow.pearl_lock_address);
  assert.equal(hex.encode(lock.script), dealRow.expected_script_hex);
});

test("H-35: the PSBT of the fill template has its anchor, its signature and its outputs", () => {
  const { inputs, outputs, psbt_base64 } = EXAMPLES.fillTemplateRow;
  const [anchor] = inputs;
  const template = {
    anchorTxid: anchor.txid,
    anchorVout: anchor.vout,
    anchorAmountSat: BigInt(anchor.amount_sat),
    anchorScriptHex: anchor.script_hex,
    signatureHex: anchor.witness[0] ?? "",
    outputs: outputs.map(({ script_hex, amount_sat }) => ({
      scriptHex: script_hex,
      amountSat: BigInt(amount_sat),
    })),
  };
  assert.equal(psbt_base64, fillTemplatePsbt(template));
});

test("S-41, S-42: the answer to a take is the row that the service makes of it, with the call that locks the USDC", () => {
  const { lock_call: call } = TAKE_EXAMPLE;
  const shared = {
    usdcAmount: BigInt(call.terms.usdcAmount),
    pearlAmountSat: BigInt(call.terms.pearlAmountSat),
    feeBps: Number(call.terms.feeBps),
    nonce: BigInt(call.terms.nonce),
  };
  const terms = {
    ...call.terms,
    ...shared,
    pearlRefundTime: Number(call.terms.pearlRefundTime),
    evmRefundTime: Number(call.terms.evmRefundTime),
  };
  assert.equal(swapMessageDigest(termsMessage(DOMAIN, terms)), TAKE_EXAMPLE.deal_hash);
  const askTerms = { ...call.ask, ...shared, expiry: Number(call.ask.expiry) };
  assert.equal(swapMessageDigest(askMessage(DOMAIN, askTerms)), TAKE_EXAMPLE.ask_id);
  const given = {
    hash: TAKE_EXAMPLE.deal_hash,
    terms,
    order: null,
    take: { ...TAKE, terms, createdAt: TAKE_EXAMPLE.created_at, expiresAt: TAKE_EXAMPLE.take_expires_at },
    ask: { status: "ASK_OPEN", record: { ...ASK_RECORD, terms: askTerms, signature: call.seller_signature } },
    script: TAKE_EXAMPLE.expected_script_hex,
    buyerPearlAddress: TAKE_EXAMPLE.buyer_pearl_address,
    sellerPearlAddress: TAKE_EXAMPLE.seller_pearl_address,
  };
  const at = context({ now: TAKE_EXAMPLE.created_at });
  // The service's types have brands; here they are the texts of the documents.
  const rules = { ...RULES, escrow: call.to as SwapRules["escrow"] };
  const row = rowOfDeal(subject(given as unknown as Given), at, rules);
  assert.deepEqual(TAKE_EXAMPLE, row);
});
