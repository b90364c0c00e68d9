// Schemas of tokens, holders, balances, candles and the statistics. (interface §2.3 to §2.6, H-30, H-31, H-37, H-38)

import { Type } from "typebox";
import { LEDGER_CAUSES } from "../../index/views.ts";
import {
  address,
  amount,
  count,
  decimal,
  height,
  hex32,
  listingId,
  nullable,
  signedAmount,
  ticker,
} from "./values.ts";

const tokenFields = {
  tick: ticker(),
  dec: Type.String({ pattern: "^(0|[1-9]|1[0-8])$", description: "Decimals." }),
  max: amount("Maximum supply, raw units."),
  lim: amount("Limit of one mint, raw units."),
  minted: amount("Minted so far, the pre-mint included, raw units."),
  pre: amount("Pre-mint, raw units."),
  cid: nullable(Type.String({ description: "Content id that the deploy named." })),
};

const supplyFields = {
  burned: amount("Burned so far, raw units."),
  supply: amount("minted - burned, raw units."),
  mint_progress: decimal(4, "minted / max in percent, truncated."),
  transfers: count("Valid `transfer` operations."),
  state: Type.Union([Type.Literal("minting"), Type.Literal("minted_out")], {
    description: "Whether mints are still possible.",
  }),
};

/** Row of tokenlist (interface §2.3, H-30). */
export const TokenListRowSchema = Type.Object({
  ...tokenFields,
  holders: count("Addresses with balance + locked > 0."),
  ...supplyFields,
});

/** Row of token/{tick} (interface §2.5, H-30). */
export const TokenRowSchema = Type.Object({
  ...tokenFields,
  deployer: address("Sender of the deploy."),
  deploy_txid: hex32("Transaction of the deploy."),
  deploy_height: count("Block of the deploy."),
  ...supplyFields,
});

/** Row of token/{tick}/holders (H-38). */
export const HolderRowSchema = Type.Object({
  address: address("Holder."),
  balance: amount("Spendable raw units."),
  locked: amount("Raw units in open listings."),
  total: amount("balance + locked."),
  share: decimal(4, "total / (minted - burned) in percent, truncated."),
});

/** Row of token/{tick}/candles (H-38). */
export const CandleRowSchema = Type.Object({
  start: count("Begin of the interval, unix seconds."),
  open: decimal(8, "Unit price of the first fill, satoshis per whole token."),
  high: decimal(8, "Highest unit price."),
  low: decimal(8, "Lowest unit price."),
  close: decimal(8, "Unit price of the last fill."),
  volume: amount("Filled raw units."),
  volume_sat: amount("Paid for them, satoshis."),
  fills: Type.Integer({ minimum: 1, description: "Fills in the interval." }),
});

/** A state digest (P-80). */
export const DigestValueSchema = Type.Object({
  height: height("Block that the digest stands for."),
  value: nullable(hex32("The digest; null while nothing is indexed.")),
});

/** What belongs to the consensus of token indexes (P-01, A-144). */
export const ParametersSchema = Type.Object({
  marker: Type.String({ description: "Marker of the envelope, and `p` of a payload." }),
  start_height: count("First block whose operations count."),
  protocol_fee_bps: count(
    "Rate of the protocol fee, basis points: a listing's signature is over the price less this fee.",
  ),
  protocol_address: Type.String({
    description: "Recipient of the protocol fee; empty where none is configured.",
  }),
});

/** The row of stats (interface §2.4, H-37). */
export const StatsRowSchema = Type.Object({
  last_processed_height: height("Height of the state."),
  blocks_indexed: count("Blocks from the start height on."),
  events_total: count("Recorded operations."),
  events_valid: count("Valid ones among them."),
  tokens_deployed: count("Tokens."),
  distinct_holders: count("Addresses that hold any token."),
  lists_open: count("Open listings, expired ones included."),
  lists_filled: count("Filled listings."),
  lists_cancelled: count("Cancelled listings."),
  lists_invalid_spent: count(
    "Listings whose anchor was spent beside an invalid send that names them, or with the seller paid and no send.",
  ),
  total_protocol_fee_paid_sat: amount("Protocol fees of filled listings, satoshis."),
  total_seller_paid_sat: amount("Sellers' proceeds of filled listings, satoshis."),
  total_protocol_fee_paid_pearl: decimal(8, "The same in PEARL."),
  total_seller_paid_pearl: decimal(8, "The same in PEARL."),
  lists_expired_open: count("Open listings past their expiry."),
  digest: DigestValueSchema,
  parameters: ParametersSchema,
});

/** Row of digest/{height} (H-38). */
export const DigestRowSchema = Type.Object({
  height: count("Height."),
  block_hash: hex32("Hash of the block at this height."),
  value: hex32("D(height)."),
});

const balanceFields = {
  tick: ticker(),
  dec: Type.String({ pattern: "^(0|[1-9]|1[0-8])$", description: "Decimals." }),
  balance: amount("Spendable raw units."),
  balance_normalized: Type.String({ description: "balance as a decimal, trailing zeros cut." }),
  locked: amount("Raw units in the address's open listings."),
  locked_normalized: Type.String({ description: "locked as a decimal, trailing zeros cut." }),
  total: amount("balance + locked."),
};

/** Row of address/{address}/tokenlist and address/{address}/token/{tick}. */
export const BalanceRowSchema = Type.Object(balanceFields);

/** Row of balances. */
export const AddressBalanceRowSchema = Type.Object({ address: address("Holder."), ...balanceFields });

/** Row of address/{address}/ledger (H-38). */
export const LedgerRowSchema = Type.Object({
  height: count("Block."),
  time: count("Time of the block, unix seconds."),
  txid: hex32("Transaction."),
  vout: count(
    "Input index of the operation; for `cancel` and `invalid_spend` the input that spent the anchor.",
  ),
  cause: Type.Enum(LEDGER_CAUSES, {
    description:
      "The operation, a send as `fill`; or the end of a listing without a fill, whose units went back to its owner.",
  }),
  tick: ticker(),
  balance_delta: signedAmount("Change of the spendable raw units."),
  locked_delta: signedAmount("Change of the raw units in open listings."),
  balance: amount("Spendable raw units after it."),
  locked: amount("Raw units in open listings after it."),
  listing_id: nullable(listingId("The listing that was created, filled or ended.")),
});
