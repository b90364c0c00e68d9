// Makes changes of the ledger durable and visible, one after the other: each is made in a draft over the books, held
// against them for its events, committed in one transaction, and laid down in one synchronous step. Whether a commit that
// failed has happened is unknown: what is in memory is dropped and read again.

import type { SwapCrypto } from "../../swap/crypto.ts";
import type { ChainTips } from "../../swap/facts.ts";
import type { EvaluationContext, SwapRules } from "../../swap/subject.ts";
import { CommitFeed } from "../../follow/commit-feed.ts";
import type { Clock, Log } from "../../follow/ports.ts";
import { Books, Draft } from "./books.ts";
import { type LedgerChange, readChange, type TimedChange, toldChange } from "./change-text.ts";
import {
  ChangeEvents,
  isSeenByRows,
  type LedgerState,
  type TouchedRow,
  touchedRows,
} from "./change-events.ts";
import { UNTOLD } from "./fact-kinds.ts";
import { LedgerChanges } from "./ledger-changes.ts";
import { loadBooks } from "./ledger-loading.ts";
import { touchedBy, undoneBy, withBundles } from "./recall.ts";
import {
  type ClosedAnswer,
  type ClosedQuestion,
  emptyAnswer,
  namesIn,
  type StoredBundle,
} from "./closed-port.ts";
import { type ClosingBounds, ClosingRounds } from "./closing.ts";
import {
  NO_CHANGE,
  NothingWritten,
  type RowListener,
  type StoredSwapEvent,
  type SwapIdentity,
  type SwapStore,
} from "./ports.ts";
import { Subjects } from "./subjects.ts";

/** Rows that one transaction tells of; a change of more is told by further transactions. */
const TOLD_AT_ONCE = 512;

/** Readings of closed deals between which something closed or opened each time. */
const MAX_TRIES = 20;

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
  /** When what has ended leaves memory; absent: never. */
  readonly closing?: ClosingBounds;
  /** Resolves when this ledger has followed what the store shows; absent where it is the one that writes. */
  readonly caughtUp?: () => Promise<void>;
  /** What rows of events are evaluated in, with these tips. */
  readonly contextOf: (tips: ChainTips) => EvaluationContext;
}

/** A change, or what says it when its turn has come. */
type Change = LedgerChange | (() => LedgerChange | Promise<LedgerChange>);

/** The one writer of the books. */
export class LedgerCommits {
  /** Published after every visible change. */
  readonly feed = new CommitFeed();
  readonly subjects: Subjects;
  readonly #parts: SwapLedgerDependencies;
  readonly #events: ChangeEvents;
  readonly #rounds: ClosingRounds | null;
  #books: Books;
  /** Whether a commit has failed and the books could not be read again since. */
  #isDoubtful = false;
  #lastContext: EvaluationContext;
  /** Whether events are missing that could not be written: the next transaction empties the log. */
  #owesReset = false;
  #turn: Promise<void> = Promise.resolve();
  /** The change that is being stored, until the books show it or are read again. */
  #landing: Promise<void> = Promise.resolve();
  readonly #rowListeners: RowListener[] = [];

  private constructor(parts: SwapLedgerDependencies, books: Books) {
    this.#parts = parts;
    this.#books = books;
    this.subjects = new Subjects(parts.crypto);
    this.#events = new ChangeEvents(this.subjects, parts);
    this.#rounds = parts.closing === undefined ? null : new ClosingRounds(parts.closing);
    this.#lastContext = this.context();
  }

  /** As `SwapLedger.open`. */
  static async open(parts: SwapLedgerDependencies): Promise<LedgerCommits> {
    const { store, identity } = parts;
    await store.initialise(identity);
    const books = new Books(parts);
    const isUntold = await loadBooks(store, books);
    if (isUntold) await store.commit({ ...NO_CHANGE, remove: [UNTOLD.row("rows")], events: null });
    return new LedgerCommits(parts, books);
  }

  /** The books as they are durable. Others take their place where a commit has failed, so nobody keeps them. */
  get books(): Books {
    return this.#books;
  }

  /** What rows are evaluated in, with these tips. */
  context(tips = this.#books.chains.tips): EvaluationContext {
    return this.#parts.contextOf(tips);
  }

  /** Calls back after each visible change. */
  onRows(listener: RowListener): void {
    this.#rowListeners.push(listener);
  }

  /** Resolves when no change is under way. */
  settled(): Promise<void> {
    return this.#turn;
  }

  /**
   * Resolves when the books show every change whose events could be read before the call: the store has a change, and its
   * events, a moment before the books do.
   */
  landed(): Promise<void> {
    return this.#landing;
  }

  /** Carries a change out when its turn has come; resolves when it is durable and visible. */
  run(change: Change): Promise<void> {
    return this.#inTurn(() => this.#carryOut(change));
  }

  /** As `SwapLedger.open`. */
  open(questions: readonly ClosedQuestion[]): Promise<void> {
    return this.#inTurn(async () => {
      // What is still in memory stays, too: else it could close while whoever named it waits for a node.
      this.#rounds?.hold(namesIn(questions), this.#parts.clock.monotonicMs());
      await this.#carryOut({ kind: "open", questions });
    });
  }

  /** As `LedgerWrites.withClosed`. */
  withClosed<Value>(
    questions: () => readonly ClosedQuestion[],
    look: (hasOpened: boolean) => Value,
  ): Promise<Value> {
    return this.#inTurn(async () => {
      await this.#believed();
      if (this.#books.closed.isEmpty) return look(false);
      const { version } = this.#books.closed.state;
      const named: ClosedQuestion[] = [];
      for (const question of questions()) {
        if (question.kind === "above") await this.#openPieces(question);
        else named.push(question);
      }
      await this.#carryOut({ kind: "open", questions: named });
      return look(this.#books.closed.state.version !== version);
    });
  }

  /** Lets some of what has ended leave memory; whether there may be more at once. */
  async close(): Promise<boolean> {
    const rounds = this.#rounds;
    if (rounds === null) return false;
    let count = 0;
    await this.#inTurn(async () => {
      await this.#believed();
      const hashlocks = rounds.next(this.#books, this.#parts.clock.monotonicMs());
      count = hashlocks.length;
      if (count > 0) await this.#carryOut({ kind: "close", hashlocks });
    });
    return count > 0;
  }

  /** As `SwapLedger.follow`: makes a change visible that another process has stored. */
  follow(text: string): Promise<void> {
    return this.#inTurn(async () => {
      const timed = readChange(text, this.#books.locks.mempool);
      const draft = new Draft(this.#books);
      await new LedgerChanges(draft, this.#parts).carryOut(timed, () => timed.is);
      draft.books.layDown();
      this.#tellListeners(draft);
      this.feed.publish();
    });
  }

  /** As `SwapLedger.readAgain`. */
  startAgain(): Promise<void> {
    return this.#inTurn(async () => {
      const before = this.#books;
      await this.#readAgain();
      const orders = new Set([...before.orders.entries.keys(), ...before.records.takes.keys()]);
      for (const hash of this.#books.orders.entries.keys()) orders.add(hash);
      for (const hash of this.#books.records.takes.keys()) orders.add(hash);
      const asks = new Set([...before.records.asks.keys(), ...this.#books.records.asks.keys()]);
      for (const listener of this.#rowListeners) listener([...orders], [...asks]);
      this.feed.publish();
    });
  }

  #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const done = this.#turn.then(work);
    this.#turn = done.then(
      () => undefined,
      () => undefined,
    );
    return done;
  }

  async #carryOut(given: Change): Promise<void> {
    await this.#believed();
    const change = typeof given === "function" ? await given() : given;
    const undone = undoneBy(this.#books, change);
    if (undone !== null) await this.#openPieces(undone);
    const opened = await this.#closedBundles(touchedBy(this.#books, change));
    if (change.kind === "open" && opened.length === 0) return;
    const draft = new Draft(this.#books);
    const was = { ...this.#lastContext, tips: this.#books.chains.tips };
    const changes = new LedgerChanges(draft, this.#parts);
    const is = await changes.carryOut({ change, was, opened }, (tips) => this.context(tips));
    const rows = touchedRows(draft);
    const [first, rest] = [rows.slice(0, TOLD_AT_ONCE), rows.slice(TOLD_AT_ONCE)];
    const [before, hidden] = [
      { books: withBundles(this.#books, opened), context: was },
      { books: draft.books, context: is },
    ];
    const told = await this.#events.told(draft, first, before, hidden);
    if (this.#owesReset) draft.forget(UNTOLD, "rows");
    if (rest.length > 0) draft.store(UNTOLD, "rows");
    const events = this.#owesReset ? null : [...draft.events, ...told];
    const landing = this.#commit(draft, events, { change, was, is, opened }).then(() => {
      this.#owesReset = false;
      draft.books.layDown();
    });
    this.#landing = landing.catch(() => undefined);
    await landing;
    this.#lastContext = is;
    if (draft.open.length > 0) this.#rounds?.hold(draft.moved.orders, this.#parts.clock.monotonicMs());
    this.#tellListeners(draft);
    this.feed.publish();
    if (rest.length === 0) return;
    // The books have the change now, and those of the draft show what was there before.
    await this.#tellRest(
      draft,
      rest,
      { books: withBundles(draft.books, opened), context: was },
      { books: this.#books, context: is },
    );
  }

  /**
   * Brings all back that the question finds, a bounded number at a time, each a change of its own: all at once would be held
   * in memory several times, as rows, as facts and as a text for other processes. What has come back is not found again.
   */
  async #openPieces(question: ClosedQuestion): Promise<void> {
    for (let before = -1; before !== this.#books.closed.state.version; ) {
      before = this.#books.closed.state.version;
      await this.#carryOut({ kind: "open", questions: [question] });
    }
  }

  async #commit(draft: Draft, events: readonly StoredSwapEvent[] | null, timed: TimedChange): Promise<void> {
    const { store } = this.#parts;
    const { rewind, put, remove, checkpoints, close } = draft;
    const isStored =
      rewind !== null || put.length + remove.length + checkpoints.length > 0 || events?.length !== 0;
    const isTold = store.tellsChanges && (isStored || isSeenByRows(draft, timed.change));
    if (!isStored && !isTold) return;
    try {
      const open = draft.open.map(({ id }) => id);
      const told = isTold ? { text: toldChange(timed) } : null;
      await store.commit({ rewind, put, remove, checkpoints, events, close, open, told });
    } catch (error) {
      if (error instanceof NothingWritten) throw error;
      this.#isDoubtful = true;
      // Where the store cannot be read either, the next change tries it again before anything else.
      await this.#readAgain().then(
        () => this.#tellListeners(draft),
        () => undefined,
      );
      throw error;
    }
  }

  /**
   * Reads what has closed together with what is in memory: `evaluate` gets books that show both, and the answers to the
   * questions, of one state. It must be used up at once.
   */
  async reading<Value>(
    questions: readonly ClosedQuestion[],
    evaluate: (books: Books, answer: ClosedAnswer) => Value,
  ): Promise<Value> {
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const { closed } = this.#books;
      if (closed.isEmpty) return evaluate(this.#books, emptyAnswer(questions));
      const answer = await this.#parts.store.closed(questions);
      // Books may have become others meanwhile. What closed or opened in between makes the two contradict each other.
      if (answer.state === this.#books.closed.text)
        return evaluate(withBundles(this.#books, answer.bundles), answer);
      await (this.#parts.caughtUp?.() ?? this.#inTurn(() => this.#believed()));
    }
    throw new Error("swap ledger: what is closed changes faster than it can be read");
  }

  /** Bundles of the store that a change touches; asked in turn, so that nothing closes or opens meanwhile. */
  async #closedBundles(questions: readonly ClosedQuestion[]): Promise<readonly StoredBundle[]> {
    const { closed } = this.#books;
    if (questions.length === 0 || closed.isEmpty) return [];
    const { state, bundles } = await this.#parts.store.closed(questions);
    if (state === closed.text) return bundles;
    this.#isDoubtful = true;
    throw new Error("swap ledger: the store has other closed deals than this ledger has seen close");
  }

  /** What is in memory is what the store has: read again where a commit has failed whose outcome could not be seen then. */
  async #believed(): Promise<void> {
    if (this.#isDoubtful) await this.#readAgain();
  }

  /** Drops what is in memory and reads it from the store, but for what is in memory alone. */
  async #readAgain(): Promise<void> {
    const books = new Books(this.#parts);
    const isUntold = await loadBooks(this.#parts.store, books);
    books.takeUnstored(this.#books);
    this.#owesReset ||= isUntold;
    this.#books = books;
    this.#isDoubtful = false;
  }

  #tellListeners({ orders, asks, moved }: Draft): void {
    const [rows, offers] = [
      [...orders.keys(), ...moved.orders],
      [...asks.keys(), ...moved.asks],
    ];
    for (const listener of this.#rowListeners) listener(rows, offers);
  }

  /**
   * The change is durable and visible: what fails here are events, and a reset says so. While some are written, the next
   * ones are made.
   */
  async #tellRest(
    draft: Draft,
    rows: readonly TouchedRow[],
    before: LedgerState,
    after: LedgerState,
  ): Promise<void> {
    let isWritten: Promise<void> = Promise.resolve();
    try {
      for (let at = 0; at < rows.length; at += TOLD_AT_ONCE) {
        const events = await this.#events.told(draft, rows.slice(at, at + TOLD_AT_ONCE), before, after);
        await isWritten;
        const isLast = at + TOLD_AT_ONCE >= rows.length;
        const remove = isLast ? [UNTOLD.row("rows")] : [];
        const writing = this.#parts.store.commit({ ...NO_CHANGE, remove, events });
        isWritten = writing.then(() => this.feed.publish());
        // It is waited for above or below, and may fail before.
        isWritten.catch(() => undefined);
      }
      await isWritten;
    } catch (error) {
      // No other transaction begins before this one has ended.
      await isWritten.catch(() => undefined);
      this.#owesReset = true;
      this.#parts.log.error({ error }, "events of swaps could not be written; the event log begins anew");
    }
  }
}
