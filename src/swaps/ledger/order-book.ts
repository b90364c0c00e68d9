// Orders assembled from the escrow's events, with the indexes that questions need. Whatever a block said can be taken
// back.

import type { Bytes32, EvmAddress, ScriptHex } from "../../primitives/brands.ts";
import type { EscrowEvent, OrderFacts } from "../../swap/facts.ts";
import { type OrderStep, stepFault } from "../../swap/order-state.ts";
import { isAskMatch, type Terms } from "../../swap/terms.ts";
import type { BookChange } from "./book-change.ts";
import { ImpossibleLog } from "../evm/evm-unavailable.ts";
import type { Layer, LayeredIndex, LayeredMap } from "./layers.ts";
import type { KeyWatcher } from "./multi-index.ts";
import type { ScriptBook } from "./script-book.ts";
import type { SettingEvent } from "./settings-book.ts";

/** An order with what is computed once from its keys. */
export interface OrderEntry {
  readonly facts: OrderFacts;
  /** Of the present keys; null without both keys or where one is no point. */
  readonly script: ScriptHex | null;
  readonly keysValid: boolean;
}

/** All orders. */
export class OrderBook {
  readonly entries: LayeredMap<Bytes32, OrderEntry>;
  readonly byHashlock: LayeredIndex<Bytes32, Bytes32>;
  /**
   * By `useOf`: a buyer uses a hashlock once (S-22). Any number of buyers may use the same one, and every row asks whether
   * its own buyer has.
   */
  readonly #byUse: LayeredMap<string, Bytes32>;
  readonly byScript: LayeredIndex<ScriptHex, Bytes32>;
  /** By ask id: an ask passes once for ever (S-21). */
  readonly byAsk: LayeredMap<Bytes32, Bytes32>;
  /** By the EVM transactions that moved them: what locked, accepted or closed them, refused a payout or withdrew it. */
  readonly byTransaction: LayeredIndex<Bytes32, Bytes32>;
  /** Orders whose credited payout the account has not withdrawn (S-23), by the account. */
  readonly #owed: LayeredIndex<EvmAddress, Bytes32>;
  readonly #scripts: ScriptBook;

  /** `hashlocks` is told which hashlocks orders have. */
  constructor(layer: Layer<OrderBook>, scripts: ScriptBook, hashlocks: KeyWatcher<Bytes32>) {
    this.entries = layer.map((under) => under.entries);
    this.byHashlock = layer.index((under) => under.byHashlock, hashlocks);
    this.#byUse = layer.map((under) => under.#byUse);
    this.byScript = layer.index((under) => under.byScript);
    this.byAsk = layer.map((under) => under.byAsk);
    this.byTransaction = layer.index((under) => under.byTransaction);
    this.#owed = layer.index((under) => under.#owed);
    this.#scripts = scripts;
  }

  /** As `StateReads.isHashlockUsed`. */
  isHashlockUsed(buyer: EvmAddress, hashlock: Bytes32, except: Bytes32 | null): boolean {
    const hash = this.#byUse.get(useOf(buyer, hashlock));
    return hash !== undefined && hash !== except;
  }

  /** Takes an event in, events being in chain order. @throws ImpossibleLog where it does not fit what came before it. */
  apply(event: Exclude<EscrowEvent, SettingEvent>, change: BookChange): void {
    switch (event.kind) {
      case "OrderLocked":
        return this.#lock(event, change);
      case "OrderAccepted":
      case "OrderCancelled":
      case "OrderClaimed":
      case "OrderRefunded":
        return this.#advance(event, change);
      case "PayoutCredited":
        return this.#credit(event, change);
      case "CreditWithdrawn":
        return this.#withdraw(event, change);
      case "FeesWithdrawn":
        // Stored, and read by nobody: fees are no part of a swap's row.
        return;
    }
  }

  /** Takes back what blocks above this height said. `onChange` gets each order that changes. */
  rewind(toHeight: number, change: BookChange, onChange: (facts: OrderFacts) => void): void {
    for (const [hash, entry] of this.entries) {
      const { facts } = entry;
      if (facts.locked.block > toHeight) {
        this.#remove(hash, entry);
        onChange(facts);
        continue;
      }
      const accepted =
        facts.accepted !== null && facts.accepted.place.block > toHeight ? null : facts.accepted;
      const closed = facts.closed !== null && facts.closed.place.block > toHeight ? null : facts.closed;
      const credited = creditAt(facts.credited, toHeight);
      if (accepted === facts.accepted && closed === facts.closed && credited === facts.credited) continue;
      this.#replace(entry, { ...facts, accepted, closed, credited }, change);
      onChange(facts);
    }
  }

  /** Takes an order out that is there: it has closed, and is only in the store from now on. */
  leave(hash: Bytes32): void {
    const entry = this.entries.get(hash);
    if (entry !== undefined) this.#remove(hash, entry);
  }

  #lock(event: Extract<EscrowEvent, { kind: "OrderLocked" }>, change: BookChange): void {
    const { orderHash, terms, place } = event;
    const fault = stepFault(this.entries.get(orderHash)?.facts ?? null, event) ?? this.#reuse(terms);
    if (fault !== null) throw new ImpossibleLog(event, fault);
    const facts: OrderFacts = {
      orderHash,
      terms,
      locked: place,
      accepted: null,
      closed: null,
      credited: null,
    };
    this.entries.set(orderHash, this.#entry(facts, change));
    this.byHashlock.add(terms.hashlock, orderHash);
    this.#byUse.set(useOf(terms.buyer, terms.hashlock), orderHash);
    this.byTransaction.add(place.txHash, orderHash);
    if (isAskMatch(terms)) this.byAsk.set(terms.askId, orderHash);
    change.touch(orderHash);
  }

  /** What the contract lets pass once for ever: an ask (S-21), and a hashlock of the same buyer (S-22). */
  #reuse(terms: Terms): string | null {
    if (isAskMatch(terms) && this.byAsk.has(terms.askId)) return `ask ${terms.askId} was taken before`;
    return this.isHashlockUsed(terms.buyer, terms.hashlock, null)
      ? "its buyer used the hashlock before"
      : null;
  }

  #advance(event: Exclude<OrderStep, { kind: "OrderLocked" }>, change: BookChange): void {
    const entry = this.entries.get(event.orderHash);
    const fault = stepFault(entry?.facts ?? null, event);
    if (entry === undefined || fault !== null) {
      throw new ImpossibleLog(
        event,
        `${fault ?? "the order is not there"}; is ESCROW_FIRST_BLOCK later than the contract's block?`,
      );
    }
    this.#replace(entry, advanced(entry.facts, event), change);
    change.touch(event.orderHash);
  }

  /** The token refused the payout of a closed order. */
  #credit(event: Extract<EscrowEvent, { kind: "PayoutCredited" }>, change: BookChange): void {
    const { orderHash, account, amount, place } = event;
    const entry = this.entries.get(orderHash);
    if (entry === undefined || entry.facts.closed === null || entry.facts.credited !== null) {
      throw new ImpossibleLog(event, "its order is not over, or was credited already (S-25)");
    }
    this.#replace(entry, { ...entry.facts, credited: { place, account, amount, withdrawn: null } }, change);
    change.touch(orderHash);
  }

  /** An account withdraws all that it is owed, so its credits of all orders end. */
  #withdraw({ account, place }: Extract<EscrowEvent, { kind: "CreditWithdrawn" }>, change: BookChange): void {
    for (const hash of this.#owed.of(account)) {
      const entry = this.entries.get(hash);
      const credited = entry?.facts.credited ?? null;
      if (entry === undefined || credited === null) continue;
      this.#replace(entry, { ...entry.facts, credited: { ...credited, withdrawn: place } }, change);
      change.touch(hash);
    }
  }

  #remove(hash: Bytes32, { facts, script }: OrderEntry): void {
    this.entries.delete(hash);
    this.byHashlock.delete(facts.terms.hashlock, hash);
    this.#byUse.delete(useOf(facts.terms.buyer, facts.terms.hashlock));
    if (script !== null) this.byScript.delete(script, hash);
    if (isAskMatch(facts.terms)) this.byAsk.delete(facts.terms.askId);
    for (const txHash of transactionsOf(facts)) this.byTransaction.delete(txHash, hash);
    this.#follow(facts, { ...facts, credited: null });
  }

  #replace(before: OrderEntry, facts: OrderFacts, change: BookChange): void {
    const hash = facts.orderHash;
    const isSameKeys = before.facts.accepted?.sellerPearlKey === facts.accepted?.sellerPearlKey;
    const entry = isSameKeys ? { ...before, facts } : this.#entry(facts, change);
    if (entry.script !== before.script) {
      if (before.script !== null) this.byScript.delete(before.script, hash);
      if (entry.script !== null) this.byScript.add(entry.script, hash);
    }
    this.entries.set(hash, entry);
    const transactions = transactionsOf(facts);
    for (const txHash of transactionsOf(before.facts))
      if (!transactions.has(txHash)) this.byTransaction.delete(txHash, hash);
    for (const txHash of transactions) this.byTransaction.add(txHash, hash);
    this.#follow(before.facts, facts);
  }

  /** Keeps the index of what is owed with an order that changes. */
  #follow(before: OrderFacts, after: OrderFacts): void {
    const [was, is] = [creditor(before), creditor(after)];
    if (was === is) return;
    if (was !== null) this.#owed.delete(was, before.orderHash);
    if (is !== null) this.#owed.add(is, after.orderHash);
  }

  #entry(facts: OrderFacts, change: BookChange): OrderEntry {
    const { hashlock, buyerPearlKey: buyerKey, pearlRefundTime, pearlAmountSat } = facts.terms;
    const sellerKey = facts.accepted?.sellerPearlKey ?? null;
    const isBuyerValid = this.#scripts.isPoint(buyerKey, change);
    if (sellerKey === null) return { facts, script: null, keysValid: isBuyerValid };
    const keysValid = this.#scripts.isPoint(sellerKey, change) && isBuyerValid;
    const terms = { hashlock, buyerKey, sellerKey, pearlRefundTime };
    const script = keysValid ? this.#scripts.watch(terms, pearlAmountSat, facts.locked.time, change) : null;
    return { facts, script, keysValid };
  }
}

/** The use of a hashlock by a buyer. */
function useOf(buyer: EvmAddress, hashlock: Bytes32): string {
  // Both have one length each, so nothing needs to stand between them.
  return buyer + hashlock;
}

/** The EVM transactions that an order's facts name. */
export function transactionsOf({ locked, accepted, closed, credited }: OrderFacts): ReadonlySet<Bytes32> {
  const places = [locked, accepted?.place, closed?.place, credited?.place, credited?.withdrawn];
  return new Set(places.flatMap((place) => place?.txHash ?? []));
}

/** The account that an order's refused payout is owed to; null where nothing is owed. */
function creditor({ credited }: OrderFacts): EvmAddress | null {
  return credited === null || credited.withdrawn !== null ? null : credited.account;
}

/** A credit as the blocks up to this height show it. */
function creditAt(credited: OrderFacts["credited"], height: number): OrderFacts["credited"] {
  if (credited === null || credited.place.block > height) return null;
  if (credited.withdrawn === null || credited.withdrawn.block <= height) return credited;
  return { ...credited, withdrawn: null };
}

function advanced(facts: OrderFacts, event: Exclude<OrderStep, { kind: "OrderLocked" }>): OrderFacts {
  const { place } = event;
  switch (event.kind) {
    case "OrderAccepted":
      return { ...facts, accepted: { place, seller: event.seller, sellerPearlKey: event.sellerPearlKey } };
    case "OrderCancelled":
      return { ...facts, closed: { kind: "cancelled", place } };
    case "OrderClaimed": {
      const { secret, sellerNet, fee } = event;
      return { ...facts, closed: { kind: "claimed", place, secret, sellerNet, fee } };
    }
    default:
      return { ...facts, closed: { kind: "refunded", place, amount: event.amount } };
  }
}
