// list: locks units and publishes, in one step, everything that a buyer needs to pay the seller (P-50 to P-54).
// What needs no state is judged by one method, which the signature checks before the pass use as well.

import type { TransactionView } from "../../chain/block-shapes.ts";
import { LISTING_HASH_TYPE, type ListingSpend } from "../../chain/taproot-sighash.ts";
import { scriptHexOfAddress } from "../../primitives/address.ts";
import type {
  ListingId,
  Outpoint,
  PearlAddress,
  RawAmount,
  Sat,
  Tick,
  Hex32,
} from "../../primitives/brands.ts";
import { bytesToHex } from "../../primitives/hex.ts";
import type { KeyCollector } from "../declared-keys.ts";
import { addressOrSender, amountField, isMistyped, positiveField, textField, tickField } from "../fields.ts";
import type { BlockContext, OperationSource, Operation, OperationKind, Site, Verdict } from "../operation.ts";
import type { Fields } from "../payload.ts";
import type { Reason } from "../reasons.ts";
import { DUST_LIMIT_SAT, PRICE_MAX_SAT, type ProtocolRules } from "../rules.ts";
import type { ListingRow } from "../state.ts";
import type { Sha256 } from "../../primitives/hashing.ts";

const FIELDS = ["tick", "amt", "price", "pay", "exp", "seller"] as const;
const PAY = "PEARL";
const EXP_MAX = 4_294_967_295n;
const ANNEX_BYTES = 66;
const ANNEX_PREFIX = 0x50;

/** The entry of `list`. */
export const list: OperationKind = {
  name: "list",
  rules: ["P-50", "P-51", "P-52", "P-53", "P-54"],
  fields: FIELDS,
  read: (source) => new List(source),
};

/** What the signature of P-53 is over, and the signature. */
export interface SignedListing {
  readonly keyHex: string;
  readonly spend: ListingSpend;
  /** The annex as inscribed: 0x50, 64 bytes of signature, 0x83. */
  readonly annex: Uint8Array;
}

/** A list operation as inscribed. */
export class List implements Operation {
  readonly mistyped: boolean;
  readonly tick: Tick | "";
  readonly listingId = null;
  /** The address to be paid. */
  readonly recipient: PearlAddress | null;
  readonly #sender: PearlAddress;
  readonly #keyHex: string;
  readonly #annex: Uint8Array | null;
  readonly #amount: RawAmount | null;
  readonly #priceSat: Sat | null;
  readonly #pay: string;
  /** Undefined: malformed. Null: never. */
  readonly #exp: number | null | undefined;

  constructor(source: OperationSource) {
    const { fields } = source;
    this.mistyped = isMistyped(fields, FIELDS);
    this.tick = tickField(fields);
    this.#sender = source.sender;
    this.#keyHex = source.keyHex;
    this.#annex = source.annex;
    this.recipient = addressOrSender(source, "seller");
    this.#amount = positiveField(fields, "amt", null);
    this.#priceSat = priceField(fields);
    this.#pay = textField(fields, "pay") ?? PAY;
    this.#exp = expField(fields);
  }

  declare(keys: KeyCollector): void {
    if (this.tick === "") return;
    keys.token(this.tick);
    keys.balance(this.#sender, this.tick);
  }

  /**
   * What P-53 has to verify where nothing that needs no state is broken; null where the check is not reached or
   * the annex has another form.
   */
  signed(
    transaction: TransactionView,
    inputIndex: number,
    height: number,
    rules: ProtocolRules,
  ): SignedListing | null {
    if (this.mistyped || this.tick === "") return null;
    if (this.#statelessReason(transaction, inputIndex, height, rules) !== null) return null;
    const annex = this.#listingAnnex();
    const output = transaction.output(inputIndex);
    if (annex === null || output === null || this.#priceSat === null || this.recipient === null) return null;
    const spend: ListingSpend = {
      anchorTxid: transaction.txid,
      anchorVout: inputIndex,
      anchorAmountSat: output.valueSat,
      anchorScriptHex: output.scriptHex,
      sellerNetSat: splitPrice(this.#priceSat, rules.feeBps).sellerNetSat,
      sellerScriptHex: scriptHexOfAddress(this.recipient),
    };
    return { keyHex: this.#keyHex, spend, annex };
  }

  /**
   * TICK_INVALID, TICK_UNKNOWN, AMT_INVALID, PRICE_INVALID, PAY_INVALID, EXP_INVALID, ADDRESS_INVALID,
   * PRICE_TOO_LOW, ANCHOR_MISSING, ANCHOR_SCRIPT_MISMATCH, ANCHOR_SIG_INVALID, BALANCE_INSUFFICIENT, in this order
   * (P-50). Throws where a signature that had to be verified was not.
   */
  apply(site: Site, context: BlockContext): Verdict {
    const { tick } = this;
    const amount = this.#amount;
    const { overlay } = context;
    if (tick === "") return "TICK_INVALID";
    if (overlay.token(tick) === null) return "TICK_UNKNOWN";
    const reason = this.#statelessReason(site.transaction, site.inputIndex, context.height, context.rules);
    if (reason !== null) return reason;
    if (!this.#signatureHolds(context)) return "ANCHOR_SIG_INVALID";
    if (amount === null || overlay.balanceOf(this.#sender, tick) < amount) return "BALANCE_INSUFFICIENT";
    const row = this.#row(tick, amount, site, context);
    overlay.openListing(row);
    overlay.workingToken(tick).openCount += 1;
    const first = overlay.move(this.#sender, tick, 0n - amount, amount);
    return { amount, to: row.seller, listingId: row.id, filledOwner: null, first, second: null };
  }

  /** AMT_INVALID to ANCHOR_SCRIPT_MISMATCH of P-50: the checks between the token and the signature. */
  #statelessReason(
    transaction: TransactionView,
    inputIndex: number,
    height: number,
    rules: ProtocolRules,
  ): Reason | null {
    const priceSat = this.#priceSat;
    const exp = this.#exp;
    if (this.#amount === null) return "AMT_INVALID";
    if (priceSat === null) return "PRICE_INVALID";
    if (this.#pay !== PAY) return "PAY_INVALID";
    if (exp === undefined || (exp !== null && exp <= height)) return "EXP_INVALID";
    if (this.recipient === null) return "ADDRESS_INVALID";
    if (splitPrice(priceSat, rules.feeBps).sellerNetSat < DUST_LIMIT_SAT) return "PRICE_TOO_LOW";
    const output = transaction.output(inputIndex);
    if (output === null) return "ANCHOR_MISSING";
    if (output.scriptHex !== `5120${this.#keyHex}`) return "ANCHOR_SCRIPT_MISMATCH";
    return null;
  }

  #signatureHolds(context: BlockContext): boolean {
    if (this.#listingAnnex() === null) return false;
    const answer = context.signatures.get(this);
    if (answer === undefined) throw new Error("the signature of a listing was not verified before the pass");
    return answer;
  }

  /** The annex where it has the form of P-53, else null. */
  #listingAnnex(): Uint8Array | null {
    const annex = this.#annex;
    if (annex === null || annex.length !== ANNEX_BYTES) return null;
    return annex[0] === ANNEX_PREFIX && annex[ANNEX_BYTES - 1] === LISTING_HASH_TYPE ? annex : null;
  }

  #row(tick: Tick, amount: RawAmount, site: Site, context: BlockContext): ListingRow {
    const { transaction, inputIndex } = site;
    const { txid } = transaction;
    const output = transaction.output(inputIndex);
    const { recipient } = this;
    const priceSat = this.#priceSat;
    const annex = this.#annex;
    const exp = this.#exp;
    if (output === null || recipient === null || priceSat === null || annex === null || exp === undefined) {
      throw new Error("a listing was opened without its checks");
    }
    const terms = {
      id: `list:${txid}:${inputIndex}` as ListingId,
      tick,
      amount,
      seller: recipient,
      priceSat,
      ...splitPrice(priceSat, context.rules.feeBps),
      exp,
      anchor: `${txid}:${inputIndex}` as Outpoint,
    };
    return {
      ...terms,
      owner: this.#sender,
      createdTxid: txid,
      createdHeight: context.height,
      createdTime: context.time,
      createdPlace: site.place,
      anchorVout: inputIndex,
      anchorAmountSat: output.valueSat as Sat,
      signatureHex: bytesToHex(annex, 1, ANNEX_BYTES - 1),
      policyHash: policyHash(terms, context.rules, context.sha256),
      close: null,
    };
  }
}

function priceField(fields: Fields): Sat | null {
  const price: bigint | null = positiveField(fields, "price", null);
  return price !== null && price <= PRICE_MAX_SAT ? (price as Sat) : null;
}

function expField(fields: Fields): number | null | undefined {
  if (textField(fields, "exp") === undefined) return null;
  const exp = amountField(fields, "exp", null);
  return exp !== null && exp <= EXP_MAX ? Number(exp) : undefined;
}

/** How a price is divided between the protocol and the seller. Both parts sum to the price. */
interface FeeSplit {
  readonly protocolFeeSat: Sat;
  readonly sellerNetSat: Sat;
}

/** Divides a price (P-52): the fee is floored, and 0 where such an output would be dust. */
export function splitPrice(priceSat: Sat, feeBps: number): FeeSplit {
  const share = (priceSat * BigInt(feeBps)) / 10_000n;
  const fee = share < DUST_LIMIT_SAT ? 0n : share;
  return { protocolFeeSat: fee as Sat, sellerNetSat: (priceSat - fee) as Sat };
}

/** The terms that the policy hash covers. */
export type PolicyTerms = Pick<
  ListingRow,
  "id" | "tick" | "amount" | "priceSat" | "protocolFeeSat" | "sellerNetSat" | "seller" | "anchor" | "exp"
>;

/** SHA-256 over the terms of a listing, one per line (P-54). */
export function policyHash(terms: PolicyTerms, rules: ProtocolRules, sha256: Sha256): Hex32 {
  const feeAddress = terms.protocolFeeSat === 0n ? "-" : (rules.feeAddress ?? "-");
  const lines = [
    "prc20-policy/1",
    rules.genesisHash,
    terms.id,
    terms.tick,
    terms.amount,
    "PEARL",
    terms.priceSat,
    terms.protocolFeeSat,
    feeAddress,
    terms.sellerNetSat,
    terms.seller,
    terms.anchor,
    terms.exp ?? "-",
  ];
  const hash = sha256(new TextEncoder().encode(`${lines.join("\n")}\n`));
  return bytesToHex(hash) as Hex32;
}
