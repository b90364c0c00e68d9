// burn: takes spendable units of the sender out of the world for ever (P-46).

import type { PearlAddress, RawAmount, Tick } from "../../primitives/brands.ts";
import type { KeyCollector } from "../declared-keys.ts";
import { isMistyped, positiveField, tickField } from "../fields.ts";
import type { BlockContext, OperationSource, Operation, OperationKind, Site, Verdict } from "../operation.ts";

const FIELDS = ["tick", "amt"] as const;

/** The entry of `burn`. */
export const burn: OperationKind = {
  name: "burn",
  rules: ["P-46"],
  fields: FIELDS,
  read: (source) => new Burn(source),
};

class Burn implements Operation {
  readonly mistyped: boolean;
  readonly tick: Tick | "";
  readonly listingId = null;
  readonly recipient = null;
  readonly #sender: PearlAddress;
  readonly #amount: RawAmount | null;

  constructor(source: OperationSource) {
    const { fields } = source;
    this.mistyped = isMistyped(fields, FIELDS);
    this.tick = tickField(fields);
    this.#sender = source.sender;
    this.#amount = positiveField(fields, "amt", null);
  }

  declare(keys: KeyCollector): void {
    if (this.tick === "") return;
    keys.token(this.tick);
    keys.balance(this.#sender, this.tick);
  }

  /** TICK_INVALID, TICK_UNKNOWN, AMT_INVALID, BALANCE_INSUFFICIENT, in this order (P-46). */
  apply(_site: Site, { overlay }: BlockContext): Verdict {
    const { tick } = this;
    const sender = this.#sender;
    const amount = this.#amount;
    if (tick === "") return "TICK_INVALID";
    if (overlay.token(tick) === null) return "TICK_UNKNOWN";
    if (amount === null) return "AMT_INVALID";
    if (overlay.balanceOf(sender, tick) < amount) return "BALANCE_INSUFFICIENT";
    const working = overlay.workingToken(tick);
    working.burned = (working.burned + amount) as RawAmount;
    const first = overlay.move(sender, tick, 0n - amount, 0n);
    return { amount, to: null, listingId: null, filledOwner: null, first, second: null };
  }
}
