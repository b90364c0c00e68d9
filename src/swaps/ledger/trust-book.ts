// What is indexed of the EVM chain and not yet beyond doubt: events above the final height, which a second reading is
// compared with (S-08), the ends of orders among them that two RPCs have shown, final ones that a second RPC denies
// (S-07), and final blocks that were replaced (S-05).

import type { Bytes32, EvmAddress } from "../../primitives/brands.ts";
import type { EscrowEvent, OrderFacts } from "../../swap/facts.ts";
import { endName, isOrderEnd, orderOfEnd } from "../../swap/order-state.ts";
import type { BookChange } from "./book-change.ts";
import { ALARM, DISPUTE, eventKey, SHOWN_ENDS } from "./fact-kinds.ts";
import type { Layer, LayeredIndex, LayeredMap, LayeredValue } from "./layers.ts";
import type { FinalAlarm } from "./ports.ts";

/** The doubts. */
export class TrustBook {
  /**
   * Events above the final height, ascending: a rewind takes away the newest, a new final height the oldest. Each look at the
   * chain asks for some of them, and there may be hundreds of thousands, which a stranger can have made for some dollars.
   */
  readonly #unsettled: LayeredValue<readonly EscrowEvent[]>;
  /** The same list, once it is this book's alone to add to: what the book beneath shows stays as it is. */
  #own: EscrowEvent[] | null = null;
  readonly #disputes: LayeredMap<string, EscrowEvent>;
  /** The same as a list, for each look at them, once it was asked for: null where it was not since the last change. */
  readonly #disputeList: LayeredValue<readonly EscrowEvent[] | null>;
  readonly #byOrder: LayeredIndex<Bytes32, string>;
  /** Disputed revocations of asks. */
  readonly #bySeller: LayeredIndex<EvmAddress, string>;
  readonly #alarms: LayeredMap<string, FinalAlarm>;
  /** Null where one RPC is believed. */
  readonly #shown: LayeredValue<ReadonlySet<string> | null>;

  constructor(layer: Layer<TrustBook>) {
    this.#unsettled = layer.value((under) => under.#unsettled, []);
    this.#disputes = layer.map((under) => under.#disputes);
    this.#disputeList = layer.value((under) => under.#disputeList, null);
    this.#byOrder = layer.index((under) => under.#byOrder);
    this.#bySeller = layer.index((under) => under.#bySeller);
    this.#alarms = layer.map((under) => under.#alarms);
    this.#shown = layer.value((under) => under.#shown, null);
  }

  /** As `EvmLedger.alarms`. */
  get alarms(): readonly FinalAlarm[] {
    return [...this.#alarms.values()];
  }

  /** As `EvmLedger.disputes`. */
  get disputes(): readonly EscrowEvent[] {
    const list = this.#disputeList.value ?? [...this.#disputes.values()];
    this.#disputeList.value = list;
    return list;
  }

  /** Whether an event of the order is disputed. */
  isDisputed(orderHash: Bytes32): boolean {
    return this.#byOrder.has(orderHash);
  }

  /** Whether a revocation of the seller's asks is disputed. */
  isRevocationDisputed(seller: EvmAddress): boolean {
    return this.#bySeller.has(seller);
  }

  /** As `EvmLedger.shownEnds`. */
  get shownEnds(): readonly string[] | null {
    const shown = this.#shown.value;
    return shown === null ? null : [...shown];
  }

  /** Whether the order has an end that would have to be shown by two RPCs, unless it is final, and is not. */
  isEndUnshown({ orderHash, closed }: OrderFacts): boolean {
    return closed !== null && this.#isUnshown(orderHash, closed.place.blockHash);
  }

  /** As `EvmLedger.unsettled`. */
  unsettled(from: number, to: number): readonly EscrowEvent[] {
    const events = this.#unsettled.value;
    return events.slice(countUpTo(events, from - 1), countUpTo(events, to));
  }

  /** An event was indexed above the final height. */
  add(event: EscrowEvent): void {
    if (this.#own === null) this.#keep([...this.#unsettled.value]);
    this.#own?.push(event);
  }

  /** The final height is now this one. */
  settle(finalHeight: number): void {
    const events = this.#unsettled.value;
    const settled = countUpTo(events, finalHeight);
    if (settled > 0) this.#keep(events.slice(settled));
  }

  /** All blocks above this height are undone; the store forgets their disputes by itself. */
  rewind(toHeight: number): void {
    const events = this.#unsettled.value;
    this.#keep(events.slice(0, countUpTo(events, toHeight)));
    for (const event of this.#disputes.values()) if (event.place.block > toHeight) this.#drop(event);
  }

  #keep(events: EscrowEvent[]): void {
    this.#own = events;
    this.#unsettled.value = events;
  }

  /** A second RPC denies the event. */
  dispute(event: EscrowEvent, change: BookChange): void {
    this.#disputes.set(eventKey(event), event);
    this.#disputeList.value = null;
    if ("orderHash" in event) this.#byOrder.add(event.orderHash, eventKey(event));
    if (event.kind === "AsksRevoked") this.#bySeller.add(event.seller, eventKey(event));
    change.store(DISPUTE, event);
  }

  /** Two RPCs show the event. */
  resolve(event: EscrowEvent, change: BookChange): void {
    this.#drop(event);
    change.forget(DISPUTE, eventKey(event));
  }

  /** A final block was replaced. */
  raise(alarm: FinalAlarm, change: BookChange): void {
    this.#alarms.set(alarm.id, alarm);
    change.store(ALARM, alarm);
  }

  /**
   * Other ends are shown: rows may differ where one was not and is, or was and is no more. Only those names are looked at:
   * one RPC can have hundreds of thousands of ends indexed, and what is shown of the newest changes every second.
   */
  show(ends: readonly string[] | null, change: BookChange): void {
    const before = this.#shown.value;
    const after = ends === null ? null : new Set(ends);
    this.#shown.value = after;
    if (ends === null) change.forget(SHOWN_ENDS, "shown");
    else change.store(SHOWN_ENDS, ends);
    if (before === null || after === null) this.#touchUnnamed(before ?? after, change);
    else for (const name of namedOnce(before, after)) change.touch(orderOfEnd(name));
  }

  /** One RPC is believed from now on, or no longer: then what is not among those that are shown, or were, differs. */
  #touchUnnamed(named: ReadonlySet<string> | null, change: BookChange): void {
    if (named === null) return;
    for (const event of this.#unsettled.value) {
      if (!isOrderEnd(event)) continue;
      const { orderHash, place } = event;
      if (!named.has(endName(orderHash, place.blockHash))) change.touch(orderHash);
    }
  }

  #isUnshown(orderHash: Bytes32, blockHash: Bytes32): boolean {
    return this.#shown.value?.has(endName(orderHash, blockHash)) === false;
  }

  /** Forgets alarms that are no longer stored: an operator has lifted them. */
  keepAlarms(stored: ReadonlySet<string>): void {
    for (const { id } of this.alarms) if (!stored.has(id)) this.#alarms.delete(id);
  }

  #drop(event: EscrowEvent): void {
    this.#disputes.delete(eventKey(event));
    this.#disputeList.value = null;
    if ("orderHash" in event) this.#byOrder.delete(event.orderHash, eventKey(event));
    if (event.kind === "AsksRevoked") this.#bySeller.delete(event.seller, eventKey(event));
  }
}

function* namedOnce(before: ReadonlySet<string>, after: ReadonlySet<string>): Generator<string> {
  for (const name of before) if (!after.has(name)) yield name;
  for (const name of after) if (!before.has(name)) yield name;
}

/** How many of these events, which ascend, are in blocks up to this height. */
function countUpTo(events: readonly EscrowEvent[], height: number): number {
  let [low, high] = [0, events.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((events[middle]?.place.block ?? height) <= height) low = middle + 1;
    else high = middle;
  }
  return low;
}
