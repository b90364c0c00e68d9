// Every read endpoint of the interface, with the requests that the contract tests make: one that finds rows, one
// that finds none, malformed ones. Written from the interface, not from the routes.

import type { TSchema } from "typebox";
import {
  AddressBalanceRowSchema,
  BalanceRowSchema,
  CandleRowSchema,
  DigestRowSchema,
  HolderRowSchema,
  LedgerRowSchema,
  StatsRowSchema,
  TokenListRowSchema,
  TokenRowSchema,
} from "../../src/http/schemas/tokens.ts";
import { BlockRowSchema, ReorgRowSchema } from "../../src/http/schemas/blocks.ts";
import {
  FillTemplateRowSchema,
  ListingHistoryRowSchema,
  ListingRowSchema,
  QuoteRowSchema,
  SummaryRowSchema,
} from "../../src/http/schemas/market.ts";
import { HistoryRowSchema, MempoolRowSchema, OperationRowSchema } from "../../src/http/schemas/operations.ts";
import * as rows from "./rows.ts";

/** The requests of one path. */
export interface ContractCase {
  /** Path with placeholders, as documented. */
  readonly path: string;
  readonly row: TSchema;
  /** Field names that interface.md gives (§2), all of which must be there. */
  readonly fields: readonly string[];
  /** Finds rows in the rich index. */
  readonly found: string;
  /** Well-formed, but there is no such thing; null where there is always a row or only an empty list. */
  readonly absent: string | null;
  readonly malformed: readonly string[];
  readonly paged: boolean;
}

const ROOT = "/api/v1/prc20";
const OPEN = `list:${"a1".repeat(32)}:0`;
const UNKNOWN_LISTING = `list:${"ee".repeat(32)}:4294967295`;
const BAD_TICKS = ["SAND!", "A".repeat(17), "%C3%A9", "a%20b"];
const BAD_ADDRESSES = [
  "x",
  rows.ALICE_ADDRESS.slice(0, -1) + "q",
  "prl1pqyqszqgpqyqszqgpq",
  rows.ALICE_ADDRESS.replace("r", "R"),
];
const BAD_IDS = [
  "list:xyz:0",
  OPEN.toUpperCase(),
  `${OPEN.slice(0, -1)}01`,
  `list:${"A1".repeat(32)}:0`,
  OPEN.replace("list:", "list%3A%20"),
];
const BAD_PAGES = [
  "limit=0",
  "limit=-1",
  "limit=1.5",
  "limit=",
  "limit=+5",
  "limit=1&limit=2",
  "limit=123456789012345678901",
  "next=",
  "next=a&prev=a",
  "next=a&next=b",
  "next=!!",
  "prev=AAAA",
];

const tokenFields = ["tick", "dec", "max", "lim", "minted", "pre", "cid"];
const extraToken = ["burned", "supply", "mint_progress", "transfers", "state"];
const balanceFields = [
  "tick",
  "dec",
  "balance",
  "balance_normalized",
  "locked",
  "locked_normalized",
  "total",
];
const listingFields = [
  "id tick amount owner seller_address pay price protocol_fee_bps protocol_fee_amount seller_net_amount exp",
  "created_txid created_height fill_txid anchor_txid anchor_vout close_kind lifecycle_state action_required",
  "unit_price_sat expired policy_hash",
].flatMap((line) => line.split(" "));
const historyFields = [
  ...listingFields,
  ..."closed_txid closed_height closed_at buyer paid_seller_sat paid_fee_sat refunded_amount".split(" "),
];
const operationFields = (
  "block_height txid vout op tick valid reason payload_json tx_index block_hash time from to amount listing_id " +
  "confirmations"
).split(" ");
const blockFields = ["height", "block_hash", "time", "digest", "operations", "valid_operations"];
const quoteFields = (
  "intent_id tick amount pay price_sat protocol_fee_bps protocol_fee_sat seller_net_sat seller_address " +
  "protocol_address anchor_txid anchor_vout policy_hash seller_anchor_sig_hex outputs payload_template sighash " +
  "tx_version lock_time anchor_sequence anchor_amount_sat anchor_script_hex exp created_height confirmations " +
  "indexed_height"
).split(" ");

const summaryFields = (
  "tick open_count filled_count cancelled_count invalid_spent_count expired_open_count total_filled_amount " +
  "total_invalid_spent_refunded_amount total_protocol_fee_paid_sat total_seller_paid_sat floor_price_sat " +
  "total_protocol_fee_paid_pearl total_seller_paid_pearl floor_price_pearl floor_change_24h_pct " +
  "floor_unit_price_sat best_listing_id volume_24h_sat fills_24h"
).split(" ");

function malformedBy(path: string, placeholder: string, bad: readonly string[]): string[] {
  return bad.map((value) => path.replace(placeholder, value));
}

function fill(path: string): string {
  return path
    .replace("{tick}", "sand")
    .replace("{address}", rows.ALICE_ADDRESS)
    .replace("{txid}", "0".repeat(63) + "1")
    .replace("{vout}", "0")
    .replace("{height}", "7")
    .replace("{id}", OPEN)
    .replace("{to}", rows.BOB_ADDRESS);
}

function contract(
  path: string,
  row: TSchema,
  fields: readonly string[],
  rest: {
    paged?: boolean;
    absent?: string | null;
    found?: string;
    malformed?: readonly string[];
    bad?: Record<string, readonly string[]>;
  },
): ContractCase {
  const full = ROOT + path;
  const found = ROOT + (rest.found ?? fill(path));
  const glue = found.includes("?") ? "&" : "?";
  const paged = rest.paged ?? false;
  const malformed = [
    ...(rest.malformed ?? []).map((target) => ROOT + target),
    ...(paged ? BAD_PAGES.map((query) => found + glue + query) : []),
    ...Object.entries(rest.bad ?? {}).flatMap(([placeholder, bad]) =>
      malformedBy(full, placeholder, bad).map(fill),
    ),
  ];
  return {
    path: full,
    row,
    fields,
    found,
    absent: rest.absent ? ROOT + rest.absent : null,
    malformed,
    paged,
  };
}

export const CONTRACT: readonly ContractCase[] = [
  contract("/tokenlist", TokenListRowSchema, [...tokenFields, "holders", ...extraToken], {
    paged: true,
    absent: "/tokenlist?tick=zzz",
    malformed: [
      "/tokenlist?tick=",
      "/tokenlist?tick=a!",
      "/tokenlist?tick=a&tick=b",
      `/tokenlist?tick=${"A".repeat(17)}`,
    ],
  }),
  contract(
    "/stats",
    StatsRowSchema,
    (
      "last_processed_height blocks_indexed events_total events_valid tokens_deployed distinct_holders lists_open " +
      "lists_filled lists_cancelled lists_invalid_spent total_protocol_fee_paid_sat total_seller_paid_sat " +
      "total_protocol_fee_paid_pearl total_seller_paid_pearl digest lists_expired_open parameters"
    ).split(" "),
    {},
  ),
  contract(
    "/token/{tick}",
    TokenRowSchema,
    [...tokenFields, "deployer", "deploy_txid", "deploy_height", ...extraToken],
    {
      absent: "/token/NOPE",
      bad: { "{tick}": BAD_TICKS },
    },
  ),
  contract("/token/{tick}/holders", HolderRowSchema, ["address", "balance", "locked", "total", "share"], {
    paged: true,
    absent: "/token/NOPE/holders",
    bad: { "{tick}": BAD_TICKS },
  }),
  contract(
    "/token/{tick}/candles",
    CandleRowSchema,
    ["start", "open", "high", "low", "close", "volume", "volume_sat", "fills"],
    {
      paged: true,
      absent: "/token/NOPE/candles",
      bad: { "{tick}": BAD_TICKS },
      malformed: ["/token/SAND/candles?interval=2h", "/token/SAND/candles?interval="],
    },
  ),
  contract("/address/{address}/tokenlist", BalanceRowSchema, balanceFields, {
    paged: true,
    found: `/address/${rows.BOB_ADDRESS}/tokenlist`,
    absent: `/address/${rows.FEES_ADDRESS}/tokenlist`,
    bad: { "{address}": BAD_ADDRESSES },
  }),
  contract("/address/{address}/token/{tick}", BalanceRowSchema, balanceFields, {
    absent: `/address/${rows.ALICE_ADDRESS}/token/NOPE`,
    bad: { "{address}": BAD_ADDRESSES, "{tick}": BAD_TICKS },
  }),
  contract("/address/{address}/history", HistoryRowSchema, [...operationFields, "direction"], {
    paged: true,
    absent: `/address/${rows.FEES_ADDRESS}/history`,
    bad: { "{address}": BAD_ADDRESSES },
    malformed: [
      `/address/${rows.ALICE_ADDRESS}/history?tick=`,
      `/address/${rows.ALICE_ADDRESS}/history?tick=a-b`,
    ],
  }),
  contract(
    "/address/{address}/ledger",
    LedgerRowSchema,
    "height time txid vout cause tick balance_delta locked_delta balance locked listing_id".split(" "),
    {
      paged: true,
      absent: `/address/${rows.FEES_ADDRESS}/ledger`,
      bad: { "{address}": BAD_ADDRESSES },
      malformed: [
        `/address/${rows.ALICE_ADDRESS}/ledger?tick=`,
        `/address/${rows.ALICE_ADDRESS}/ledger?tick=a-b`,
        `/address/${rows.ALICE_ADDRESS}/ledger?tick=a&tick=b`,
      ],
    },
  ),
  contract("/address/{address}/listings", ListingHistoryRowSchema, historyFields, {
    paged: true,
    absent: `/address/${rows.FEES_ADDRESS}/listings`,
    bad: { "{address}": BAD_ADDRESSES },
    malformed: [
      `/address/${rows.ALICE_ADDRESS}/listings?state=OPEN`,
      `/address/${rows.ALICE_ADDRESS}/listings?tick=a-b`,
      `/address/${rows.ALICE_ADDRESS}/listings?tick=a&tick=b`,
    ],
  }),
  contract("/market/{tick}", ListingRowSchema, listingFields, {
    paged: true,
    absent: "/market/NOPE",
    bad: { "{tick}": BAD_TICKS },
  }),
  contract("/market/{tick}/seller/{address}", ListingHistoryRowSchema, historyFields, {
    paged: true,
    absent: `/market/SAND/seller/${rows.FEES_ADDRESS}`,
    bad: { "{tick}": BAD_TICKS, "{address}": BAD_ADDRESSES },
    malformed: [`/market/SAND/seller/${rows.ALICE_ADDRESS}?state=OPEN`],
  }),
  contract("/market/{tick}/history", ListingHistoryRowSchema, historyFields, {
    paged: true,
    absent: "/market/NOPE/history",
    bad: { "{tick}": BAD_TICKS },
    malformed: ["/market/SAND/history?state=closed", "/market/SAND/history?state=open&state=filled"],
  }),
  contract("/market/{tick}/summary", SummaryRowSchema, summaryFields, {
    absent: "/market/NOPE/summary",
    bad: { "{tick}": BAD_TICKS },
  }),
  contract("/markets", SummaryRowSchema, summaryFields, { paged: true }),
  contract("/market/quote/{id}", QuoteRowSchema, quoteFields, {
    absent: `/market/quote/${UNKNOWN_LISTING}`,
    bad: { "{id}": BAD_IDS },
  }),
  contract(
    "/market/fill-template/{id}/{to}",
    FillTemplateRowSchema,
    [...quoteFields, "payload", "payload_json", "inputs", "psbt_base64"],
    {
      absent: `/market/fill-template/${UNKNOWN_LISTING}/${rows.BOB_ADDRESS}`,
      bad: { "{id}": BAD_IDS, "{to}": BAD_ADDRESSES },
    },
  ),
  contract("/oplist", OperationRowSchema, operationFields, {
    paged: true,
    absent: "/oplist?tick=NOPE",
    malformed: [
      "/oplist?op=",
      "/oplist?op=a%20b",
      "/oplist?op=abcdefghijklmnopq",
      "/oplist?op=%C3%A9",
      "/oplist?valid=2",
      "/oplist?valid=01",
      "/oplist?valid=true",
      "/oplist?address=x",
      "/oplist?tick=%00",
      "/oplist?op=mint&op=send",
      "/oplist?height=",
      "/oplist?height=-1",
      "/oplist?height=1.5",
      "/oplist?height=0x10",
      "/oplist?height=123456789012345678901",
      "/oplist?height=1&height=2",
    ],
  }),
  contract("/op/{txid}", OperationRowSchema, operationFields, {
    absent: `/op/${"ee".repeat(32)}`,
    bad: { "{txid}": ["12", "zz".repeat(32), "0".repeat(65), `0x${"0".repeat(62)}`] },
  }),
  contract("/op/{txid}/{vout}", OperationRowSchema, operationFields, {
    absent: `/op/${"ee".repeat(32)}/99999999999999999999`,
    bad: { "{txid}": ["12"], "{vout}": ["-1", "x", "1.0", "123456789012345678901", "0x1"] },
  }),
  contract("/digest/{height}", DigestRowSchema, ["height", "block_hash", "value"], {
    absent: "/digest/99999999999999999999",
    bad: { "{height}": ["-1", "latest", "1e3", "123456789012345678901"] },
  }),
  contract("/blocks", BlockRowSchema, blockFields, { paged: true }),
  contract("/block/{block}", BlockRowSchema, blockFields, {
    found: "/block/7",
    absent: `/block/${"e".repeat(64)}`,
    bad: { "{block}": ["-1", "latest", "1e3", "123456789012345678901", "g".repeat(64), "a".repeat(63)] },
  }),
  contract("/reorgs", ReorgRowSchema, ["id", "chain", "fork_height", "old_tip", "new_tip", "depth"], {
    paged: true,
  }),
  contract("/listing/{id}", ListingHistoryRowSchema, historyFields, {
    absent: `/listing/${UNKNOWN_LISTING}`,
    bad: { "{id}": BAD_IDS },
  }),
  contract("/balances", AddressBalanceRowSchema, ["address", ...balanceFields], {
    paged: true,
    found: `/balances?addresses=${rows.BOB_ADDRESS},${rows.ALICE_ADDRESS}`,
    absent: `/balances?addresses=${rows.ALICE_ADDRESS}&tick=NOPE`,
    malformed: [
      "/balances",
      "/balances?addresses=",
      "/balances?addresses=x",
      `/balances?addresses=${rows.ALICE_ADDRESS},`,
      `/balances?addresses=${Array(101).fill(rows.ALICE_ADDRESS).join(",")}`,
      `/balances?addresses=${rows.ALICE_ADDRESS}&addresses=${rows.BOB_ADDRESS}`,
    ],
  }),
  contract("/mempool", MempoolRowSchema, operationFields, {
    paged: true,
    malformed: [
      "/mempool?tick=",
      "/mempool?tick=a-b",
      "/mempool?tick=a&tick=b",
      "/mempool?address=x",
      "/mempool?txid=x",
      `/mempool?address=${rows.ALICE_ADDRESS}&address=${rows.BOB_ADDRESS}`,
    ],
  }),
];
