// What is indexed of the EVM chain and not yet beyond doubt: events above the final height, which a second reading is
// compared with (S-08), final ones that a second RPC denies (S-07), and final blocks that were replaced (S-05).

import type { Bytes32 } from "../../primitives/brands.ts";
import type { EscrowEvent } from "../../swap/facts.ts";
import type { BookChange } from "./draft.ts";
import { alarmFact, disputeFact, eventKey } from "./fact-codec.ts";
import { MultiIndex } from "./multi-index.ts";
import type { FinalAlarm } from "./ports.ts";

/** The doubts. */
export class TrustBook {
  /** Events above the final height, ascending: a rewind takes away the newest, a new final height the oldest. */
  readonly #unsettled = new Map<string, EscrowEvent>();
  readonly #disputes = new Map<string, EscrowEvent>();
  readonly #byOrder = new MultiIndex<Bytes32, string>();
  readonly #alarms = new Map<string, FinalAlarm>();

  /** As `LedgerWrites.alarms`. */
  get alarms(): readonly FinalAlarm[] {
    return [...this.#alarms.values()];
  }

  /** As `LedgerWrites.disputes`. */
  get disputes(): readonly EscrowEvent[] {
    return [...this.#disputes.values()];
  }

  /** Whether an event of the order is disputed. */
  isDisputed(orderHash: Bytes32): boolean {
    return this.#byOrder.has(orderHash);
  }

  /** As `LedgerWrites.unsettled`. */
  unsettled(from: number, to: number): readonly EscrowEvent[] {
    const found: EscrowEvent[] = [];
    for (const event of this.#unsettled.values()) {
      const { block } = event.place;
      if (block > to) break;
      if (block >= from) found.push(event);
    }
    return found;
  }

  /** An event was indexed above the final height. */
  add(event: EscrowEvent, change: BookChange): void {
    change.set(this.#unsettled, eventKey(event), event);
  }

  /** The final height is now this one. */
  settle(finalHeight: number, change: BookChange): void {
    for (const [key, event] of this.#unsettled) {
      if (event.place.block > finalHeight) break;
      change.drop(this.#unsettled, key);
    }
  }

  /** All blocks above this height are undone; the store forgets their disputes by itself. */
  rewind(toHeight: number, change: BookChange): void {
    for (const [key, event] of this.#unsettled) {
      if (event.place.block > toHeight) change.drop(this.#unsettled, key);
    }
    for (const event of this.#disputes.values()) if (event.place.block > toHeight) this.#drop(event, change);
  }

  /** A second RPC denies the event. */
  dispute(event: EscrowEvent, change: BookChange): void {
    change.set(this.#disputes, eventKey(event), event);
    if ("orderHash" in event) change.link(this.#byOrder, event.orderHash, eventKey(event));
    change.store(() => disputeFact(event));
  }

  /** Two RPCs show the event. */
  resolve(event: EscrowEvent, change: BookChange): void {
    this.#drop(event, change);
    change.forget("dispute", eventKey(event));
  }

  /** A final block was replaced. */
  raise(alarm: FinalAlarm, change: BookChange): void {
    change.set(this.#alarms, alarm.id, alarm);
    change.store(() => alarmFact(alarm));
  }

  /** Forgets alarms that are no longer stored: an operator has lifted them. Returns those. */
  keepAlarms(stored: ReadonlySet<string>, change: BookChange): readonly FinalAlarm[] {
    const lifted = this.alarms.filter(({ id }) => !stored.has(id));
    for (const { id } of lifted) change.drop(this.#alarms, id);
    return lifted;
  }

  #drop(event: EscrowEvent, change: BookChange): void {
    change.drop(this.#disputes, eventKey(event));
    if ("orderHash" in event) change.unlink(this.#byOrder, event.orderHash, eventKey(event));
  }
}
