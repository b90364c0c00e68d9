// The state of swaps in a process that does not write it: the same ledger over the same changes, in their order, and the
// reads over it. Both chains and people are asked by the writer alone.

import type { LiveChanges } from "../adapters/store-postgres/live-rows.ts";
import type { OpenedPostgresReader, StoredSwaps } from "../adapters/store-postgres/postgres-reader.ts";
import type { ChangeMark, FollowedChange } from "../adapters/store-postgres/swaps/swap-changes.ts";
import { assertSameIdentity } from "../adapters/store-rows/swap-rows.ts";
import { sentenceOf } from "../follow/follower-errors.ts";
import type { Condition } from "../follow/conditions.ts";
import type { Clock, Log } from "../follow/ports.ts";
import type { IndexQueries } from "../index/queries.ts";
import type { ClosedQuestion } from "../swaps/ledger/closed-port.ts";
import type { SwapLedger } from "../swaps/ledger/ledger.ts";
import type { SwapStore } from "../swaps/ledger/ports.ts";
import type { SwapReadiness } from "../swaps/readiness.ts";
import { FollowingSwaps } from "../swaps/usecases/errands.ts";
import { CommandRefused } from "./cli/ending.ts";
import type { Config } from "./config/config.ts";
import type { SwapConfig } from "./config/read-swaps.ts";
import { identityOf, openReadyLedger, readsOver, UNKNOWN_EVM, UNKNOWN_PEARL } from "./open-ledger.ts";
import { noteBalances, type ToldPresent } from "./told-present.ts";
import type { Chain } from "../swap/facts.ts";

/** What it is made of. */
interface ReplicaFoundation {
  readonly config: Config;
  readonly swaps: SwapConfig;
  readonly reader: Pick<OpenedPostgresReader, "ask" | "closedSwaps">;
  readonly queries: IndexQueries;
  readonly present: ToldPresent;
  /** Resolves when everything is followed that was committed before the call. */
  readonly caughtUp: () => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

/** What is stored, as a ledger reads it; what a ledger would write, the writer's has written. */
class StoredState implements SwapStore {
  readonly tellsChanges = false;
  readonly #ask: SwapStore["closed"];
  #stored: StoredSwaps = {
    identity: null,
    facts: [],
    checkpoints: { evm: [], pearl: [] },
    change: { id: 0, hash: "" },
  };

  /** `ask`: what has closed is read where it is stored. */
  constructor(ask: SwapStore["closed"]) {
    this.#ask = ask;
  }

  put(stored: StoredSwaps): void {
    this.#stored = stored;
  }

  async initialise() {
    // Whether it fits is looked at when something is stored.
  }

  async load(visit: Parameters<SwapStore["load"]>[0]) {
    visit(this.#stored.facts);
  }

  async checkpoints(chain: Chain) {
    return this.#stored.checkpoints[chain];
  }

  async commit() {
    // The writer's ledger does.
  }

  closed(questions: readonly ClosedQuestion[]) {
    return this.#ask(questions);
  }

  async keys() {
    return [];
  }
}

/** The replica; empty until it is loaded. */
export class SwapReplica {
  readonly service: FollowingSwaps;
  readonly #ledger: SwapLedger;
  readonly #readiness: SwapReadiness;
  readonly #state: StoredState;
  readonly #foundation: ReplicaFoundation;

  private constructor(
    foundation: ReplicaFoundation,
    parts: { state: StoredState; ledger: SwapLedger; readiness: SwapReadiness; service: FollowingSwaps },
  ) {
    this.#foundation = foundation;
    this.#state = parts.state;
    this.#ledger = parts.ledger;
    this.#readiness = parts.readiness;
    this.service = parts.service;
  }

  /** A replica in which nothing stands yet. */
  static async open(foundation: ReplicaFoundation): Promise<SwapReplica> {
    const { config, swaps, queries, present, reader, caughtUp, clock, log } = foundation;
    const state = new StoredState((questions) => reader.closedSwaps(questions));
    const opened = await openReadyLedger(
      { config, swaps, store: state, log, clock },
      { evm: () => present.swaps?.evm ?? UNKNOWN_EVM, pearl: () => present.swaps?.pearl ?? UNKNOWN_PEARL },
      { caughtUp },
    );
    const escrow = () => present.swaps?.escrow ?? null;
    // No node is asked here, so that what only a node knows to be public is refused: the value must not travel.
    const reads = readsOver(opened, swaps, { queries, ownNode: NO_NODE, escrow, clock });
    const service = new FollowingSwaps(reads, { ask: (question) => reader.ask(question), caughtUp });
    return new SwapReplica(foundation, { ...opened, state, service });
  }

  /** Begins with what is stored; resolves with the newest change in it. @throws CommandRefused for another escrow (S-26). */
  async load(stored: StoredSwaps): Promise<ChangeMark> {
    const { config, swaps } = this.#foundation;
    try {
      if (stored.identity !== null) assertSameIdentity(stored.identity, identityOf(config, swaps));
    } catch (cause) {
      throw new CommandRefused([`swaps cannot use this database: ${sentenceOf(cause)}`], { cause });
    }
    this.#state.put(stored);
    await this.#ledger.readAgain();
    this.#state.put({ ...stored, facts: [] });
    return stored.change;
  }

  /** Takes what the writer has told of balances; each telling once, also before anything is loaded. */
  take({ rows, isWhole }: LiveChanges): void {
    noteBalances(this.#ledger, rows, isWhole);
  }

  /** Takes when the writer's EVM index was last synced, from a writer with the same settings. */
  learn(): void {
    this.#readiness.learn(this.#foundation.present.swaps?.lastSynced ?? null);
  }

  /** Follows changes behind this one; resolves with the last one followed, or null: load again. */
  async follow(changes: readonly FollowedChange[], behind: ChangeMark): Promise<ChangeMark | null> {
    let last = behind;
    for (const { id, hash, text } of changes) {
      try {
        await this.#ledger.follow(text);
      } catch (error) {
        this.#foundation.log.warn(
          { error: sentenceOf(error) },
          "a change of swaps cannot be followed: all is read again",
        );
        return null;
      }
      last = { id, hash };
    }
    return last;
  }

  /**
   * What this process alone finds of the chains that the writer tells of: it goes by its own clock, and withholds what that
   * calls too old. What the writer finds, too, it says by itself, when it has found it for a minute since it was started.
   */
  conditions(): readonly Condition[] {
    const { present } = this.#foundation;
    const found = this.#readiness.conditions();
    const isTold = present.conditions().some(({ code }) => code === "SWAPS_WITHHELD");
    if (isTold || present.swaps?.isWithheld === true) return [];
    return found.map(({ code, sentence }) => ({ code, sentence: `${sentence} ${ONLY_HERE}` }));
  }

  /** Lets time pass until the signal aborts. */
  run(signal: AbortSignal): Promise<void> {
    return this.#readiness.run(signal);
  }
}

const ONLY_HERE =
  "The process that writes the index does not find that: see whether the clock of this machine is right.";

/** Rejects, as a node does that does not answer: then a value counts as secret. */
const NO_NODE = {
  transaction: () => Promise.reject(new Error("no node is asked here")),
  isBlock: () => Promise.reject(new Error("no node is asked here")),
};
