// The core's rows in the words of the reference implementation's snapshot, so that the two can be compared as text.

import type { ListingRow, OperationRow, TokenRow } from "../../../src/prc20/state.ts";
import type { CoreIndex } from "./index.ts";

/** Same shape and order as `ReferenceSnapshot`, without `stats.distinct_holders` and the like of the store. */
export function coreSnapshot(index: CoreIndex): Record<string, unknown> {
  const { tokens, balances, listings } = index.state.rows();
  const applied = index.state.applied;
  const tip = applied.at(-1);
  return {
    tip: tip === undefined ? null : { height: tip.height, hash: tip.hash },
    digest: index.digest,
    tokens: tokens.map(tokenRow),
    balances: balances
      .map((row) => ({
        address: row.address,
        tick: row.tick,
        balance: `${row.balance}`,
        locked: `${row.locked}`,
      }))
      .toSorted((a, b) => compare(a.address, b.address) || compare(a.tick, b.tick)),
    listings: listings.map(listingRow),
    operations: applied.flatMap((block) => block.operations.map(operationRow)),
  };
}

function compare(a: string, b: string): number {
  return Number(a > b) - Number(a < b);
}

function tokenRow(row: TokenRow): Record<string, unknown> {
  return {
    tick: row.tick,
    dec: row.dec,
    max: `${row.max}`,
    lim: `${row.lim}`,
    pre: `${row.pre}`,
    minted: `${row.minted}`,
    burned: `${row.burned}`,
    cid: row.cid,
    deployer: row.deployer,
    deploy_txid: row.deployTxid,
    deploy_height: row.deployHeight,
    holders: row.holders,
    transfers: row.transfers,
  };
}

function listingRow(row: ListingRow): Record<string, unknown> {
  return {
    id: row.id,
    tick: row.tick,
    amount: `${row.amount}`,
    owner: row.owner,
    seller_address: row.seller,
    price: `${row.priceSat}`,
    protocol_fee: `${row.protocolFeeSat}`,
    seller_net: `${row.sellerNetSat}`,
    exp: row.exp === null ? null : `${row.exp}`,
    anchor_txid: row.createdTxid,
    anchor_vout: row.anchorVout,
    created_txid: row.createdTxid,
    created_height: row.createdHeight,
    signature: row.signatureHex,
    policy_hash: row.policyHash,
    state: row.close?.kind ?? "open",
    close_txid: row.close?.txid ?? null,
    close_height: row.close?.height ?? null,
    close_input: row.close?.inputIndex ?? null,
    buyer: row.close?.buyer ?? null,
  };
}

function operationRow(row: OperationRow): Record<string, unknown> {
  return {
    height: row.height,
    tx_index: row.txIndex,
    txid: row.txid,
    vout: row.vout,
    op: row.op,
    tick: row.tick,
    valid: row.valid ? 1 : 0,
    reason: row.reason,
    payload_json: row.payloadJson,
    from: row.from,
    to: row.to,
    amount: row.amount === null ? null : `${row.amount}`,
    listing_id: row.listingId,
  };
}
