// The ledger is the one owner of the state of all swaps: facts of both chains and records of people, in memory and in
// the store alike. Each change is made out, committed in one transaction with its events, and only then visible, in one
// synchronous step: readers see nothing that is not durable, and a failed commit changes nothing.

import type { Bytes32, EvmAddress, Outpoint, ScriptHex, Txid } from "../../primitives/brands.ts";
import type { SwapCrypto } from "../../swap/crypto.ts";
import type { ChainTips, EscrowEvent, LockOutput, SecretFact, Sighting } from "../../swap/facts.ts";
import type { AskRecord } from "../../swap/records.ts";
import {
  type AskStatus,
  isDead,
  type EvaluationContext,
  type SwapRules,
  type SwapSubject,
} from "../../swap/subject.ts";
import { CommitFeed } from "../../follow/commit-feed.ts";
import type { Clock, Log } from "../../follow/ports.ts";
import { ChangeEvents, type ChangeFrame, rowsIn, type TouchedRow, touchedRows } from "./change-events.ts";
import { CheckpointList, ConfirmationTracker } from "./confirmations.ts";
import { Draft } from "./draft.ts";
import { type ChangeSummary, checkpointsOf, LedgerChanges, type LedgerState } from "./ledger-changes.ts";
import { loadBooks, tipsOf } from "./ledger-loading.ts";
import type {
  ChainCheckpoint,
  EscrowFee,
  EvmChange,
  EvmLedger,
  FinalAlarm,
  LedgerReads,
  LedgerWrites,
  MempoolLocks,
  PearlChange,
  RecordWrites,
  StoredSwapEvent,
  SwapIdentity,
  SwapStore,
} from "./ports.ts";
import { type Books, emptyBooks, Subjects } from "./subjects.ts";
import { WatchedScripts } from "./watched-scripts.ts";

/** Rows that one transaction tells of; a change of more is told by further transactions. */
const TOLD_AT_ONCE = 512;
/** Rows that are looked at between two breaths of the event loop: some milliseconds. */
const LOOKED_AT_ONCE = 64;
/**
 * In the store while a change is visible whose last rows are not told yet. Where it is found at a start, the process
 * died in between: events are missing, and the emptied log says so to everybody.
 */
const UNTOLD = { kind: "untold", key: "rows", chain: null, height: null, body: "{}" } as const;

/** What the ledger is made of. */
export interface SwapLedgerDependencies {
  readonly store: SwapStore;
  /** What the store must belong to (S-26). */
  readonly identity: SwapIdentity;
  readonly crypto: SwapCrypto;
  readonly rules: SwapRules;
  readonly clock: Clock;
  readonly log: Log;
  /** EVM confirmations that make a block final; null where the `finalized` tag decides (S-05). */
  readonly evmConfirmations: number | null;
  /** Takes that are kept in all (S-42). */
  readonly takeMax: number;
  /**
   * The context that rows of events are made for, with these tips. Without it: *now* of S-05, everything synced.
   */
  readonly contextOf?: (tips: ChainTips) => EvaluationContext;
}

/** The owner of swap state. */
export class SwapLedger implements LedgerWrites, EvmLedger, LedgerReads {
  readonly watch: WatchedScripts;
  /** Published after every visible change. */
  readonly feed = new CommitFeed();
  readonly #parts: SwapLedgerDependencies;
  readonly #state: LedgerState;
  readonly #subjects: Subjects;
  readonly #changes: LedgerChanges;
  readonly #events: ChangeEvents;
  readonly #tipWatch: ConfirmationTracker;
  readonly #checkpoints: { readonly evm: CheckpointList; readonly pearl: CheckpointList };
  #lastMoment: EvaluationContext;
  /** Whether events are missing that could not be written: the next transaction empties the log. */
  #owesReset = false;
  #turn: Promise<void> = Promise.resolve();
  readonly #rowListeners: ((orders: readonly Bytes32[], asks: readonly Bytes32[]) => void)[] = [];

  private constructor(
    parts: SwapLedgerDependencies,
    state: LedgerState,
    checkpoints: { readonly evm: CheckpointList; readonly pearl: CheckpointList },
  ) {
    const { books } = state;
    this.#parts = parts;
    this.#state = state;
    this.#checkpoints = checkpoints;
    this.#subjects = new Subjects(books, parts.crypto);
    this.#events = new ChangeEvents(books, this.#subjects, parts.rules, parts.log);
    this.#tipWatch = new ConfirmationTracker(books.orders, books.locks, parts.rules);
    this.#changes = new LedgerChanges(state, parts);
    this.watch = new WatchedScripts(books, () => this.tips());
    this.#lastMoment = this.#context();
    this.#tipWatch.settle(this.tips(), [], true);
  }

  /**
   * The ledger on this store, with all that it holds. Rejects where the store belongs to another network, chain or
   * escrow (S-26), or where a stored fact is damaged.
   */
  static async open(parts: SwapLedgerDependencies): Promise<SwapLedger> {
    const { store, crypto, identity } = parts;
    await store.initialise(identity);
    const books = emptyBooks(crypto);
    const { tips: stored, isUntold } = await loadBooks(store, books);
    if (isUntold)
      await store.commit({ rewind: null, remove: [UNTOLD], put: [], checkpoints: [], events: null });
    const evm = new CheckpointList(await store.checkpoints("evm"));
    const pearl = new CheckpointList(await store.checkpoints("pearl"));
    const tips = { value: tipsOf(stored, parts.evmConfirmations) };
    const evmHash = { value: stored.find(({ chain }) => chain === "evm")?.hash ?? "" };
    return new SwapLedger(parts, { books, tips, evmHash }, { evm, pearl });
  }

  /** As `LedgerWrites.applyEvm`. @throws where the change does not fit the state: a bug, or an RPC that lies. */
  applyEvm(change: EvmChange): Promise<void> {
    return this.#run((draft) => this.#changes.evm(draft, change));
  }

  /** As `LedgerWrites.applyPearl`. @throws where the change does not fit the state. */
  applyPearl(change: PearlChange): Promise<void> {
    return this.#run((draft) => this.#changes.pearl(draft, change));
  }

  /** As `LedgerWrites.applyMempool`. */
  applyMempool(
    locks: MempoolLocks,
    sightings: readonly Sighting[],
    secrets: PearlChange["secrets"],
  ): Promise<void> {
    return this.#run((draft) => this.#changes.mempool(draft, locks, sightings, secrets));
  }

  /** As `LedgerReads.write`. */
  write(records: RecordWrites): Promise<void> {
    return this.#run((draft) => this.#changes.records(draft, records));
  }

  /** Lets what time alone changes happen: expiries are told, old takes and asks go. To be called now and then. */
  passTime(): Promise<void> {
    return this.#run((draft) => this.#changes.forgetAsks(draft, this.#context()));
  }

  /** Calls back with the orders (and takes) and the asks whose rows may differ, after each visible change. */
  onRows(listener: (orders: readonly Bytes32[], asks: readonly Bytes32[]) => void): void {
    this.#rowListeners.push(listener);
  }

  tips(): ChainTips {
    return this.#state.tips.value;
  }

  checkpoints(chain: "evm" | "pearl"): readonly ChainCheckpoint[] {
    return this.#checkpoints[chain].all;
  }

  unsettled(from: number, to: number): readonly EscrowEvent[] {
    return this.#books.trust.unsettled(from, to);
  }

  disputes(): readonly EscrowEvent[] {
    return this.#books.trust.disputes;
  }

  alarms(): readonly FinalAlarm[] {
    return this.#books.trust.alarms;
  }

  /** Looks whether an operator has lifted alarms since (S-05): another process removes them from the store. */
  async passAlarms(): Promise<void> {
    const before = this.alarms();
    if (before.length === 0) return;
    await this.#turn;
    const stored = await this.#parts.store.keys("alarm");
    await this.#run((draft) => this.#changes.liftAlarms(draft, [...stored, ...this.#raisedSince(before)]));
    for (const { id } of before) {
      if (this.alarms().some((alarm) => alarm.id === id)) continue;
      this.#parts.log.warn({ alarm_id: id }, "an operator has lifted the alarm of a replaced final block");
    }
  }

  #raisedSince(before: readonly FinalAlarm[]): readonly string[] {
    return this.alarms().flatMap(({ id }) => (before.some((alarm) => alarm.id === id) ? [] : [id]));
  }

  settled(): Promise<void> {
    return this.#turn;
  }

  subject(hash: Bytes32): SwapSubject | null {
    return this.#subjects.of(hash, this.#context());
  }

  ask(askId: Bytes32): AskRecord | null {
    return this.#books.records.asks.get(askId) ?? null;
  }

  askStatus(record: AskRecord, when: Pick<EvaluationContext, "now" | "expiryNow">): AskStatus {
    return this.#subjects.askStatus(record, when);
  }

  orderOfAsk(askId: Bytes32): Bytes32 | null {
    return this.#books.orders.byAsk.get(askId) ?? null;
  }

  liveTakes(askId: Bytes32, now: number): number {
    let live = 0;
    for (const hash of this.#books.records.takesByAsk.of(askId)) {
      const take = this.#books.records.takes.get(hash);
      if (take !== undefined && take.expiresAt > now && !this.#books.orders.entries.has(hash)) live += 1;
    }
    return live;
  }

  asksEnding(after: number, until: number): Iterable<Bytes32> {
    return this.#books.records.asksEnding(after, until);
  }

  balanceSeenAt(address: string): number | null {
    return this.#books.records.balancesSeen.get(address) ?? null;
  }

  addressesSeen(): Iterable<string> {
    return this.#books.records.balancesSeen.keys();
  }

  noteBalanceSeen(address: string, at: number | null): void {
    const { balancesSeen } = this.#books.records;
    if (at === null) balancesSeen.delete(address);
    else balancesSeen.set(address, at);
  }

  asks(): Iterable<AskRecord> {
    return this.#books.records.asks.values();
  }

  orders(): Iterable<Bytes32> {
    return this.#books.orders.entries.keys();
  }

  minAskNonce(seller: EvmAddress): bigint {
    return this.#books.orders.minAskNonce(seller);
  }

  fee(): EscrowFee | null {
    return this.#books.orders.fee();
  }

  secretOf(hashlock: Bytes32): SecretFact | null {
    return this.#books.secrets.entries.get(hashlock) ?? null;
  }

  mayKnowHashlock(end: number): boolean {
    return this.#books.hashlocks.mayHave(end);
  }

  knowsHashlock(hashlock: Bytes32): boolean {
    if (this.#books.orders.byHashlock.has(hashlock)) return true;
    const context = this.#context();
    for (const hash of this.#books.records.takesByHashlock.of(hashlock)) {
      const take = this.#books.records.takes.get(hash);
      if (take !== undefined && !isDead(context, take.expiresAt)) return true;
    }
    return false;
  }

  isHashlockUsed(buyer: EvmAddress, hashlock: Bytes32, except: Bytes32 | null): boolean {
    return this.#books.orders.isHashlockUsed(buyer, hashlock, except);
  }

  lockOutput(outpoint: Outpoint): { readonly output: LockOutput; readonly script: ScriptHex } | null {
    return this.#books.locks.named(outpoint);
  }

  knowsTransaction(txid: Txid): boolean {
    return this.#books.locks.knows(txid);
  }

  get #books(): Books {
    return this.#state.books;
  }

  #context(): EvaluationContext {
    const tips = this.tips();
    if (this.#parts.contextOf !== undefined) return this.#parts.contextOf(tips);
    const clock = Math.floor(this.#parts.clock.nowMs() / 1000);
    const now = Math.max(clock, tips.evm.time, tips.pearl.medianTimePast);
    return { tips, now, isReady: true, witnesses: null };
  }

  /** One change after the other. */
  #run(build: (draft: Draft) => ChangeSummary): Promise<void> {
    const done = this.#turn.then(() => this.#carryOut(build));
    this.#turn = done.catch(() => undefined);
    return done;
  }

  async #carryOut(build: (draft: Draft) => ChangeSummary): Promise<void> {
    const draft = new Draft();
    const change = this.#makeOut(draft, build);
    const { outline, frame, before } = change;
    const rows = touchedRows(draft);
    const told = await this.#told(change, rows.slice(0, TOLD_AT_ONCE), "hidden");
    const rest = rows.slice(TOLD_AT_ONCE);
    if (rest.length > 0) draft.put.push(UNTOLD);
    const events = this.#owesReset ? null : [...outline.events, ...told];
    if (this.#owesReset) draft.remove.push(UNTOLD);
    const { rewind, checkpoints } = outline;
    const { put, remove } = draft;
    const isStored =
      rewind !== null || put.length + remove.length + checkpoints.length > 0 || events?.length !== 0;
    if (isStored) await this.#parts.store.commit({ rewind, put, remove, checkpoints, events });
    this.#owesReset = false;
    draft.finish();
    this.#checkpoints.evm.advance(...checkpointsOf("evm", outline));
    this.#checkpoints.pearl.advance(...checkpointsOf("pearl", outline));
    const tips = this.tips();
    this.#tipWatch.settle(tips, draft.orders.keys(), tips.pearl.height < before.tips.pearl.height);
    this.#lastMoment = { ...frame.context, tips };
    for (const listener of this.#rowListeners) listener([...draft.orders.keys()], [...draft.asks.keys()]);
    this.feed.publish();
    if (rest.length > 0) await this.#tellRest(change, rest);
  }

  /** The change with the rows that it touches; memory is as before when this returns or throws. */
  #makeOut(draft: Draft, build: (draft: Draft) => ChangeSummary): MadeChange {
    const before = { ...this.#lastMoment, tips: this.tips() };
    try {
      const outline = build(draft);
      const context = this.#context();
      this.#changes.passTime(draft, before, context);
      for (const hash of this.#tipWatch.changed(before.tips, context.tips))
        draft.touch(hash, outline.tipCause);
      return { outline, before, frame: { draft, context, explained: outline.explained } };
    } finally {
      draft.rollback();
    }
  }

  /**
   * The events of these rows: each before and after the change, in pieces between which others are served. Memory is
   * as the change left it where that is "visible" already, else as before.
   */
  async #told(
    { before, frame }: MadeChange,
    rows: readonly TouchedRow[],
    now: "hidden" | "visible",
  ): Promise<StoredSwapEvent[]> {
    const { draft, context } = frame;
    const events: StoredSwapEvent[] = [];
    for (let at = 0; at < rows.length; at += LOOKED_AT_ONCE) {
      if (at > 0) await this.#parts.clock.sleep(0);
      const piece = rowsIn(rows.slice(at, at + LOOKED_AT_ONCE));
      if (now === "visible") draft.rollback();
      let isMade = false;
      try {
        const was = this.#events.snapshot(piece, before);
        draft.reapply();
        isMade = true;
        events.push(...this.#events.between(was, this.#events.snapshot(piece, context), frame));
      } finally {
        if (isMade && now === "hidden") draft.rollback();
        if (!isMade && now === "visible") draft.reapply();
      }
    }
    return events;
  }

  /** The change is durable and visible: what fails here are events, and a reset says so. */
  async #tellRest(change: MadeChange, rows: readonly TouchedRow[]): Promise<void> {
    try {
      for (let at = 0; at < rows.length; at += TOLD_AT_ONCE) {
        const events = await this.#told(change, rows.slice(at, at + TOLD_AT_ONCE), "visible");
        const isLast = at + TOLD_AT_ONCE >= rows.length;
        const remove = isLast ? [UNTOLD] : [];
        await this.#parts.store.commit({ rewind: null, remove, put: [], checkpoints: [], events });
        this.feed.publish();
      }
    } catch (error) {
      this.#owesReset = true;
      this.#parts.log.error({ error }, "events of swaps could not be written; the event log begins anew");
    }
  }
}

/** A change that was made out: what it is, and the moments before and after it. */
interface MadeChange {
  readonly outline: ChangeSummary;
  readonly before: EvaluationContext;
  readonly frame: ChangeFrame;
}
