// The index follows the node in one loop: look at the node's tip, append what is new or undo what has left the
// best chain, wait for the next announcement. Whatever fails ends the round; the next one starts from what the store
// says is durable. Nothing here sleeps between an announcement and its block.

import { type ChainPoint, type FollowStep, planFollow } from "../chain/follow-plan.ts";
import type { BlockHash } from "../primitives/brands.ts";
import type { BaseBlock, FollowedStore, IndexMetrics, RewindOrder } from "./ports.ts";
import type { Clock, Log, NodeTip, NodeUse, PearlNode } from "../follow/ports.ts";
import type { BlockIndexer, IndexedPosition } from "./index-block.ts";
import type { BlockNode, IndexProgress } from "../follow/progress.ts";
import { ChainFollower, type RetryPause, retryMs, type RoundEnd } from "../follow/chain-follower.ts";
import type { CommitFeed } from "../follow/commit-feed.ts";
import { CommitQueue, decidedReport, type DecidedBlock } from "./commit-queue.ts";
import {
  acknowledged,
  BlockRefused,
  BlocksHidden,
  DeepReorganisation,
  Trouble,
  UnsettledChain,
} from "../follow/follower-errors.ts";
import { hashesUpToTip, hasLeft, newestSharedBlock, type OurBlocks } from "../follow/shared-block.ts";
import {
  type FetchedBlock,
  prefetchBlocks,
  PREFETCH_DEFAULTS,
  type PrefetchOptions,
} from "../follow/prefetch.ts";

/** Settings of the follower. */
export interface FollowerOptions {
  /** Deepest reorganisation that can be undone. */
  readonly undoBlocks: number;
  /**
   * A batch is written when it holds this many operations or this many blocks, whichever comes first. A large index
   * writes more operations at a time, up to `mostBatchOperations`.
   */
  readonly batchOperations: number;
  readonly mostBatchOperations: number;
  readonly batchBlocks: number;
  /** Up to this many blocks behind the node, each block is its own transaction. */
  readonly tipBlocks: number;
  /** Blocks after which the node's tip is looked at again while syncing. */
  readonly roundBlocks: number;
  /** Longest wait for an announcement before the node is asked all the same, in milliseconds. */
  readonly idleMs: number;
  /** Shortest and longest wait after a failure; it doubles from one failure to the next. */
  readonly retryMinMs: number;
  readonly retryMaxMs: number;
  readonly prefetch: PrefetchOptions;
}

/** Settings that fit ordinary machines; `undoBlocks` is the configured one. */
export const FOLLOWER_DEFAULTS: Omit<FollowerOptions, "undoBlocks"> = {
  batchOperations: 40_000,
  mostBatchOperations: 160_000,
  batchBlocks: 200,
  tipBlocks: 4,
  roundBlocks: 2000,
  idleMs: 3000,
  retryMinMs: 100,
  retryMaxMs: 10_000,
  prefetch: PREFETCH_DEFAULTS,
};

/**
 * A batch may hold this part of the operations that are stored. New rows are spread over the pages of those that are
 * there: a batch that grows with the index writes each page for as many rows as before.
 */
const STORED_PER_BATCHED = 25;

/** What the follower works with. */
interface FollowerDependencies {
  readonly node: PearlNode;
  /** Absent: there is no other node to follow. */
  readonly nodeUse?: NodeUse;
  readonly store: FollowedStore;
  readonly indexer: BlockIndexer;
  readonly progress: IndexProgress;
  readonly feed: CommitFeed;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: IndexMetrics;
}

/** Follows a node; see the file header. */
export class IndexFollower {
  readonly #deps: FollowerDependencies;
  readonly #options: FollowerOptions;
  /** The node, with the time measured that it takes to answer. */
  readonly #node: BlockNode;
  readonly #queue: CommitQueue<DecidedBlock>;
  readonly #loop: ChainFollower;
  readonly #trouble: Trouble;
  /**
   * False: what is in memory may not be what the store has. No answer or silence of a node makes it false: bytes
   * that are no block leave memory as it was, so a node that sends them causes no row to be read again.
   */
  #isLoaded = false;
  #isIdentityChecked = false;
  /** The last decided block; null where the index has not even its base block. */
  #position: IndexedPosition | null = null;
  /** What the node named as its new block, until a round has used it. */
  #announced: NodeTip | null = null;

  constructor(deps: FollowerDependencies, options: FollowerOptions) {
    this.#deps = deps;
    this.#options = options;
    this.#node = deps.progress.hearing(deps.node);
    this.#trouble = new Trouble(deps.log);
    this.#loop = new ChainFollower(deps.clock, {
      round: (signal) => this.#round(signal),
      pauseMs: () => options.idleMs,
      recovered: () => this.#recovered(),
      failed: (error, failures) => this.#failed(error, failures),
    });
    this.#queue = new CommitQueue(deps.store, {
      undoBlocks: () => options.undoBlocks,
      maxQueued: 1,
      monotonicMs: () => deps.clock.monotonicMs(),
      changesOf: (block) => block.changes,
      onDurable: (blocks, commitMs) => this.#onDurable(blocks, commitMs),
    });
    deps.node.onTipChange((announced) => {
      this.#announced = announced ?? null;
      this.#loop.wake();
    });
  }

  /**
   * Follows until the signal aborts, or, with `until` "tip", until the node has nothing more. Failures are reported
   * through progress, log and metrics and tried again; nothing is thrown. Decided blocks are durable when it resolves.
   */
  async run(signal: AbortSignal, until: "aborted" | "tip" = "aborted"): Promise<void> {
    await this.#loop.run(signal, until);
    await this.#queue.settle();
  }

  async #round(signal: AbortSignal): Promise<RoundEnd> {
    const { progress } = this.#deps;
    if (!this.#isIdentityChecked) {
      await this.#node.checkIdentity();
      this.#isIdentityChecked = true;
    }
    if (!this.#isLoaded) await this.#load();
    const tip = this.#takeAnnounced() ?? (await this.#node.tip());
    const position = this.#position;
    // A shorter chain counts as the beginning of ours until it is seen to be another branch.
    progress.nodeAt(tip.height, position !== null && tip.height < position.height);
    if (position === null) return this.#commitBase(tip);
    // A node below our first block can be compared with nothing that we hold.
    if (tip.height < this.#deps.indexer.baseHeight) return "idle";
    const step = await this.#plan(position, tip);
    if (step.kind === "ask-again") throw new UnsettledChain(position.height);
    if (step.kind === "search") progress.nodeAt(tip.height);
    if (step.kind === "search") return this.#followBranch(position, tip, step.below);
    if (step.kind !== "append") return "idle";
    const isLinked = await this.#append(position, tip, signal);
    return isLinked ? "again" : this.#followBranch(this.#position ?? position, tip);
  }

  /** The announced block where it may be the next one: two questions are spared. The round after it asks for the tip. */
  #takeAnnounced(): NodeTip | null {
    const announced = this.#announced;
    this.#announced = null;
    return announced !== null && announced.height === (this.#position?.height ?? -1) + 1 ? announced : null;
  }

  async #plan(ours: IndexedPosition, tip: NodeTip): Promise<FollowStep> {
    const { store } = this.#deps;
    // The usual case costs no question: the block itself will name its parent.
    if (tip.height === ours.height + 1) return { kind: "append", from: tip.height, to: tip.height };
    const lower = Math.min(ours.height, tip.height);
    const nodeHashAtLower = lower === tip.height ? tip.hash : await this.#node.blockHash(lower);
    const ourHashAtLower = lower === ours.height ? ours.hash : await store.blockHash(lower);
    return planFollow({ ours, node: tip, ourHashAtLower, nodeHashAtLower });
  }

  /** Makes memory equal to what the store has. */
  async #load(): Promise<void> {
    const { store, indexer, progress, feed } = this.#deps;
    await this.#queue.settle();
    this.#queue.reset();
    const tip = await store.tip();
    await indexer.reset(tip?.height ?? -1);
    this.#position = tip;
    this.#isLoaded = true;
    progress.indexedAt(tip?.height ?? -1);
    // After a commit whose outcome was unknown, readers may see blocks that nobody announced.
    feed.publish();
  }

  /** The block before the start height: hash and time are all that is kept of it (H-09). */
  async #commitBase(tip: NodeTip): Promise<RoundEnd> {
    const { store, indexer, progress } = this.#deps;
    const height = indexer.baseHeight;
    const hash = tip.height < height ? null : await this.#node.blockHash(height);
    if (hash === null) {
      progress.moved();
      return "idle";
    }
    const base = await this.#fetchBase(hash);
    this.#isLoaded = false;
    // A wiped database whose parameters did not make it back is a new one.
    if ((await store.parameters()) === null) {
      await acknowledged("the parameters", store.initialise(indexer.parameters));
    }
    await acknowledged("the base block", store.commitBase(base));
    return "again";
  }

  async #fetchBase(hash: BlockHash): Promise<BaseBlock> {
    const { indexer } = this.#deps;
    const base = indexer.readBase(await this.#node.rawBlock(hash), hash);
    if (!base.ok) throw new BlockRefused(indexer.baseHeight, hash, base.error);
    return base.value;
  }

  /** Appends blocks up to the tip; false where the node's chain does not continue ours. */
  async #append(from: IndexedPosition, tip: NodeTip, signal: AbortSignal): Promise<boolean> {
    const to = Math.min(tip.height, from.height + this.#options.roundBlocks);
    const isSyncing = tip.height - from.height > this.#options.tipBlocks;
    const limits = isSyncing ? this.#syncingLimits(from) : { batchBlocks: 1, batchOperations: 1 };
    let batch: DecidedBlock[] = [];
    let operations = 0;
    let isEmpty = true;
    try {
      for await (const fetched of this.#blocks(from.height + 1, to, tip)) {
        if (signal.aborted) return true;
        isEmpty = false;
        const decided = await this.#decide(fetched, isSyncing);
        if (decided === null) return false;
        batch.push(decided);
        operations += decided.changes.operations.length;
        if (batch.length < limits.batchBlocks && operations < limits.batchOperations) continue;
        const full = batch;
        batch = [];
        operations = 0;
        await this.#queue.submit(full);
      }
      // Looking again at once would repeat the same question for ever, as fast as the node refuses.
      if (isEmpty) throw new BlocksHidden(from.height + 1, tip);
      return true;
    } finally {
      // Also after a failure: what was decided is true and need not be fetched again.
      await this.#queue.submit(batch);
      await this.#queue.flush();
    }
  }

  #syncingLimits({ totals }: IndexedPosition): { batchBlocks: number; batchOperations: number } {
    const { batchBlocks, batchOperations, mostBatchOperations } = this.#options;
    const grown = Math.min(mostBatchOperations, Math.floor(totals.eventsTotal / STORED_PER_BATCHED));
    return { batchBlocks, batchOperations: Math.max(batchOperations, grown) };
  }

  /** The next blocks; a single one at the tip is asked for by the hash that is known already. */
  async *#blocks(from: number, to: number, tip: NodeTip): AsyncGenerator<FetchedBlock, void, void> {
    if (from < tip.height) yield* prefetchBlocks(this.#node, from, to, this.#options.prefetch);
    else yield { height: from, hash: tip.hash, raw: await this.#node.rawBlock(tip.hash) };
  }

  /** Decides a block on top of the position; null where it names another parent. */
  async #decide(fetched: FetchedBlock, isSyncing: boolean): Promise<DecidedBlock | null> {
    const { indexer, clock } = this.#deps;
    const position = this.#position;
    if (position === null) throw new Error("a block cannot be decided without its predecessor");
    const startedMs = clock.monotonicMs();
    const result = await indexer.decide(fetched, position);
    if (!result.ok) {
      if (result.error.code === "PARENT_MISMATCH") return null;
      throw new BlockRefused(fetched.height, fetched.hash, result.error);
    }
    this.#position = result.value;
    return { changes: result.value, startedMs, isSyncing };
  }

  /** Undoes our blocks down to the last one that the node's main chain has, too. */
  async #followBranch(own: IndexedPosition, tip: NodeTip, below = own.height): Promise<RoundEnd> {
    const { store, indexer, metrics, log, clock } = this.#deps;
    const floor = Math.max(await store.rewindFloor(), indexer.baseHeight);
    const common = await newestSharedBlock(ownBlocks(store, below, floor), hashesUpToTip(this.#node));
    if (common === null) return this.#replaceBase(own, tip, floor);
    if (common.height === own.height) {
      // The tip has moved back to our chain meanwhile, or the node contradicts itself: the next round will tell.
      throw new UnsettledChain(own.height);
    }
    await this.#checkLeft(common.height + 1);
    const startedMs = clock.monotonicMs();
    const order: RewindOrder = { toHeight: common.height, toHash: common.hash, newTip: tip };
    // Until the store has answered, whether the blocks are undone is unknown.
    this.#isLoaded = false;
    await acknowledged("a rewind", store.rewind(order));
    const depth = own.height - common.height;
    metrics.rewound(depth);
    log.warn(
      {
        fork_height: common.height,
        depth,
        ms: Math.round(clock.monotonicMs() - startedMs),
        old_tip: own.hash,
        old_height: own.height,
        new_tip: tip.hash,
        new_height: tip.height,
      },
      `reorganisation: ${depth} blocks above ${common.height} undone`,
    );
    return "again";
  }

  /** The block before the start height has left the chain, too: with all above it undone, another one takes its place. */
  async #replaceBase(own: IndexedPosition, tip: NodeTip, floor: number): Promise<RoundEnd> {
    const { store, indexer, metrics, log } = this.#deps;
    const tooDeep = new DeepReorganisation(floor, own.height, this.#options.undoBlocks);
    // A branch that ends below what can be undone has no block there to compare.
    if (tip.height < floor) throw tooDeep;
    // So much follows from it that the node is asked once more, for this one block.
    const theirs = await this.#node.blockHash(floor);
    if (theirs === null || theirs === (await store.blockHash(floor))) throw new UnsettledChain(floor);
    const depth = own.height - floor + 1;
    await this.#checkLeft(floor);
    if (floor > indexer.baseHeight || floor === 0 || depth > this.#options.undoBlocks) throw tooDeep;
    const base = await this.#fetchBase(theirs);
    this.#isLoaded = false;
    await acknowledged("another base block", store.replaceBase(base, tip));
    metrics.rewound(depth);
    log.warn(
      { depth, old_tip: own.hash, old_height: own.height, new_tip: tip.hash, new_height: tip.height },
      `reorganisation: the block before the start height, ${floor}, was replaced`,
    );
    return "again";
  }

  /** @throws `UnsettledChain` where the node shows our block of this height in one of several answers. */
  async #checkLeft(height: number): Promise<void> {
    const hash = await this.#deps.store.blockHash(height);
    if (hash !== null && !(await hasLeft({ height, hash }, hashesUpToTip(this.#node))))
      throw new UnsettledChain(height);
  }

  #onDurable(blocks: readonly DecidedBlock[], commitMs: number): void {
    const { indexer, progress, feed, metrics, log, clock } = this.#deps;
    const last = blocks.at(-1);
    if (last === undefined) return;
    indexer.acknowledge(last.changes.height);
    progress.indexedAt(last.changes.height);
    this.#deps.nodeUse?.useful();
    // Whoever waits for the block is told first.
    feed.publish();
    metrics.committed(
      blocks.map(({ changes }) => changes),
      commitMs,
    );
    decidedReport(blocks, clock.monotonicMs(), log);
  }

  #failed(error: unknown, failures: number): RetryPause {
    const { progress, metrics } = this.#deps;
    const { retryMinMs, retryMaxMs } = this.#options;
    const { kind, sentence } = this.#trouble.failed(error);
    if (kind === "store" || kind === "internal") this.#isLoaded = false;
    else this.#deps.nodeUse?.useless();
    progress.troubled(sentence, kind === "store");
    metrics.failed(kind);
    // An announcement may mean that the node is back, so it ends the longer part of the pause.
    return { ms: retryMs(failures, retryMinMs, retryMaxMs), firmMs: retryMinMs };
  }

  #recovered(): void {
    this.#trouble.recovered();
    this.#deps.progress.untroubled();
    this.#deps.nodeUse?.useful();
  }
}

/** Our blocks from `below` down to `floor`, both included. */
function ownBlocks(store: FollowedStore, below: number, floor: number): OurBlocks<ChainPoint> {
  return async (skip, count) => {
    const blocks: ChainPoint[] = [];
    for (let height = below - skip; height >= floor && blocks.length < count; height -= 1) {
      const hash = await store.blockHash(height);
      if (hash !== null) blocks.push({ height, hash });
    }
    return blocks;
  };
}
