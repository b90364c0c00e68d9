// Puts together what is known about one order or take, from the books, when it is asked for; nothing is copied that is
// not small.

import { addressOfKey } from "../../primitives/address.ts";
import type { Bytes32, PearlAddress, ScriptHex } from "../../primitives/brands.ts";
import { askStatus } from "../../swap/statuses.ts";
import type { SwapCrypto } from "../../swap/crypto.ts";
import type { JudgedOrder } from "../../swap/facts.ts";
import { LockOutputs } from "../../swap/lock-outputs.ts";
import { scriptsOfKey } from "../../swap/keys.ts";
import type { AddressRecord, AskRecord, TakeRecord } from "../../swap/records.ts";
import type { AskStatus, EvaluationContext, SwapSubject } from "../../swap/subject.ts";
import type { Books } from "./books.ts";
import type { OrderEntry } from "./order-book.ts";

/**
 * Keys whose addresses are remembered: so many that were asked for last, and up to as many of before; some 20 MB at the
 * most. Each event of a deal asks for them, and computing one costs a multiplication on the curve.
 */
const MAX_KEYS = 40_000;

/** Makes subjects from books, and remembers what was computed for them. */
export class Subjects {
  /** Scripts of unfunded takes, which are not watched. */
  readonly #takeScripts = new WeakMap<TakeRecord, { readonly script: ScriptHex | null }>();

  #scriptsOfKeys = new Map<Bytes32, readonly ScriptHex[]>();
  #scriptsBefore = new Map<Bytes32, readonly ScriptHex[]>();
  readonly #crypto: SwapCrypto;

  constructor(crypto: SwapCrypto) {
    this.#crypto = crypto;
  }

  /** The order or take with this hash, or null. */
  of(books: Books, hash: Bytes32, context: Pick<EvaluationContext, "expiryNow">): SwapSubject | null {
    const { orders, records, secrets, settings, locks } = books;
    const entry = orders.entries.get(hash);
    const take = records.takes.get(hash) ?? null;
    const terms = entry?.facts.terms ?? take?.terms;
    if (terms === undefined) return null;
    const record = records.asks.get(terms.askId);
    const addresses = records.addresses.get(hash);
    const script = entry === undefined ? this.#takeScript(books, take) : entry.script;
    const outputs = entry === undefined || script === null ? LockOutputs.NONE : locks.outputsOf(script);
    return {
      hash,
      terms,
      order: entry === undefined ? null : orderOf(books, entry),
      take,
      ask: record === undefined ? null : { record, status: statusOfAsk(books, record, context) },
      script,
      keysValid: entry?.keysValid ?? script !== null,
      isCovered: entry === undefined || script === null || !books.scripts.uncovered.has(script),
      outputs,
      secret: secrets.entries.get(terms.hashlock) ?? null,
      hashlockUsedByBuyer: orders.isHashlockUsed(terms.buyer, terms.hashlock, hash),
      isEscrowPaused: settings.isPaused(),
      ...buyerAddress(addresses, entry === undefined || take?.isAddressReplaceable === false ? take : null),
      buyerScripts: outputs.hasClaim ? this.#scriptsOf(terms.buyerPearlKey) : [],
      sellerPearlAddress: sellerAddress(record) ?? addresses?.sellerPearlAddress ?? null,
      origin: records.origins.get(hash) ?? null,
    };
  }

  /** The addresses that a key fits (S-14): both are its owner's. */
  addressesOf(key: Bytes32, hrp: string): readonly PearlAddress[] {
    // A script of these is OP_1 and a push of the output key.
    return this.#scriptsOf(key).map((script) => addressOfKey(script.slice(4), hrp));
  }

  /** Computed where a release is judged and where an event is told, and kept for some keys. */
  #scriptsOf(key: Bytes32): readonly ScriptHex[] {
    const known = this.#scriptsOfKeys.get(key);
    if (known !== undefined) return known;
    const scripts = this.#scriptsBefore.get(key) ?? scriptsOfKey(key, this.#crypto);
    if (this.#scriptsOfKeys.size >= MAX_KEYS) {
      this.#scriptsBefore = this.#scriptsOfKeys;
      this.#scriptsOfKeys = new Map();
    }
    this.#scriptsOfKeys.set(key, scripts);
    return scripts;
  }

  #takeScript({ scripts }: Books, take: TakeRecord | null): ScriptHex | null {
    if (take === null) return null;
    const known = this.#takeScripts.get(take);
    if (known !== undefined) return known.script;
    const { hashlock, buyerPearlKey, sellerPearlKey, pearlRefundTime } = take.terms;
    const keys = { buyerKey: buyerPearlKey, sellerKey: sellerPearlKey };
    const script = scripts.compute({ hashlock, pearlRefundTime, ...keys });
    this.#takeScripts.set(take, { script });
    return script;
  }
}

/** The status of a posted ask (S-33). */
export function statusOfAsk(
  { orders, settings }: Books,
  record: AskRecord,
  context: Pick<EvaluationContext, "expiryNow">,
): AskStatus {
  const takenBy = orders.byAsk.get(record.askId) ?? null;
  const minNonce = settings.minAskNonce(record.terms.seller);
  return askStatus(record, { takenBy, minNonce, fee: settings.fee() }, context);
}

function orderOf({ trust }: Books, { facts }: OrderEntry): JudgedOrder {
  const disputed = trust.isDisputed(facts.orderHash);
  return { ...facts, disputed, isEndUnshown: trust.isEndUnshown(facts) };
}

/**
 * The address of the take that this order was first known by, else of `take`, else of whoever gave one last (S-55).
 * `take` is one that no order has been made of yet, or that came before its order.
 */
function buyerAddress(
  addresses: AddressRecord | undefined,
  take: TakeRecord | null,
): Pick<SwapSubject, "buyerPearlAddress" | "isBuyerAddressFromTake"> {
  const kept = addresses?.isBuyerFromTake === true ? addresses.buyerPearlAddress : null;
  const taken = kept ?? take?.buyerPearlAddress ?? null;
  return {
    buyerPearlAddress: taken ?? addresses?.buyerPearlAddress ?? null,
    isBuyerAddressFromTake: taken !== null,
  };
}

function sellerAddress(record: AskRecord | undefined): SwapSubject["sellerPearlAddress"] {
  return record === undefined ? null : (record.terms.sellerPearlAddress as SwapSubject["sellerPearlAddress"]);
}
