// Says what the engine should answer, the slow way: keeps every block, makes every row anew by reading all changes, and
// filters and sorts in memory with exact arithmetic.

import type { ListingId, PearlAddress, RawAmount, Tick } from "../../src/primitives/brands.ts";
import type { BalanceRow, BlockChanges, ListingRow, OperationRow, TokenRow } from "../../src/prc20/state.ts";
import type { OperationFilter } from "../../src/index/queries.ts";
import type { BlockView, LedgerView, LifecycleState } from "../../src/index/views.ts";
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

/** A valid operation or a closing, with what it changes for an address: balance, locked. */
interface Happening
  extends Pick<LedgerView, "height" | "time" | "txid" | "vout" | "cause" | "tick" | "listingId"> {
  readonly order: number;
  readonly deltas: (address: PearlAddress) => readonly [balance: bigint, locked: bigint];
}

/** What a valid operation changes for an address, one rule after the other (P-41 to P-61). */
function deltasOf(
  { op, from, to, amount: units, filledOwner }: OperationRow,
  address: PearlAddress,
): [bigint, bigint] {
  const amount = units ?? 0n;
  let [balance, locked] = [0n, 0n];
  if (["transfer", "burn", "list"].includes(op) && from === address) balance -= amount;
  if (["deploy", "mint", "transfer", "send"].includes(op) && to === address) balance += amount;
  if (op === "list" && from === address) locked += amount;
  if (op === "send" && filledOwner === address) locked -= amount;
  return [balance, locked];
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

  /** Blocks from the start height on, newest first. */
  blockList(): BlockView[] {
    return this.blocks.toReversed().map(({ height, hash, time, digest, operations }) => ({
      height,
      hash,
      time,
      digest,
      operations: operations.length,
      validOperations: operations.filter(({ valid }) => valid).length,
    }));
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

  /** Every change of what an address holds, newest first (H-38). */
  ledger(address: PearlAddress, tick: Tick | null): Omit<LedgerView, "key">[] {
    const rows: Omit<LedgerView, "key">[] = [];
    const held = new Map<Tick, { balance: bigint; locked: bigint }>();
    for (const { order: _, cause, tick: of, deltas, ...rest } of this.#happenings()) {
      const [balanceDelta, lockedDelta] = deltas(address);
      if (balanceDelta === 0n && lockedDelta === 0n) continue;
      const before = held.get(of) ?? { balance: 0n, locked: 0n };
      const balance = (before.balance + balanceDelta) as RawAmount;
      const locked = (before.locked + lockedDelta) as RawAmount;
      held.set(of, { balance, locked });
      if (tick !== null && of !== tick) continue;
      rows.push({ ...rest, cause, tick: of, balanceDelta, lockedDelta, balance, locked });
    }
    return rows.toReversed();
  }

  /** Whatever may change a balance, in chain order: at one place the closing first (P-64). */
  #happenings(): Happening[] {
    const found: Happening[] = [];
    for (const { height, time, listings, operations } of this.blocks) {
      for (const { before, after } of listings) {
        const close = after?.close ?? null;
        if (after === null || close === null || before?.close || close.kind === "filled") continue;
        const { owner, amount, tick, id } = after;
        found.push({
          order: 2 * close.place,
          height,
          time,
          txid: close.txid,
          vout: close.inputIndex,
          tick,
          listingId: id,
          cause: close.kind === "cancelled" ? "cancel" : "invalid_spend",
          deltas: (address) => (address === owner ? [amount, 0n - amount] : [0n, 0n]),
        });
      }
      for (const row of operations) {
        const { place, txid, vout, tick, listingId, op, valid } = row;
        if (!valid || tick === "") continue;
        const cause = op === "send" ? "fill" : (op as LedgerView["cause"]);
        const deltas = (address: PearlAddress) => deltasOf(row, address);
        found.push({ order: 2 * place + 1, height, time, txid, vout, tick, listingId, cause, deltas });
      }
    }
    return found.toSorted((a, b) => a.order - b.order);
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

  sellerListings(tick: Tick | null, address: PearlAddress, state: LifecycleState | null): ListingRow[] {
    return [...this.listings.values()]
      .filter(({ owner, seller }) => owner === address || seller === address)
      .filter((listing) => tick === null || listing.tick === tick)
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
