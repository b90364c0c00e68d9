// A read side of a store, in memory and honest: it holds the rows that a test constructs, sorts and pages them by
// the keys of the port, and answers every query from its present state.

import { compareText } from "../../testkit/rows.ts";
import { reorgsOf } from "./rows.ts";
import type {
  BlockHash,
  ListingId,
  PearlAddress,
  RawAmount,
  Tick,
  Txid,
} from "../../src/primitives/brands.ts";
import type { BalanceRow, ListingRow, TokenRow } from "../../src/prc20/state.ts";
import type { BlockHappenings, BlockPart, EventGroup } from "../../src/index/event-groups.ts";
import type { OperationField, OperationFields, Page, PageKey, PageRequest } from "../../src/index/pages.ts";
import type { IndexQueries, OperationFilter, Snapshot, TipState } from "../../src/index/queries.ts";
import type {
  BalanceView,
  BlockView,
  CandleView,
  LedgerView,
  LifecycleState,
  ListingView,
  MarketSummaryView,
  OperationView,
  ReorgView,
} from "../../src/index/views.ts";

/** Pages rows that are already in list order. */
function pageOf<Row>(
  rows: readonly Row[],
  keyOf: (row: Row) => PageKey,
  compare: (one: PageKey, other: PageKey) => number,
  { limit, start }: PageRequest,
): Page<Row> {
  let from = 0;
  let to = limit;
  if (start !== null) {
    const before = rows.filter((row) => compare(keyOf(row), start.key) < 0).length;
    const upTo = rows.filter((row) => compare(keyOf(row), start.key) <= 0).length;
    from = start.direction === "next" ? upTo : Math.max(0, before - limit);
    to = start.direction === "next" ? upTo + limit : before;
  }
  const shown = rows.slice(from, to);
  const first = shown[0];
  const last = shown.at(-1);
  return {
    rows: shown,
    next: last === undefined || to >= rows.length ? null : keyOf(last),
    prev: first === undefined || from === 0 ? null : keyOf(first),
  };
}

const ascending = (one: PageKey, other: PageKey): number => {
  for (const [index, part] of one.entries()) {
    const against = other[index];
    if (typeof part === "number" && typeof against === "number" && part !== against) return part - against;
    if (typeof part === "string" && typeof against === "string" && part !== against)
      return compareText(part, against);
  }
  return 0;
};
const descending = (one: PageKey, other: PageKey): number => ascending(other, one);

const largestFirst = (one: PageKey, other: PageKey): number =>
  compareText(String(other[0]), String(one[0])) || compareText(String(one[1]), String(other[1]));

const marketKey = ({ listing }: ListingView): PageKey => [
  ((listing.priceSat << 256n) / listing.amount).toString(16).padStart(80, "0"),
  listing.createdPlace,
];
const changeKey = ({ listing }: ListingView): PageKey => [
  listing.close === null ? 2 * listing.createdPlace : 2 * listing.close.place + 1,
];
const holderKey = (row: BalanceRow): PageKey => [
  (row.balance + row.locked).toString(16).padStart(32, "0"),
  row.address,
];

const marketsKey = ({ volume24hSat, token }: MarketSummaryView): PageKey => [
  volume24hSat.toString(16).padStart(32, "0"),
  token.tick,
];

function fieldValues(view: OperationView, tip: number): Record<OperationField, string | number | null> {
  const { operation, blockHash, time } = view;
  const { height, txIndex, txid, vout, op, tick, reason, payloadJson, from, to, listingId } = operation;
  const amount = operation.amount === null ? null : String(operation.amount);
  const judged = { valid: operation.valid ? 1 : 0, reason, amount, confirmations: tip - height + 1 };
  return {
    height,
    txIndex,
    txid,
    vout,
    op,
    tick,
    payloadJson,
    from,
    to,
    listingId,
    blockHash,
    time,
    ...judged,
  };
}

export class FakeIndex implements IndexQueries {
  #isRoomy = false;
  present: TipState;
  tokenRows: TokenRow[] = [];
  balanceRows: BalanceRow[] = [];
  listingRows: ListingRow[] = [];
  operationRows: OperationView[] = [];
  candleRows: CandleView[] = [];
  ledgerRows: { readonly holder: PearlAddress; readonly view: LedgerView }[] = [];
  /** From the base block on. */
  chain: BlockView[] = [];
  groups: EventGroup[] = [];
  evmReorgs: ReorgView[] = [];
  undone = new Set<string>();
  blockHappenings = new Map<string, BlockHappenings>();
  lowestEvent = 1;
  summary: Omit<MarketSummaryView, "token"> = {
    expiredOpenCount: 0,
    best: null,
    volume24hSat: 0n,
    fills24h: 0,
    floorThen: null,
  };
  /** Queries asked so far: tests of validation want none. */
  asked = 0;
  /** Where set, every query waits for it after having read its state. */
  gate: Promise<void> | null = null;
  failure: Error | null = null;

  constructor(present: TipState) {
    this.present = present;
  }

  async #answer<Value>(value: Value): Promise<Snapshot<Value>> {
    this.asked += 1;
    const state = this.present;
    if (this.gate !== null) await this.gate;
    if (this.failure !== null) throw this.failure;
    return { state, value };
  }

  async state(): Promise<TipState> {
    return (await this.#answer(null)).state;
  }

  tokens(prefix: string | null, page: PageRequest) {
    const rows = this.tokenRows
      .filter((row) => prefix === null || row.tick.startsWith(prefix))
      .toSorted((one, other) => other.deployPlace - one.deployPlace);
    return this.#answer(pageOf(rows, (row) => [row.deployPlace], descending, page));
  }

  #token(tick: Tick): TokenRow | null {
    return this.tokenRows.find((row) => row.tick === tick) ?? null;
  }

  token(tick: Tick) {
    return this.#answer(this.#token(tick));
  }

  stats() {
    return this.#answer({
      distinctHolders: new Set(this.balanceRows.map((row) => row.address)).size,
      listsExpiredOpen: this.listingRows.filter((row) => this.lifecycle(row) === "expired_open").length,
    });
  }

  #balanceView(row: BalanceRow): BalanceView {
    return { row, dec: this.#token(row.tick)?.dec ?? "0" };
  }

  #balancesOf(address: PearlAddress): BalanceView[] {
    return this.balanceRows
      .filter((row) => row.address === address && row.balance + row.locked > 0n)
      .toSorted((one, other) => compareText(one.tick, other.tick))
      .map((row) => this.#balanceView(row));
  }

  balances(address: PearlAddress, page: PageRequest) {
    return this.#answer(pageOf(this.#balancesOf(address), (view) => [view.row.tick], ascending, page));
  }

  #balance(address: PearlAddress, tick: Tick): BalanceView | null {
    if (this.#token(tick) === null) return null;
    const row = this.balanceRows.find((one) => one.address === address && one.tick === tick);
    return this.#balanceView(row ?? { address, tick, balance: 0n as RawAmount, locked: 0n as RawAmount });
  }

  balance(address: PearlAddress, tick: Tick) {
    return this.#answer(this.#balance(address, tick));
  }

  balancesOf(addresses: readonly PearlAddress[], tick: Tick | null, page: PageRequest) {
    const views = addresses.flatMap((address): BalanceView[] => {
      if (tick === null) return this.#balancesOf(address);
      const view = this.#balance(address, tick);
      return view === null ? [] : [view];
    });
    const keyOf = (view: BalanceView) => [addresses.indexOf(view.row.address), view.row.tick];
    return this.#answer(pageOf(views, keyOf, ascending, page));
  }

  ledger(address: PearlAddress, tick: Tick | null, page: PageRequest) {
    const rows = this.ledgerRows
      .filter(({ holder, view }) => holder === address && (tick === null || view.tick === tick))
      .map(({ view }) => view)
      .toSorted((one, other) => other.key - one.key);
    return this.#answer(pageOf(rows, (row) => [row.key], descending, page));
  }

  lifecycle(row: ListingRow): LifecycleState {
    if (row.close !== null) return row.close.kind;
    return row.exp !== null && this.present.height > row.exp ? "expired_open" : "open";
  }

  listingView(row: ListingRow): ListingView {
    return { listing: row, lifecycle: this.lifecycle(row), dec: this.#token(row.tick)?.dec ?? "0" };
  }

  #listings(tick: Tick | null): ListingView[] {
    return this.listingRows
      .filter((row) => tick === null || row.tick === tick)
      .map((row) => this.listingView(row));
  }

  market(tick: Tick, page: PageRequest) {
    const rows = this.#listings(tick)
      .filter((view) => view.lifecycle === "open")
      .toSorted((one, other) => ascending(marketKey(one), marketKey(other)));
    return this.#answer(pageOf(rows, marketKey, ascending, page));
  }

  sellerListings(tick: Tick | null, address: PearlAddress, state: LifecycleState | null, page: PageRequest) {
    const rows = this.#listings(tick)
      .filter(({ listing }) => listing.owner === address || listing.seller === address)
      .filter((view) => state === null || view.lifecycle === state)
      .toSorted((one, other) => other.listing.createdPlace - one.listing.createdPlace);
    return this.#answer(pageOf(rows, (view) => [view.listing.createdPlace], descending, page));
  }

  marketHistory(tick: Tick, state: LifecycleState | null, page: PageRequest) {
    const rows = this.#listings(tick)
      .filter((view) => state === null || view.lifecycle === state)
      .toSorted((one, other) => descending(changeKey(one), changeKey(other)));
    return this.#answer(pageOf(rows, changeKey, descending, page));
  }

  marketSummary(tick: Tick) {
    const token = this.#token(tick);
    return this.#answer(token === null ? null : { token, ...this.summary });
  }

  markets(page: PageRequest) {
    const rows = this.tokenRows
      .filter((token) => token.openCount > 0)
      .map((token): MarketSummaryView => ({ token, ...this.summary }))
      .toSorted((one, other) => largestFirst(marketsKey(one), marketsKey(other)));
    return this.#answer(pageOf(rows, marketsKey, largestFirst, page));
  }

  listing(id: ListingId) {
    const row = this.listingRows.find((one) => one.id === id);
    return this.#answer(row === undefined ? null : this.listingView(row));
  }

  operations(filter: OperationFilter, page: PageRequest) {
    const rows = this.operationRows
      .filter(({ operation }) => filter.tick === undefined || operation.tick === filter.tick)
      .filter(({ operation }) => filter.op === undefined || operation.op === filter.op)
      .filter(({ operation }) => filter.valid === undefined || operation.valid === filter.valid)
      .filter(({ operation }) => filter.height === undefined || operation.height === filter.height)
      .filter(
        ({ operation }) =>
          filter.address === undefined ||
          operation.from === filter.address ||
          (operation.valid && (operation.to === filter.address || operation.filledOwner === filter.address)),
      )
      .toSorted((one, other) => other.operation.place - one.operation.place);
    return this.#answer(pageOf(rows, (view) => [view.operation.place], descending, page));
  }

  async operationsText(filter: OperationFilter, page: PageRequest, fields: OperationFields) {
    const { state, value } = await this.operations(filter, page);
    const texts = value.rows.map((view) => {
      const values = fieldValues(view, state.height);
      return JSON.stringify(Object.fromEntries(fields.map(([name, field]) => [name, values[field]])));
    });
    // With and without room for an envelope, in turn.
    this.#isRoomy = !this.#isRoomy;
    const room = this.#isRoomy ? " ".repeat(600) : "";
    const buffer = Buffer.from(`${room}${texts.join(",")}${room}`);
    const rows = { buffer, from: room.length, to: buffer.length - room.length };
    return { state, value: { rows, next: value.next, prev: value.prev } };
  }

  operationsOf(txid: Txid, vout: number | null, part?: Parameters<IndexQueries["operationsOf"]>[2]) {
    return this.#answer(
      this.operationRows
        .filter(({ operation }) => operation.txid === txid && (vout === null || operation.vout === vout))
        .filter(({ operation }) => operation.place > (part?.after ?? -1))
        .toSorted((one, other) => one.operation.place - other.operation.place)
        .slice(0, part?.limit),
    );
  }

  holders(tick: Tick, page: PageRequest) {
    const token = this.#token(tick);
    if (token === null) return this.#answer(null);
    const rows = this.balanceRows
      .filter((row) => row.tick === tick && row.balance + row.locked > 0n)
      .toSorted((one, other) => largestFirst(holderKey(one), holderKey(other)));
    const circulating = (token.minted - token.burned) as RawAmount;
    return this.#answer({ circulating, page: pageOf(rows, holderKey, largestFirst, page) });
  }

  digest(height: number) {
    return this.#answer(this.chain.find((block) => block.height === height) ?? null);
  }

  blocks(page: PageRequest) {
    const rows = this.chain.slice(1).toReversed();
    return this.#answer(pageOf(rows, ({ height }) => [height], descending, page));
  }

  block(at: number | BlockHash) {
    return this.#answer(this.chain.slice(1).find(({ height, hash }) => at === height || at === hash) ?? null);
  }

  reorgs(page: PageRequest) {
    const rows = [...this.groups.flatMap(reorgsOf), ...this.evmReorgs].toSorted(
      (one, other) => other.id - one.id,
    );
    return this.#answer(pageOf(rows, ({ id }) => [id], descending, page));
  }

  candles(tick: Tick, intervalS: number, page: PageRequest) {
    if (this.#token(tick) === null) return this.#answer(null);
    const rows = this.candleRows.filter((row) => row.start % intervalS === 0);
    return this.#answer(pageOf(rows, (row) => [row.start], ascending, page));
  }

  async eventGroups(afterId: number, limit: number): Promise<readonly EventGroup[]> {
    return this.groups
      .filter((group) => group.lastId > afterId && group.lastId >= this.lowestEvent)
      .slice(0, limit);
  }

  async eventBounds() {
    return { lowest: this.lowestEvent, highest: this.groups.at(-1)?.lastId ?? 0 };
  }

  async eventGroupOf(id: number): Promise<EventGroup | null> {
    if (id < this.lowestEvent) return null;
    const group = this.groups.find((one) => one.firstId <= id && id <= one.lastId);
    return group === undefined || (group.kind === "block" && this.undone.has(group.hash)) ? null : group;
  }

  async eventsAfter(id: number): Promise<number> {
    const ids = this.groups.map((group) => group.lastId - Math.max(group.firstId - 1, id));
    return ids.reduce((sum, count) => sum + Math.max(0, count), 0);
  }

  /** Parts that were asked for, with the places that each may have at most. */
  readonly parts: number[] = [];

  async happenings(
    _height: number,
    hash: BlockHappenings["hash"],
    { from, places }: BlockPart,
  ): Promise<BlockHappenings | null> {
    this.parts.push(places);
    const whole = this.blockHappenings.get(hash);
    if (whole === undefined || this.undone.has(hash)) return null;
    const all = [
      ...whole.operations.map(({ operation }) => operation.place),
      ...whole.created.map(({ listing }) => listing.createdPlace),
      ...whole.closed.map(({ listing }) => listing.close?.place ?? 0),
    ];
    const end = all.length === 0 ? 0 : Math.max(...all) + 1;
    const start = from ?? (all.length === 0 ? 0 : Math.min(...all));
    const before = Math.min(end, start + places);
    const isIn = (place: number): boolean => place >= start && place < before;
    return {
      ...whole,
      nextPlace: before < end ? before : null,
      operations: whole.operations.filter(({ operation }) => isIn(operation.place)),
      created: whole.created.filter(({ listing }) => isIn(listing.createdPlace)),
      closed: whole.closed.filter(({ listing }) => isIn(listing.close?.place ?? 0)),
    };
  }
}
