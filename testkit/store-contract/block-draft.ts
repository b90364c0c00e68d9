// Makes a block of rows that fit together: actions on a copy of the rows before, each as the rules would have it or as
// an invalid operation; the differences are the block's changes.

import type {
  BlockHash,
  Hex32,
  ListingId,
  Outpoint,
  PearlAddress,
  RawAmount,
  Sat,
  Tick,
  Txid,
} from "../../src/primitives/brands.ts";
import type {
  BalanceRow,
  BlockChanges,
  CloseKind,
  ListingRow,
  OperationRow,
  TokenRow,
  Totals,
} from "../../src/prc20/state.ts";
import { AMOUNT_MAX, hash32 } from "./chain-facts.ts";

/** All rows after a block. */
export interface Rows {
  readonly tokens: ReadonlyMap<Tick, TokenRow>;
  readonly balances: ReadonlyMap<string, BalanceRow>;
  readonly listings: ReadonlyMap<ListingId, ListingRow>;
  readonly totals: Totals;
  readonly height: number;
  readonly hash: BlockHash;
  readonly time: number;
}

/** A block that is being made. Actions that the state does not allow leave nothing. */
export class BlockDraft {
  readonly height: number;
  readonly time: number;
  readonly #before: Rows;
  readonly #label: string;
  readonly #tokens: Map<Tick, TokenRow>;
  readonly #balances: Map<string, BalanceRow>;
  readonly #listings: Map<ListingId, ListingRow>;
  readonly #operations: OperationRow[] = [];
  #totals: { -readonly [Key in keyof Totals]: Totals[Key] };
  #transaction = 0;

  constructor(before: Rows, label: string, timeStep: number) {
    this.#before = before;
    this.#label = label;
    this.height = before.height + 1;
    this.time = before.time + timeStep;
    this.#tokens = new Map(before.tokens);
    this.#balances = new Map(before.balances);
    this.#listings = new Map(before.listings);
    this.#totals = { ...before.totals };
  }

  deploy(tick: Tick, from: PearlAddress, to: PearlAddress, pre: bigint, max = AMOUNT_MAX): void {
    if (this.#tokens.has(tick)) return this.invalid("deploy", tick, from);
    const operation = this.#record({
      op: "deploy",
      tick,
      from,
      to,
      amount: pre === 0n ? null : (pre as RawAmount),
    });
    this.#tokens.set(tick, {
      tick,
      dec: "8",
      max: max as RawAmount,
      lim: max as RawAmount,
      pre: pre as RawAmount,
      minted: pre as RawAmount,
      burned: 0n as RawAmount,
      cid: tick.length > 1 ? `cid-${tick}` : null,
      deployer: from,
      deployTxid: operation.txid,
      deployHeight: this.height,
      deployPlace: operation.place,
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
    });
    this.#totals.tokensDeployed += 1;
    this.#move(to, tick, pre, 0n);
  }

  mint(tick: Tick, from: PearlAddress, to: PearlAddress, amount: bigint): void {
    const token = this.#tokens.get(tick);
    if (token === undefined || token.minted === token.max) return this.invalid("mint", tick, from);
    const left = token.max - token.minted;
    const credited = (amount < left ? amount : left) as RawAmount;
    this.#record({ op: "mint", tick, from, to, amount: credited });
    this.#change(tick, { minted: (token.minted + credited) as RawAmount });
    this.#move(to, tick, credited, 0n);
  }

  transfer(tick: Tick, from: PearlAddress, to: PearlAddress, amount: bigint): void {
    const token = this.#tokens.get(tick);
    if (token === undefined || this.#balance(from, tick).balance < amount) {
      return this.invalid("transfer", tick, from);
    }
    this.#record({ op: "transfer", tick, from, to, amount: amount as RawAmount });
    this.#change(tick, { transfers: token.transfers + 1 });
    this.#move(from, tick, -amount, 0n);
    this.#move(to, tick, amount, 0n);
  }

  burn(tick: Tick, from: PearlAddress, amount: bigint): void {
    const token = this.#tokens.get(tick);
    if (token === undefined || this.#balance(from, tick).balance < amount) return;
    this.#record({ op: "burn", tick, from, to: null, amount: amount as RawAmount });
    this.#change(tick, { burned: (token.burned + amount) as RawAmount });
    this.#move(from, tick, -amount, 0n);
  }

  list(
    tick: Tick,
    owner: PearlAddress,
    seller: PearlAddress,
    terms: { readonly amount: bigint; readonly price: bigint; readonly exp: number | null },
  ): void {
    const token = this.#tokens.get(tick);
    if (token === undefined || this.#balance(owner, tick).balance < terms.amount) return;
    const txid = this.#nextTxid();
    const vout = this.height % 3;
    const id = `list:${txid}:${vout}` as ListingId;
    const amount = terms.amount as RawAmount;
    const base = { op: "list", tick, from: owner, to: seller, amount, listingId: id, txid, vout };
    const operation = this.#record(base);
    const cut = terms.price / 100n;
    const fee = cut < 333n ? 0n : cut;
    this.#listings.set(id, {
      id,
      tick,
      amount,
      owner,
      seller,
      priceSat: terms.price as Sat,
      protocolFeeSat: fee as Sat,
      sellerNetSat: (terms.price - fee) as Sat,
      exp: terms.exp,
      createdTxid: txid,
      createdHeight: this.height,
      createdTime: this.time,
      createdPlace: operation.place,
      anchor: `${txid}:${vout}` as Outpoint,
      anchorVout: vout,
      anchorAmountSat: 546n as Sat,
      signatureHex: hash32(`r ${id}`) + hash32(`s ${id}`),
      policyHash: hash32(`policy ${id}`) as Hex32,
      close: null,
    });
    this.#totals.listsOpen += 1;
    this.#change(tick, { openCount: token.openCount + 1 });
    this.#move(owner, tick, -terms.amount, amount);
  }

  /** Open listings as of now. */
  openListings(): readonly ListingRow[] {
    return [...this.#listings.values()].filter(({ close }) => close === null);
  }

  /**
   * Closes a listing: with the send that fills it, with a bad send, or alone. `shared`: the closing's input also
   * carries the operation that is made next, so both have one place.
   */
  end(listing: ListingRow, kind: CloseKind, from: PearlAddress, to: PearlAddress, shared = false): void {
    const token = this.#tokens.get(listing.tick);
    if (token === undefined) throw new Error("a listing without its token");
    const txid = this.#nextTxid();
    const place = shared ? this.#totals.nextPlace : this.#nextPlace();
    const buyer = kind === "filled" ? to : null;
    this.#listings.set(listing.id, {
      ...listing,
      close: { kind, txid, height: this.height, time: this.time, inputIndex: 0, place, buyer },
    });
    const { tick, amount, owner } = listing;
    this.#totals.listsOpen -= 1;
    const openCount = token.openCount - 1;
    const send = { op: "send", tick, from, listingId: listing.id, txid, vout: 1 };
    if (kind === "filled") {
      this.#record({ ...send, to, amount, filledOwner: owner });
      this.#totals.listsFilled += 1;
      this.#totals.feePaidSat += listing.protocolFeeSat;
      this.#totals.sellerPaidSat += listing.sellerNetSat;
      this.#change(tick, {
        openCount,
        filledCount: token.filledCount + 1,
        filledAmount: token.filledAmount + amount,
        feePaidSat: token.feePaidSat + listing.protocolFeeSat,
        sellerPaidSat: token.sellerPaidSat + listing.sellerNetSat,
      });
      this.#move(owner, tick, 0n, 0n - amount);
      return this.#move(to, tick, amount, 0n);
    }
    if (kind === "cancelled") {
      this.#totals.listsCancelled += 1;
      this.#change(tick, { openCount, cancelledCount: token.cancelledCount + 1 });
    } else {
      this.#record({ ...send, valid: false, reason: "SELLER_UNDERPAID" });
      this.#totals.listsInvalidSpent += 1;
      this.#change(tick, {
        openCount,
        invalidSpentCount: token.invalidSpentCount + 1,
        invalidSpentAmount: token.invalidSpentAmount + amount,
      });
    }
    this.#move(owner, tick, amount, 0n - amount);
  }

  invalid(op: string, tick: Tick | "", from: PearlAddress): void {
    this.#record({ op, tick, from, valid: false, reason: tick === "" ? "TICK_INVALID" : "AMT_INVALID" });
  }

  unknown(op: string, from: PearlAddress): void {
    this.#record({ op, tick: "", from, valid: false, reason: "OP_UNKNOWN" });
  }

  /** The block's changes, and the rows after it. */
  finish(): { readonly changes: BlockChanges; readonly rows: Rows } {
    const before = this.#before;
    const hash = hash32(`${this.#label} ${this.height} ${before.hash}`) as BlockHash;
    this.#countHolders();
    const totals = { ...this.#totals };
    const changes: BlockChanges = {
      height: this.height,
      hash,
      previousHash: before.hash,
      time: this.time,
      digest: hash32(`digest ${hash}`) as Hex32,
      totals,
      operations: this.#operations,
      tokens: changed(before.tokens, this.#tokens),
      balances: changed(before.balances, this.#balances),
      listings: changed(before.listings, this.#listings),
    };
    const rows = {
      tokens: this.#tokens,
      balances: this.#balances,
      listings: this.#listings,
      totals,
      height: this.height,
      hash,
      time: this.time,
    };
    return { changes, rows };
  }

  #countHolders(): void {
    for (const [tick, token] of this.#tokens) {
      let holders = 0;
      for (const row of this.#balances.values()) {
        if (row.tick === tick && row.balance + row.locked > 0n) holders += 1;
      }
      if (holders !== token.holders) this.#change(tick, { holders });
    }
  }

  #nextTxid(): Txid {
    this.#transaction += 1;
    return hash32(`${this.#label} tx ${this.height} ${this.#transaction}`) as Txid;
  }

  #nextPlace(): number {
    const place = this.#totals.nextPlace;
    this.#totals.nextPlace += 1;
    return place;
  }

  #record(row: Partial<OperationRow> & Pick<OperationRow, "op" | "tick" | "from">): OperationRow {
    const operation: OperationRow = {
      place: this.#nextPlace(),
      height: this.height,
      txIndex: 0,
      txid: row.txid ?? this.#nextTxid(),
      vout: 0,
      valid: true,
      reason: null,
      payloadJson: `{"p":"prc-20","op":"${row.op}","note":"žluť\\n𝕏"}`,
      to: null,
      amount: null,
      listingId: null,
      filledOwner: null,
      ...row,
    };
    const placed = { ...operation, txIndex: this.#transaction };
    this.#operations.push(placed);
    this.#totals.eventsTotal += 1;
    if (placed.valid) this.#totals.eventsValid += 1;
    return placed;
  }

  #balance(address: PearlAddress, tick: Tick): BalanceRow {
    const none = 0n as RawAmount;
    return this.#balances.get(`${address} ${tick}`) ?? { address, tick, balance: none, locked: none };
  }

  #move(address: PearlAddress, tick: Tick, balance: bigint, locked: bigint): void {
    const row = this.#balance(address, tick);
    this.#balances.set(`${address} ${tick}`, {
      ...row,
      balance: (row.balance + balance) as RawAmount,
      locked: (row.locked + locked) as RawAmount,
    });
  }

  #change(tick: Tick, values: Partial<TokenRow>): void {
    const token = this.#tokens.get(tick);
    if (token !== undefined) this.#tokens.set(tick, { ...token, ...values });
  }
}

function changed<Key, Row>(
  before: ReadonlyMap<Key, Row>,
  after: ReadonlyMap<Key, Row>,
): { readonly before: Row | null; readonly after: Row | null }[] {
  const changes: { readonly before: Row | null; readonly after: Row | null }[] = [];
  for (const [key, row] of after) {
    const old = before.get(key) ?? null;
    if (old !== row) changes.push({ before: old, after: row });
  }
  return changes;
}
