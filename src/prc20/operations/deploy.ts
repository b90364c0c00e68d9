// deploy: makes a token (P-40, P-41). The first valid deploy of a ticker wins, whatever its letter case.

import type { PearlAddress, RawAmount, Tick } from "../../primitives/brands.ts";
import type { KeyCollector } from "../declared-keys.ts";
import { addressOrSender, amountField, isMistyped, positiveField, textField, tickField } from "../fields.ts";
import type { BlockContext, OperationSource, Operation, OperationKind, Site, Verdict } from "../operation.ts";
import type { Fields } from "../payload.ts";
import { RESERVED_TICK } from "../rules.ts";
import type { TokenRow } from "../state.ts";

const FIELDS = ["tick", "max", "lim", "pre", "dec", "cid", "to"] as const;
const DEC = /^(?:[0-9]|1[0-8])$/;
const CID = /^[\x21-\x7e]{1,128}$/;
const NOTHING = 0n as RawAmount;

/** The entry of `deploy`. */
export const deploy: OperationKind = {
  name: "deploy",
  rules: ["P-40", "P-41"],
  fields: FIELDS,
  read: (source) => new Deploy(source),
};

class Deploy implements Operation {
  readonly mistyped: boolean;
  readonly tick: Tick | "";
  readonly listingId = null;
  readonly recipient: PearlAddress | null;
  readonly #sender: PearlAddress;
  readonly #max: RawAmount | null;
  /** Undefined: the default, `max`. */
  readonly #lim: RawAmount | null | undefined;
  readonly #pre: RawAmount | null;
  /** Null: malformed. */
  readonly #dec: string | null;
  /** Undefined: malformed. Null: there is none. */
  readonly #cid: string | null | undefined;

  constructor(source: OperationSource) {
    const { fields } = source;
    this.mistyped = isMistyped(fields, FIELDS);
    this.tick = tickField(fields);
    this.#sender = source.sender;
    this.recipient = addressOrSender(source, "to");
    this.#max = positiveField(fields, "max", null);
    this.#lim = positiveField(fields, "lim", undefined);
    this.#pre = amountField(fields, "pre", NOTHING);
    this.#dec = decField(fields);
    this.#cid = cidField(fields);
  }

  declare(keys: KeyCollector): void {
    if (this.tick === "") return;
    keys.token(this.tick);
    if (this.recipient !== null) keys.balance(this.recipient, this.tick);
  }

  /**
   * TICK_INVALID, TICK_RESERVED, MAX_INVALID, LIM_INVALID, PRE_INVALID, DEC_INVALID, CID_INVALID,
   * ADDRESS_INVALID, TICK_TAKEN, in this order (P-40).
   */
  apply(site: Site, context: BlockContext): Verdict {
    const { tick, recipient } = this;
    const max = this.#max;
    const pre = this.#pre;
    const dec = this.#dec;
    const cid = this.#cid;
    const { overlay } = context;
    if (tick === "") return "TICK_INVALID";
    if (tick === RESERVED_TICK) return "TICK_RESERVED";
    if (max === null) return "MAX_INVALID";
    const lim = this.#lim === undefined ? max : this.#lim;
    if (lim === null || lim > max) return "LIM_INVALID";
    if (pre === null || pre > max) return "PRE_INVALID";
    if (dec === null) return "DEC_INVALID";
    if (cid === undefined) return "CID_INVALID";
    if (recipient === null) return "ADDRESS_INVALID";
    if (overlay.token(tick) !== null) return "TICK_TAKEN";
    overlay.deploy({
      ...NEW_TOKEN,
      tick,
      dec,
      max,
      lim,
      pre,
      minted: pre,
      cid,
      ...this.#origin(site, context),
    });
    const first = pre === NOTHING ? null : overlay.move(recipient, tick, pre, 0n);
    const amount = pre === NOTHING ? null : pre;
    return { amount, to: recipient, listingId: null, filledOwner: null, first, second: null };
  }

  #origin(site: Site, context: BlockContext): Pick<TokenRow, OriginField> {
    return {
      deployer: this.#sender,
      deployTxid: site.transaction.txid,
      deployHeight: context.height,
      deployPlace: site.place,
    };
  }
}

type OriginField = "deployer" | "deployTxid" | "deployHeight" | "deployPlace";

const NEW_TOKEN = {
  burned: NOTHING,
  holders: 0,
  transfers: 0,
  openCount: 0,
  filledCount: 0,
  cancelledCount: 0,
  invalidSpentCount: 0,
  filledAmount: 0n,
  invalidSpentAmount: 0n,
  feePaidSat: 0n,
  sellerPaidSat: 0n,
};

function decField(fields: Fields): string | null {
  const text = textField(fields, "dec") ?? "8";
  return DEC.test(text) ? text : null;
}

function cidField(fields: Fields): string | null | undefined {
  const text = textField(fields, "cid");
  if (text === undefined) return null;
  return CID.test(text) ? text : undefined;
}
