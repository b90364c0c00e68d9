// Rows for tests: small constructors with every field, and a world that has a bit of everything.

import type {
  BlockHash,
  Hex32,
  ListingId,
  Outpoint,
  PearlAddress,
  RawAmount,
  Sat,
  Tick,
  Txid,
} from "../../src/primitives/brands.ts";
import {
  type ListingClose,
  type ListingRow,
  type OperationRow,
  type TokenRow,
  type Totals,
  ZERO_TOTALS,
} from "../../src/prc20/state.ts";
import type { TipState } from "../../src/index/queries.ts";
import type { MempoolOperation } from "../../src/follow/serving.ts";
import type { EventGroup } from "../../src/index/event-groups.ts";
import type { OperationView, ReorgView } from "../../src/index/views.ts";

export const ALICE_ADDRESS =
  "rprl1pqyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqsdh55fs" as PearlAddress;
export const BOB_ADDRESS = "rprl1pqgpqyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqszqgpqqpnnuc" as PearlAddress;
export const FEES_ADDRESS =
  "rprl1pqvpsxqcrqvpsxqcrqvpsxqcrqvpsxqcrqvpsxqcrqvpsxqcrqvps9n2f26" as PearlAddress;
export const SAND = "SAND" as Tick;
export const TIP = 100;
export const TIP_TIME = 1_763_000_000;

export const repeatedTxid = (byte: string) => byte.repeat(32) as Txid;
export const blockHash = (height: number) => height.toString(16).padStart(64, "0") as BlockHash;
export const digestAt = (height: number) => height.toString(16).padStart(64, "d") as Hex32;
/** A mint that no block has. */
export const UNCONFIRMED: MempoolOperation = {
  txid: repeatedTxid("77"),
  vout: 1,
  op: "mint",
  tick: SAND,
  from: ALICE_ADDRESS,
  to: null,
  listingId: null,
  payloadJson: "{}",
};
export const raw = (value: bigint) => value as RawAmount;
export const sat = (value: bigint) => value as Sat;

/** Totals of an index whose next operation is its second. */
const TOTALS: Totals = { ...ZERO_TOTALS, nextPlace: 1 };

export function stateAt(height: number, totals: Totals = TOTALS): TipState {
  return { height, hash: blockHash(height), time: TIP_TIME, digest: digestAt(height), totals };
}

export const NOTHING_YET: TipState = { height: -1, hash: null, time: 0, digest: null, totals: TOTALS };

export function token(tick: string, fields: Partial<TokenRow> = {}): TokenRow {
  return {
    tick: tick as Tick,
    dec: "2",
    max: raw(3000n),
    lim: raw(500n),
    pre: raw(0n),
    minted: raw(1000n),
    burned: raw(100n),
    cid: null,
    deployer: ALICE_ADDRESS,
    deployTxid: repeatedTxid("d0"),
    deployHeight: 5,
    deployPlace: 1,
    holders: 2,
    transfers: 3,
    openCount: 2,
    filledCount: 1,
    cancelledCount: 1,
    invalidSpentCount: 1,
    filledAmount: 40n,
    invalidSpentAmount: 30n,
    feePaidSat: 400n,
    sellerPaidSat: 39_600n,
    ...fields,
  };
}

export function listingRow(byte: string, place: number, fields: Partial<ListingRow> = {}): ListingRow {
  const id = repeatedTxid(byte);
  return {
    id: `list:${id}:0` as ListingId,
    tick: SAND,
    amount: raw(30n),
    owner: ALICE_ADDRESS,
    seller: ALICE_ADDRESS,
    priceSat: sat(40_000n),
    protocolFeeSat: sat(400n),
    sellerNetSat: sat(39_600n),
    exp: null,
    createdTxid: id,
    createdHeight: 50,
    createdTime: TIP_TIME - 5000,
    createdPlace: place,
    anchor: `${id}:0` as Outpoint,
    anchorVout: 0,
    anchorAmountSat: sat(1000n),
    signatureHex: "3d".repeat(64),
    policyHash: "9e".repeat(32) as Hex32,
    close: null,
    ...fields,
  };
}

export function closed(kind: ListingClose["kind"], place: number, height = 60): ListingClose {
  return {
    kind,
    txid: repeatedTxid("cc"),
    height,
    time: TIP_TIME - 4000,
    inputIndex: 0,
    place,
    buyer: kind === "filled" ? BOB_ADDRESS : null,
  };
}

export function operation(place: number, fields: Partial<OperationRow> = {}): OperationView {
  const row: OperationRow = {
    place,
    height: 10 + place,
    txIndex: 1,
    txid: place.toString(16).padStart(64, "0") as Txid,
    vout: 0,
    op: "transfer",
    tick: SAND,
    valid: true,
    reason: null,
    payloadJson: '{"p":"prc-20","op":"transfer","tick":"sand","amt":"5"}',
    from: ALICE_ADDRESS,
    to: BOB_ADDRESS,
    amount: raw(5n),
    listingId: null,
    filledOwner: null,
    ...fields,
  };
  return { operation: row, blockHash: blockHash(row.height), time: TIP_TIME - 10_000 + row.height };
}

/** A reorganisation in the log as a list shows it; none of another group. */
export function reorgsOf(group: EventGroup): ReorgView[] {
  if (group.kind !== "reorg") return [];
  const { lastId: id, forkHeight, oldTip, newTip } = group;
  return [{ id, chain: "pearl", forkHeight, oldTip, newTip }];
}
