// Says what the engine should answer, the slow way: keeps every block, makes every row anew by reading all changes, and
// filters and sorts in memory with exact arithmetic.

import type { ListingId, PearlAddress, Tick } from "../../src/primitives/brands.ts";
import type { BalanceRow, BlockChanges, ListingRow, OperationRow, TokenRow } from "../../src/prc20/state.ts";
import type { LifecycleState, OperationFilter } from "../../src/index/queries.ts";
import { BASE } from "./chain-facts.ts";

/** A candle with the quotients as the fills that set them. */
export interface NaiveCandle {
  readonly start: number;
  readonly open: ListingRow;
  readonly high: ListingRow;
  readonly low: ListingRow;
  readonly close: ListingRow;
  readonly volume: bigint;
  readonly volumeSat: bigint;
  readonly fills: number;
}

/** Exact order of unit prices. */
function comparePrices(a: ListingRow, b: ListingRow): number {
  const difference = a.priceSat * b.amount - b.priceSat * a.amount;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** All answers for one chain of blocks. */
export class NaiveIndex {
  readonly blocks: readonly BlockChanges[];
  readonly tokens = new Map<Tick, TokenRow>();
  readonly balances = new Map<string, BalanceRow>();
  readonly listings = new Map<ListingId, ListingRow>();

  constructor(blocks: readonly BlockChanges[]) {
    this.blocks = blocks;
    for (const block of blocks) {
      for (const { after } of block.tokens) if (after !== null) this.tokens.set(after.tick, after);
      for (const { after } of block.balances) {
        if (after !== null) this.balances.set(`${after.address} ${after.tick}`, after);
      }
      for (const { after } of block.listings) if (after !== null) this.listings.set(after.id, after);
    }
  }

  get height(): number {
    return this.blocks.at(-1)?.height ?? BASE.height;
  }

  get time(): number {
    return this.blocks.at(-1)?.time ?? BASE.time;
  }

  lifecycle(listing: ListingRow): LifecycleState {
    if (listing.close !== null) return listing.close.kind;
    return listing.exp !== null && this.height > listing.exp ? "expired_open" : "open";
  }

  tokenList(prefix: string | null): TokenRow[] {
    return [...this.tokens.values()]
      .filter(({ tick }) => prefix === null || tick.startsWith(prefix))
      .toSorted((a, b) => b.deployPlace - a.deployPlace);
  }

  held(): BalanceRow[] {
    return [...this.balances.values()].filter(({ balance, locked }) => balance + locked > 0n);
  }

  balancesOf(address: PearlAddress): BalanceRow[] {
    return this.held()
      .filter((row) => row.address === address)
      .toSorted((a, b) => (a.tick < b.tick ? -1 : 1));
  }

  holders(tick: Tick): BalanceRow[] {
    return this.held()
      .filter((row) => row.tick === tick)
      .toSorted((a, b) => {
        const difference = b.balance + b.locked - (a.balance + a.locked);
        return difference < 0n ? -1 : difference > 0n ? 1 : a.address < b.address ? -1 : 1;
      });
  }

  distinctHolders(): number {
    return new Set(this.held().map(({ address }) => address)).size;
  }

  operations(filter: OperationFilter): OperationRow[] {
    const { tick, op, valid, address, height } = filter;
    return this.blocks
      .flatMap(({ operations }) => operations)
      .filter(
        (row) =>
          (tick === undefined || row.tick === tick) &&
          (op === undefined || row.op === op) &&
          (valid === undefined || row.valid === valid) &&
          (address === undefined || isInHistory(row, address)) &&
          (height === undefined || row.height === height),
      )
      .toSorted((a, b) => b.place - a.place);
  }

  active(tick: Tick): ListingRow[] {
    return [...this.listings.values()]
      .filter((listing) => listing.tick === tick && this.lifecycle(listing) === "open")
      .toSorted((a, b) => comparePrices(a, b) || a.createdPlace - b.createdPlace);
  }

  sellerListings(tick: Tick, address: PearlAddress, state: LifecycleState | null): ListingRow[] {
    return [...this.listings.values()]
      .filter(({ owner, seller, ...rest }) => rest.tick === tick && (owner === address || seller === address))
      .filter((listing) => state === null || this.lifecycle(listing) === state)
      .toSorted((a, b) => b.createdPlace - a.createdPlace);
  }

  history(tick: Tick, state: LifecycleState | null): ListingRow[] {
    return [...this.listings.values()]
      .filter((listing) => listing.tick === tick && (state === null || this.lifecycle(listing) === state))
      .toSorted((a, b) => lastChange(b) - lastChange(a) || openLast(a) - openLast(b));
  }

  /** Filled listings in chain order. */
  fills(tick: Tick): ListingRow[] {
    return [...this.listings.values()]
      .filter((listing) => listing.tick === tick && listing.close?.kind === "filled")
      .toSorted((a, b) => (a.close?.place ?? 0) - (b.close?.place ?? 0));
  }

  fillsOfLastDay(tick: Tick): ListingRow[] {
    return this.fills(tick).filter(({ close }) => close !== null && close.time > this.time - 86_400);
  }

  /** Tickers with an open listing or a fill in 30 days, by the volume of the last day, then by ticker (H-38). */
  traded(): Tick[] {
    const month = this.time - 30 * 86_400;
    const volume = (tick: Tick) =>
      this.fillsOfLastDay(tick).reduce((sum, { priceSat }) => sum + priceSat, 0n);
    return [...this.tokens.values()]
      .filter(
        ({ tick, openCount }) =>
          openCount > 0 || this.fills(tick).some(({ close }) => close !== null && close.time > month),
      )
      .map(({ tick }) => ({ tick, volume: volume(tick) }))
      .toSorted((a, b) => (a.volume === b.volume ? (a.tick < b.tick ? -1 : 1) : a.volume > b.volume ? -1 : 1))
      .map(({ tick }) => tick);
  }

  /** Cheapest active listing as of the last block with time <= tip time - 86400, judged at that height. */
  floorThen(tick: Tick): ListingRow | null {
    const then = this.blocks.filter(({ time }) => time <= this.time - 86_400).at(-1);
    if (then === undefined) return null;
    const past = new NaiveIndex(this.blocks.slice(0, this.blocks.indexOf(then) + 1));
    return past.active(tick)[0] ?? null;
  }

  candles(tick: Tick, interval: number): NaiveCandle[] {
    const candles = new Map<number, NaiveCandle>();
    for (const fill of this.fills(tick)) {
      const start = Math.floor((fill.close?.time ?? 0) / interval) * interval;
      const known = candles.get(start);
      candles.set(start, {
        start,
        open: known?.open ?? fill,
        high: known === undefined || comparePrices(fill, known.high) > 0 ? fill : known.high,
        low: known === undefined || comparePrices(fill, known.low) < 0 ? fill : known.low,
        close: fill,
        volume: (known?.volume ?? 0n) + fill.amount,
        volumeSat: (known?.volumeSat ?? 0n) + fill.priceSat,
        fills: (known?.fills ?? 0) + 1,
      });
    }
    return [...candles.values()].toSorted((a, b) => a.start - b.start);
  }
}

function lastChange(listing: ListingRow): number {
  return listing.close?.place ?? listing.createdPlace;
}

function openLast(listing: ListingRow): number {
  return listing.close === null ? 1 : 0;
}

/** H-36, in its own words. */
function isInHistory(row: OperationRow, address: PearlAddress): boolean {
  if (row.from === address) return true;
  if (!row.valid) return false;
  if (row.filledOwner === address) return true;
  if (row.to !== address) return false;
  if (row.op === "deploy") return row.amount !== null && row.amount > 0n;
  return row.op === "mint" || row.op === "transfer" || row.op === "send";
}
