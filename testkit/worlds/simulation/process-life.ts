// Runs one life of the service in a simulation: a follower over the simulated ports, which can be stopped properly or
// crash, and leaves behind only what the store holds.

import type { ProtocolRules } from "../../../src/prc20/rules.ts";
import { CommitFeed } from "../../../src/follow/commit-feed.ts";
import { FOLLOWER_DEFAULTS, IndexFollower } from "../../../src/index/follower.ts";
import { BlockIndexer } from "../../../src/index/index-block.ts";
import type { FailureKind } from "../../../src/follow/follower-errors.ts";
import type { IndexMetrics } from "../../../src/index/ports.ts";
import { claimDatabase } from "../../../src/index/parameters.ts";
import type { FollowedStore } from "../../../src/index/ports.ts";
import { IndexProgress } from "../../../src/follow/progress.ts";
import type { FaultPlan } from "./fault-plan.ts";
import type { PortCalls } from "./port-calls.ts";
import { SimulatedNode } from "./simulated-node.ts";
import type { VirtualClock } from "../../doubles/clock.ts";
import type { SimulatedWorld } from "./simulated-world.ts";
import { textLog } from "../../doubles/log.ts";
import { simnetContext } from "../../builders/core-index/index.ts";
import { type Between, storeBehind } from "../../doubles/store-behind.ts";

/** Undo limit of simulations: small, so that runs reach it. */
export const SIMULATED_UNDO = 12;

/** What the lives of one simulation share. */
export interface Surroundings {
  readonly world: SimulatedWorld;
  readonly store: FollowedStore;
  /** How many calls of the store are under way. */
  readonly busy: { calls: number };
  readonly rules: ProtocolRules;
  readonly faults: FaultPlan;
  readonly clock: VirtualClock;
  /** Lines of the log, for the report of a failed run. */
  readonly lines: string[];
}

/** Counts for the report and for assertions about what a run has met. */
export class CountedMetrics implements IndexMetrics {
  readonly failures = new Map<FailureKind, number>();
  rewinds = 0;
  deepest = 0;
  blocks = 0;

  committed(blocks: readonly unknown[]): void {
    this.blocks += blocks.length;
  }

  rewound(depth: number): void {
    this.rewinds += 1;
    this.deepest = Math.max(this.deepest, depth);
  }

  failed(kind: FailureKind): void {
    this.failures.set(kind, (this.failures.get(kind) ?? 0) + 1);
  }
}

/** A running follower of a simulation. */
export class ProcessLife {
  readonly node: SimulatedNode;
  readonly progress: IndexProgress;
  /** What this life has read of the store so far: all anchors, and batches of rows. */
  readonly reads = { anchors: 0, rows: 0 };
  readonly #calls: PortCalls;
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;

  constructor(around: Surroundings, calls: PortCalls, metrics: CountedMetrics, isMadeAtCrash = false) {
    const { world, faults, clock, rules } = around;
    this.#calls = calls;
    this.node = new SimulatedNode(world, faults, clock, calls);
    this.progress = new IndexProgress(clock);
    const store = storeBehind(around.store, this.#betweenStore(around, isMadeAtCrash));
    // A small cache, so that rows leave it and come back.
    const indexer = new BlockIndexer(simnetContext(rules), store, 7, 8);
    const parts = {
      node: this.node.port,
      store,
      indexer,
      progress: this.progress,
      feed: new CommitFeed(),
      clock,
      log: textLog(around.lines),
      metrics,
    };
    const follower = new IndexFollower(parts, {
      ...FOLLOWER_DEFAULTS,
      undoBlocks: SIMULATED_UNDO,
      batchBlocks: 5,
      batchOperations: 20,
      mostBatchOperations: 40,
      roundBlocks: 25,
      tipBlocks: 2,
      prefetch: { maxAhead: 4, maxBytes: 20_000, hashWindow: 7 },
    });
    // Claimed on the bare store: the parameters are checked before the follower starts, and not by it.
    this.#ended = claimed(around, indexer).then(() => follower.run(this.#stop.signal));
  }

  /** The gate of the process and the fault plan, before every call of the store. */
  #betweenStore({ busy, faults }: Surroundings, isMadeAtCrash: boolean): Between {
    const counted = async <Value>(call: () => Promise<Value>): Promise<Value> => {
      busy.calls += 1;
      try {
        return await call();
      } finally {
        busy.calls -= 1;
      }
    };
    return {
      read: (name, call) => {
        if (name !== "other") this.reads[name] += 1;
        return this.#calls.through(() => counted(call));
      },
      write: (request, call) =>
        this.#calls.through(async () => {
          const fault = faults.store(request);
          if (fault === "fail-before") throw new Error(`${request}: failed before the write`);
          await counted(call);
          if (fault === "fail-after") throw new Error(`${request}: failed after the write`);
        }, isMadeAtCrash),
    };
  }

  /** Stops as SIGTERM does; resolves when the follower has ended. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }

  /** Stops as SIGKILL does: no call returns any more. */
  kill(): void {
    this.#calls.kill();
    this.#stop.abort();
  }

  /** The abort that a stop begins with, for a caller that has to move time meanwhile. */
  get ended(): Promise<void> {
    return this.#ended;
  }
}

async function claimed({ store, busy }: Surroundings, indexer: BlockIndexer): Promise<void> {
  busy.calls += 1;
  await claimDatabase(store, indexer.parameters);
  busy.calls -= 1;
}
