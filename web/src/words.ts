// Codes of the API in words. Each table has to name every code: a new code without words does not compile.

import type { Reason } from "../../src/prc20/reasons.ts";
import { counted } from "./format.ts";
import type {
  AskRow,
  BidRow,
  DealRow,
  LedgerRow,
  ListingRow,
  NextAction,
  SwapTransactionRow,
} from "./wire.ts";

/** Why an operation was refused. */
const REASON_WORDS: Readonly<Record<Reason, string>> = {
  OP_UNKNOWN: "The protocol knows no operation of this name.",
  FIELD_TYPE: "A field has the wrong type: every value has to be a text.",
  TICK_INVALID: "The ticker is malformed: it takes 1 to 16 letters and digits.",
  TICK_RESERVED: "The ticker is reserved and cannot be deployed.",
  TICK_TAKEN: "A token of this ticker exists already.",
  TICK_UNKNOWN: "There is no token of this ticker.",
  MAX_INVALID: "The maximum supply is malformed, zero or above 2^128 − 1 raw units.",
  LIM_INVALID: "The limit of one mint is malformed, zero or above the maximum supply.",
  PRE_INVALID: "The pre-mint is malformed or above the maximum supply.",
  DEC_INVALID: "The number of decimals is malformed: 0 to 18.",
  CID_INVALID: "The content id is malformed: it takes 1 to 128 printable characters without spaces.",
  ADDRESS_INVALID: "The recipient is no address of this network.",
  AMT_INVALID: "The amount is malformed, zero or above 2^128 − 1 raw units.",
  AMT_OVER_LIMIT: "The amount is above what one mint may take.",
  MINT_ENDED: "Everything was minted already.",
  BALANCE_INSUFFICIENT: "The sender did not have that much at this place of the chain.",
  PRICE_INVALID: "The price is malformed, zero or above 21,000,000,000 PEARL.",
  PAY_INVALID: "The listing wants to be paid in something else than PEARL.",
  EXP_INVALID: "The expiry is no block height above that of the listing, or above 4294967295.",
  PRICE_TOO_LOW: "The price would leave the seller less than an output may hold.",
  ANCHOR_MISSING: "The output that the listing stands on is missing.",
  ANCHOR_SCRIPT_MISMATCH: "The output that the listing stands on does not belong to whoever lists.",
  ANCHOR_SIG_INVALID: "The seller's signature does not allow this sale.",
  LISTING_ID_INVALID: "The id of the listing is malformed.",
  LISTING_UNKNOWN: "There is no listing of this id.",
  LISTING_CLOSED: "The output that the listing stood on was spent before: it was sold or taken back.",
  ANCHOR_NOT_SPENT: "The transaction does not spend the output that the listing stands on.",
  SELLER_UNDERPAID: "The seller was not paid, or too little, at the place where the listing wants it.",
  FEE_UNDERPAID: "The protocol fee was not paid in full.",
};

/** A refusal in words; an unknown code stays a code. */
export function reasonWords(code: string): string {
  return Object.hasOwn(REASON_WORDS, code) ? REASON_WORDS[code as Reason] : `Refused: ${code}.`;
}

/** What a refusal leaves behind, by the operation's name as inscribed (P-60, P-63). */
export function afterRefusal(op: string): string {
  return op === "send" ? REFUSED_PURCHASE : "It moved no units. What the network took for it is spent.";
}

const REFUSED_PURCHASE =
  "The buyer received no units. PEARL that the transaction paid are paid all the same: only who received them can give them back.";

/** What an operation does, by its name as inscribed. */
export const OPERATION_WORDS: Readonly<Record<string, string>> = {
  deploy: "Deploy",
  mint: "Mint",
  transfer: "Transfer",
  burn: "Burn",
  list: "List for sale",
  send: "Buy a listing",
};

/** The name of an operation in words; an unknown one as it was inscribed, in quotes: else one named Mint reads as a mint. */
export function operationWords(op: string): string {
  return Object.hasOwn(OPERATION_WORDS, op) ? (OPERATION_WORDS[op] ?? op) : `“${op}”`;
}

/** How a thing stands, for the colour of its badge. */
export type Tone = "good" | "busy" | "idle" | "bad";

interface StatusWords {
  readonly label: string;
  readonly tone: Tone;
  readonly sentence: string;
}

/** States of listings. */
export const LISTING_WORDS: Readonly<Record<ListingRow["lifecycle_state"], StatusWords>> = {
  open: { label: "open", tone: "good", sentence: "It can be bought now." },
  expired_open: {
    label: "expired",
    tone: "idle",
    sentence:
      "It is past its expiry and offered no more, but can still be bought at this price by whoever has seen it. The units come back when the owner spends its output.",
  },
  filled: { label: "sold", tone: "idle", sentence: "A buyer paid and received the units." },
  cancelled: { label: "cancelled", tone: "idle", sentence: "The seller took it back." },
  invalid_spent: {
    label: "spent without a sale",
    tone: "bad",
    sentence: "Its output was spent without a valid purchase; the units went back to the owner.",
  },
};

/** The escrow paid for a secret that is public: with it the buyer could take PEARL, and no status says that he did. */
const SETTLED_SENTENCE = "The buyer could take the PEARL, and the seller has the USDC.";

/** Statuses of deals. They permit nothing, since a status knows no clock (S-51): next actions do. */
const DEAL_WORDS: Readonly<Record<DealRow["status"], StatusWords>> = {
  DEAL_OPEN: {
    label: "open",
    tone: "busy",
    sentence: "The buyer's USDC are not yet locked for good.",
  },
  USDC_LOCKED: {
    label: "USDC locked",
    tone: "busy",
    sentence:
      "The buyer's USDC are locked and final. The seller locks PEARL only while that is among what is to be done, and not too late.",
  },
  LOCK_SUBMITTED: {
    label: "PEARL on the way",
    tone: "busy",
    sentence:
      "PEARL are on the way to the lock or in it. They do not count yet: they are not deep enough, or too small an amount.",
  },
  PEARL_LOCKED: {
    label: "both locked",
    tone: "busy",
    sentence:
      "Both sides are locked. The buyer shows the secret only while that is among what is to be done, and not too late.",
  },
  USDC_CLAIMABLE: {
    label: "secret shown",
    tone: "busy",
    sentence:
      "The secret is public. With it the USDC can be claimed for the seller, who sees to that at once: from their refund time on the buyer could be first.",
  },
  SETTLED: {
    label: "settled",
    tone: "good",
    sentence: SETTLED_SENTENCE,
  },
  USDC_REFUNDED: { label: "USDC refunded", tone: "idle", sentence: "The USDC went back to the buyer." },
  PEARL_REFUNDED: {
    label: "PEARL refunded",
    tone: "idle",
    sentence: "The seller took the PEARL back. The buyer can take the USDC back when their time has come.",
  },
};

/** Statuses of bids. */
const BID_WORDS: Readonly<Record<BidRow["status"], StatusWords>> = {
  BID_CREATED: { label: "new", tone: "busy", sentence: "The USDC are locked, but not yet for good." },
  BID_OPEN: { label: "open", tone: "good", sentence: "The USDC are locked. A seller can accept the bid." },
  BID_ACCEPTED: { label: "accepted", tone: "busy", sentence: "A seller has accepted." },
  BID_CANCELLED: { label: "cancelled", tone: "idle", sentence: "The buyer took the bid back." },
  USDC_REFUNDED: { label: "refunded", tone: "idle", sentence: "The USDC went back to the buyer." },
  SETTLED: { label: "settled", tone: "good", sentence: SETTLED_SENTENCE },
};

/** What tells whether the end of an order can still be undone, and whether its USDC were paid out. */
type EndFacts = Pick<DealRow, "evm_leg" | "evm_credit">;

/** Ends of an order of which the token refused the payout: who is owed it has nothing yet. */
const OWED_SENTENCES: Readonly<Partial<Record<DealRow["status"] | BidRow["status"], string>>> = {
  SETTLED: "The buyer could take the PEARL, and the escrow owes the seller the USDC.",
  USDC_REFUNDED: "The escrow owes the buyer the USDC.",
  BID_CANCELLED: "The buyer took the bid back, and the escrow owes the buyer the USDC.",
};

/** An end stands in a status as soon as a block has it (S-51), and is over for good when that block is final. */
function standing(
  status: DealRow["status"] | BidRow["status"],
  words: StatusWords,
  { evm_leg: leg, evm_credit: credit }: EndFacts,
): StatusWords {
  const owed = OWED_SENTENCES[status];
  // The very same words where there is nothing to add: a page draws again what is another object.
  if (owed === undefined || (leg.final && credit === null)) return words;
  const sentence = credit === null ? words.sentence : owed;
  if (leg.final) return { ...words, sentence };
  return { label: `${words.label}, not final`, tone: "busy", sentence: `${sentence} ${NOT_FINAL_SENTENCE}` };
}

const NOT_FINAL_SENTENCE = "The block that brought it is not final yet: it can still be replaced.";

/** How a deal stands. A take that nobody has funded in time keeps its status for a week (S-42, S-51). */
export function dealWords(deal: Pick<DealRow, "status" | "expired"> & EndFacts): StatusWords {
  return deal.expired ? TAKE_ENDED_WORDS : standing(deal.status, DEAL_WORDS[deal.status], deal);
}

const TAKE_ENDED_WORDS: StatusWords = {
  label: "take ended",
  tone: "idle",
  sentence: "The buyer has not locked USDC in time, so that there is no swap.",
};

/** Whether anybody can still accept a bid whose USDC are locked: its status alone does not say so (S-52). */
export function canBeAccepted(bid: Pick<BidRow, "terms_error" | "deadlines">, now: number): boolean {
  const until = bid.deadlines.accept_bid_by;
  return bid.terms_error === null && until !== null && now <= until;
}

/** How a bid stands. */
export function bidWords(
  bid: Pick<BidRow, "status" | "terms_error" | "deadlines" | "seller_evm"> & EndFacts,
  now: number,
): StatusWords {
  const isWaiting = bid.status === "BID_OPEN" || bid.status === "BID_CREATED";
  if (!isWaiting || canBeAccepted(bid, now)) return standing(bid.status, wordsOf(bid), bid);
  return bid.terms_error === null ? TOO_LATE_WORDS : WRONG_TERMS_WORDS;
}

function wordsOf({ status, seller_evm: seller }: Pick<BidRow, "status" | "seller_evm">): StatusWords {
  return status === "BID_OPEN" && seller !== null ? NAMED_WORDS : BID_WORDS[status];
}

/** Of an open bid that one seller alone can accept (S-21). */
const NAMED_WORDS: StatusWords = {
  ...BID_WORDS.BID_OPEN,
  sentence: "The USDC are locked. Only the seller whom it names can accept the bid.",
};

const TOO_LATE_WORDS: StatusWords = {
  label: "too late to accept",
  tone: "idle",
  sentence: "There is too little time left to accept it. The buyer can take the USDC back.",
};

const WRONG_TERMS_WORDS: StatusWords = {
  label: "wrong terms",
  tone: "bad",
  sentence: "Its terms are wrong, and nobody should accept it. The buyer can take the USDC back.",
};

/** What a signature here cannot take back (S-33). */
const STILL_SIGNED =
  "Whoever has kept it can still take it in the contract until it expires, unless the seller has revoked it there.";

/** Statuses of asks. */
const ASK_WORDS: Readonly<Record<AskRow["status"], StatusWords>> = {
  ASK_OPEN: { label: "open", tone: "good", sentence: "A buyer can take it now." },
  ASK_TAKEN: { label: "taken", tone: "busy", sentence: "A buyer has locked USDC for it." },
  ASK_PAUSED: {
    label: "paused",
    tone: "idle",
    sentence: `It is not offered here at the moment. ${STILL_SIGNED}`,
  },
  ASK_CANCELLED: {
    label: "cancelled",
    tone: "idle",
    sentence: `It is not offered here any more. ${STILL_SIGNED}`,
  },
};

const ASK_EXPIRED_WORDS: StatusWords = {
  label: "expired",
  tone: "idle",
  sentence: "Its time is up: neither the service nor the contract takes it any more.",
};

/** How an ask stands. An expired one has the status of a cancelled one (S-33), and keeps an older one in old rows. */
export function askWords({ status, expiry }: Pick<AskRow, "status" | "expiry">, now: number): StatusWords {
  return status !== "ASK_TAKEN" && now >= expiry ? ASK_EXPIRED_WORDS : ASK_WORDS[status];
}

/** How a purchase goes wrong though the listing is open (P-15, P-60, P-66). */
export const BUYING_CAUTION =
  "Inputs and outputs of the template keep their places, and your inscription is revealed by the input right behind the " +
  "first: else the seller is paid, and you receive nothing. Your address is one for whose own key your wallet signs: " +
  "units that go to a vault of several keys, or to an exchange, may be lost for good. A reorganisation can undo a young listing, or the balance " +
  "behind it, while the seller's signature stays good: buy at a depth that you trust, for a large price 13 blocks.";

/** Until when an open listing is offered. `tip`: height of the index, null while it is not known. */
export function offeredUntil(exp: string | null, tip: number | null): string {
  if (exp === null) return "it is sold or taken back";
  const left = tip === null ? 0 : Number(exp) - tip;
  return left > 0 ? `block ${exp}, in ${counted(left, "block")}` : `block ${exp}`;
}

interface ActionWords {
  /** What is to be done, after the name of who does it. */
  readonly what: string;
  /** What happens where it is not done. */
  readonly otherwise: string;
  /** What the one who does it has to see to, since the service cannot know it; for the steps that may be left. */
  readonly caution?: string;
}

/** What the next actions of S-54 mean to a person. */
export const ACTION_WORDS: Readonly<Record<NextAction["action"], ActionWords>> = {
  claim_usdc: {
    what: "send the secret to the escrow, so that the seller receives the USDC",
    otherwise:
      "The USDC stay in the escrow, and from the refund time on the buyer can take them back. A claim is over when its block is final.",
  },
  claim_pearl: {
    what: "claim the PEARL with the secret",
    otherwise: "From the PEARL refund time on the seller can take the PEARL back.",
    caution:
      "The claim shows the secret. Ask verify-lock about this output right before, and claim only where it says verified.",
  },
  confirm_claim: {
    what: "watch the claim of the PEARL until it is 13 blocks deep, and while no block has it send it again or raise its fee",
    otherwise:
      "A claim that is not mined in time, or whose block is replaced, leaves the PEARL open to the seller's refund.",
  },
  refund_pearl: {
    what: "take the PEARL back by the refund path, unless they were claimed",
    otherwise:
      "The PEARL stay where they are; whoever knows the secret can claim them with the buyer's key. A node that refuses the refund " +
      "goes by the median time of blocks, which may be an hour behind: send it again until it is mined.",
  },
  abandon_lock: {
    what: "make the unconfirmed lock impossible by spending one of its inputs",
    otherwise: "A lock that is mined late can be claimed after the USDC are gone.",
  },
  lock_pearl: {
    what: "lock the PEARL at the lock address",
    otherwise: "The swap does not come about. The buyer has the USDC back from their refund time on.",
    caution:
      "By terms that your wallet has from the contract, at a lock address that it has computed from them. Only once, and in " +
      "one output of the whole amount: smaller ones are not added up. A further lock transaction spends an input of each " +
      "earlier one, also of one that is seen nowhere any more; where one of yours is mined and too small, there is no further " +
      "one: what it holds comes back after the PEARL refund time. The secret opens every lock, and the escrow pays once.",
  },
  accept_bid: {
    what: "accept the bid in the escrow",
    otherwise: "A bid that no seller accepts comes to nothing: the buyer takes the USDC back.",
    caution:
      "By terms that your wallet has from the contract: the same hash beside another hashlock or key would give your PEARL to a stranger.",
  },
  refund_cooperative: {
    what: "give the USDC back to the buyer before their time, because no PEARL will be locked",
    otherwise: "The buyer has to wait until the USDC refund time.",
    caution:
      "Not while a lock transaction that was ever signed can still be mined, whether it is seen here or not: the buyer could claim it with the USDC in hand.",
  },
  refund_usdc: {
    what: "take the USDC back from the escrow, unless they were claimed for the seller",
    otherwise:
      "The USDC stay in the escrow. While the secret is known, they can still be claimed for the seller.",
  },
  cancel_bid: {
    what: "cancel the bid and take the USDC back",
    otherwise: "A seller can still accept it.",
  },
  withdraw_credit: {
    what: "withdraw the USDC that the token refused to pay out and the escrow owes",
    otherwise: "The amount stays owed by the escrow and is not lost.",
  },
  lock_usdc: {
    what: "lock the USDC in the escrow",
    otherwise: "The take ends, and the ask is open to others.",
    caution:
      "Sign only terms whose hashlock, key, amounts and times you set yourself. Nothing makes the seller lock PEARL, and " +
      "there is no way back before the USDC refund time unless he gives the USDC back.",
  },
};

/** What transactions have done in swaps. */
export const DONE_WORDS: Readonly<Record<SwapTransactionRow["action"], string>> = {
  lock_usdc: "Buyer locked USDC",
  accept_bid: "Seller accepted",
  lock_pearl: "Seller locked PEARL",
  claim_pearl: "Buyer claimed PEARL",
  refund_pearl: "Seller took PEARL back",
  claim_usdc: "USDC paid to seller",
  refund_usdc: "USDC went back to buyer",
  cancel_bid: "Buyer took the bid back",
  credit_payout: "Payout refused by the token, owed by the escrow",
  withdraw_credit: "Owed USDC withdrawn",
};

/** What is wrong with the terms of an order. */
export const TERMS_ERROR_WORDS: Readonly<Record<NonNullable<DealRow["terms_error"]>, string>> = {
  PUBKEY_INVALID: "A key of the order is no point of the curve: PEARL locked for it could never be spent.",
  TIMELOCK_MARGIN_TOO_SMALL:
    "The two refund times are too close together: the buyer could take both sides. Do not lock PEARL.",
  HASHLOCK_REUSED: "The secret of this order is known already: whoever locks PEARL gives them away.",
};

/** Why a balance or locked amount changed. */
export const CAUSE_WORDS: Readonly<Record<LedgerRow["cause"], string>> = {
  deploy: "Pre-mint",
  mint: "Mint",
  transfer: "Transfer",
  burn: "Burn",
  list: "Listed for sale",
  fill: "Sale",
  cancel: "Listing cancelled",
  invalid_spend: "Listing spent without a sale",
};
