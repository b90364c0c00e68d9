// `lock_call` (S-41): the contract call that locks the USDC of a take. The contract's names, integers inside terms and
// ask as decimal strings, ready for a wallet that has set hashlock, key, amounts and times itself.

import type { SwapRules, SwapSubject } from "./subject.ts";
import type { AskTerms, Terms } from "./terms.ts";

/** Terms with the contract's names (S-20). */
interface TermsWire {
  readonly buyer: string;
  readonly seller: string;
  readonly hashlock: string;
  readonly usdcAmount: string;
  readonly pearlAmountSat: string;
  readonly buyerPearlKey: string;
  readonly sellerPearlKey: string;
  readonly pearlRefundTime: string;
  readonly evmRefundTime: string;
  readonly feeBps: string;
  readonly feeRecipient: string;
  readonly askId: string;
  readonly nonce: string;
}

/** Ask with the contract's names (S-20). */
interface AskWire {
  readonly seller: string;
  readonly sellerPearlAddress: string;
  readonly sellerPearlKey: string;
  readonly pearlAmountSat: string;
  readonly usdcAmount: string;
  readonly expiry: string;
  readonly feeBps: string;
  readonly feeRecipient: string;
  readonly nonce: string;
}

/** `lock_call` of a deal row. */
export interface LockCall {
  readonly chain_id: number;
  readonly to: string;
  readonly function: "lockWithAsk";
  readonly terms: TermsWire;
  readonly ask: AskWire;
  /** As kept: 65 bytes with v 27 | 28, or an ERC-1271 signature. */
  readonly seller_signature: string;
}

/** The call; null once the order is indexed, for no take, and where the ask was not posted here. */
export function lockCall(subject: SwapSubject, rules: SwapRules): LockCall | null {
  if (subject.order !== null || subject.take === null || subject.ask === null) return null;
  const { record } = subject.ask;
  return {
    chain_id: rules.chainId,
    to: rules.escrow,
    function: "lockWithAsk",
    terms: termsWire(subject.terms),
    ask: askWire(record.terms),
    seller_signature: record.signature,
  };
}

/** Terms as the contract's ABI names them, integers as decimal strings. */
function termsWire(terms: Terms): TermsWire {
  return {
    buyer: terms.buyer,
    seller: terms.seller,
    hashlock: terms.hashlock,
    usdcAmount: terms.usdcAmount.toString(),
    pearlAmountSat: terms.pearlAmountSat.toString(),
    buyerPearlKey: terms.buyerPearlKey,
    sellerPearlKey: terms.sellerPearlKey,
    pearlRefundTime: terms.pearlRefundTime.toString(),
    evmRefundTime: terms.evmRefundTime.toString(),
    feeBps: terms.feeBps.toString(),
    feeRecipient: terms.feeRecipient,
    askId: terms.askId,
    nonce: terms.nonce.toString(),
  };
}

/** An ask as the contract's ABI names it, integers as decimal strings. */
function askWire(terms: AskTerms): AskWire {
  return {
    seller: terms.seller,
    sellerPearlAddress: terms.sellerPearlAddress,
    sellerPearlKey: terms.sellerPearlKey,
    pearlAmountSat: terms.pearlAmountSat.toString(),
    usdcAmount: terms.usdcAmount.toString(),
    expiry: terms.expiry.toString(),
    feeBps: terms.feeBps.toString(),
    feeRecipient: terms.feeRecipient,
    nonce: terms.nonce.toString(),
  };
}
