// Runs one life of the service in a simulation: a follower over the simulated ports, which can be stopped properly or
// crash, and leaves behind only what the store holds.

import { sha256, sha256d } from "../../../src/adapters/system/hashes.ts";
import { verifySchnorr } from "../../../src/adapters/system/schnorr.ts";
import { NETWORKS } from "../../../src/chain/networks.ts";
import type { ProtocolRules } from "../../../src/prc20/rules.ts";
import { CommitFeed } from "../../../src/follow/commit-feed.ts";
import { Follower, FOLLOWER_DEFAULTS } from "../../../src/index/follower.ts";
import { BlockIndexer } from "../../../src/index/index-block.ts";
import type { FailureKind } from "../../../src/follow/follower-errors.ts";
import type { IndexMetrics } from "../../../src/index/metrics.ts";
import { claimDatabase } from "../../../src/index/parameters.ts";
import type { FollowedStore, SignatureChecker } from "../../../src/index/ports.ts";
import type { Log } from "../../../src/follow/ports.ts";
import { IndexProgress } from "../../../src/follow/progress.ts";
import type { FaultPlan } from "./fault-plan.ts";
import type { PortCalls } from "./port-calls.ts";
import { SimulatedNode } from "./simulated-node.ts";
import { type Busy, SimulatedStore } from "./simulated-store.ts";
import type { VirtualClock } from "./virtual-clock.ts";
import type { World } from "./world.ts";

/** Undo limit of simulations: small, so that runs reach it. */
export const SIMULATED_UNDO = 12;

const inlineChecker: SignatureChecker = {
  verifyAll: async (jobs) =>
    jobs.map(({ key, message, signature }) => verifySchnorr(key, message, signature)),
  close: async () => undefined,
};

/** What the lives of one simulation share. */
export interface Surroundings {
  readonly world: World;
  readonly store: FollowedStore;
  readonly busy: Busy;
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
  readonly reads: Readonly<{ anchors: number; rows: number }>;
  readonly #calls: PortCalls;
  readonly #stop = new AbortController();
  readonly #ended: Promise<void>;

  constructor(around: Surroundings, calls: PortCalls, metrics: CountedMetrics, isMadeAtCrash = false) {
    const { world, faults, clock, rules } = around;
    this.#calls = calls;
    this.node = new SimulatedNode(world, faults, clock, calls);
    this.progress = new IndexProgress(clock);
    const store = new SimulatedStore(around.store, around.busy, faults, calls, isMadeAtCrash);
    this.reads = store.reads;
    const network = NETWORKS.simnet;
    const context = { network, rules, sha256, sha256d, signatures: inlineChecker };
    // A small cache, so that rows leave it and come back.
    const indexer = new BlockIndexer(context, store, 7, 8);
    const parts = {
      node: this.node,
      store,
      indexer,
      progress: this.progress,
      feed: new CommitFeed(),
      clock,
      log: logTo(around.lines),
      metrics,
    };
    const follower = new Follower(parts, {
      ...FOLLOWER_DEFAULTS,
      undoBlocks: SIMULATED_UNDO,
      batchBlocks: 5,
      batchOperations: 20,
      roundBlocks: 25,
      tipBlocks: 2,
      prefetch: { maxAhead: 4, maxBytes: 20_000, hashWindow: 7 },
    });
    // Claimed on the bare store: the parameters are checked before the follower starts, and not by it.
    this.#ended = claimed(around, indexer).then(() => follower.run(this.#stop.signal));
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

function logTo(lines: string[]): Log {
  const write =
    (level: string) =>
    (fields: Record<string, unknown>, message: string): void => {
      const text = JSON.stringify(fields, (_, value: unknown) =>
        typeof value === "bigint" ? `${value}` : value,
      );
      lines.push(`${level} ${message} ${text}`);
    };
  return { info: write("info"), warn: write("warn"), error: write("error"), debug: write("debug") };
}
