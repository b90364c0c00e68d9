// What one block did to balances, tokens, listings and totals, summed from its operations and its listings.

import { stateNumber } from "../../store-rows/kinds.ts";
import type { BalanceChange } from "../../store-rows/ledger-effects.ts";

/** Sums of a block's effects on one ticker; each is what the token's row grew by. */
interface TickerEffects {
  deployed: number;
  minted: bigint;
  burned: bigint;
  holders: number;
  transfers: number;
  open: number;
  filled: number;
  cancelled: number;
  invalidSpent: number;
  filledAmount: bigint;
  invalidSpentAmount: bigint;
  feePaidSat: bigint;
  sellerPaidSat: bigint;
}

/** A change of what an address holds, summed over the block. */
interface SummedChange {
  readonly id: number;
  readonly tick: string;
  readonly change: { balance: bigint; locked: bigint };
}

/** The effects of one block. */
export class BlockEffects {
  /** Recorded operations, and the valid ones among them. */
  operations = 0;
  validOperations = 0;
  /** Change in the number of open listings past their expiry height. */
  expired = 0;
  readonly #changes = new Map<string, SummedChange>();
  readonly #tickers = new Map<string, TickerEffects>();

  /** The effects on a ticker, to be added to. */
  of(tick: string): TickerEffects {
    const known = this.#tickers.get(tick) ?? nothing();
    this.#tickers.set(tick, known);
    return known;
  }

  /** Tickers whose token has changed. */
  ticks(): Iterable<string> {
    return this.#tickers.keys();
  }

  /** Counts a valid operation. */
  valid(op: string, tick: string, amount: bigint): void {
    this.validOperations += 1;
    const of = this.of(tick);
    if (op === "deploy") of.deployed += 1;
    if (op === "mint") of.minted += amount;
    if (op === "burn") of.burned += amount;
    if (op === "transfer") of.transfers += 1;
  }

  /** Counts the end of a listing by the number of its state. */
  ended(
    tick: string,
    state: number,
    { amount, fee, net }: { readonly amount: bigint; readonly fee: bigint; readonly net: bigint },
  ): void {
    const of = this.of(tick);
    of.open -= 1;
    if (state === stateNumber("filled")) {
      of.filled += 1;
      of.filledAmount += amount;
      of.feePaidSat += fee;
      of.sellerPaidSat += net;
    } else if (state === stateNumber("cancelled")) of.cancelled += 1;
    else {
      of.invalidSpent += 1;
      of.invalidSpentAmount += amount;
    }
  }

  /** Adds a change of what an address holds. */
  add(tick: string, { id, balance, locked }: BalanceChange): void {
    const key = `${id} ${tick}`;
    const known = this.#changes.get(key) ?? { id, tick, change: { balance: 0n, locked: 0n } };
    known.change.balance += balance;
    known.change.locked += locked;
    this.#changes.set(key, known);
  }

  /** Changes that are left of what the block gave and took. */
  changes(): readonly SummedChange[] {
    return [...this.#changes.values()].filter(({ change }) => change.balance !== 0n || change.locked !== 0n);
  }

  /** What the block's listings and deploys sum to over all tickers. */
  sums(): Pick<
    TickerEffects,
    "deployed" | "open" | "filled" | "cancelled" | "invalidSpent" | "feePaidSat" | "sellerPaidSat"
  > {
    const sum = nothing();
    for (const of of this.#tickers.values()) {
      sum.deployed += of.deployed;
      sum.open += of.open;
      sum.filled += of.filled;
      sum.cancelled += of.cancelled;
      sum.invalidSpent += of.invalidSpent;
      sum.feePaidSat += of.feePaidSat;
      sum.sellerPaidSat += of.sellerPaidSat;
    }
    return sum;
  }
}

function nothing(): TickerEffects {
  return {
    deployed: 0,
    minted: 0n,
    burned: 0n,
    holders: 0,
    transfers: 0,
    open: 0,
    filled: 0,
    cancelled: 0,
    invalidSpent: 0,
    filledAmount: 0n,
    invalidSpentAmount: 0n,
    feePaidSat: 0n,
    sellerPaidSat: 0n,
  };
}
