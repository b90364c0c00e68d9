// Holds what all six kinds of operation share: the reasons, the outcome of a check, and the fields that the
// specification names, as P-23 sees them.
import { ownMember } from "./envelope.ts";
import type { RecordedOperation } from "./envelope.ts";
import type { ReferenceNetwork, State, TransactionView } from "./state.ts";
import { parseTick } from "./values.ts";

/** Every reason of the specification. */
export type Reason =
  | "OP_UNKNOWN"
  | "FIELD_TYPE"
  | "TICK_INVALID"
  | "TICK_RESERVED"
  | "TICK_TAKEN"
  | "TICK_UNKNOWN"
  | "MAX_INVALID"
  | "LIM_INVALID"
  | "PRE_INVALID"
  | "DEC_INVALID"
  | "CID_INVALID"
  | "ADDRESS_INVALID"
  | "AMT_INVALID"
  | "AMT_OVER_LIMIT"
  | "MINT_ENDED"
  | "BALANCE_INSUFFICIENT"
  | "PRICE_INVALID"
  | "PAY_INVALID"
  | "EXP_INVALID"
  | "PRICE_TOO_LOW"
  | "ANCHOR_MISSING"
  | "ANCHOR_SCRIPT_MISMATCH"
  | "ANCHOR_SIG_INVALID"
  | "LISTING_ID_INVALID"
  | "LISTING_UNKNOWN"
  | "LISTING_CLOSED"
  | "ANCHOR_NOT_SPENT"
  | "SELLER_UNDERPAID"
  | "FEE_UNDERPAID";

/** What a valid operation did: the row's values (P-81) and whose balances to print, in that order. */
export interface Effect {
  tick: string;
  /** null where the row shows none (deploy with pre 0) */
  amount: bigint | null;
  to: string | null;
  touched: string[];
  /** the id of the listing that a valid list created */
  createdListing?: string;
}

/** Either the first broken rule, or what was done. */
export type Outcome = { reason: Reason } | { effect: Effect };

/** Where an operation stands: input `index` of `tx`. */
export interface InputPlace {
  tx: TransactionView;
  index: number;
}

/** Everything a rule may look at. */
export interface RuleInput {
  op: RecordedOperation;
  place: InputPlace;
  state: State;
  network: ReferenceNetwork;
}

const NAMED_FIELDS = new Map([
  ["deploy", ["tick", "max", "lim", "pre", "dec", "cid", "to"]],
  ["mint", ["tick", "amt", "to"]],
  ["transfer", ["tick", "amt", "to"]],
  ["burn", ["tick", "amt"]],
  ["list", ["tick", "amt", "price", "pay", "exp", "seller"]],
  ["send", ["id", "to"]],
]);

/** P-23, first check of every operation: some named field is present and no string. */
export function hasFieldTypeFault(op: RecordedOperation): boolean {
  const named = NAMED_FIELDS.get(op.op) ?? [];
  return named.some((name) => Object.hasOwn(op.fields, name) && typeof op.fields[name] !== "string");
}

/** A named field's text; undefined where it is absent. Only meaningful after hasFieldTypeFault. */
export function textField(op: RecordedOperation, name: string): string | undefined {
  const value = ownMember(op.fields, name);
  return typeof value === "string" ? value : undefined;
}

/** P-24: the op is one of the six. */
export function isKnownOp(op: string): boolean {
  return NAMED_FIELDS.has(op);
}

/** P-81: the ticker that the row of an invalid operation other than send shows; "" where it shows none. */
export function tickOfInvalid(op: RecordedOperation): string {
  if (!["deploy", "mint", "transfer", "burn", "list"].includes(op.op)) return "";
  return parseTick(textField(op, "tick")) ?? "";
}
