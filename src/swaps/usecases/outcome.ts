// What can a swap request come to? An answer, a refusal with a code of the interface (§7.1, H-45), or no verdict
// (S-62): values, so that HTTP only has to write them down.

/** Codes with which a swap request is refused. Their HTTP statuses stand in the HTTP layer's registry. */
export type SwapRefusalCode =
  | "INVALID_REQUEST"
  | "CURSOR_INVALID"
  | "SECRET_REFUSED"
  | "ASK_NOT_FOUND"
  | "DEAL_NOT_FOUND"
  | "ORDER_NOT_FOUND"
  | "CANONICAL_DEAL_NOT_FOUND"
  | "ASK_SELLER_SIGNATURE_INVALID"
  | "ASK_BELOW_MIN_USDC"
  | "ASK_INSUFFICIENT_SELLER_BALANCE"
  | "ASK_PEARL_PROOF_INVALID"
  | "ASK_BUYER_PEARL_PUBKEY_MISMATCH"
  | "ASK_SELLER_PEARL_PUBKEY_MISMATCH"
  | "TIMELOCK_INVALID"
  | "ASK_ACTION_SIGNATURE_INVALID"
  | "ORIGIN_SIGNATURE_INVALID"
  | "ASK_PAUSED"
  | "ASK_TAKEN"
  | "ASK_CANCELLED"
  | "ASK_NONCE_REVOKED"
  | "ASK_LIMIT_REACHED"
  | "HASHLOCK_REUSED"
  | "INDEXER_NOT_SYNCED"
  | "BALANCE_UNAVAILABLE"
  | "EVM_RPC_UNAVAILABLE"
  | "PEARL_NODE_UNAVAILABLE";

/** A refusal: `message` says what was wrong and what to do; `details` as the rule says. */
export interface SwapRefusal {
  readonly kind: "refused";
  readonly code: SwapRefusalCode;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** One object; `created` where the request made it. */
export interface SwapAnswer {
  readonly kind: "answer";
  readonly created: boolean;
  readonly value: Readonly<Record<string, unknown>>;
}

/** A page of a list. */
export interface SwapList<Row> {
  readonly kind: "list";
  readonly rows: readonly Row[];
  readonly next: readonly (number | string)[] | null;
  readonly prev: readonly (number | string)[] | null;
}

/** A verification without a verdict: 503 in the verification's shape (S-62). */
export interface NoVerdict {
  readonly kind: "noVerdict";
  readonly orderHash: string;
  readonly code: "PEARL_NODE_UNAVAILABLE" | "EVM_RPC_UNAVAILABLE" | "INDEXER_NOT_SYNCED";
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** What one request for an object comes to. */
export type SwapOutcome = SwapAnswer | SwapRefusal | NoVerdict;

/** An answer that creates nothing. */
export function answer(value: Readonly<Record<string, unknown>>): SwapAnswer {
  return { kind: "answer", created: false, value };
}

/** An answer to a request that created the object. */
export function created(value: Readonly<Record<string, unknown>>): SwapAnswer {
  return { kind: "answer", created: true, value };
}

/** A refusal. */
export function refused(
  code: SwapRefusalCode,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
): SwapRefusal {
  return { kind: "refused", code, message, details };
}

/** `INVALID_REQUEST`: `details` maps each bad field to a sentence without its full stop (H-45). */
export function invalidFields(fields: Readonly<Record<string, string>>): SwapRefusal {
  const [first, ...others] = Object.entries(fields);
  if (first === undefined) return refused("INVALID_REQUEST", "The request is malformed.");
  const [name, sentence] = first;
  const more = others.length === 0 ? "" : ` Also wrong: ${others.map(([other]) => other).join(", ")}.`;
  return refused("INVALID_REQUEST", `\`${name}\`: ${sentence}.${more}`, fields);
}
