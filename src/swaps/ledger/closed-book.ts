// What a ledger remembers of closed deals, whose facts are in the store alone: how many there are by status, and the
// hashlocks whose secrets are not public, since a secret must be known for one when somebody sends it (S-66).

import type { Bytes32 } from "../../primitives/brands.ts";
import { CLOSED_STATUSES, type ClosedOrder, type ClosedState, type ClosedStatus } from "./closed-port.ts";
import { FactKind } from "./fact-fields.ts";
import type { Layer, LayeredIndex, LayeredValue } from "./layers.ts";
import type { KeyWatcher } from "./multi-index.ts";

const NONE: ClosedState = {
  version: 0,
  lastBundle: 0,
  bids: { SETTLED: 0, USDC_REFUNDED: 0, BID_CANCELLED: 0 },
  deals: { SETTLED: 0, USDC_REFUNDED: 0, BID_CANCELLED: 0 },
  asks: 0,
  usdc: 0n,
  sat: 0n,
};

/** The stored state. */
export const CLOSED = new FactKind<ClosedState>("closed", {
  key: () => "state",
  read: (fields) => {
    const counts = (name: string): ClosedState["bids"] => {
      const inner = fields.inner(name);
      const [SETTLED, USDC_REFUNDED] = [inner.int("SETTLED"), inner.int("USDC_REFUNDED")];
      return { SETTLED, USDC_REFUNDED, BID_CANCELLED: inner.int("BID_CANCELLED") };
    };
    return {
      version: fields.int("version"),
      lastBundle: fields.int("lastBundle"),
      bids: counts("bids"),
      deals: counts("deals"),
      asks: fields.int("asks"),
      usdc: fields.big("usdc"),
      sat: fields.big("sat"),
    };
  },
});

/** A hashlock of closed orders whose secret is not public. */
export const UNREVEALED = new FactKind<Bytes32>("unrevealed", {
  key: (hashlock) => hashlock,
  body: () => ({}),
  read: (fields) => fields.keyBytes32(),
});

/** What an order counts as. */
export type CountedOrder = Pick<ClosedOrder, "bid" | "deal" | "usdc" | "sat" | "settledAt">;

/** The counts and hashlocks. */
export class ClosedBook {
  readonly #state: LayeredValue<ClosedState>;
  /** By itself. */
  readonly unrevealed: LayeredIndex<Bytes32, Bytes32>;

  /** `hashlocks` is told which hashlocks have no public secret. */
  constructor(layer: Layer<ClosedBook>, hashlocks: KeyWatcher<Bytes32>) {
    this.#state = layer.value((under) => under.#state, NONE);
    this.unrevealed = layer.index((under) => under.unrevealed, hashlocks);
  }

  get state(): ClosedState {
    return this.#state.value;
  }

  /** Whether nothing is closed, so that the store need not be asked. */
  get isEmpty(): boolean {
    const { bids } = this.state;
    return CLOSED_STATUSES.every((status) => bids[status] === 0);
  }

  /** As `ClosedAnswer.state`. */
  get text(): string | null {
    return this.state.version === 0 ? null : CLOSED.row(this.state).body;
  }

  /** The stored state, loaded. */
  load(state: ClosedState): void {
    this.#state.value = state;
  }

  /** The number of a new bundle. */
  nextBundle(): number {
    const lastBundle = this.state.lastBundle + 1;
    this.#state.value = { ...this.state, lastBundle };
    return lastBundle;
  }

  /** Counts orders and asks in (1) or out (-1). */
  count(orders: readonly CountedOrder[], asks: number, step: 1 | -1): void {
    const bids = { ...this.state.bids };
    const deals = { ...this.state.deals };
    let { usdc, sat } = this.state;
    for (const { bid, deal, settledAt, ...amounts } of orders) {
      bids[closedStatus(bid)] += step;
      if (deal !== null) deals[closedStatus(deal)] += step;
      if (settledAt === null) continue;
      usdc += BigInt(step) * amounts.usdc;
      sat += BigInt(step) * amounts.sat;
    }
    this.#state.value = { ...this.state, bids, deals, asks: this.state.asks + step * asks, usdc, sat };
  }

  /** Ends a change that has closed or opened something; the state as it is to be stored. */
  turnVersion(): ClosedState {
    this.#state.value = { ...this.state, version: this.state.version + 1 };
    return this.state;
  }
}

function closedStatus(status: string): ClosedStatus {
  const found = CLOSED_STATUSES.find((one) => one === status);
  if (found === undefined) throw new Error(`swap ledger: an order of status ${status} was to close`);
  return found;
}
