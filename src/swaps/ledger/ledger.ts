// The ledger is the one owner of the state of all swaps: facts of both chains and records of people, in memory and in
// the store alike. Each change is made once, in a draft over the books that nobody else sees; it is committed in one
// transaction with its events, and laid down in one synchronous step: readers see nothing that is not durable. Whether a
// commit that failed has happened is unknown: what is in memory is dropped and read again.

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
import { depthsOf } from "./affected-rows.ts";
import { Books, Draft } from "./books.ts";
import { ChangeEvents, type LedgerState, rowsIn, type TouchedRow, touchedRows } from "./change-events.ts";
import { type ChangeLimits, LedgerChanges } from "./ledger-changes.ts";
import { loadBooks } from "./ledger-loading.ts";
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
import { statusOfAsk, Subjects } from "./subjects.ts";
import { WatchedScripts } from "./watched-scripts.ts";

/** Rows that one transaction tells of; a change of more is told by further transactions. */
const TOLD_AT_ONCE = 512;
/** Asks that one step of time looks at for whether they are to be forgotten. */
const ASKS_AT_ONCE = 2_000;
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
  readonly watch = new WatchedScripts(() => this.#books);
  /** Published after every visible change. */
  readonly feed = new CommitFeed();
  readonly #parts: SwapLedgerDependencies;
  readonly #subjects: Subjects;
  readonly #events: ChangeEvents;
  readonly #limits: ChangeLimits;
  #books: Books;
  /** Whether a commit has failed and the books could not be read again since. */
  #isDoubtful = false;
  #lastContext: EvaluationContext;
  /** Whether events are missing that could not be written: the next transaction empties the log. */
  #owesReset = false;
  #turn: Promise<void> = Promise.resolve();
  readonly #rowListeners: ((orders: readonly Bytes32[], asks: readonly Bytes32[]) => void)[] = [];

  private constructor(parts: SwapLedgerDependencies, books: Books) {
    this.#parts = parts;
    this.#books = books;
    this.#limits = { takeMax: parts.takeMax, depths: depthsOf(parts.rules) };
    this.#subjects = new Subjects(parts.crypto);
    this.#events = new ChangeEvents(this.#subjects, parts.rules, parts.log);
    this.#lastContext = this.#context();
  }

  /**
   * The ledger on this store, with all that it holds. Rejects where the store belongs to another network, chain or
   * escrow (S-26), or where a stored fact is damaged.
   */
  static async open(parts: SwapLedgerDependencies): Promise<SwapLedger> {
    const { store, identity } = parts;
    await store.initialise(identity);
    const books = new Books(parts);
    const isUntold = await loadBooks(store, books, depthsOf(parts.rules));
    if (isUntold)
      await store.commit({ rewind: null, remove: [UNTOLD], put: [], checkpoints: [], events: null });
    return new SwapLedger(parts, books);
  }

  /** As `LedgerWrites.applyEvm`. @throws where the change does not fit the state: a bug, or an RPC that lies. */
  applyEvm(change: EvmChange): Promise<void> {
    return this.#run((changes) => changes.evm(change));
  }

  /** As `LedgerWrites.applyPearl`. @throws where the change does not fit the state. */
  applyPearl(change: PearlChange): Promise<void> {
    return this.#run((changes) => changes.pearl(change));
  }

  /** As `LedgerWrites.applyMempool`. */
  applyMempool(
    locks: MempoolLocks,
    sightings: readonly Sighting[],
    secrets: PearlChange["secrets"],
  ): Promise<void> {
    return this.#run((changes) => changes.mempool(locks, sightings, secrets));
  }

  /** As `LedgerReads.write`. */
  write(records: RecordWrites): Promise<void> {
    return this.#run((changes) => changes.records(records));
  }

  /** Lets what time alone changes happen: expiries are told, old takes and asks go. To be called now and then. */
  passTime(): Promise<void> {
    return this.#run((changes) => {
      changes.forgetAsks(this.#books.records.nextAsks(ASKS_AT_ONCE), this.#context());
    });
  }

  /** Calls back with the orders (and takes) and the asks whose rows may differ, after each visible change. */
  onRows(listener: (orders: readonly Bytes32[], asks: readonly Bytes32[]) => void): void {
    this.#rowListeners.push(listener);
  }

  tips(): ChainTips {
    return this.#books.chains.tips;
  }

  checkpoints(chain: "evm" | "pearl"): readonly ChainCheckpoint[] {
    return this.#books.chains.checkpoints(chain);
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
    await this.#run((changes) => changes.liftAlarms([...stored, ...this.#raisedSince(before)]));
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
    return this.#subjects.of(this.#books, hash, this.#context());
  }

  ask(askId: Bytes32): AskRecord | null {
    return this.#books.records.asks.get(askId) ?? null;
  }

  askStatus(record: AskRecord, when: Pick<EvaluationContext, "now" | "expiryNow">): AskStatus {
    return statusOfAsk(this.#books, record, when);
  }

  orderOfAsk(askId: Bytes32): Bytes32 | null {
    return this.#books.orders.byAsk.get(askId) ?? null;
  }

  liveTakes(askId: Bytes32, now: number): number {
    let live = 0;
    for (const hash of this.#books.records.liveTakes(askId, now))
      if (!this.#books.orders.entries.has(hash)) live += 1;
    return live;
  }

  asksEnding(after: number, until: number): Iterable<Bytes32> {
    return this.#books.records.asksEnding(after, until);
  }

  balanceSeenAt(address: string): number | null {
    return this.#books.balancesSeen.get(address) ?? null;
  }

  addressesSeen(): Iterable<string> {
    return this.#books.balancesSeen.keys();
  }

  noteBalanceSeen(address: string, at: number | null): void {
    const { balancesSeen } = this.#books;
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

  #context(tips = this.tips()): EvaluationContext {
    if (this.#parts.contextOf !== undefined) return this.#parts.contextOf(tips);
    const clock = Math.floor(this.#parts.clock.nowMs() / 1000);
    const now = Math.max(clock, tips.evm.time, tips.pearl.medianTimePast);
    return { tips, now, isReady: true, witnesses: null };
  }

  /** One change after the other. */
  #run(make: (changes: LedgerChanges) => void): Promise<void> {
    const done = this.#turn.then(() => this.#carryOut(make));
    this.#turn = done.catch(() => undefined);
    return done;
  }

  async #carryOut(make: (changes: LedgerChanges) => void): Promise<void> {
    if (this.#isDoubtful) await this.#readAgain();
    const books = this.#books;
    const draft = new Draft(books);
    const changes = new LedgerChanges(draft);
    make(changes);
    const was = { ...this.#lastContext, tips: books.chains.tips };
    const is = this.#context(draft.books.chains.tips);
    changes.passTime(was, is, this.#limits);
    const rows = touchedRows(draft);
    const [first, rest] = [rows.slice(0, TOLD_AT_ONCE), rows.slice(TOLD_AT_ONCE)];
    const told = await this.#told(draft, first, { books, context: was }, { books: draft.books, context: is });
    if (rest.length > 0) draft.put.push(UNTOLD);
    if (this.#owesReset) draft.remove.push(UNTOLD);
    await this.#commit(draft, this.#owesReset ? null : [...draft.events, ...told]);
    this.#owesReset = false;
    draft.books.layDown();
    this.#lastContext = is;
    this.#tellListeners(draft);
    this.feed.publish();
    // Now the draft has what was there before.
    if (rest.length > 0)
      await this.#tellRest(draft, rest, { books: draft.books, context: was }, { books, context: is });
  }

  async #commit(draft: Draft, events: readonly StoredSwapEvent[] | null): Promise<void> {
    const { rewind, put, remove, checkpoints } = draft;
    const isStored =
      rewind !== null || put.length + remove.length + checkpoints.length > 0 || events?.length !== 0;
    if (!isStored) return;
    try {
      await this.#parts.store.commit({ rewind, put, remove, checkpoints, events });
    } catch (error) {
      this.#isDoubtful = true;
      // Where the store cannot be read either, the next change tries it again before anything else.
      await this.#readAgain().then(
        () => this.#tellListeners(draft),
        () => undefined,
      );
      throw error;
    }
  }

  /** Drops what is in memory and reads it from the store, but for what is in memory alone. */
  async #readAgain(): Promise<void> {
    const books = new Books(this.#parts);
    const isUntold = await loadBooks(this.#parts.store, books, this.#limits.depths);
    books.takeUnstored(this.#books);
    this.#owesReset ||= isUntold;
    this.#books = books;
    this.#isDoubtful = false;
  }

  #tellListeners({ orders, asks }: Draft): void {
    for (const listener of this.#rowListeners) listener([...orders.keys()], [...asks.keys()]);
  }

  /** The events of these rows between two states, in pieces between which others are served. */
  async #told(
    draft: Draft,
    rows: readonly TouchedRow[],
    before: LedgerState,
    after: LedgerState,
  ): Promise<StoredSwapEvent[]> {
    const events: StoredSwapEvent[] = [];
    for (let at = 0; at < rows.length; at += LOOKED_AT_ONCE) {
      if (at > 0) await this.#parts.clock.sleep(0);
      const piece = rowsIn(rows.slice(at, at + LOOKED_AT_ONCE));
      const [was, is] = [this.#events.snapshot(piece, before), this.#events.snapshot(piece, after)];
      events.push(...this.#events.between(was, is, draft, after));
    }
    return events;
  }

  /** The change is durable and visible: what fails here are events, and a reset says so. */
  async #tellRest(
    draft: Draft,
    rows: readonly TouchedRow[],
    before: LedgerState,
    after: LedgerState,
  ): Promise<void> {
    try {
      for (let at = 0; at < rows.length; at += TOLD_AT_ONCE) {
        const events = await this.#told(draft, rows.slice(at, at + TOLD_AT_ONCE), before, after);
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
