// What a swap request can come to: an answer, a refusal with a code of the interface (§7.1, H-45) and its sentence for
// people, or no verdict (S-62). Values, so that HTTP only has to write them down.

/** A code with which a swap request is refused. Its HTTP status stands in the HTTP layer's registry. */
type SwapRefusalCode = "INVALID_REQUEST" | keyof typeof MESSAGES;

/** A refusal: `message` says what was wrong and what to do; `details` as the rule says. */
export interface SwapRefusal {
  readonly kind: "refused";
  readonly code: SwapRefusalCode;
  readonly message: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** One object; `created` where the request made it. */
interface SwapAnswer {
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

/** How a key signs what `typed-data` shows; of an account with code its own contract says what is good (S-31). */
const SIGNATURE_FORM = "A key's signature is 0x and 65 or 64 bytes in hex, s in the lower half.";

/** What was wrong and what to do, by code; `INVALID_REQUEST` is said of each field by itself. */
const MESSAGES = {
  ASK_NOT_FOUND: "No ask with this id was posted here. Check the id, or post the signed ask.",
  DEAL_NOT_FOUND:
    "There is no deal with this hash. A bid that nobody has accepted is none yet: `/api/v1/swaps/{order_hash}` shows it. " +
    "Unfunded takes are forgotten seven days after they end.",
  ORDER_NOT_FOUND:
    "No order with this hash is indexed. It appears when its transaction is in an indexed block.",
  CANONICAL_DEAL_NOT_FOUND:
    "`evm_order_hash` is not the hash of these terms, or its order is not indexed yet. Leave it out, or wait.",
  ASK_SELLER_SIGNATURE_INVALID:
    "`seller_evm_signature` is not the seller's EIP-712 signature over these terms. `typed-data` shows what to sign, " +
    `\`details.ask_id\` is its digest as it was read here. ${SIGNATURE_FORM}`,
  ASK_BELOW_MIN_USDC: "`usdc_amount` is below the minimum; `details.min_usdc_amount` is the least.",
  ASK_INSUFFICIENT_SELLER_BALANCE:
    "The seller's PEARL address does not hold enough for this ask and the others that count with it. Where " +
    "`details.proven_possible` is true, send `seller_pearl_signature` with the ask: those of strangers on the address do " +
    "not count then. Else fund it, or ask for less.",
  ASK_PEARL_PROOF_INVALID:
    "`seller_pearl_signature` must be a BIP340 signature by the seller's PEARL key over " +
    'tagged_hash("PearlUsdcAsk", ask_id), with the `ask_id` of `details`.',
  ASK_BUYER_PEARL_PUBKEY_MISMATCH:
    "The buyer's PEARL key does not fit the buyer's address, or is the seller's key.",
  ASK_SELLER_PEARL_PUBKEY_MISMATCH:
    "The seller's PEARL key does not fit the seller's address, or differs from the ask's.",
  TIMELOCK_INVALID:
    "A refund time leaves too little room, or too much; `details.bound` says which and `details.needed` the limit.",
  ASK_ACTION_SIGNATURE_INVALID:
    "`signature` must be the seller's EIP-712 signature over this AskAction. `typed-data` shows what to sign, " +
    `\`details.digest\` is its digest as it was read here. ${SIGNATURE_FORM}`,
  ORIGIN_SIGNATURE_INVALID:
    "`signature` must be the buyer's EIP-712 signature over this BidOrigin. `typed-data` shows what to sign, " +
    `\`details.digest\` is its digest as it was read here. ${SIGNATURE_FORM}`,
  ASK_PAUSED: "The ask cannot be taken now; `details.status` says its status. Choose another one.",
  ASK_TAKEN: "The ask is taken: an indexed order carries it.",
  ASK_CANCELLED: "The ask is cancelled or expired. Sign a new one.",
  ASK_NONCE_REVOKED: "The seller has revoked this nonce on chain. Sign an ask with a higher nonce.",
  ASK_LIMIT_REACHED:
    "As many asks as are allowed are there; `details.limit` says whose. Cancel one first, or, where `details.proven_possible` " +
    "is true, send `seller_pearl_signature` with the ask.",
  HASHLOCK_REUSED: "The hashlock was used before. Make a new secret and send the hash of that.",
  INDEXER_NOT_SYNCED: "The service is behind a chain; `details` says which. Try again in some minutes.",
  BALANCE_UNAVAILABLE:
    "The balance of the seller's PEARL address cannot be told now. Try again in some minutes.",
  EVM_RPC_UNAVAILABLE: "The EVM chain cannot be asked reliably now. Try again in some seconds.",
  PEARL_NODE_UNAVAILABLE: "The PEARL node does not answer now. Try again in some seconds.",
} as const;

/** A refusal with its code's sentence; of `INVALID_REQUEST` as `invalidFields`. */
export function refusal(code: SwapRefusalCode, details: Readonly<Record<string, unknown>> = {}): SwapRefusal {
  if (code !== "INVALID_REQUEST") return refused(code, MESSAGES[code], details);
  return invalidFields(
    Object.fromEntries(Object.entries(details).map(([name, value]) => [name, String(value)])),
  );
}
