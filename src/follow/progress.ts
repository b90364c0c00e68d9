// Keeps whether an index gets on with its chain (H-20), and how far the PRC20 index is; written by the followers, read by
// HTTP at any time. All ages are monotonic and counted from the question, so that a silent node shows, whoever asks it
// and however often.

import type { Condition } from "./conditions.ts";
import type { Clock, PearlNode } from "./ports.ts";
import type { IndexStatus } from "./serving.ts";

/** Settings of the judgement. */
export interface ProgressOptions {
  /** Lag up to which the index counts as synced, in blocks. */
  readonly syncedLag: number;
  /** Milliseconds without a new block, though the node has more, after which the index counts as stalled. */
  readonly stallMs: number;
  /** Milliseconds that the node may owe an answer before it counts as hanging. */
  readonly silenceMs: number;
}

/**
 * H-20: synced up to a lag of 1; a minute without progress is a stall. A node that hangs is one within 15 s: the
 * follower asks it every 3 s, and 8 s pass from the question to the judgement.
 */
export const PROGRESS_DEFAULTS: ProgressOptions = { syncedLag: 1, stallMs: 60_000, silenceMs: 8000 };

/** Whether an index gets on with its chain, whichever chain it is. */
export class Progress {
  readonly #clock: Clock;
  readonly #stallMs: number;
  #trouble: string | null = null;
  #isOfStore = false;
  #movedAtMs: number;

  /** `stallMs`: without progress for so long, though there is more to read, it does not get on. */
  constructor(clock: Clock, stallMs: number) {
    this.#clock = clock;
    this.#stallMs = stallMs;
    this.#movedAtMs = clock.monotonicMs();
  }

  /** Something was written, or there was nothing to write: time spent waiting for a chain is no lack of progress. */
  moved(): void {
    this.#movedAtMs = this.#clock.monotonicMs();
  }

  /**
   * Something keeps the index from going on; the sentence is for the log and for tests. `isOfStore`: it is the
   * database, so that whoever is told to look at the node looks at the wrong machine.
   */
  troubled(sentence: string, isOfStore = false): void {
    this.#trouble = sentence;
    this.#isOfStore = isOfStore;
  }

  /** A round has ended well. */
  untroubled(): void {
    this.#trouble = null;
    this.#isOfStore = false;
  }

  /** What keeps the index from going on, or null. */
  get trouble(): string | null {
    return this.#trouble;
  }

  /** Whether it is the database that keeps the index from going on. */
  get isStoreTrouble(): boolean {
    return this.#isOfStore;
  }

  /** Whether the index does not get on. `hasMore`: the chain has blocks that are not indexed. */
  isStuck(hasMore: boolean): boolean {
    if (this.#trouble !== null) return true;
    return hasMore && this.#clock.monotonicMs() - this.#movedAtMs > this.#stallMs;
  }
}

/** What the index's follower asks of a node. */
export type BlockNode = Pick<PearlNode, "checkIdentity" | "tip" | "blockHash" | "blockHashes" | "rawBlock">;

/** The PRC20 index's progress against its node. */
export class IndexProgress extends Progress {
  readonly #clock: Clock;
  readonly #options: ProgressOptions;
  #nodeHeight = -1;
  #indexedHeight = -1;
  #isBehind = false;
  #heardAtMs: number;
  /** When the questions were asked that the node has not answered yet, in the order of asking. */
  readonly #asked = new Set<{ readonly atMs: number }>();

  constructor(clock: Clock, options: ProgressOptions = PROGRESS_DEFAULTS) {
    super(clock, options.stallMs);
    this.#clock = clock;
    this.#options = options;
    this.#heardAtMs = clock.monotonicMs();
  }

  /**
   * The node has answered with its height. `isBehind`: its best chain ends below the index and is its beginning, as far
   * as is known (S-05, H-20).
   */
  nodeAt(height: number, isBehind = false): void {
    if (this.#nodeHeight <= this.#indexedHeight) this.moved();
    this.#nodeHeight = height;
    this.#isBehind = isBehind;
  }

  /** The store's tip is now at this height; -1 where it has none. */
  indexedAt(height: number): void {
    this.#indexedHeight = height;
    this.moved();
  }

  /** The same node, with the time measured that it takes to answer. */
  hearing(node: BlockNode): BlockNode {
    return {
      checkIdentity: () => this.#answerOf(node.checkIdentity()),
      tip: () => this.#answerOf(node.tip()),
      blockHash: (height) => this.#answerOf(node.blockHash(height)),
      blockHashes: (from, count) => this.#answerOf(node.blockHashes(from, count)),
      rawBlock: (hash) => this.#answerOf(node.rawBlock(hash)),
    };
  }

  async #answerOf<Value>(answer: Promise<Value>): Promise<Value> {
    const question = { atMs: this.#clock.monotonicMs() };
    this.#asked.add(question);
    try {
      return await answer;
    } finally {
      this.#asked.delete(question);
      this.#heardAtMs = this.#clock.monotonicMs();
    }
  }

  /** Whether the node owes an answer and has given none for too long. */
  get #isSilent(): boolean {
    const [oldest] = this.#asked;
    if (oldest === undefined) return false;
    const sinceMs = Math.max(oldest.atMs, this.#heardAtMs);
    return this.#clock.monotonicMs() - sinceMs >= this.#options.silenceMs;
  }

  get #isStalled(): boolean {
    return this.#isSilent || this.isStuck(this.#nodeHeight > this.#indexedHeight);
  }

  /** The state for `/health`. */
  status(): IndexStatus {
    const lag = Math.max(0, this.#nodeHeight - this.#indexedHeight);
    const isSynced = this.#nodeHeight >= 0 && lag <= this.#options.syncedLag;
    return {
      nodeHeight: this.#nodeHeight,
      indexedHeight: this.#indexedHeight,
      lag,
      indexingStatus: this.#isBehind || this.#isStalled ? "stalled" : isSynced ? "synced" : "syncing",
      evm: null,
    };
  }

  /** What is wrong now (H-20). */
  conditions(): readonly Condition[] {
    const heights = `the index is at ${this.#indexedHeight}, the node was last seen at ${this.#nodeHeight}`;
    const conditions: Condition[] = [];
    if (this.isStoreTrouble) {
      const what = `The database does not take what is to be written (${heights})`;
      const advice =
        "Check that its disk has room and its permissions; the log has the error. The index goes on by itself.";
      conditions.push({ code: "STORE_SILENT", sentence: `${what}. ${advice}` });
    }
    if (this.#isSilent || (this.#isStalled && !this.isStoreTrouble)) {
      const what = this.#isSilent ? "The node owes an answer and is silent" : "The index does not get on";
      const advice = "The last error line of the log says why; check that the node runs and answers.";
      conditions.push({ code: "PEARL_STALLED", sentence: `${what} (${heights}). ${advice}` });
    }
    if (this.#isBehind) {
      const what = `The node has lost blocks that the index has (${heights}), as it does when it is killed`;
      const advice =
        "Nothing is undone; let it sync. The index goes on when it has our tip or another branch.";
      conditions.push({ code: "PEARL_NODE_BEHIND", sentence: `${what}. ${advice}` });
    }
    return conditions;
  }
}
