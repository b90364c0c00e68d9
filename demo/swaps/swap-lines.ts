// Writes the changes of a swap as sentences, from the rows of the service's events: one line for each new status, and
// one for what is seen of a claim or refund before it is mined.

import { amount, optionalText, type Row, rowOf, text } from "../index-client.ts";
import { decimal, pearl } from "../wording.ts";

const USDC_DECIMALS = 6;
const PAUSED = "paused";

/** "12.5 USDC" for raw units. */
function usdc(raw: bigint): string {
  return `${decimal(raw, USDC_DECIMALS)} USDC`;
}

/** A hash cut short. */
function short(hash: string): string {
  return hash.slice(0, 10);
}

/** Tells rows of asks, bids and deals; keeps what was told last of each. */
export class SwapTeller {
  readonly #nameOf: (evm: string) => string;
  readonly #last = new Map<string, string>();

  constructor(nameOf: (evm: string) => string) {
    this.#nameOf = nameOf;
  }

  /** The line of a row, or null where nothing new is worth one. `kind` is the event's. */
  line(kind: string, row: Row): string | null {
    const id = text(row, kind === "ask" ? "ask_id" : "order_hash");
    const sentence = kind === "ask" ? this.#ask(row) : kind === "bid" ? this.#bid(row) : this.#deal(row);
    const last = this.#last.get(`${kind} ${id}`);
    if (sentence === null || last === sentence) return null;
    this.#last.delete(`${kind} ${id}`);
    this.#last.set(`${kind} ${id}`, sentence);
    const oldest = this.#last.keys().next();
    if (this.#last.size > 500 && oldest.done !== true) this.#last.delete(oldest.value);
    const told = kind === "ask" && last?.startsWith(PAUSED) === true ? `open again: ${sentence}` : sentence;
    return `${kind} ${short(id)}: ${told}`.replace(/^(?:bid|deal) /, "swap ");
  }

  #who(row: Row, field: string): string {
    const evm = optionalText(row, field);
    return evm === null ? "anybody" : this.#nameOf(evm);
  }

  #ask(row: Row): string | null {
    const seller = this.#who(row, "seller_evm");
    switch (text(row, "status")) {
      case "ASK_OPEN":
        return `${seller} asks ${usdc(amount(row, "usdc_amount"))} for ${pearl(amount(row, "pearl_amount_sat"))}`;
      case "ASK_PAUSED":
        return row["funded"] === false ? `${PAUSED}: ${seller}'s PEARL is not there` : PAUSED;
      case "ASK_CANCELLED":
        return "over";
      default:
        return null;
    }
  }

  #bid(row: Row): string | null {
    const buyer = this.#who(row, "buyer_evm");
    // The deal's row tells orders that took an ask.
    if (optionalText(row, "ask_id") !== null) return null;
    switch (text(row, "status")) {
      case "BID_OPEN": {
        const seller = optionalText(row, "seller_evm");
        const whom = seller === null ? "" : `, to ${this.#nameOf(seller)} alone`;
        return `${buyer} bids ${usdc(amount(row, "usdc_amount"))} for ${pearl(amount(row, "pearl_amount_sat"))}${whom}`;
      }
      case "BID_ACCEPTED":
        return `${this.#who(row, "seller_evm")} accepts ${buyer}'s bid`;
      case "BID_CANCELLED":
        return `${buyer} took the bid back, with the ${usdc(amount(row, "usdc_amount"))}`;
      default:
        return null;
    }
  }

  #deal(row: Row): string | null {
    const buyer = this.#who(row, "buyer_evm");
    const seller = this.#who(row, "seller_evm");
    const coins = pearl(amount(row, "pearl_amount_sat"));
    const money = usdc(amount(row, "usdc_amount"));
    const { state, confirmations } = rowOf(row["pearl_leg"]);
    switch (text(row, "status")) {
      case "DEAL_OPEN":
        return optionalText(row, "evm_bid_txid") === null ? `${buyer} takes ${seller}'s ask` : null;
      case "USDC_LOCKED":
        return `${buyer}'s ${money} are locked and final (USDC_LOCKED)`;
      case "LOCK_SUBMITTED":
        if (state === "refund_seen" || state === "refunded") return null;
        return `${seller}'s lock of ${coins} is seen (LOCK_SUBMITTED)`;
      case "PEARL_LOCKED":
        if (state === "refund_seen") return `${seller} takes the PEARL back`;
        return state !== "confirmed"
          ? null
          : `${seller}'s lock of ${coins} has ${String(confirmations)} confirmations (PEARL_LOCKED)`;
      case "USDC_CLAIMABLE":
        return `${buyer} claims the PEARL: the secret is public (USDC_CLAIMABLE)`;
      case "PEARL_REFUNDED":
        return `${seller} has the ${coins} back (PEARL_REFUNDED)`;
      case "USDC_REFUNDED":
        return `${buyer} has the ${money} back (USDC_REFUNDED)`;
      case "SETTLED":
        return `${buyer} has ${coins}, ${seller} the USDC: ${money} less the fee (SETTLED)`;
      default:
        return null;
    }
  }
}
