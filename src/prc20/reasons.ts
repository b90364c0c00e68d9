// The closed set of reason codes of invalid operations, each with the rules that give it.

/** Reason code -> rules of the specification that produce it. The order is not an order of checks. */
export const REASON_RULES = {
  OP_UNKNOWN: ["P-24"],
  FIELD_TYPE: ["P-23"],
  TICK_INVALID: ["P-21", "P-40", "P-42", "P-44", "P-46", "P-50"],
  TICK_RESERVED: ["P-40"],
  TICK_TAKEN: ["P-40"],
  TICK_UNKNOWN: ["P-42", "P-44", "P-46", "P-50"],
  MAX_INVALID: ["P-40"],
  LIM_INVALID: ["P-40"],
  PRE_INVALID: ["P-40"],
  DEC_INVALID: ["P-40"],
  CID_INVALID: ["P-40"],
  ADDRESS_INVALID: ["P-22", "P-40", "P-42", "P-44", "P-50", "P-60"],
  AMT_INVALID: ["P-20", "P-42", "P-44", "P-46", "P-50"],
  AMT_OVER_LIMIT: ["P-42"],
  MINT_ENDED: ["P-42"],
  BALANCE_INSUFFICIENT: ["P-44", "P-46", "P-50"],
  PRICE_INVALID: ["P-50"],
  PAY_INVALID: ["P-50"],
  EXP_INVALID: ["P-50"],
  PRICE_TOO_LOW: ["P-50", "P-52"],
  ANCHOR_MISSING: ["P-50"],
  ANCHOR_SCRIPT_MISMATCH: ["P-50"],
  ANCHOR_SIG_INVALID: ["P-53"],
  LISTING_ID_INVALID: ["P-51", "P-60"],
  LISTING_UNKNOWN: ["P-60"],
  LISTING_CLOSED: ["P-60"],
  ANCHOR_NOT_SPENT: ["P-60"],
  SELLER_UNDERPAID: ["P-60"],
  FEE_UNDERPAID: ["P-60"],
} as const satisfies Record<string, readonly string[]>;

/** A reason code of an invalid operation (P-14). */
export type Reason = keyof typeof REASON_RULES;

/** All reason codes. */
export const REASONS = Object.keys(REASON_RULES) as readonly Reason[];
