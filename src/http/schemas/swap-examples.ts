// One example of each answer and body of the swap group, for the documents: the worked vectors of S-11 and S-20, a deal
// whose PEARL is locked. A test checks every example against its schema.

/** A deal. */
export const dealRow = {
  status: "PEARL_LOCKED",
  order_hash: "0x735effa59f638b09ffa1b4ef38366014fecec8a3b5c35f7955ea19abf6235780",
  deal_hash: "0x735effa59f638b09ffa1b4ef38366014fecec8a3b5c35f7955ea19abf6235780",
  ask_id: "0x69148f6149d2636f0fb051c99ba9539c77c5d167cd603b99e2f7b951c7a4eaf6",
  buyer_evm: "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf",
  seller_evm: "0x2b5ad5c4795c026514f8317c7a215e218dccd6cf",
  usdc_amount: "250000000",
  pearl_amount: "500000000000",
  pearl_amount_sat: "500000000000",
  fee_bps: 200,
  fee_recipient: "0x2222222222222222222222222222222222222222",
  nonce: "0",
  hashlock: "0x630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd",
  pearl_refund_time: 1800000000,
  evm_refund_time: 1800021600,
  buyer_pearl_address: "rprl1pjstj0e7tg2ghk0sp2f03hy92yut7vx0dyexr3v8v7f3khjuj3x3sd8zl82",
  buyer_pearl_pubkey: "0xc6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5",
  seller_pearl_address: "rprl1plycg5qvjtrp3qjf5f7zl382j9x6nrjz9sdhenvyxq8c3808qxmussd3k73",
  seller_pearl_pubkey: "0xf9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9",
  pearl_lock_address: "rprl1pjstj0e7tg2ghk0sp2f03hy92yut7vx0dyexr3v8v7f3khjuj3x3sd8zl82",
  expected_script_hex: "5120941727e7cb42917b3e01525f1b90aa2717e619ed264c38b0ecf2636bcb9289a3",
  pearl_lock_txid: "3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f",
  pearl_lock_vout: 0,
  pearl_lock_outputs: [
    {
      txid: "3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f",
      vout: 0,
      amount_sat: "500000000000",
      height: 4000,
      spend_txid: null,
      spend_path: null,
      spend_height: null,
    },
  ],
  pearl_lock_outputs_total: 1,
  pearl_claim_txid: null,
  pearl_refund_txid: null,
  pearl_release_verified: false,
  pearl_release_verify_error: "RELEASE_NOT_FOUND",
  pearl_leg: { state: "confirmed", confirmations: 9 },
  profile: { name: "small", k: 6, reveal_margin_s: 4500, lock_margin_s: 8220, take_min_s: 14400 },
  confirmations: { evm: { have: 100, need: null, final: true }, pearl: { have: 9, need: 6 } },
  deadlines: {
    take_expires_at: null,
    accept_bid_by: null,
    lock_pearl_by: 1799991780,
    claim_pearl_by: 1799995500,
    pearl_refund_time: 1800000000,
    evm_refund_time: 1800021600,
  },
  evm_bid_txid: "0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",
  secret_hex: null,
  terms_error: null,
  evm_leg: { state: "accepted", final: true },
  evm_credit: null,
  next_actions: [
    {
      actor: "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf",
      role: "buyer",
      action: "claim_pearl",
      optional: true,
      not_before: null,
      not_after: 1799995500,
      outpoint: "3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f:0",
      amount_sat: "500000000000",
    },
    {
      actor: "0x2b5ad5c4795c026514f8317c7a215e218dccd6cf",
      role: "seller",
      action: "refund_pearl",
      optional: false,
      not_before: 1800000000,
      not_after: null,
      outpoint: "3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f:0",
      amount_sat: "500000000000",
    },
    {
      actor: "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf",
      role: "buyer",
      action: "refund_usdc",
      optional: false,
      not_before: 1800021600,
      not_after: null,
      outpoint: null,
      amount_sat: null,
    },
  ],
  take_expires_at: null,
  expired: false,
  lock_call: null,
  origin: null,
  ref: null,
  created_at: 1799980000,
} as const;

/** A bid. */
export const bidRow = {
  status: "BID_OPEN",
  order_hash: "0xd82bd350419b2791eeca068582eb5bfbe1336d4af0dd8af2ab5f6546dd262be1",
  deal_hash: "0xd82bd350419b2791eeca068582eb5bfbe1336d4af0dd8af2ab5f6546dd262be1",
  ask_id: null,
  buyer_evm: "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf",
  seller_evm: null,
  usdc_amount: "250000000",
  pearl_amount: "500000000000",
  pearl_amount_sat: "500000000000",
  fee_bps: 200,
  fee_recipient: "0x2222222222222222222222222222222222222222",
  nonce: "0",
  hashlock: "0x630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd",
  pearl_refund_time: 1800000000,
  evm_refund_time: 1800021600,
  buyer_pearl_address: null,
  buyer_pearl_pubkey: "0xc6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5",
  seller_pearl_address: null,
  seller_pearl_pubkey: null,
  pearl_lock_address: null,
  expected_script_hex: null,
  pearl_lock_txid: null,
  pearl_lock_vout: null,
  pearl_lock_outputs: [],
  pearl_lock_outputs_total: 0,
  pearl_claim_txid: null,
  pearl_refund_txid: null,
  pearl_release_verified: null,
  pearl_release_verify_error: null,
  pearl_leg: { state: "none", confirmations: 0 },
  profile: { name: "small", k: 6, reveal_margin_s: 4500, lock_margin_s: 8220, take_min_s: 14400 },
  confirmations: { evm: { have: 101, need: null, final: true }, pearl: { have: 0, need: 6 } },
  deadlines: {
    take_expires_at: null,
    accept_bid_by: 1799989980,
    lock_pearl_by: 1799991780,
    claim_pearl_by: 1799995500,
    pearl_refund_time: 1800000000,
    evm_refund_time: 1800021600,
  },
  evm_bid_txid: "0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd",
  secret_hex: null,
  terms_error: null,
  evm_leg: { state: "locked", final: true },
  evm_credit: null,
  next_actions: [
    {
      actor: null,
      role: "seller",
      action: "accept_bid",
      optional: true,
      not_before: null,
      not_after: 1799989980,
      outpoint: null,
      amount_sat: null,
    },
    {
      actor: "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf",
      role: "buyer",
      action: "refund_usdc",
      optional: false,
      not_before: 1800021600,
      not_after: null,
      outpoint: null,
      amount_sat: null,
    },
    {
      actor: "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf",
      role: "buyer",
      action: "cancel_bid",
      optional: true,
      not_before: null,
      not_after: null,
      outpoint: null,
      amount_sat: null,
    },
  ],
  take_expires_at: null,
  expired: false,
  lock_call: null,
  origin: "docs.example",
  ref: null,
  created_at: 1799980000,
} as const;

/** An ask. */
export const askRow = {
  ask_id: "0x69148f6149d2636f0fb051c99ba9539c77c5d167cd603b99e2f7b951c7a4eaf6",
  status: "ASK_OPEN",
  seller_pearl_address: "rprl1plycg5qvjtrp3qjf5f7zl382j9x6nrjz9sdhenvyxq8c3808qxmussd3k73",
  seller_pearl_pubkey: "0xf9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9",
  seller_evm: "0x2b5ad5c4795c026514f8317c7a215e218dccd6cf",
  pearl_amount_sat: "500000000000",
  usdc_amount: "250000000",
  expiry: 1799990000,
  seller_evm_signature:
    "0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a1b",
  fee_bps: 200,
  fee_recipient: "0x2222222222222222222222222222222222222222",
  nonce: "0",
  settlement_mode: null,
  seller_post_source: "docs",
  funded: true,
  pearl_balance_sat: "600000000000",
  balance_checked_at: 1799979000,
  pearl_key_proven: false,
  price_usdc: "0.050000",
  deal_hash: null,
  created_at: 1799979000,
  updated_at: 1799979000,
} as const;

/** A verification that verified. */
export const verification = {
  ok: true,
  order_hash: "0x735effa59f638b09ffa1b4ef38366014fecec8a3b5c35f7955ea19abf6235780",
  verified: true,
  details: {
    claim_script_present: true,
    refund_script_present: true,
    internal_key_nums: true,
    expected_script_hex: "5120941727e7cb42917b3e01525f1b90aa2717e619ed264c38b0ecf2636bcb9289a3",
    actual_script_hex: "5120941727e7cb42917b3e01525f1b90aa2717e619ed264c38b0ecf2636bcb9289a3",
    expected_address: "rprl1pjstj0e7tg2ghk0sp2f03hy92yut7vx0dyexr3v8v7f3khjuj3x3sd8zl82",
    actual_address: "rprl1pjstj0e7tg2ghk0sp2f03hy92yut7vx0dyexr3v8v7f3khjuj3x3sd8zl82",
    expected_amount_sat: "500000000000",
    actual_amount_sat: "500000000000",
    confirmations_have: 9,
    confirmations_need: 6,
    secret_public: false,
    valid_until: 1799982660,
    retryable: false,
  },
} as const;

/** Stats. */
export const swapStats = {
  ok: true,
  settled_count: 12,
  settled_usdc_volume: "3000000000",
  settled_pearl_volume_sat: "6000000000000",
  settled_pearl_volume_pearl: "60000.00000000",
  bids_by_status: {
    SETTLED: 12,
    USDC_REFUNDED: 1,
    BID_CANCELLED: 2,
    BID_ACCEPTED: 1,
    BID_OPEN: 3,
    BID_CREATED: 0,
  },
  asks_by_status: { ASK_TAKEN: 9, ASK_CANCELLED: 4, ASK_PAUSED: 1, ASK_OPEN: 7 },
  deals_by_status: {
    SETTLED: 12,
    USDC_REFUNDED: 1,
    USDC_CLAIMABLE: 0,
    PEARL_REFUNDED: 0,
    PEARL_LOCKED: 1,
    LOCK_SUBMITTED: 0,
    USDC_LOCKED: 0,
    DEAL_OPEN: 0,
  },
  last_24h: {
    settled_count: 2,
    settled_usdc_volume: "500000000",
    settled_pearl_volume_sat: "1000000000000",
    settled_pearl_volume_pearl: "10000.00000000",
  },
} as const;

/** What wallets sign; the ABI is cut here. */
export const typedData = {
  ok: true,
  domain: {
    name: "PearlUsdcEscrow",
    version: "1",
    chainId: 31337,
    verifyingContract: "0x1111111111111111111111111111111111111111",
  },
  types: {
    EIP712Domain: [
      { name: "name", type: "string" },
      { name: "version", type: "string" },
      { name: "chainId", type: "uint256" },
      { name: "verifyingContract", type: "address" },
    ],
    Ask: [
      { name: "seller", type: "address" },
      { name: "sellerPearlAddress", type: "string" },
      { name: "sellerPearlKey", type: "bytes32" },
      { name: "pearlAmountSat", type: "uint64" },
      { name: "usdcAmount", type: "uint256" },
      { name: "expiry", type: "uint64" },
      { name: "feeBps", type: "uint16" },
      { name: "feeRecipient", type: "address" },
      { name: "nonce", type: "uint256" },
    ],
    Terms: [
      { name: "buyer", type: "address" },
      { name: "seller", type: "address" },
      { name: "hashlock", type: "bytes32" },
      { name: "usdcAmount", type: "uint256" },
      { name: "pearlAmountSat", type: "uint64" },
      { name: "buyerPearlKey", type: "bytes32" },
      { name: "sellerPearlKey", type: "bytes32" },
      { name: "pearlRefundTime", type: "uint64" },
      { name: "evmRefundTime", type: "uint64" },
      { name: "feeBps", type: "uint16" },
      { name: "feeRecipient", type: "address" },
      { name: "askId", type: "bytes32" },
      { name: "nonce", type: "uint256" },
    ],
    AskAction: [
      { name: "askId", type: "bytes32" },
      { name: "action", type: "string" },
      { name: "deadline", type: "uint64" },
    ],
    BidOrigin: [
      { name: "orderHash", type: "bytes32" },
      { name: "origin", type: "string" },
      { name: "ref", type: "string" },
    ],
  },
  escrow: {
    address: "0x1111111111111111111111111111111111111111",
    chain_id: 31337,
    first_block: 1000,
    usdc: "0x3333333333333333333333333333333333333333",
    min_usdc_amount: "1000000",
    fee_bps: 200,
    fee_recipient: "0x2222222222222222222222222222222222222222",
    abi: [],
  },
  limits: {
    margin_s: 21600,
    evm_refund_max_s: 259200,
    min_usdc_amount: "1000000",
    small_deal_usdc: "1000000000",
    profiles: [
      { name: "large", k: 13, reveal_margin_s: 6000, lock_margin_s: 11580, take_min_s: 18000 },
      { name: "small", k: 6, reveal_margin_s: 4500, lock_margin_s: 8220, take_min_s: 14400 },
    ],
  },
} as const;

/** Body of an operation. */
export const askCreateBody = {
  seller_pearl_address: "rprl1plycg5qvjtrp3qjf5f7zl382j9x6nrjz9sdhenvyxq8c3808qxmussd3k73",
  seller_pearl_pubkey: "0xf9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9",
  seller_evm: "0x2b5ad5c4795c026514f8317c7a215e218dccd6cf",
  pearl_amount_sat: "500000000000",
  usdc_amount: "250000000",
  expiry: 1799990000,
  seller_evm_signature:
    "0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a1b",
} as const;

/** Body of an operation. */
export const askTakeBody = {
  buyer_evm: "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf",
  buyer_pearl_address: "rprl1pjstj0e7tg2ghk0sp2f03hy92yut7vx0dyexr3v8v7f3khjuj3x3sd8zl82",
  buyer_pearl_pubkey: "0xc6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5",
  hashlock: "0x630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd",
  pearl_refund_time: 1800000000,
  evm_refund_time: 1800021600,
} as const;

/** Body of an operation. */
export const askActionBody = {
  deadline: 1799983000,
  signature:
    "0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a1b",
} as const;

/** Body of an operation. */
export const originBody = {
  origin: "docs.example",
  signature:
    "0x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a1b",
} as const;

/** Body of an operation. */
export const acceptLockBody = {
  pearl_lock_txid: "3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f3f",
  pearl_lock_vout: 0,
} as const;

/** Body of an operation. */
export const verifyLockBody = {} as const;

/** A list of one row. */
export function listOf<Row>(row: Row) {
  return { ok: true, result: [row], next: null, prev: null } as const;
}
