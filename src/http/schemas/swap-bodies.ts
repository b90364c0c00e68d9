// Schemas of the bodies of swap operations (interface §2.11, S-60, S-61, S-64, H-42): the fields, which of them are
// required, and examples. The forms of single values are judged by the swap service (S-06), field by field.

import { Type } from "typebox";
import { timeField } from "./values.ts";

const text = (description: string) => Type.String({ description });
const amountField = (description: string) =>
  Type.String({
    pattern: "^(0|[1-9][0-9]{0,38})$",
    description: `${description} A string of digits, not a number.`,
  });
const nonceField = Type.Union(
  [Type.String({ pattern: "^(0|[1-9][0-9]{0,77})$" }), Type.Integer({ minimum: 0 })],
  {
    description: "Decimal string, or an integer up to 2^53 - 1; absent is 0.",
  },
);
const feeBpsField = Type.Integer({ minimum: 0, maximum: 500, description: "Must equal the fee in force." });
const optional = Type.Optional;

/** `POST asks`. */
export const AskCreateBody = Type.Object({
  seller_pearl_address: text("The seller's PEARL address."),
  seller_pearl_pubkey: text("The seller's PEARL key, x-only or compressed; must fit the address."),
  seller_evm: text("The seller's EVM address."),
  pearl_amount_sat: amountField("PEARL for sale, 10,000 to 2.1e18 satoshis."),
  usdc_amount: amountField("USDC that the buyer pays, raw units."),
  expiry: timeField("From when on the ask cannot be taken; at most 30 days ahead."),
  seller_evm_signature: text(
    "EIP-712 signature of the seller over `Ask` (see `typed-data`), hex with 0x. Signed are the address in lower case, the key x-only, and for what is left out 0 (`nonce`) or the fee in force.",
  ),
  fee_bps: optional(feeBpsField),
  fee_recipient: optional(text("Must equal the fee recipient in force.")),
  nonce: optional(nonceField),
  settlement_mode: optional(text("1 to 64 printable ASCII characters, shown as given.")),
  seller_post_source: optional(text("1 to 64 printable ASCII characters, shown as given.")),
  seller_pearl_signature: optional(
    text(
      'BIP340 signature of the seller\'s PEARL key over tagged_hash("PearlUsdcAsk", ask_id), the id as 32 bytes, hex. May come later, with the same ask posted again, whose `settlement_mode` and `seller_post_source` are shown from then on.',
    ),
  ),
});

/** `POST asks/{ask_id}/take`. */
export const AskTakeBody = Type.Object({
  buyer_evm: text("The buyer's EVM address."),
  buyer_pearl_address: text("The buyer's PEARL address."),
  buyer_pearl_pubkey: text("The buyer's PEARL key, x-only or compressed; must fit the address."),
  hashlock: text("SHA-256 of the buyer's secret, hex. Never the secret."),
  pearl_refund_time: timeField("From when on the seller may take the PEARL back."),
  evm_refund_time: timeField("From when on the buyer may take the USDC back."),
  evm_order_hash: optional(text("The order's hash, where it is indexed already.")),
  fee_bps: optional(feeBpsField),
  fee_recipient: optional(text("Must equal the ask's.")),
  nonce: optional(nonceField),
  seller_pearl_address: optional(text("Must equal the ask's.")),
  seller_pearl_pubkey: optional(text("Must equal the ask's.")),
});

/** `POST asks/{ask_id}/pause|resume|cancel` (H-42). */
export const AskActionBody = Type.Object({
  deadline: timeField("Within the next hour, and later than that of the last accepted action."),
  signature: text("EIP-712 signature of the seller over `AskAction`, hex with 0x."),
});

/** `POST bids/{order_hash}/origin` (S-64). */
export const OriginBody = Type.Object({
  origin: Type.String({ pattern: "^[a-z0-9._-]{1,64}$", description: "Where the bid was made." }),
  ref: optional(text("At most 128 printable ASCII characters. Left out, it is signed as the empty text.")),
  signature: text("EIP-712 signature of the buyer over `BidOrigin`, hex with 0x."),
});

/** `POST deals/{deal_hash}/accept-lock` (S-60). */
export const AcceptLockBody = Type.Object({
  pearl_lock_txid: text("Transaction that holds the lock output."),
  pearl_lock_vout: Type.Integer({ minimum: 0, maximum: 4_294_967_295, description: "Its output index." }),
  buyer_pearl_address: optional(
    text("Must fit the buyer's key. Kept, until another one comes, unless a take gave one."),
  ),
  seller_pearl_address: optional(
    text("Must fit the seller's key. Kept, until another one comes, unless an ask gave one."),
  ),
});

/** `POST deals/{deal_hash}/verify-lock`: both fields or none. */
export const VerifyLockBody = Type.Object({
  pearl_lock_txid: optional(text("Transaction of the output to judge.")),
  pearl_lock_vout: optional(
    Type.Integer({ minimum: 0, maximum: 4_294_967_295, description: "Its output index." }),
  ),
});

/** `POST deals/{deal_hash}/verify-refund`. */
export const VerifyRefundBody = Type.Object({
  pearl_refund_txid: optional(text("The refund transaction to judge.")),
});

/** `POST deals/{deal_hash}/verify-evm-refund`. */
export const VerifyEvmRefundBody = Type.Object({});
