// The ledger is the one owner of the state of all swaps: facts of both chains and records of people, in memory and in
// the store alike. Changes are handed in and asked questions here; readers see nothing that is not durable.

import type { Bytes32, EvmAddress, Outpoint, ScriptHex, Txid } from "../../primitives/brands.ts";
import type { ChainTips, EscrowEvent, HtlcOutput, PreimageFact, Sighting } from "../../swap/facts.ts";
import type { AskRecord } from "../../swap/records.ts";
import { type AskStatus, type EvaluationContext, isDead, type SwapSubject } from "../../swap/subject.ts";
import type { CommitFeed } from "../../follow/commit-feed.ts";
import type { Log } from "../../follow/ports.ts";
import type { Books } from "./books.ts";
import { ALARM } from "./fact-kinds.ts";
import { endedAsks } from "./ledger-changes.ts";
import { LedgerCommits, type RowListener, type SwapLedgerDependencies } from "./ledger-commits.ts";
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
  SwapStore,
} from "./ports.ts";
import { statusOfAsk } from "./subjects.ts";
import { WatchedScripts } from "./watched-scripts.ts";

/** Asks that one step of time looks at for whether they are to be forgotten. */
const ASKS_AT_ONCE = 2_000;

/** The owner of swap state. */
export class SwapLedger implements LedgerWrites, EvmLedger, LedgerReads {
  readonly watch = new WatchedScripts(() => this.#books);
  readonly #commits: LedgerCommits;
  readonly #store: SwapStore;
  readonly #log: Log;

  private constructor(commits: LedgerCommits, { store, log }: SwapLedgerDependencies) {
    this.#commits = commits;
    this.#store = store;
    this.#log = log;
  }

  /**
   * The ledger on this store, with all that it holds. Rejects where the store belongs to another network, chain or
   * escrow (S-26), or where a stored fact is damaged.
   */
  static async open(parts: SwapLedgerDependencies): Promise<SwapLedger> {
    return new SwapLedger(await LedgerCommits.open(parts), parts);
  }

  get #books(): Books {
    return this.#commits.books;
  }

  /** Published after every visible change. */
  get feed(): CommitFeed {
    return this.#commits.feed;
  }

  /** As `LedgerWrites.applyEvm`. @throws where the change does not fit the state: a bug, or an RPC that lies. */
  applyEvm(change: EvmChange): Promise<void> {
    return this.#commits.run({ kind: "evm", step: change });
  }

  /** As `LedgerWrites.applyPearl`. @throws where the change does not fit the state. */
  applyPearl(change: PearlChange): Promise<void> {
    return this.#commits.run({ kind: "pearl", step: change });
  }

  /** As `LedgerWrites.applyMempool`. */
  applyMempool(
    locks: MempoolLocks,
    sightings: readonly Sighting[],
    secrets: PearlChange["secrets"],
  ): Promise<void> {
    return this.#commits.run({ kind: "mempool", locks, sightings, secrets });
  }

  /** As `LedgerReads.write`. */
  write(records: RecordWrites): Promise<void> {
    return this.#commits.run({ kind: "records", writes: records });
  }

  /** Lets what time alone changes happen: expiries are told, old takes and asks go. To be called now and then. */
  passTime(): Promise<void> {
    return this.#commits.run(() => {
      const asks = this.#books.records.nextAsks(ASKS_AT_ONCE);
      return { kind: "time", forgotten: endedAsks(this.#books, asks, this.#commits.context()) };
    });
  }

  /**
   * Carries out a change that the ledger of another process told (`ToldChange`), over the state that it was told of. With
   * `pictureOnly` only what it shows of the mempool, which is stored nowhere. @throws where it does not fit.
   */
  follow(text: string, options?: { readonly pictureOnly: boolean }): Promise<void> {
    return this.#commits.follow(text, options?.pictureOnly ?? false);
  }

  /** Reads everything from the store again, which is another process's. */
  readAgain(): Promise<void> {
    return this.#commits.startAgain();
  }

  /** Calls back with the orders (and takes) and the asks whose rows may differ, after each visible change. */
  onRows(listener: RowListener): void {
    this.#commits.onRows(listener);
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
    await this.#commits.run(async () => ({ kind: "alarms", stored: await this.#store.keys(ALARM.name) }));
    const left = new Set(this.alarms().map(({ id }) => id));
    for (const { id } of before) {
      if (!left.has(id))
        this.#log.warn({ alarm_id: id }, "an operator has lifted the alarm of a replaced final block");
    }
  }

  settled(): Promise<void> {
    return this.#commits.settled();
  }

  subject(hash: Bytes32): SwapSubject | null {
    return this.#commits.subjects.of(this.#books, hash, this.#commits.context());
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

  preimageOf(hashlock: Bytes32): PreimageFact | null {
    return this.#books.secrets.entries.get(hashlock) ?? null;
  }

  mayKnowHashlock(end: number): boolean {
    return this.#books.hashlocks.mayHave(end);
  }

  knowsHashlock(hashlock: Bytes32): boolean {
    if (this.#books.orders.byHashlock.has(hashlock)) return true;
    const context = this.#commits.context();
    for (const hash of this.#books.records.takesByHashlock.of(hashlock)) {
      const take = this.#books.records.takes.get(hash);
      if (take !== undefined && !isDead(context, take.expiresAt)) return true;
    }
    return false;
  }

  isHashlockUsed(buyer: EvmAddress, hashlock: Bytes32, except: Bytes32 | null): boolean {
    return this.#books.orders.isHashlockUsed(buyer, hashlock, except);
  }

  lockOutput(outpoint: Outpoint): { readonly output: HtlcOutput; readonly script: ScriptHex } | null {
    return this.#books.locks.named(outpoint);
  }

  knowsTransaction(txid: Txid): boolean {
    return this.#books.locks.knows(txid);
  }

  knowsEvmTransaction(txHash: Bytes32): boolean {
    return this.#books.orders.byTransaction.has(txHash);
  }

  ordersOfTransaction(hash: Bytes32): ReadonlySet<Bytes32> {
    const { orders, locks } = this.#books;
    const found = new Set(orders.byTransaction.of(hash));
    for (const script of locks.scriptsOf(hash.slice(2) as Txid)) {
      for (const order of orders.byScript.of(script)) found.add(order);
    }
    return found;
  }
}
