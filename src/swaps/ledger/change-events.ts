// Events of a change: one per bid, deal or ask whose row differs in more than counts of confirmations (H-39, H-47). A
// status that went along no legal edge is an alarm (S-51).

import type { Bytes32 } from "../../primitives/brands.ts";
import { isSameValue } from "../../primitives/same-value.ts";
import { type AskRow, askRow, type BidRow, bidRow, type DealRow, dealRow } from "../../swap/rows.ts";
import { ASK_EDGES, BID_EDGES, DEAL_EDGES, isLegalEdge } from "../../swap/statuses.ts";
import type { EvaluationContext, SwapRules } from "../../swap/subject.ts";
import type { Clock, Log } from "../../follow/ports.ts";
import type { CausingBlock } from "./book-change.ts";
import type { Books, Draft } from "./books.ts";
import type { LedgerChange } from "./change-text.ts";
import type { StoredSwapEvent } from "./ports.ts";
import { statusOfAsk, type Subjects } from "./subjects.ts";

/** Rows between two breaths of the event loop: some milliseconds, the curve operations of new keys included. */
const LOOKED_AT_ONCE = 32;
/**
 * Fields whose change alone is none: counts that grow by themselves, and when somebody last looked. (Finality, which
 * `confirmations` shows too, is also in `evm_leg`.)
 */
const UNTOLD = new Set(["confirmations", "balance_checked_at", "updated_at"]);
/** Fields of a row whose addresses find its event, and those whose keys' addresses do: as in the lists (H-40). */
const ADDRESS_FIELDS = ["buyer_evm", "seller_evm", "buyer_pearl_address", "seller_pearl_address"] as const;
const KEY_FIELDS = ["buyer_pearl_pubkey", "seller_pearl_pubkey"] as const;

type Row = { readonly type: "bid"; readonly row: BidRow } | { readonly type: "deal"; readonly row: DealRow };

/** Nothing is held back. */
const ABLE = { isReady: true, isMempoolRead: true, witnesses: null } as const;

type SwapRow = BidRow | DealRow | AskRow;

/** The rows of some orders and asks at one time. */
export interface RowSnapshot {
  readonly orders: ReadonlyMap<Bytes32, readonly Row[]>;
  readonly asks: ReadonlyMap<Bytes32, { readonly row: AskRow; readonly buyer: string | null }>;
}

/** Rows that a change may have made different. */
interface TouchedRows {
  readonly orders: readonly Bytes32[];
  readonly asks: readonly Bytes32[];
}

/** One of them. */
export type TouchedRow = { readonly order: Bytes32 } | { readonly ask: Bytes32 };

/** The rows that a change touches: asks, then bids and deals. */
export function touchedRows({ asks, orders }: Draft): readonly TouchedRow[] {
  return [
    ...Array.from(asks.keys(), (ask) => ({ ask })),
    ...Array.from(orders.keys(), (order) => ({ order })),
  ];
}

/** Whether rows may differ by a change of which nothing is stored: alarms, and what time does. */
export function isSeenByRows({ orders, asks }: Draft, { kind }: LedgerChange): boolean {
  return kind === "alarms" || orders.size + asks.size > 0;
}

/** Books at one time, with what their rows are evaluated in. */
export interface LedgerState {
  readonly books: Books;
  readonly context: EvaluationContext;
}

/** Makes events from what rows were and are. */
export class ChangeEvents {
  readonly #subjects: Subjects;
  readonly #rules: SwapRules;
  readonly #clock: Clock;
  readonly #log: Log;

  constructor(
    subjects: Subjects,
    { rules, clock, log }: { readonly rules: SwapRules; readonly clock: Clock; readonly log: Log },
  ) {
    this.#subjects = subjects;
    this.#rules = rules;
    this.#clock = clock;
    this.#log = log;
  }

  /** The events of these rows between two states, in pieces between which others are served. */
  async told(
    draft: Draft,
    rows: readonly TouchedRow[],
    before: LedgerState,
    after: LedgerState,
  ): Promise<StoredSwapEvent[]> {
    const events: StoredSwapEvent[] = [];
    for (const [at, some] of pieces(rows).entries()) {
      if (at > 0) await this.#clock.sleep(0);
      const piece = rowsIn(some);
      const [was, is] = [this.snapshot(piece, before), this.snapshot(piece, after)];
      events.push(...this.between(was, is, draft, after));
    }
    return events;
  }

  /** These rows as if the service might act: neither lag, a start nor a second PEARL node sends an event (S-54). */
  snapshot({ orders, asks }: TouchedRows, { books, context }: LedgerState): RowSnapshot {
    const able = { books, context: { ...context, ...ABLE } };
    const shown = asks.flatMap((id) => {
      const ask = askOf(id, able);
      return ask === null ? [] : [[id, ask] as const];
    });
    return { orders: new Map(orders.map((hash) => [hash, this.#rows(hash, able)])), asks: new Map(shown) };
  }

  /** The events between two snapshots, the second one of this state: asks, then bids and deals. */
  between(
    before: RowSnapshot,
    after: RowSnapshot,
    draft: Draft,
    state: LedgerState,
  ): readonly StoredSwapEvent[] {
    const events: StoredSwapEvent[] = [];
    for (const [id, { row, buyer }] of after.asks) {
      const was = before.asks.get(id)?.row;
      if (was !== undefined && isSameValue(was, row, UNTOLD)) continue;
      if (was !== undefined && !isLegalEdge(ASK_EDGES, was.status, row.status))
        this.#alarm("ask", id, was, row, draft);
      const cause = draft.asks.get(id) ?? null;
      const parties = [...this.#parties(row), ...(buyer === null ? [] : [buyer])];
      events.push(swapEvent("ask", null, cause, row, parties));
    }
    for (const [hash, rows] of after.orders) {
      for (const now of rows) {
        const was = before.orders.get(hash)?.find((one) => one.type === now.type);
        if (was !== undefined && isSameValue(was.row, now.row, UNTOLD)) continue;
        if (was !== undefined) this.#checkEdge(hash, was, now, draft);
        const cause = draft.orders.get(hash) ?? null;
        const row = this.#shown(hash, now, state);
        events.push(swapEvent(now.type, hash, cause, row, this.#parties(row)));
      }
    }
    return events;
  }

  /** Whose row it is. Of a bid only keys are known until somebody tells an address (S-55). */
  #parties(row: SwapRow): readonly string[] {
    const named: Partial<Record<(typeof ADDRESS_FIELDS)[number], string | null>> = row;
    const keys: Partial<Record<(typeof KEY_FIELDS)[number], string | null>> = row;
    const given = ADDRESS_FIELDS.map((field) => named[field]);
    const fitting = KEY_FIELDS.map((field) => keys[field])
      .filter((key) => typeof key === "string")
      .flatMap((key) => this.#subjects.addressesOf(key as Bytes32, this.#rules.hrp));
    return [...new Set([...given.filter((one) => typeof one === "string"), ...fitting])];
  }

  /** The row as its endpoint shows it in this state. */
  #shown(hash: Bytes32, { type, row }: Row, state: LedgerState): BidRow | DealRow {
    const { isReady, witnesses, isMempoolRead } = state.context;
    if (isReady && isMempoolRead && witnesses === null) return row;
    return this.#rows(hash, state).find((one) => one.type === type)?.row ?? row;
  }

  #rows(hash: Bytes32, { books, context }: LedgerState): readonly Row[] {
    const subject = this.#subjects.of(books, hash, context);
    if (subject === null) return [];
    const bid = bidRow(subject, context, this.#rules);
    const deal = dealRow(subject, context, this.#rules);
    return [
      ...(bid === null ? [] : [{ type: "bid", row: bid } as const]),
      ...(deal === null ? [] : [{ type: "deal", row: deal } as const]),
    ];
  }

  #checkEdge(hash: Bytes32, was: Row, now: Row, draft: Draft): void {
    const isLegal =
      was.type === "bid" && now.type === "bid"
        ? isLegalEdge(BID_EDGES, was.row.status, now.row.status)
        : was.type === "deal" &&
          now.type === "deal" &&
          isLegalEdge(DEAL_EDGES, was.row.status, now.row.status);
    if (!isLegal) this.#alarm(now.type, hash, was.row, now.row, draft);
  }

  #alarm(
    type: string,
    hash: Bytes32,
    was: { readonly status: string },
    now: { readonly status: string },
    draft: Draft,
  ): void {
    if (draft.isExplained) return;
    this.#log.error(
      { type, hash, from: was.status, to: now.status },
      "alarm: a swap's status went back (S-51)",
    );
  }
}

/** The rows in pieces of `LOOKED_AT_ONCE`: none costs much more than another, however often its script was paid. */
function pieces(rows: readonly TouchedRow[]): readonly (readonly TouchedRow[])[] {
  const all: (readonly TouchedRow[])[] = [];
  for (let at = 0; at < rows.length; at += LOOKED_AT_ONCE) all.push(rows.slice(at, at + LOOKED_AT_ONCE));
  return all;
}

function rowsIn(rows: readonly TouchedRow[]): TouchedRows {
  return {
    orders: rows.flatMap((row) => ("order" in row ? [row.order] : [])),
    asks: rows.flatMap((row) => ("ask" in row ? [row.ask] : [])),
  };
}

function askOf(
  id: Bytes32,
  { books, context }: LedgerState,
): { readonly row: AskRow; readonly buyer: string | null } | null {
  const record = books.records.asks.get(id);
  if (record === undefined) return null;
  const takenBy = books.orders.byAsk.get(id) ?? null;
  const order = takenBy === null ? undefined : books.orders.entries.get(takenBy);
  const seenAt = books.balancesSeen.get(record.terms.sellerPearlAddress) ?? null;
  const row = askRow(record, statusOfAsk(books, record, context), takenBy, seenAt);
  return { row, buyer: order?.facts.terms.buyer ?? null };
}

/** The event of a reorganisation of the EVM chain; that of PEARL comes from the index of its blocks. */
export function evmReorgEvent(
  forkHeight: number,
  oldTip: { readonly height: number; readonly hash: string },
  newTip: { readonly height: number; readonly hash: string },
): StoredSwapEvent {
  const row = {
    chain: "evm",
    fork_height: forkHeight,
    old_tip: { height: oldTip.height, block_hash: oldTip.hash },
    new_tip: { height: newTip.height, block_hash: newTip.hash },
  };
  const data = JSON.stringify({ height: newTip.height, block_hash: newTip.hash, ...row, row });
  return { type: "reorg", chain: "evm", height: newTip.height, dealHash: null, addresses: [], data };
}

function swapEvent(
  type: "bid" | "ask" | "deal",
  dealHash: Bytes32 | null,
  cause: CausingBlock | null,
  row: SwapRow,
  addresses: readonly string[],
): StoredSwapEvent {
  const [chain, height] = [cause?.chain ?? null, cause?.height ?? null];
  const data = JSON.stringify({ chain, height, block_hash: cause?.hash ?? null, row });
  return { type, chain, height, dealHash, addresses, data };
}
