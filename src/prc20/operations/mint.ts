// mint: makes new units of a token for one address (P-42, P-43). The last mint is cut to what is left.

import type { PearlAddress, RawAmount, Tick } from "../../primitives/brands.ts";
import type { KeyCollector } from "../declared-keys.ts";
import { addressOrSender, isMistyped, positiveField, tickField } from "../fields.ts";
import type { BlockContext, OperationSource, Operation, OperationKind, Site, Verdict } from "../operation.ts";

const FIELDS = ["tick", "amt", "to"] as const;

/** The entry of `mint`. */
export const mint: OperationKind = {
  name: "mint",
  rules: ["P-42", "P-43"],
  fields: FIELDS,
  read: (source) => new Mint(source),
};

class Mint implements Operation {
  readonly mistyped: boolean;
  readonly tick: Tick | "";
  readonly listingId = null;
  readonly recipient: PearlAddress | null;
  /** Undefined: the default, the token's `lim`. */
  readonly #amount: RawAmount | null | undefined;

  constructor(source: OperationSource) {
    const { fields } = source;
    this.mistyped = isMistyped(fields, FIELDS);
    this.tick = tickField(fields);
    this.recipient = addressOrSender(source, "to");
    this.#amount = positiveField(fields, "amt", undefined);
  }

  declare(keys: KeyCollector): void {
    if (this.tick === "") return;
    keys.token(this.tick);
    if (this.recipient !== null) keys.balance(this.recipient, this.tick);
  }

  /** TICK_INVALID, TICK_UNKNOWN, AMT_INVALID, AMT_OVER_LIMIT, ADDRESS_INVALID, MINT_ENDED, in this order (P-42). */
  apply(_site: Site, { overlay }: BlockContext): Verdict {
    const { tick, recipient } = this;
    if (tick === "") return "TICK_INVALID";
    const token = overlay.token(tick);
    if (token === null) return "TICK_UNKNOWN";
    const asked = this.#amount === undefined ? token.lim : this.#amount;
    if (asked === null) return "AMT_INVALID";
    if (asked > token.lim) return "AMT_OVER_LIMIT";
    if (recipient === null) return "ADDRESS_INVALID";
    if (token.minted === token.max) return "MINT_ENDED";
    const left = (token.max - token.minted) as RawAmount;
    const credited = asked < left ? asked : left;
    const working = overlay.workingToken(tick);
    working.minted = (working.minted + credited) as RawAmount;
    const first = overlay.move(recipient, tick, credited, 0n);
    return { amount: credited, to: recipient, listingId: null, filledOwner: null, first, second: null };
  }
}
