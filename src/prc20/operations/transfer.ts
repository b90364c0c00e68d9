// transfer: moves spendable units from the sender to an address (P-44, P-45).

import type { PearlAddress, RawAmount, Tick } from "../../primitives/brands.ts";
import type { KeyCollector } from "../declared-keys.ts";
import { isMistyped, positiveField, textField, tickField } from "../fields.ts";
import { parseAddress } from "../../primitives/address.ts";
import type { BlockContext, OperationSource, Operation, OperationKind, Site, Verdict } from "../operation.ts";

const FIELDS = ["tick", "amt", "to"] as const;

/** The entry of `transfer`. */
export const transfer: OperationKind = {
  name: "transfer",
  rules: ["P-44", "P-45"],
  fields: FIELDS,
  read: (source) => new Transfer(source),
};

class Transfer implements Operation {
  readonly mistyped: boolean;
  readonly tick: Tick | "";
  readonly listingId = null;
  /** Required here: without a `to` there is no recipient (P-23). */
  readonly recipient: PearlAddress | null;
  readonly #sender: PearlAddress;
  readonly #amount: RawAmount | null;

  constructor(source: OperationSource) {
    const { fields, hrp } = source;
    this.mistyped = isMistyped(fields, FIELDS);
    this.tick = tickField(fields);
    this.#sender = source.sender;
    this.recipient = parseAddress(textField(fields, "to") ?? "", hrp);
    this.#amount = positiveField(fields, "amt", null);
  }

  declare(keys: KeyCollector): void {
    if (this.tick === "") return;
    keys.token(this.tick);
    keys.balance(this.#sender, this.tick);
    if (this.recipient !== null) keys.balance(this.recipient, this.tick);
  }

  /** TICK_INVALID, TICK_UNKNOWN, AMT_INVALID, ADDRESS_INVALID, BALANCE_INSUFFICIENT, in this order (P-44). */
  apply(_site: Site, { overlay }: BlockContext): Verdict {
    const { tick, recipient } = this;
    const sender = this.#sender;
    const amount = this.#amount;
    if (tick === "") return "TICK_INVALID";
    if (overlay.token(tick) === null) return "TICK_UNKNOWN";
    if (amount === null) return "AMT_INVALID";
    if (recipient === null) return "ADDRESS_INVALID";
    if (overlay.balanceOf(sender, tick) < amount) return "BALANCE_INSUFFICIENT";
    overlay.workingToken(tick).transfers += 1;
    const toSelf = sender === recipient;
    const first = toSelf ? overlay.balanceCell(sender, tick) : overlay.move(sender, tick, 0n - amount, 0n);
    const second = toSelf ? null : overlay.move(recipient, tick, amount, 0n);
    return { amount, to: recipient, listingId: null, filledOwner: null, first, second };
  }
}
