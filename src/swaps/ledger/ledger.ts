// The ledger is the one owner of the state of all swaps: facts of both chains and records of people, in memory and in
// the store alike. Changes are handed in and asked questions here; readers see nothing that is not durable.

import type { EscrowEvent, Sighting, Chain } from "../../swap/facts.ts";
import type { EvaluationContext } from "../../swap/subject.ts";
import type { CommitFeed } from "../../follow/commit-feed.ts";
import type { Log } from "../../follow/ports.ts";
import type { Books } from "./books.ts";
import type { ClosedAnswer, ClosedQuestion, ClosedState } from "./closed-port.ts";
import { ALARM } from "./fact-kinds.ts";
import { endedAsks } from "./ended-asks.ts";
import { LedgerCommits, type SwapLedgerDependencies } from "./ledger-commits.ts";
import { stepBetween } from "./mempool-picture.ts";
import type {
  RowListener,
  ChainCheckpoint,
  EvmChange,
  EvmLedger,
  FinalAlarm,
  LedgerWrites,
  MempoolLocks,
  PearlChange,
  RecordWrites,
  SwapStore,
} from "./ports.ts";
import { StateReads } from "./state-reads.ts";
import { WatchedScripts } from "./watched-scripts.ts";

/** Asks that one step of time looks at for whether they are to be forgotten. */
const ASKS_AT_ONCE = 2_000;

/** The ledger as the API sees it. Closed deals are read by `reading` alone, or after `open`. */
export type LedgerReads = StateReads &
  Pick<
    SwapLedger,
    "settled" | "noteBalanceSeen" | "addressesSeen" | "write" | "reading" | "open" | "closedCounts" | "onRows"
  >;

/** The owner of swap state. */
export class SwapLedger extends StateReads implements LedgerWrites, EvmLedger {
  readonly watch = new WatchedScripts(() => this.#books);
  readonly #commits: LedgerCommits;
  readonly #store: SwapStore;
  readonly #log: Log;

  private constructor(commits: LedgerCommits, { store, log }: SwapLedgerDependencies) {
    super({
      books: () => commits.books,
      subjects: commits.subjects,
      context: () => commits.context(),
    });
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
    given: MempoolLocks | ((before: MempoolLocks) => MempoolLocks),
    sightings: readonly Sighting[],
    secrets: PearlChange["secrets"],
    rereadFrom: number | null = null,
  ): Promise<void> {
    return this.#commits.run(() => {
      const locks = typeof given === "function" ? given(this.mempool) : given;
      const step = stepBetween(this.mempool, locks);
      return { kind: "mempool", locks, step, sightings, secrets, rereadFrom };
    });
  }

  /** Changes records. Resolves when that is durable and visible. */
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

  /** Lets some deals that are long over leave memory; whether there may be more. To be called now and then. */
  close(): Promise<boolean> {
    return this.#commits.close();
  }

  /**
   * Brings closed deals into memory, to be worked on. What these questions name stays there for some minutes at least,
   * whether it had left or not.
   */
  open(questions: readonly ClosedQuestion[]): Promise<void> {
    return this.#commits.open(questions);
  }

  /** As `LedgerWrites.withClosed`. */
  withClosed<Value>(
    questions: () => readonly ClosedQuestion[],
    look: (hasOpened: boolean) => Value,
  ): Promise<Value> {
    return this.#commits.withClosed(questions, look);
  }

  /**
   * Carries out a change that the ledger of another process told (change-text.ts), over the state that it was told of.
   * @throws where it does not fit.
   */
  follow(text: string): Promise<void> {
    return this.#commits.follow(text);
  }

  /**
   * Reads what has closed together with what is in memory. `evaluate` gets reads of one state that show both, with the
   * answers to the questions, and uses them up at once.
   */
  reading<Value>(
    questions: readonly ClosedQuestion[],
    evaluate: (reads: StateReads, answer: ClosedAnswer) => Value,
  ): Promise<Value> {
    const { subjects } = this.#commits;
    return this.#commits.reading(questions, (books, answer) => {
      const context = (): EvaluationContext => this.#commits.context();
      return evaluate(new StateReads({ books: () => books, subjects, context }), answer);
    });
  }

  /** How many orders and asks have closed, by status. */
  closedCounts(): ClosedState {
    return this.#books.closed.state;
  }

  /** Reads everything from the store again, which is another process's. */
  readAgain(): Promise<void> {
    return this.#commits.startAgain();
  }

  /** Calls back after each visible change. */
  onRows(listener: RowListener): void {
    this.#commits.onRows(listener);
  }

  /** The picture of the mempool that was told last, be it to the process before. */
  get mempool(): MempoolLocks {
    return this.#books.locks.mempool;
  }

  checkpoints(chain: Chain): readonly ChainCheckpoint[] {
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

  shownEnds(): readonly string[] | null {
    return this.#books.trust.shownEnds;
  }

  applyShownEnds(shown: readonly string[] | null): Promise<void> {
    return this.#commits.run({ kind: "ends", shown });
  }

  isPaused(): boolean {
    return this.#books.settings.isPaused();
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

  /** Resolves when reads show every change whose events could be read before the call. */
  landed(): Promise<void> {
    return this.#commits.landed();
  }

  /** Resolves when no commit is in flight, so that what is read afterwards is durable. */
  settled(): Promise<void> {
    return this.#commits.settled();
  }

  /** Addresses of which `balanceSeenAt` knows a time. */
  addressesSeen(): Iterable<string> {
    return this.#books.balancesSeen.keys();
  }

  /**
   * Notes what `balanceSeenAt` answers; null forgets it. In memory alone: rows show it, no event tells it, and records
   * are brought up to date once an hour.
   */
  noteBalanceSeen(address: string, at: number | null): void {
    const { balancesSeen } = this.#books;
    if (at === null) balancesSeen.delete(address);
    else balancesSeen.set(address, at);
  }
}
