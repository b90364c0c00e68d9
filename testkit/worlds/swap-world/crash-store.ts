// Makes the service die in a world at a commit, before or after it was made. And it notes every secret that reaches the
// store before a chain has shown it, for none may.

import type {
  ChainCheckpoint,
  SwapIdentity,
  SwapStore,
  SwapTransaction,
} from "../../../src/swaps/ledger/ports.ts";
import type { ClosedAnswer, ClosedQuestion, StoredFact } from "../../../src/swaps/ledger/closed-port.ts";

/** The store of one life of the service. */
export class CrashStore implements SwapStore {
  readonly #store: SwapStore;
  readonly #hidden: () => Iterable<string>;
  #dies: "before" | "after" | null = null;
  /** Whether the process is dead. */
  isDead = false;
  /** What was written and must not have been. */
  readonly leaks: string[] = [];

  /** `hidden`: hex of secrets that no chain has shown. */
  constructor(store: SwapStore, hidden: () => Iterable<string>) {
    this.#store = store;
    this.#hidden = hidden;
  }

  /** The next commit kills the process. */
  dieAtNextCommit(context: "before" | "after"): void {
    this.#dies = context;
  }

  identity(): Promise<SwapIdentity | null> {
    return this.#store.identity();
  }

  initialise(identity: SwapIdentity): Promise<void> {
    return this.#store.initialise(identity);
  }

  load(visit: (facts: readonly StoredFact[]) => void): Promise<void> {
    return this.#store.load(visit);
  }

  checkpoints(chain: "evm" | "pearl"): Promise<readonly ChainCheckpoint[]> {
    return this.#store.checkpoints(chain);
  }

  closed(questions: readonly ClosedQuestion[]): Promise<ClosedAnswer> {
    return this.#store.closed(questions);
  }

  keys(kind: string): Promise<readonly string[]> {
    return this.#store.keys(kind);
  }

  async commit(transaction: SwapTransaction): Promise<void> {
    if (this.isDead) throw new Error("the process is dead");
    const texts = [
      ...transaction.put.map(({ body }) => body),
      ...(transaction.events ?? []).map(({ data }) => data),
    ];
    for (const secret of this.#hidden()) {
      for (const text of texts) if (text.includes(secret)) this.leaks.push(text);
    }
    const dies = this.#dies;
    if (dies !== null) this.isDead = true;
    if (dies !== "before") await this.#store.commit(transaction);
    if (dies !== null) throw new Error("the process died at a commit");
  }
}
