// Holds swap facts in tests without a database: a naive store in memory that keeps the promises of the port, can fail
// at a chosen commit, and counts.

import assert from "node:assert/strict";
import {
  type ChainCheckpoint,
  MAX_CHECKPOINTS,
  type StoredSwapEvent,
  type SwapIdentity,
  type SwapStore,
  type SwapTransaction,
} from "../../src/swaps/ledger/ports.ts";
import { inListOrder, isAsked, rowsOf } from "./closed-rows.ts";
import type {
  ClosedAnswer,
  ClosedBundle,
  ClosedQuestion,
  StoredFact,
} from "../../src/swaps/ledger/closed-port.ts";

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
  readonly #bundles = new Map<number, ClosedBundle>();
  /** The bundle that a fact belongs to. */
  readonly #bundleOf = new Map<string, number>();

  constructor({ tellsChanges = false } = {}) {
    this.tellsChanges = tellsChanges;
  }

  async initialise(identity: SwapIdentity): Promise<void> {
    this.#identity ??= identity;
    if (JSON.stringify(this.#identity) !== JSON.stringify(identity)) throw new Error("another identity");
  }

  async load(visit: (facts: readonly StoredFact[]) => void): Promise<void> {
    const open = this.#facts.filter((fact) => !this.#bundleOf.has(nameOf(fact)));
    for (let start = 0; start < open.length; start += 3) visit(open.slice(start, start + 3));
  }

  async checkpoints(chain: "evm" | "pearl"): Promise<readonly ChainCheckpoint[]> {
    const highestFirst = this.#checkpoints.toSorted((a, b) => b.height - a.height);
    return highestFirst.filter((one) => one.chain === chain).slice(0, MAX_CHECKPOINTS);
  }

  async commit(transaction: SwapTransaction): Promise<void> {
    const { rewind, remove, put, checkpoints, events, told, close, open } = transaction;
    await Promise.resolve();
    const { failure } = this;
    this.failure = null;
    if (failure !== null && !this.hasHappened) throw failure;
    this.commits += 1;
    if (told !== null && told.text !== null) this.told.push(told.text);
    if (rewind !== null) {
      const stays = (one: { chain: string | null; height: number | null }): boolean =>
        one.chain !== rewind.chain || (one.height ?? -1) <= rewind.toHeight;
      this.#facts = this.#facts.filter(stays);
      this.#checkpoints = this.#checkpoints.filter(stays);
    }
    for (const id of open) {
      assert.ok(this.#bundles.delete(id), `bundle ${id} is closed`);
      for (const [name, bundle] of this.#bundleOf) if (bundle === id) this.#bundleOf.delete(name);
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
    for (const bundle of close) {
      this.#bundles.set(bundle.id, bundle);
      for (const one of bundle.facts) {
        const name = nameOf(one);
        if (!this.#facts.some((fact) => nameOf(fact) === name)) continue;
        assert.ok(!this.#bundleOf.has(name), `${name} belongs to one bundle`);
        this.#bundleOf.set(name, bundle.id);
      }
    }
    for (const [name] of this.#bundleOf)
      assert.ok(
        this.#facts.some((fact) => nameOf(fact) === name),
        `${name} of a closed bundle is there`,
      );
    if (events === null) this.resets += 1;
    else this.events.push(...events);
    if (failure !== null) throw failure;
  }

  async keys(kind: string): Promise<readonly string[]> {
    return this.#facts.flatMap((fact) => (fact.kind === kind ? [fact.key] : []));
  }

  async closed(questions: readonly ClosedQuestion[]): Promise<ClosedAnswer> {
    const ids = new Set<number>();
    const rows = questions.map((question) => {
      const found = [...this.#bundles.values()].map((bundle) => ({ bundle, rows: rowsOf(question, bundle) }));
      const asked = found.filter(({ bundle }) => isAsked(question, bundle));
      for (const { bundle } of asked.slice(0, question.kind === "above" ? question.limit : asked.length))
        ids.add(bundle.id);
      const listed = inListOrder(question, found);
      if (question.kind === "orders" || question.kind === "asks" || question.kind === "moved")
        for (const { bundle } of listed) ids.add(bundle.id);
      return listed.map(({ row }) => row);
    });
    const bundles = [...ids].map((id) => ({
      id,
      facts: this.#facts.filter((fact) => this.#bundleOf.get(nameOf(fact)) === id),
    }));
    const state = this.#facts.find(({ kind }) => kind === "closed")?.body ?? null;
    return { state, rows, until: questions.map(() => null), bundles };
  }

  /** Number of closed bundles. */
  get closedBundles(): number {
    return this.#bundles.size;
  }

  /** All facts as stored. */
  get facts(): readonly StoredFact[] {
    return this.#facts;
  }
}

function nameOf({ kind, key }: Pick<StoredFact, "kind" | "key">): string {
  return `${kind} ${key}`;
}
