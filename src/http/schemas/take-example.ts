// The answer to a take, for the documents: a deal that nobody has funded yet, with the call that locks its USDC. The
// terms are those of the other examples, so that their digest is the deal's hash.

import { SWAP_EXAMPLES } from "./swap-examples.ts";

const { askRow, dealRow, typedData } = SWAP_EXAMPLES;
const TAKE_EXPIRES_AT = 1799981200;

/** The deal row of a take that was just made. */
export const TAKE_EXAMPLE = {
  ...dealRow,
  status: "DEAL_OPEN",
  pearl_lock_txid: null,
  pearl_lock_vout: null,
  pearl_lock_outputs: [],
  pearl_lock_outputs_total: 0,
  pearl_release_verified: null,
  pearl_release_verify_error: null,
  pearl_leg: { state: "none", confirmations: 0 },
  confirmations: { evm: { have: 0, need: null, final: false }, pearl: { have: 0, need: 6 } },
  deadlines: { ...dealRow.deadlines, take_expires_at: TAKE_EXPIRES_AT },
  evm_bid_txid: null,
  evm_leg: { state: "none", final: false },
  next_actions: [
    {
      actor: dealRow.buyer_evm,
      role: "buyer",
      action: "lock_usdc",
      optional: true,
      not_before: null,
      not_after: TAKE_EXPIRES_AT,
      outpoint: null,
      amount_sat: null,
    },
  ],
  take_expires_at: TAKE_EXPIRES_AT,
  lock_call: {
    chain_id: typedData.escrow.chain_id,
    to: typedData.escrow.address,
    function: "lockWithAsk",
    terms: {
      buyer: dealRow.buyer_evm,
      seller: dealRow.seller_evm,
      hashlock: dealRow.hashlock,
      usdcAmount: dealRow.usdc_amount,
      pearlAmountSat: dealRow.pearl_amount_sat,
      buyerPearlKey: dealRow.buyer_pearl_pubkey,
      sellerPearlKey: dealRow.seller_pearl_pubkey,
      pearlRefundTime: "1800000000",
      evmRefundTime: "1800021600",
      feeBps: "200",
      feeRecipient: dealRow.fee_recipient,
      askId: dealRow.ask_id,
      nonce: dealRow.nonce,
    },
    ask: {
      seller: askRow.seller_evm,
      sellerPearlAddress: askRow.seller_pearl_address,
      sellerPearlKey: askRow.seller_pearl_pubkey,
      pearlAmountSat: askRow.pearl_amount_sat,
      usdcAmount: askRow.usdc_amount,
      expiry: "1799990000",
      feeBps: "200",
      feeRecipient: askRow.fee_recipient,
      nonce: askRow.nonce,
    },
    seller_signature: askRow.seller_evm_signature,
  },
} as const;
