// Tokens, holders, balances, candles and statistics as wire rows. (H-30, H-31, H-37, H-38)

import type { Static } from "typebox";
import type { TipState } from "../../index/queries.ts";
import type { BalanceView, CandleView, LedgerView, StatsView } from "../../index/views.ts";
import type { ProtocolRules } from "../../prc20/rules.ts";
import type { BalanceRow, TokenRow } from "../../prc20/state.ts";
import { formatPearl } from "../../primitives/amount.ts";
import type {
  CandleRowSchema,
  HolderRowSchema,
  LedgerRowSchema,
  StatsRowSchema,
  TokenListRowSchema,
  TokenRowSchema,
  AddressBalanceRowSchema,
  BalanceRowSchema,
} from "../schemas/tokens.ts";
import { percentText, unitPriceText, normalizedText } from "./decimal.ts";

/** Row of tokenlist. */
export function tokenListRow(token: TokenRow): Static<typeof TokenListRowSchema> {
  return { ...tokenFields(token), holders: token.holders, ...supplyFields(token) };
}

/** Row of token/{tick}. */
export function tokenRow(token: TokenRow): Static<typeof TokenRowSchema> {
  return {
    ...tokenFields(token),
    deployer: token.deployer,
    deploy_txid: token.deployTxid,
    deploy_height: token.deployHeight,
    ...supplyFields(token),
  };
}

function tokenFields(token: TokenRow) {
  return {
    tick: token.tick,
    dec: token.dec,
    max: token.max.toString(),
    lim: token.lim.toString(),
    minted: token.minted.toString(),
    pre: token.pre.toString(),
    cid: token.cid,
  };
}

function supplyFields(token: TokenRow) {
  const mintedOut: "minted_out" | "minting" = token.minted >= token.max ? "minted_out" : "minting";
  return {
    burned: token.burned.toString(),
    supply: (token.minted - token.burned).toString(),
    mint_progress: percentText(token.minted, token.max),
    transfers: token.transfers,
    state: mintedOut,
  };
}

/** Row of address/{address}/ledger. */
export function ledgerRow(view: LedgerView): Static<typeof LedgerRowSchema> {
  return {
    height: view.height,
    time: view.time,
    txid: view.txid,
    vout: view.vout,
    cause: view.cause,
    tick: view.tick,
    balance_delta: view.balanceDelta.toString(),
    locked_delta: view.lockedDelta.toString(),
    balance: view.balance.toString(),
    locked: view.locked.toString(),
    listing_id: view.listingId,
  };
}

/** Row of token/{tick}/holders; `circulating` is minted - burned. */
export function holderRow(
  { address, balance, locked }: BalanceRow,
  circulating: bigint,
): Static<typeof HolderRowSchema> {
  const total = balance + locked;
  return {
    address,
    balance: balance.toString(),
    locked: locked.toString(),
    total: total.toString(),
    share: percentText(total, circulating),
  };
}

/** Row of token/{tick}/candles. */
export function candleRow(candle: CandleView, dec: string): Static<typeof CandleRowSchema> {
  return {
    start: candle.start,
    open: unitPriceText(candle.open, dec),
    high: unitPriceText(candle.high, dec),
    low: unitPriceText(candle.low, dec),
    close: unitPriceText(candle.close, dec),
    volume: candle.volume.toString(),
    volume_sat: candle.volumeSat.toString(),
    fills: candle.fills,
  };
}

/** The row of stats. */
export function statsRow(
  state: TipState,
  stats: StatsView,
  rules: ProtocolRules,
): Static<typeof StatsRowSchema> {
  const { totals } = state;
  return {
    last_processed_height: state.height,
    blocks_indexed: Math.max(0, state.height - rules.startHeight + 1),
    events_total: totals.eventsTotal,
    events_valid: totals.eventsValid,
    tokens_deployed: totals.tokensDeployed,
    distinct_holders: stats.distinctHolders,
    lists_open: totals.listsOpen,
    lists_filled: totals.listsFilled,
    lists_cancelled: totals.listsCancelled,
    lists_invalid_spent: totals.listsInvalidSpent,
    total_protocol_fee_paid_sat: totals.feePaidSat.toString(),
    total_seller_paid_sat: totals.sellerPaidSat.toString(),
    total_protocol_fee_paid_pearl: formatPearl(totals.feePaidSat),
    total_seller_paid_pearl: formatPearl(totals.sellerPaidSat),
    lists_expired_open: stats.listsExpiredOpen,
    digest: digestValue(state),
    parameters: {
      marker: rules.marker,
      start_height: rules.startHeight,
      protocol_fee_bps: rules.feeBps,
      protocol_address: rules.feeAddress ?? "",
    },
  };
}

/** The state's digest with its height (H-20, H-37). */
export function digestValue(state: Pick<TipState, "height" | "digest">) {
  return { height: state.height, value: state.digest };
}

/** Row of address/{address}/tokenlist and address/{address}/token/{tick}. */
export function balanceRow({ row, dec }: BalanceView): Static<typeof BalanceRowSchema> {
  return {
    tick: row.tick,
    dec,
    balance: row.balance.toString(),
    balance_normalized: normalizedText(row.balance, dec),
    locked: row.locked.toString(),
    locked_normalized: normalizedText(row.locked, dec),
    total: (row.balance + row.locked).toString(),
  };
}

/** Row of balances: the same with its address. */
export function addressBalanceRow(view: BalanceView): Static<typeof AddressBalanceRowSchema> {
  return { address: view.row.address, ...balanceRow(view) };
}
