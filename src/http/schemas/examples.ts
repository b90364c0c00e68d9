// One example per row schema, for the documents. A test checks each against its schema.

import type { Static } from "typebox";
import type {
  AddressBalanceRowSchema,
  BalanceRowSchema,
  CandleRowSchema,
  DigestRowSchema,
  HolderRowSchema,
  LedgerRowSchema,
  StatsRowSchema,
  TokenListRowSchema,
  TokenRowSchema,
} from "./tokens.ts";
import type {
  FillTemplateRowSchema,
  ListingHistoryRowSchema,
  ListingRowSchema,
  QuoteRowSchema,
  SummaryRowSchema,
} from "./market.ts";
import type { BlockRowSchema, ReorgRowSchema } from "./blocks.ts";
import type { HistoryRowSchema, MempoolRowSchema, OperationRowSchema } from "./operations.ts";

const ALICE = "rprl1pqyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqsdh55fs";
const BOB = "rprl1pqgpqyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqszqgpqqpnnuc";
const FEES = "rprl1pqvpsxqcrqvpsxqcrqvpsxqcrqvpsxqcrqvpsxqcrqvpsxqcrqvps9n2f26";
const TXID = "5f".repeat(32);
const BLOCK = "00".repeat(4) + "a7".repeat(28);
const DIGEST = "c4".repeat(32);
const LISTING = `list:${TXID}:0`;
const TIME = 1_763_000_000;

const token = {
  tick: "SAND",
  dec: "8",
  max: "2100000000000000",
  lim: "100000000000",
  minted: "525000000000000",
  pre: "0",
  cid: null,
};

const supply = {
  burned: "0",
  supply: "525000000000000",
  mint_progress: "25.0000",
  transfers: 41,
  state: "minting" as const,
};

/** A row of tokenlist. */
const tokenListRow: Static<typeof TokenListRowSchema> = { ...token, holders: 17, ...supply };

/** A row of token/{tick}. */
const tokenRow: Static<typeof TokenRowSchema> = {
  ...token,
  deployer: ALICE,
  deploy_txid: TXID,
  deploy_height: 112,
  ...supply,
};

/** A row of token/{tick}/holders. */
const holderRow: Static<typeof HolderRowSchema> = {
  address: ALICE,
  balance: "100000000000",
  locked: "5000000000",
  total: "105000000000",
  share: "0.0200",
};

/** A row of token/{tick}/candles. */
const candleRow: Static<typeof CandleRowSchema> = {
  start: TIME - (TIME % 3600),
  open: "1200.00000000",
  high: "1350.50000000",
  low: "1199.99999999",
  close: "1300.00000000",
  volume: "5000000000",
  volume_sat: "65000",
  fills: 3,
};

/** A row of digest/{height}. */
const digestRow: Static<typeof DigestRowSchema> = { height: 4021, block_hash: BLOCK, value: DIGEST };

/** A row of stats. */
const statsRow: Static<typeof StatsRowSchema> = {
  last_processed_height: 4021,
  blocks_indexed: 4021,
  events_total: 9120,
  events_valid: 8873,
  tokens_deployed: 12,
  distinct_holders: 64,
  lists_open: 9,
  lists_filled: 31,
  lists_cancelled: 4,
  lists_invalid_spent: 1,
  total_protocol_fee_paid_sat: "20150",
  total_seller_paid_sat: "1994850",
  total_protocol_fee_paid_pearl: "0.00020150",
  total_seller_paid_pearl: "0.01994850",
  lists_expired_open: 2,
  digest: { height: 4021, value: DIGEST },
  parameters: { marker: "prc-20", start_height: 1, protocol_fee_bps: 100, protocol_address: FEES },
};

/** A row of address/{address}/tokenlist. */
const balanceRow: Static<typeof BalanceRowSchema> = {
  tick: "SAND",
  dec: "8",
  balance: "100000000000",
  balance_normalized: "1000",
  locked: "5000000000",
  locked_normalized: "50",
  total: "105000000000",
};

/** A row of balances. */
const addressBalanceRow: Static<typeof AddressBalanceRowSchema> = { address: ALICE, ...balanceRow };

/** A row of oplist and op/{txid}. */
const operationRow: Static<typeof OperationRowSchema> = {
  block_height: 4000,
  txid: TXID,
  vout: 0,
  op: "transfer",
  tick: "SAND",
  valid: 1,
  reason: null,
  payload_json: `{"p":"prc-20","op":"transfer","tick":"SAND","amt":"2500","to":"${BOB}"}`,
  tx_index: 3,
  block_hash: BLOCK,
  time: TIME,
  from: ALICE,
  to: BOB,
  amount: "2500",
  listing_id: null,
  confirmations: 22,
};

/** A row of address/{address}/history. */
const historyRow: Static<typeof HistoryRowSchema> = { ...operationRow, direction: "out" };

/** A row of mempool. */
const mempoolRow: Static<typeof MempoolRowSchema> = {
  ...operationRow,
  block_height: null,
  valid: null,
  reason: null,
  tx_index: null,
  block_hash: null,
  time: null,
  amount: null,
  confirmations: null,
};

/** A row of market/{tick}. */
const listingRow: Static<typeof ListingRowSchema> = {
  id: LISTING,
  tick: "SAND",
  amount: "5000000000",
  owner: ALICE,
  seller_address: ALICE,
  pay: "PEARL",
  price: "65000",
  protocol_fee_bps: 100,
  protocol_fee_amount: "650",
  seller_net_amount: "64350",
  exp: "5000",
  created_txid: TXID,
  created_height: 4000,
  fill_txid: null,
  anchor_txid: TXID,
  anchor_vout: 0,
  close_kind: null,
  lifecycle_state: "open",
  action_required: null,
  unit_price_sat: "1300.00000000",
  expired: false,
  policy_hash: `0x${"9e".repeat(32)}`,
};

/** A row of market/{tick}/history. */
const listingHistoryRow: Static<typeof ListingHistoryRowSchema> = {
  ...listingRow,
  fill_txid: "6b".repeat(32),
  close_kind: "filled",
  lifecycle_state: "filled",
  closed_txid: "6b".repeat(32),
  closed_height: 4010,
  closed_at: TIME,
  buyer: BOB,
  paid_seller_sat: "64350",
  paid_fee_sat: "650",
  refunded_amount: null,
};

/** A row of market/{tick}/summary. */
const summaryRow: Static<typeof SummaryRowSchema> = {
  tick: "SAND",
  open_count: 9,
  filled_count: 31,
  cancelled_count: 4,
  invalid_spent_count: 1,
  expired_open_count: 2,
  total_filled_amount: "155000000000",
  total_invalid_spent_refunded_amount: "5000000000",
  total_protocol_fee_paid_sat: "20150",
  total_seller_paid_sat: "1994850",
  floor_price_sat: "1300",
  total_protocol_fee_paid_pearl: "0.00020150",
  total_seller_paid_pearl: "0.01994850",
  floor_price_pearl: "0.00001300",
  floor_change_24h_pct: "-3.7037",
  floor_unit_price_sat: "1300.00000000",
  best_listing_id: LISTING,
  volume_24h_sat: "130000",
  fills_24h: 2,
};

const ledgerRow: Static<typeof LedgerRowSchema> = {
  height: 112,
  time: TIME,
  txid: TXID,
  vout: 0,
  cause: "list",
  tick: "SAND",
  balance_delta: "-5000000000",
  locked_delta: "5000000000",
  balance: "95000000000",
  locked: "5000000000",
  listing_id: LISTING,
};

const quoteFields = {
  intent_id: LISTING,
  tick: "SAND",
  amount: "5000000000",
  pay: "PEARL" as const,
  price_sat: "65000",
  protocol_fee_bps: 100,
  protocol_fee_sat: "650",
  seller_net_sat: "64350",
  seller_address: ALICE,
  protocol_address: FEES,
  anchor_txid: TXID,
  anchor_vout: 0,
  policy_hash: `0x${"9e".repeat(32)}`,
  seller_anchor_sig_hex: `0x${"3d".repeat(64)}83`,
  payload_template: {
    p: "prc-20",
    op: "send" as const,
    id: LISTING,
    to: "__BUYER_ADDRESS__" as const,
  },
  sighash: "0x83" as const,
  tx_version: 2 as const,
  lock_time: 0 as const,
  anchor_sequence: 4294967295 as const,
  anchor_amount_sat: "1000",
  anchor_script_hex: `5120${"01".repeat(32)}`,
  exp: "5000",
  created_height: 4000,
  confirmations: 22,
  indexed_height: 4021,
};

/** A row of market/quote/{id}. */
const quoteRow: Static<typeof QuoteRowSchema> = {
  ...quoteFields,
  outputs: [
    { address: ALICE, amount_sat: "64350" },
    { address: FEES, amount_sat: "650" },
  ],
};

/** A row of market/fill-template/{id}/{to}. */
const fillTemplateRow: Static<typeof FillTemplateRowSchema> = {
  ...quoteFields,
  payload: { p: "prc-20", op: "send", id: LISTING, to: BOB },
  payload_json: `{"p":"prc-20","op":"send","id":"${LISTING}","to":"${BOB}"}`,
  inputs: [
    {
      index: 0,
      role: "anchor",
      txid: TXID,
      vout: 0,
      amount_sat: "1000",
      script_hex: `5120${"01".repeat(32)}`,
      sequence: 4294967295,
      witness: [`${"3d".repeat(64)}83`],
    },
    { index: 1, role: "send_reveal" },
  ],
  outputs: [
    { index: 0, role: "seller", address: ALICE, script_hex: `5120${"01".repeat(32)}`, amount_sat: "64350" },
    {
      index: 1,
      role: "protocol_fee",
      address: FEES,
      script_hex: `5120${"03".repeat(32)}`,
      amount_sat: "650",
    },
  ],
  psbt_base64:
    "cHNidP8BAIkCAAAAAV9fX19fX19fX19fX19fX19fX19fX19fX19fX19fX19fAAAAAAD/////Al77AAAAAAAAIlEgAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQGKAgAAAAAAACJRIAMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAAAAAAABASvoAwAAAAAAACJRIAEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQMEgwAAAAETQT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT2DAAAA",
};

/** A row of blocks. */
const blockRow: Static<typeof BlockRowSchema> = {
  height: 4021,
  block_hash: BLOCK,
  time: TIME,
  digest: DIGEST,
  operations: 3,
  valid_operations: 2,
};

/** A row of reorgs. */
const reorgRow: Static<typeof ReorgRowSchema> = {
  id: 9114,
  chain: "pearl",
  fork_height: 4018,
  old_tip: { height: 4019, block_hash: "00".repeat(4) + "b3".repeat(28) },
  new_tip: { height: 4020, block_hash: BLOCK },
  depth: 1,
};

/** The object of /health. */
const health = {
  status: "ok",
  reasons: [],
  conditions: [],
  nodes: { configured: 2, answering: 2, agreeing: 2 },
  indexing_status: "synced",
  height: 4021,
  indexed_height: 4021,
  lag: 0,
  digest: { height: 4021, value: DIGEST },
  evm: null,
  network: "simnet",
  version: "0.1.0",
  uptime_s: 86,
} as const;

/** One example per row of the PRC20 paths, and of `/health`. */
export const EXAMPLES = {
  tokenListRow,
  tokenRow,
  holderRow,
  candleRow,
  digestRow,
  blockRow,
  reorgRow,
  statsRow,
  balanceRow,
  addressBalanceRow,
  operationRow,
  historyRow,
  mempoolRow,
  listingRow,
  listingHistoryRow,
  summaryRow,
  ledgerRow,
  quoteRow,
  fillTemplateRow,
  health,
};
