// Schemas of every answer of the swap group (interface §2.11, S-15, S-51, S-54, S-55, S-65, H-40, H-43, H-44), for the
// documents and for the contract tests.

import { type TSchema, Type } from "typebox";
import { ASK_STATUSES, BID_STATUSES, DEAL_STATUSES } from "../../swap/statuses.ts";
import { ACTIONS } from "../../swap/next-actions.ts";
import { RELEASE_REASONS } from "../../swap/reasons.ts";
import { TERMS_ERRORS } from "../../swap/order-state.ts";
import { TRANSACTION_ACTIONS } from "../../swap/transactions.ts";
import {
  bytes32,
  evmAddress,
  satAmount,
  unixTime,
  usdcAmount,
  address,
  amount,
  count,
  decimal,
  hex32,
  hexBytes,
  nullable,
} from "./values.ts";

/** A list answer (H-03). */
export function swapList<Row extends TSchema>(row: Row) {
  return Type.Object({
    ok: Type.Literal(true),
    result: Type.Array(row),
    next: nullable(Type.String({ description: "Cursor of the next page." })),
    prev: nullable(Type.String({ description: "Cursor of the previous page." })),
  });
}

/** A single object with `ok` (H-03). */
export function swapObject<Row extends TSchema>(row: Row) {
  return Type.Intersect([Type.Object({ ok: Type.Literal(true) }), row]);
}

const feeBps = Type.Integer({
  minimum: 0,
  maximum: 500,
  description: "Seller's fee, hundredths of a per cent.",
});
const feeRecipient = evmAddress("Who the fee is accrued for.");
const nonce = Type.String({ pattern: "^(0|[1-9][0-9]*)$", description: "Decimal." });
/** An output that pays a lock script (S-15). */
export const LockOutputSchema = Type.Object({
  txid: hex32("Transaction id."),
  vout: count("Output index."),
  amount_sat: satAmount("Value."),
  height: nullable(
    count("Height of its block; null in the mempool, and where it has left that and may come back."),
  ),
  spend_txid: nullable(hex32("Spending transaction.")),
  spend_path: nullable(Type.Enum(["claim", "refund"])),
  spend_height: nullable(count("Height of the spend; null in the mempool.")),
});

/** Something that a party may or must do (S-54, S-55). */
export const NextActionSchema = Type.Object({
  actor: nullable(evmAddress("The party; null for anyone and for the seller of an open bid.")),
  role: Type.Enum(["buyer", "seller", "anyone"]),
  action: Type.Enum([...ACTIONS]),
  optional: Type.Boolean({ description: "Leaving it never loses." }),
  not_before: nullable(unixTime("Not to be done before; null: at any time until `not_after`.")),
  not_after: nullable(unixTime("Not to be done any more after; null: no end.")),
  outpoint: nullable(Type.String({ description: "`txid:vout` of the lock output it is about." })),
  amount_sat: nullable(satAmount("Value of that output, or of the lock to make.")),
});

/** Margins of a deal's size (S-03). */
export const ProfileSchema = Type.Object({
  name: Type.Enum(["large", "small"]),
  k: count("Confirmations of the lock."),
  reveal_margin_s: count("Seconds before pearl_refund_time after which the secret is not to be revealed."),
  lock_margin_s: count("Seconds before pearl_refund_time after which PEARL is not to be locked."),
  take_min_s: count("Seconds from a take to pearl_refund_time, at least."),
});

const deadlines = Type.Object({
  take_expires_at: nullable(unixTime("End of the take.")),
  accept_bid_by: nullable(unixTime("Last moment to accept the bid.")),
  lock_pearl_by: unixTime("Last moment to lock PEARL."),
  claim_pearl_by: unixTime("Last moment to reveal the secret."),
  pearl_refund_time: unixTime("T_p."),
  evm_refund_time: unixTime("T_e."),
});

const confirmations = Type.Object(
  {
    evm: Type.Object(
      {
        have: count("Of the later of OrderLocked and OrderAccepted."),
        need: nullable(count("Null where the `finalized` tag decides.")),
        final: Type.Boolean({
          description:
            "Whether these two cannot be undone any more; of what ended the order `evm_leg` says so.",
        }),
      },
      { description: "The USDC side." },
    ),
    pearl: Type.Object({ have: count("Of the lock."), need: count("K.") }),
  },
  { description: "How deep both sides are. No event tells that they have grown." },
);

const evmLeg = Type.Object({
  state: Type.Enum(["none", "locked", "accepted", "claimed", "refunded", "cancelled"]),
  final: Type.Boolean(),
});

const evmCredit = Type.Object(
  {
    account: evmAddress("Who is owed."),
    amount: usdcAmount("What the contract owes to that account for this order."),
  },
  { description: "A payout that the token refused; the account has not withdrawn it." },
);

const pearlLeg = Type.Object({
  state: Type.Enum(["none", "mempool", "confirmed", "claim_seen", "claimed", "refund_seen", "refunded"]),
  confirmations: count("Of the lock."),
});

const lockCall = Type.Object({
  chain_id: Type.Integer(),
  to: evmAddress("The escrow contract."),
  function: Type.Literal("lockWithAsk"),
  terms: Type.Record(Type.String(), Type.String()),
  ask: Type.Record(Type.String(), Type.String()),
  seller_signature: Type.String(),
});

/** What bids and deals share: the settlement fields of interface §2.11 and S-51, S-54, S-55. */
const settlement = {
  order_hash: bytes32("Names the order on both sides; equals deal_hash."),
  deal_hash: bytes32("Names the deal on both sides; equals order_hash."),
  ask_id: nullable(bytes32("The ask that was taken; null for a bid.")),
  buyer_evm: evmAddress("Buyer."),
  seller_evm: nullable(evmAddress("Seller; null in an open bid.")),
  usdc_amount: usdcAmount("USDC that the buyer locks."),
  pearl_amount_sat: satAmount("PEARL that the seller locks."),
  fee_bps: feeBps,
  fee_recipient: feeRecipient,
  nonce,
  evm_bid_txid: nullable(bytes32("Transaction of OrderLocked; null for an unfunded take.")),
  buyer_pearl_address: nullable(address("Where the buyer wants the PEARL.")),
  buyer_pearl_pubkey: bytes32("Buyer's key in the claim leaf, x-only."),
  seller_pearl_address: nullable(address("Seller's PEARL address.")),
  seller_pearl_pubkey: nullable(bytes32("Seller's key in the refund leaf, x-only; null before acceptance.")),
  hashlock: bytes32("SHA-256 of the secret."),
  pearl_refund_time: unixTime("T_p: from then on the seller may take the PEARL back."),
  evm_refund_time: unixTime("T_e: from then on the buyer may take the USDC back."),
  pearl_lock_address: nullable(address("Address of the lock script.")),
  expected_script_hex: nullable(hexBytes("The lock script.")),
  pearl_lock_txid: nullable(hex32("Transaction of the lock.")),
  pearl_lock_vout: nullable(count("Its output index.")),
  pearl_lock_outputs: Type.Array(LockOutputSchema, {
    maxItems: 20,
    description:
      "All, or the 20 of the greatest amounts with the lock among them; those below 10,000 sat are none.",
  }),
  pearl_lock_outputs_total: count("How many there are."),
  pearl_claim_txid: nullable(hex32("Spend by the claim leaf.")),
  pearl_refund_txid: nullable(hex32("Spend by the refund leaf.")),
  pearl_release_verified: nullable(Type.Boolean()),
  pearl_release_verify_error: nullable(Type.Enum([...RELEASE_REASONS])),
  secret_hex: nullable(bytes32("The secret, once it is public on a chain (H-41).")),
  terms_error: nullable(Type.Enum([...TERMS_ERRORS])),
  profile: ProfileSchema,
  evm_leg: evmLeg,
  evm_credit: nullable(evmCredit),
  pearl_leg: pearlLeg,
  next_actions: Type.Array(NextActionSchema),
  deadlines,
  confirmations,
  take_expires_at: nullable(unixTime("End of the take.")),
  expired: Type.Boolean({ description: "Whether the take is dead." }),
  lock_call: nullable(lockCall),
  pearl_amount: satAmount("The same as pearl_amount_sat."),
  origin: nullable(Type.String()),
  ref: nullable(Type.String()),
  created_at: unixTime("Time of the OrderLocked block; of the first POST for an unfunded take."),
};

/** A bid (interface §2.11, S-52): every order is one, and none is without the transaction that locked it. */
export const BidRowSchema = Type.Object({
  ...settlement,
  evm_bid_txid: bytes32("Transaction of OrderLocked."),
  status: Type.Enum([...BID_STATUSES]),
});

/** A deal (interface §2.11, S-51): a take has the ask's seller, an order has had one since it was accepted. */
export const DealRowSchema = Type.Object({
  ...settlement,
  seller_evm: evmAddress("Seller."),
  status: Type.Enum([...DEAL_STATUSES]),
});

/** One step of one transaction of a swap. */
export const SwapTransactionSchema = Type.Object({
  deal_hash: bytes32("The order or deal that it moved."),
  chain: Type.Enum(["evm", "pearl"], { description: "The transaction's chain." }),
  txid: Type.Union([bytes32("EVM transaction."), hex32("PEARL transaction.")]),
  action: Type.Enum([...TRANSACTION_ACTIONS], {
    description:
      "What it did: as in next_actions, and `credit_payout` where the token refused the payout, which the escrow then owes.",
  }),
  amount: nullable(
    amount(
      "Raw units of what moved: satoshis on PEARL, 10^-6 USDC on the EVM chain. Of `claim_usdc` the seller's proceeds: the fee stays in the escrow for its recipient.",
    ),
  ),
  outputs: nullable(count("Lock outputs that it made or spent; null on the EVM chain.")),
  height: nullable(count("Height of its block; null in the mempool, like the next two.")),
  block_hash: nullable(Type.Union([bytes32("EVM block."), hex32("PEARL block.")])),
  time: nullable(unixTime("Time of its block.")),
  confirmations: count("0 in the mempool."),
  final: Type.Boolean({
    description: "EVM: the block is final (S-07). PEARL: at least the K confirmations of the deal's size.",
  }),
});

/** The transactions of one deal. */
export const DealTransactionsSchema = Type.Object({
  deal_hash: bytes32("The order or deal."),
  transactions: Type.Array(SwapTransactionSchema, {
    description:
      "By the times of their blocks, those in the mempool last; of the lock outputs those in pearl_lock_outputs.",
  }),
});

/** An ask (H-40). */
export const AskRowSchema = Type.Object({
  ask_id: bytes32("The ask's EIP-712 digest."),
  status: Type.Enum([...ASK_STATUSES]),
  seller_pearl_address: address("Seller's PEARL address."),
  seller_pearl_pubkey: bytes32("Seller's key, x-only."),
  seller_evm: evmAddress("Seller."),
  pearl_amount_sat: satAmount("PEARL for sale."),
  usdc_amount: usdcAmount("USDC wanted."),
  expiry: unixTime("From then on it cannot be taken."),
  seller_evm_signature: Type.String({ pattern: "^0x([0-9a-f]{2})*$" }),
  fee_bps: feeBps,
  fee_recipient: feeRecipient,
  nonce,
  settlement_mode: nullable(Type.String()),
  seller_post_source: nullable(Type.String()),
  funded: Type.Boolean(),
  pearl_balance_sat: nullable(satAmount("Seller's balance at the last check.")),
  balance_checked_at: nullable(unixTime("Last check.")),
  pearl_key_proven: Type.Boolean(),
  price_usdc: decimal(6, "USDC per whole PEARL, rounded down."),
  deal_hash: nullable(bytes32("The order that took it.")),
  created_at: unixTime("First POST."),
  updated_at: unixTime("Last POST or check that changed the row."),
  binding_on_chain: Type.Optional(Type.Literal(false)),
});

/** `GET swaps/{order_hash}` (H-43). */
export const SwapRowSchema = Type.Union([
  Type.Intersect([Type.Object({ ok: Type.Literal(true), kind: Type.Literal("deal") }), DealRowSchema]),
  Type.Intersect([Type.Object({ ok: Type.Literal(true), kind: Type.Literal("bid") }), BidRowSchema]),
]);

/** `GET swaps/address/{address}` (H-43). */
export const AddressSwapsSchema = Type.Object({
  ok: Type.Literal(true),
  bids: Type.Array(BidRowSchema),
  asks: Type.Array(AskRowSchema),
  deals: Type.Array(DealRowSchema),
});

const totals = {
  settled_count: count("Orders claimed."),
  settled_usdc_volume: usdcAmount("Σ usdc_amount of them."),
  settled_pearl_volume_sat: satAmount("Σ pearl_amount_sat of them."),
  settled_pearl_volume_pearl: decimal(8, "The same in PEARL."),
};

function counts(statuses: readonly string[]) {
  return Type.Object(Object.fromEntries(statuses.map((status) => [status, count("Rows with this status.")])));
}

/** `GET stats` (S-65). */
export const SwapStatsSchema = Type.Object({
  ok: Type.Literal(true),
  ...totals,
  bids_by_status: counts(BID_STATUSES),
  asks_by_status: counts(ASK_STATUSES),
  deals_by_status: counts(DEAL_STATUSES),
  last_24h: Type.Object(totals),
});

/** `GET typed-data` (H-44). */
export const TypedDataSchema = Type.Object({
  ok: Type.Literal(true),
  domain: Type.Object({
    name: Type.String(),
    version: Type.String(),
    chainId: Type.Integer(),
    verifyingContract: evmAddress("The escrow contract."),
  }),
  types: Type.Record(Type.String(), Type.Array(Type.Object({ name: Type.String(), type: Type.String() }))),
  escrow: Type.Object({
    address: evmAddress("The escrow contract."),
    chain_id: Type.Integer(),
    first_block: count("First block of the contract."),
    usdc: evmAddress("The USDC token."),
    min_usdc_amount: usdcAmount("Smallest order."),
    fee_bps: feeBps,
    fee_recipient: feeRecipient,
    abi: Type.Array(Type.Unknown()),
  }),
  limits: Type.Object({
    margin_s: count("Seconds between the refund times, at least."),
    evm_refund_max_s: count("Seconds from now to evm_refund_time, at most."),
    min_usdc_amount: usdcAmount("Smallest ask."),
    small_deal_usdc: usdcAmount("Deals up to this are small."),
    profiles: Type.Array(ProfileSchema),
  }),
});
