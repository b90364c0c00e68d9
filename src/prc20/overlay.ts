// The state in the middle of a block: working copies of the rows that the block touches, above the state before it.
// Every change of a balance goes through here, so that holder counts and "never below zero" hold by construction; at
// the end each touched row comes out once, with before and after.

import type { ListingId, Outpoint, PearlAddress, RawAmount, Tick } from "../primitives/brands.ts";
import type { BalanceRow, BlockChanges, Change, ListingClose, ListingRow, TokenRow } from "./state.ts";
import type { StateView } from "./state-view.ts";

/** A token's row while the block is read: counters and sums grow in place. */
export type WorkingToken = { -readonly [Field in keyof TokenRow]: TokenRow[Field] };

/** A balance while the block is read. `before` is the row as loaded. */
export interface BalanceCell {
  readonly address: PearlAddress;
  readonly tick: Tick;
  readonly before: BalanceRow | null;
  balance: bigint;
  locked: bigint;
}

interface TokenCell {
  readonly before: TokenRow | null;
  /** The copy that may be changed; null while nothing has changed (or no such token exists). */
  working: WorkingToken | null;
  readonly balances: Map<PearlAddress, BalanceCell>;
}

interface ListingCell {
  readonly before: ListingRow | null;
  row: ListingRow;
}

/** The state as it is at one input of a block. Methods throw only where the rules were applied wrongly. */
export class Overlay {
  readonly #view: StateView;
  readonly #tokens = new Map<Tick, TokenCell>();
  readonly #listings = new Map<ListingId, ListingCell>();
  readonly #createdAt = new Map<Outpoint, ListingId>();

  constructor(view: StateView) {
    this.#view = view;
  }

  /** The token as it is now; null where it was never deployed. */
  token(tick: Tick): Readonly<TokenRow> | null {
    const cell = this.#tokenCell(tick);
    return cell.working ?? cell.before;
  }

  /** Adds a token that does not exist yet. */
  deploy(row: TokenRow): void {
    const cell = this.#tokenCell(row.tick);
    if (cell.before !== null || cell.working !== null) throw new Error(`token ${row.tick} exists already`);
    cell.working = { ...row };
  }

  /** The token's working copy, for counters and sums. */
  workingToken(tick: Tick): WorkingToken {
    const cell = this.#tokenCell(tick);
    if (cell.working !== null) return cell.working;
    if (cell.before === null) throw new Error(`token ${tick} does not exist`);
    cell.working = { ...cell.before };
    return cell.working;
  }

  /** Spendable units, without making a row. */
  balanceOf(address: PearlAddress, tick: Tick): bigint {
    return this.balanceCell(address, tick).balance;
  }

  /** The balance as it is now. Its numbers change when the block goes on. */
  balanceCell(address: PearlAddress, tick: Tick): BalanceCell {
    const { balances } = this.#tokenCell(tick);
    const known = balances.get(address);
    if (known !== undefined) return known;
    const before = this.#view.balance(address, tick);
    const cell = { address, tick, before, balance: before?.balance ?? 0n, locked: before?.locked ?? 0n };
    balances.set(address, cell);
    return cell;
  }

  /** Adds to balance and locked (raw units, may be negative) and keeps the token's holder count. */
  move(address: PearlAddress, tick: Tick, balanceBy: bigint, lockedBy: bigint): BalanceCell {
    const cell = this.balanceCell(address, tick);
    const held = cell.balance !== 0n || cell.locked !== 0n;
    cell.balance += balanceBy;
    cell.locked += lockedBy;
    if (cell.balance < 0n || cell.locked < 0n)
      throw new Error(`balance of ${address} in ${tick} fell below 0`);
    const holds = cell.balance !== 0n || cell.locked !== 0n;
    if (holds !== held) this.workingToken(tick).holders += holds ? 1 : -1;
    return cell;
  }

  /** The listing as it is now, open or closed. */
  listing(id: ListingId): ListingRow | null {
    return this.#listings.get(id)?.row ?? this.#view.listing(id);
  }

  /** The listing that is open now and has this anchor. */
  openListingAt(outpoint: Outpoint): ListingRow | null {
    const created = this.#createdAt.get(outpoint);
    const found =
      created === undefined ? this.#view.openListingAt(outpoint) : this.#listings.get(created)?.row;
    if (found === null || found === undefined) return null;
    const now = this.#listings.get(found.id)?.row ?? found;
    return now.close === null ? now : null;
  }

  /** Adds a listing that this block creates. */
  openListing(row: ListingRow): void {
    this.#listings.set(row.id, { before: null, row });
    this.#createdAt.set(row.anchor, row.id);
  }

  /** Ends an open listing. */
  closeListing(listing: ListingRow, close: ListingClose): void {
    if (listing.close !== null) throw new Error(`${listing.id} is closed already`);
    const known = this.#listings.get(listing.id);
    const row = { ...listing, close };
    if (known === undefined) this.#listings.set(listing.id, { before: listing, row });
    else known.row = row;
  }

  /** Every row that differs from the state before the block, once. A balance of nothing is no row (null). */
  changes(): Pick<BlockChanges, "tokens" | "balances" | "listings"> {
    const tokens: Change<TokenRow>[] = [];
    const balances: Change<BalanceRow>[] = [];
    for (const cell of this.#tokens.values()) {
      if (cell.working !== null) tokens.push({ before: cell.before, after: cell.working });
      for (const balance of cell.balances.values()) pushChangedBalance(balances, balance);
    }
    const listings = Array.from(this.#listings.values(), ({ before, row }) => ({ before, after: row }));
    return { tokens, balances, listings };
  }

  #tokenCell(tick: Tick): TokenCell {
    const known = this.#tokens.get(tick);
    if (known !== undefined) return known;
    const cell: TokenCell = { before: this.#view.token(tick), working: null, balances: new Map() };
    this.#tokens.set(tick, cell);
    return cell;
  }
}

function pushChangedBalance(into: Change<BalanceRow>[], cell: BalanceCell): void {
  const { address, tick, before, balance, locked } = cell;
  if ((before?.balance ?? 0n) === balance && (before?.locked ?? 0n) === locked) return;
  // Both are bounded by the token's minted units, which P-42 keeps at or below 2^128 - 1.
  const after =
    balance === 0n && locked === 0n
      ? null
      : { address, tick, balance: balance as RawAmount, locked: locked as RawAmount };
  into.push({ before, after });
}
