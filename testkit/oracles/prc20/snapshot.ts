// Shows what the reference holds: a deep plain copy of the state, in a canonical order, amounts as decimal strings. The
// JSON text of two snapshots is equal exactly when the states are.
import type { Listing, ListingState, OperationRow, State, Token } from "./state.ts";

/** A token row; raw units as decimal strings. `holders` as P-31, `transfers` counts valid transfers. */
export interface TokenRow {
  tick: string;
  dec: string;
  max: string;
  lim: string;
  pre: string;
  minted: string;
  burned: string;
  cid: string | null;
  deployer: string;
  deploy_txid: string;
  deploy_height: number;
  holders: number;
  transfers: number;
}

/** A holder's row (balance + locked > 0); raw units. */
export interface BalanceRow {
  address: string;
  tick: string;
  balance: string;
  locked: string;
}

/** A listing's row; amount in raw units, price, protocol_fee and seller_net in grains. */
export interface ListingRow {
  id: string;
  tick: string;
  amount: string;
  owner: string;
  seller_address: string;
  price: string;
  protocol_fee: string;
  seller_net: string;
  exp: string | null;
  anchor_txid: string;
  anchor_vout: number;
  created_txid: string;
  created_height: number;
  /** 64 bytes, hex */
  signature: string;
  /** 32 bytes, hex */
  policy_hash: string;
  state: ListingState;
  close_txid: string | null;
  close_height: number | null;
  /** input a of P-63 */
  close_input: number | null;
  buyer: string | null;
}

/** The counts of the stats row (interface 2.4, H-37); totals in grains over filled listings. */
export interface StatsRow {
  last_processed_height: number;
  blocks_indexed: number;
  events_total: number;
  events_valid: number;
  tokens_deployed: number;
  distinct_holders: number;
  lists_open: number;
  lists_expired_open: number;
  lists_filled: number;
  lists_cancelled: number;
  lists_invalid_spent: number;
  total_protocol_fee_paid_sat: string;
  total_seller_paid_sat: string;
}

/** Everything. Tokens by tick, balances by (address, tick), listings by id, operations in chain order. */
export interface ReferenceSnapshot {
  tip: { height: number; hash: string } | null;
  digest: string;
  tokens: TokenRow[];
  balances: BalanceRow[];
  listings: ListingRow[];
  operations: OperationRow[];
  stats: StatsRow;
}

/** The snapshot of a state. */
export function takeSnapshot(
  state: State,
  tip: { height: number; hash: string } | null,
  digest: string,
  startHeight: number,
): ReferenceSnapshot {
  const balances = balanceRows(state);
  const listings = [...state.listings.values()].toSorted((a, b) => compare(a.id, b.id));
  return {
    tip: tip === null ? null : { ...tip },
    digest,
    tokens: [...state.tokens.values()]
      .toSorted((a, b) => compare(a.tick, b.tick))
      .map((token) => tokenRow(token, balances)),
    balances,
    listings: listings.map(listingRow),
    operations: state.operations.map((row) => ({ ...row })),
    stats: statsRow(state, balances, listings, tip?.height ?? startHeight - 1, startHeight),
  };
}

function compare(a: string, b: string): number {
  return Number(a > b) - Number(a < b);
}

function balanceRows(state: State): BalanceRow[] {
  const rows: BalanceRow[] = [];
  for (const [tick, ofTick] of state.holdings) {
    for (const [address, { balance, locked }] of ofTick) {
      if (balance + locked === 0n) continue;
      rows.push({ address, tick, balance: String(balance), locked: String(locked) });
    }
  }
  return rows.toSorted((a, b) => compare(a.address, b.address) || compare(a.tick, b.tick));
}

function tokenRow(token: Token, balances: BalanceRow[]): TokenRow {
  return {
    tick: token.tick,
    dec: token.dec,
    max: String(token.max),
    lim: String(token.lim),
    pre: String(token.pre),
    minted: String(token.minted),
    burned: String(token.burned),
    cid: token.cid,
    deployer: token.deployer,
    deploy_txid: token.deployTxid,
    deploy_height: token.deployHeight,
    holders: balances.filter((row) => row.tick === token.tick).length,
    transfers: token.transfers,
  };
}

function listingRow(listing: Listing): ListingRow {
  return {
    id: listing.id,
    tick: listing.tick,
    amount: String(listing.amount),
    owner: listing.owner,
    seller_address: listing.sellerAddress,
    price: String(listing.price),
    protocol_fee: String(listing.protocolFee),
    seller_net: String(listing.sellerNet),
    exp: listing.exp,
    anchor_txid: listing.txid,
    anchor_vout: listing.vout,
    created_txid: listing.txid,
    created_height: listing.createdHeight,
    signature: listing.signature,
    policy_hash: listing.policyHash,
    state: listing.state,
    close_txid: listing.close?.txid ?? null,
    close_height: listing.close?.height ?? null,
    close_input: listing.close?.input ?? null,
    buyer: listing.buyer,
  };
}

function statsRow(
  state: State,
  balances: BalanceRow[],
  listings: Listing[],
  height: number,
  startHeight: number,
): StatsRow {
  const inState = (wanted: ListingState) => listings.filter((listing) => listing.state === wanted);
  const open = inState("open");
  const filled = inState("filled");
  return {
    last_processed_height: height,
    blocks_indexed: height - startHeight + 1,
    events_total: state.operations.length,
    events_valid: state.operations.filter((row) => row.valid === 1).length,
    tokens_deployed: state.tokens.size,
    distinct_holders: new Set(balances.map((row) => row.address)).size,
    lists_open: open.length,
    lists_expired_open: open.filter(({ exp }) => exp !== null && BigInt(height) > BigInt(exp)).length,
    lists_filled: filled.length,
    lists_cancelled: inState("cancelled").length,
    lists_invalid_spent: inState("invalid_spent").length,
    total_protocol_fee_paid_sat: String(filled.reduce((sum, { protocolFee }) => sum + protocolFee, 0n)),
    total_seller_paid_sat: String(filled.reduce((sum, { sellerNet }) => sum + sellerNet, 0n)),
  };
}
