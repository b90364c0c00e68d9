// Composition of what follows the PEARL chain into one store: the follower, the mempool and, where they are on, swaps.

import { sha256d } from "../adapters/system/hashes.ts";
import { CommitFeed } from "../follow/commit-feed.ts";
import type { Condition, ConditionSource } from "../follow/conditions.ts";
import { MEMPOOL_DEFAULTS, MempoolWatch } from "../follow/mempool-watch.ts";
import type { Log, NodeCounts } from "../follow/ports.ts";
import { IndexProgress, PROGRESS_DEFAULTS } from "../follow/progress.ts";
import { RecentBodies } from "../follow/recent-bodies.ts";
import type { EvmStatus, IndexStatus } from "../follow/serving.ts";
import type { AnswerMaker } from "../http/answer.ts";
import type { AnsweringParts } from "../http/dependencies.ts";
import { FOLLOWER_DEFAULTS, IndexFollower } from "../index/follower.ts";
import { BlockIndexer, type IndexingContext } from "../index/index-block.ts";
import type { FollowedStore, IndexMetrics } from "../index/ports.ts";
import type { IndexQueries } from "../index/queries.ts";
import type { Config } from "./config/config.ts";
import { checkDatabase, checkNode, type Foundation } from "./foundation.ts";
import { type OpenedDatabase, shownDatabase } from "./open-database.ts";
import type { Outside } from "./outside.ts";
import { type ComposedSwaps, composeSwaps } from "./start-swaps.ts";

/** The parts that follow, not running yet. */
export interface ComposedIndex {
  readonly feed: CommitFeed;
  readonly mempool: MempoolWatch;
  /** Null where swaps are off. */
  readonly swaps: ComposedSwaps | null;
  readonly status: () => IndexStatus;
  readonly conditions: () => readonly Condition[];
  readonly nodes: () => NodeCounts;
  /** Follows until the signal aborts. */
  run(signal: AbortSignal): Promise<void>;
}

/** Decides blocks for a store. */
export function indexerOver(context: IndexingContext, store: FollowedStore, { salt }: Outside): BlockIndexer {
  return new BlockIndexer(context, store, salt());
}

/**
 * Builds the parts over an open store. @throws CommandRefused where the node, the database or the escrow is another one
 * than the configured. `metricsOver` makes counters that are asked for the present status at each scrape.
 */
export async function composeIndex<Metrics extends IndexMetrics>(
  config: Config,
  foundation: Foundation,
  store: OpenedDatabase,
  metricsOver: (
    status: () => IndexStatus,
    evm: (() => EvmStatus) | null,
    conditions: () => readonly Condition[],
  ) => Metrics,
): Promise<{ readonly index: ComposedIndex; readonly metrics: Metrics }> {
  const { node, context, log, outside } = foundation;
  const { clock } = outside;
  const indexer = indexerOver(context, store, outside);
  await checkNode(node, clock);
  await checkDatabase(store, indexer, shownDatabase(config.database));
  const bodies = config.swaps === null ? null : new RecentBodies(node);
  const swaps = bodies === null ? null : await openSwaps(config, foundation, store, bodies);
  const evmStatus = swaps === null ? null : () => swaps.evmStatus();
  const progress = new IndexProgress(clock, { ...PROGRESS_DEFAULTS, syncedLag: config.syncedLag });
  const feed = new CommitFeed();
  const mempool = mempoolOf(config, foundation, swaps);
  const watched: readonly ConditionSource[] = [
    store,
    progress,
    node,
    mempool,
    ...(swaps === null ? [] : [swaps]),
  ];
  const conditions = () => conditionsOf(watched, config);
  const metrics = metricsOver(() => progress.status(), evmStatus, conditions);
  const blocks = bodies?.reader() ?? node;
  const parts = { node: blocks, nodeUse: node, store, indexer, progress, feed, clock, log, metrics };
  const follower = new IndexFollower(parts, { ...FOLLOWER_DEFAULTS, undoBlocks: config.undoBlocks });
  feed.subscribe(() => mempool.lookSoon());
  const loops = [node, follower, mempool, ...(swaps === null ? [] : [swaps])];
  const index: ComposedIndex = {
    feed,
    mempool,
    swaps,
    status: () => ({ ...progress.status(), evm: evmStatus?.() ?? null }),
    conditions,
    nodes: () => node.counts(),
    run: async (signal) => {
      await Promise.all(loops.map((part) => part.run(signal)));
    },
  };
  return { index, metrics };
}

/** What answers requests over the parts of one process. */
export function answeringParts(
  { swaps, ...index }: ComposedIndex,
  queries: IndexQueries,
  answers: AnswerMaker | null,
  log: Log,
): AnsweringParts {
  const { status, conditions, nodes, mempool, feed } = index;
  const service = swaps?.api ?? null;
  const present = { queries, answers, status, conditions, nodes, mempool, feed, log, swaps: service };
  if (swaps === null) return present;
  const { ledger } = swaps;
  return { ...present, swapFeed: ledger.feed, showsEvent: () => ledger.landed() };
}

/** Swaps read the mempool as often as blocks (S-53); tokens alone can wait. */
function mempoolOf(
  config: Config,
  { node, log, outside }: Foundation,
  swaps: ComposedSwaps | null,
): MempoolWatch {
  const { pollMs } = swaps === null ? MEMPOOL_DEFAULTS : config.node;
  return new MempoolWatch(
    { node, rules: config.rules, sha256d, clock: outside.clock, log, listener: swaps?.mempool ?? null },
    { ...MEMPOOL_DEFAULTS, pollMs },
  );
}

/** What a node that does not answer brings about everywhere: one trouble is one reason. */
const OF_A_SILENT_NODE: ReadonlySet<string> = new Set(["MEMPOOL_UNREAD", "SWAPS_STALLED"]);

/** The conditions of all parts, without what is secret in the settings. */
function conditionsOf(parts: readonly ConditionSource[], { redact }: Config): readonly Condition[] {
  const all = parts.flatMap((part) => part.conditions());
  const isSilent = all.some(({ code }) => code === "PEARL_STALLED");
  return all
    .filter(({ code }) => !isSilent || !OF_A_SILENT_NODE.has(code))
    .map(({ code, sentence }) => ({ code, sentence: redact(sentence) }));
}

/** The swap service; null where swaps are off. */
async function openSwaps(
  config: Config,
  foundation: Foundation,
  store: OpenedDatabase,
  bodies: RecentBodies,
): Promise<ComposedSwaps | null> {
  const { swaps } = config;
  if (swaps === null) return null;
  const { swaps: facts, queries } = store;
  return composeSwaps({ ...foundation, config, swaps, store: facts, queries, bodies });
}

/** Says of settings that are not used. */
export function warnOfUnused({ unusedSwapSettings: settings, unused, misspelled }: Config, log: Log): void {
  for (const sentence of [...misspelled, ...unused]) log.warn({}, sentence);
  if (settings.length > 0)
    log.warn({ settings }, "swaps are off: EVM_RPC_URLS is not set; these are not used");
}
