// Holds swap facts in tests without a database: a naive store in memory that keeps the promises of the port, can fail
// at a chosen commit, and counts.

import type {
  ChainCheckpoint,
  StoredFact,
  StoredSwapEvent,
  SwapIdentity,
  SwapStore,
  SwapTransaction,
} from "../../src/swaps/ledger/ports.ts";

/** The store; what it holds outlives the ledgers that are opened on it. */
export class MemorySwapStore implements SwapStore {
  readonly events: StoredSwapEvent[] = [];
  /** How often the event log was emptied. */
  resets = 0;
  commits = 0;
  /** The next commit rejects with this, changing nothing, or, where `hasHappened`, having changed all. */
  failure: Error | null = null;
  hasHappened = false;
  /** Every change that was told, in order; nothing is told unless the store is made so. */
  readonly told: string[] = [];
  readonly tellsChanges: boolean;
  #identity: SwapIdentity | null = null;
  #facts: StoredFact[] = [];
  #checkpoints: ChainCheckpoint[] = [];

  constructor({ tellsChanges = false } = {}) {
    this.tellsChanges = tellsChanges;
  }

  async identity(): Promise<SwapIdentity | null> {
    return this.#identity;
  }

  async initialise(identity: SwapIdentity): Promise<void> {
    this.#identity ??= identity;
    if (JSON.stringify(this.#identity) !== JSON.stringify(identity)) throw new Error("another identity");
  }

  async load(visit: (facts: readonly StoredFact[]) => void): Promise<void> {
    for (let start = 0; start < this.#facts.length; start += 3) visit(this.#facts.slice(start, start + 3));
  }

  async checkpoints(chain: "evm" | "pearl"): Promise<readonly ChainCheckpoint[]> {
    return this.#checkpoints.filter((one) => one.chain === chain).toSorted((a, b) => b.height - a.height);
  }

  async commit({ rewind, remove, put, checkpoints, events, told }: SwapTransaction): Promise<void> {
    await Promise.resolve();
    const { failure } = this;
    this.failure = null;
    if (failure !== null && !this.hasHappened) throw failure;
    this.commits += 1;
    if (told !== undefined) this.told.push(told.text);
    if (rewind !== null) {
      const stays = (one: { chain: string | null; height: number | null }): boolean =>
        one.chain !== rewind.chain || (one.height ?? -1) <= rewind.toHeight;
      this.#facts = this.#facts.filter(stays);
      this.#checkpoints = this.#checkpoints.filter(stays);
    }
    for (const { kind, key } of remove) {
      this.#facts = this.#facts.filter((one) => one.kind !== kind || one.key !== key);
    }
    for (const fact of put) {
      const at = this.#facts.findIndex(({ kind, key }) => kind === fact.kind && key === fact.key);
      if (at === -1) this.#facts.push(fact);
      else this.#facts[at] = fact;
    }
    for (const one of checkpoints) {
      this.#checkpoints = this.#checkpoints.filter(
        ({ chain, height }) => chain !== one.chain || height !== one.height,
      );
      this.#checkpoints.push(one);
    }
    if (events === null) this.resets += 1;
    else this.events.push(...events);
    if (failure !== null) throw failure;
  }

  async keys(kind: string): Promise<readonly string[]> {
    return this.#facts.flatMap((fact) => (fact.kind === kind ? [fact.key] : []));
  }

  /** All facts as stored. */
  get facts(): readonly StoredFact[] {
    return this.#facts;
  }
}
