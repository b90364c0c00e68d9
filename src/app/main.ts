// Composition, with start-swaps.ts for swaps: here objects are built. The service as it runs, the job that builds its database anew while
// it does not run (reindex), and the one that checks it at any time (verify).

import { randomInt } from "node:crypto";
import type { Server } from "node:http";
import { availableParallelism } from "node:os";
import { openPearlNode } from "../adapters/pearl-node/pearl-node.ts";
import { rm } from "node:fs/promises";
import type { OpenedStore, PageMemory } from "../adapters/store-sqlite/sqlite-store.ts";
import { systemClock } from "../adapters/system/clock.ts";
import { sha256, sha256d } from "../adapters/system/hashes.ts";
import { openLog, redactedLog } from "../adapters/system/log.ts";
import { PrometheusMetrics } from "../adapters/system/metrics.ts";
import { openSha256Lanes } from "../adapters/system/sha256-lanes.ts";
import { SignaturePool } from "../adapters/system/signature-pool.ts";
import type { Config } from "./config/config.ts";
import type { AnswerThread } from "../http/answer-thread.ts";
import type { RateLimitOptions } from "../http/dependencies.ts";
import { addressOf, type NodeEndpoint } from "./config/read-node.ts";
import {
  Closers,
  CommandRefused,
  listenOn,
  openAnswerThread,
  pageAddress,
  serverOver,
} from "./cli/service-host.ts";
import { programVersion } from "./cli/help.ts";
import { CommitFeed } from "../follow/commit-feed.ts";
import type { Condition, ConditionSource } from "../follow/conditions.ts";
import { FOLLOWER_DEFAULTS, IndexFollower } from "../index/follower.ts";
import { BlockIndexer, type IndexingContext } from "../index/index-block.ts";
import { MEMPOOL_DEFAULTS, MempoolWatch } from "../follow/mempool-watch.ts";
import { claimDatabase, parameterDifferences } from "../index/parameters.ts";
import { FollowedNode, type NamedNode } from "../follow/pearl-nodes.ts";
import { shownUrl } from "../follow/shown-url.ts";
import { RecentBodies } from "../follow/recent-bodies.ts";
import type { FollowedStore } from "../index/ports.ts";
import type { Log, PearlNode } from "../follow/ports.ts";
import { IndexProgress, PROGRESS_DEFAULTS } from "../follow/progress.ts";
import type { IndexStatus } from "../follow/serving.ts";
import { SEGMENT_BLOCKS, verifyIndex } from "../index/verify.ts";
import { openDatabase, openVerified, shownDatabase } from "./open-database.ts";
import { type ComposedSwaps, composeSwaps, type SwapSides } from "./start-swaps.ts";
import { fillTemplatePsbt } from "../wallet/fill-psbt.ts";

/** How long a start waits for the node to name its chain; a node that is down must not keep HTTP from serving. */
const IDENTITY_PATIENCE_MS = 1500;
/** Rows that a verification remembers: it has no other work that would be slowed down by a look into the database. */
const VERIFY_CACHE_ROWS = 20_000;
/** How long requests under way may take when the service stops. */
const DRAIN_MS = 1500;

/** What a caller may replace. */
export interface Overrides {
  readonly log?: Log;
}

/** The service, serving and following. */
export interface RunningService {
  readonly host: string;
  /** The port of the HTTP interface, also where 0 was configured. */
  readonly port: number;
  /** The port of the metrics, or null. */
  readonly metricsPort: number | null;
  status(): IndexStatus;
  /**
   * Resolves with a sentence when the service cannot go on until it is started again; else never. It answers reads and
   * says so in /health until `stop`, which is the caller's to call.
   */
  readonly failed: Promise<string>;
  /** How swaps stand with both chains; null where swaps are off. */
  swapSides(): SwapSides | null;
  /** Stops following and serving; everything decided is durable and every port is free when it resolves. */
  stop(): Promise<void>;
}

/** What all jobs on an index need. */
interface Foundation {
  readonly log: Log;
  readonly store: OpenedStore;
  readonly node: FollowedNode;
  readonly context: IndexingContext;
  readonly closers: Closers;
}

async function openFoundation(
  config: Config,
  overrides: Overrides,
  database = config.database,
  memory: PageMemory = "ample",
): Promise<Foundation> {
  const { network, rules } = config;
  const log = redactedLog(overrides.log ?? openLog(config.logLevel), config.redact);
  const closers = new Closers();
  const store = await openDatabase(database, log, memory);
  closers.add(() => store.close());
  const signatures = new SignaturePool({ workers: Math.min(4, availableParallelism()) });
  closers.add(() => signatures.close());
  const open = (endpoint: NodeEndpoint, place: number): NamedNode => {
    const address = { ...addressOf(endpoint), network, pollMs: config.node.pollMs };
    const name = `${place + 1}: ${shownUrl(new URL(endpoint.url))}`;
    return { name, node: openPearlNode({ ...address, clock: systemClock, log }) };
  };
  const witnesses = config.node.witnesses.map((one, i) => open(one, i + 1));
  const node = new FollowedNode([open(config.node, 0), ...witnesses], systemClock, log);
  closers.add(() => node.close());
  const sha256dAll = openSha256Lanes(sha256d);
  const context = { network, rules, sha256, sha256d, sha256dAll, signatures };
  return { log, store, node, context, closers };
}

function indexerOver(context: IndexingContext, store: FollowedStore): BlockIndexer {
  return new BlockIndexer(context, store, randomInt(2 ** 32));
}

/** Refuses a node of another chain. A node that does not answer yet is left to the follower. */
async function checkNode(node: PearlNode): Promise<void> {
  const asked = node.checkIdentity().then(
    () => null,
    (error: unknown) => error,
  );
  const patience = new AbortController();
  const error = await Promise.race([
    asked,
    systemClock.sleep(IDENTITY_PATIENCE_MS, patience.signal).then(() => null),
  ]);
  patience.abort();
  if (error instanceof Error && "code" in error && error.code === "WRONG_NETWORK") {
    throw new CommandRefused([error.message], { cause: error });
  }
}

/** Refuses a database that was built with other parameters (P-01). */
async function checkDatabase(store: FollowedStore, indexer: BlockIndexer, name: string): Promise<void> {
  refuseOthers(await claimDatabase(store, indexer.parameters), name);
}

function refuseOthers(differences: readonly string[], file: string): void {
  if (differences.length === 0) return;
  const advice = `choose another DATABASE_URL than ${file}, or configure what it was built with`;
  throw new CommandRefused(differences.map((difference) => `${difference}; ${advice}`));
}

/** Runs `job` and, where it fails, closes everything that was opened. */
async function closingOnFailure<Value>(closers: Closers, job: () => Promise<Value>): Promise<Value> {
  try {
    return await job();
  } catch (error) {
    await closers.closeAll();
    throw error;
  }
}

/**
 * Starts the service: resolves when HTTP serves, also while the node is down. Throws `CommandRefused` with sentences
 * for people where the configuration, the database, the node's network or a port does not allow it.
 */
export async function startService(config: Config, overrides: Overrides = {}): Promise<RunningService> {
  const foundation = await openFoundation(config, overrides);
  return closingOnFailure(foundation.closers, () => startOn(config, foundation));
}

/** Swaps read the mempool as often as blocks (S-53); tokens alone can wait. */
function mempoolOf(config: Config, { node, log }: Foundation, swaps: ComposedSwaps | null): MempoolWatch {
  const deps = { node, rules: config.rules, sha256d, clock: systemClock, log };
  if (swaps === null) return new MempoolWatch(deps);
  const options = { ...MEMPOOL_DEFAULTS, pollMs: config.node.pollMs };
  return new MempoolWatch({ ...deps, listeners: [swaps.mempool] }, options);
}

async function startOn(config: Config, foundation: Foundation): Promise<RunningService> {
  const { store, node, context, log, closers } = foundation;
  warnOfUnused(config, log);
  const indexer = indexerOver(context, store);
  await checkNode(node);
  await checkDatabase(store, indexer, shownDatabase(config.database));
  const bodies = config.swaps === null ? null : new RecentBodies(node);
  const swaps = bodies === null ? null : await openSwaps(config, foundation, bodies);
  const evmStatus = swaps === null ? null : () => swaps.api.evmStatus();
  const progress = new IndexProgress(systemClock, { ...PROGRESS_DEFAULTS, syncedLag: config.syncedLag });
  const feed = new CommitFeed();
  const metrics = new PrometheusMetrics(() => progress.status(), evmStatus);
  const blocks = bodies?.reader() ?? node;
  const parts = { node: blocks, store, indexer, progress, feed, clock: systemClock, log, metrics };
  const follower = new IndexFollower(parts, { ...FOLLOWER_DEFAULTS, undoBlocks: config.undoBlocks });
  const mempool = mempoolOf(config, foundation, swaps);
  feed.subscribe(() => mempool.lookSoon());
  const watched: readonly ConditionSource[] = [store, progress, node, ...(swaps === null ? [] : [swaps])];
  const app = await serverOver({
    queries: store.queries,
    answers: answersOver(config, log, closers),
    rules: config.rules,
    network: config.network.name,
    version: programVersion(),
    status: () => ({ ...progress.status(), evm: evmStatus?.() ?? null }),
    conditions: () => conditionsOf(watched, config),
    nodes: () => node.counts(),
    swaps: swaps?.api ?? null,
    ...(swaps === null ? {} : { swapFeed: swaps.ledger.feed }),
    mempool,
    feed,
    clock: systemClock,
    log,
    fillPsbt: fillTemplatePsbt,
    ...limitsOfClients(config),
    logRequests: config.logLevel === "debug",
  });
  const closeHttp = stopOnce(() => closeServer(app.server, () => app.close()));
  closers.add(closeHttp);
  const port = await listenOn(app.server, config.host, config.port, "port");
  const metricsPort = config.metricsPort === null ? null : await serveMetrics(metrics, config, closers);
  const stop = new AbortController();
  const loops = [node, follower, mempool, ...(swaps === null ? [] : [swaps])];
  const running = Promise.all(loops.map((part) => part.run(stop.signal)));
  const where = { host: config.host, port, page: pageAddress(config.host, port) };
  log.info({ ...where, network: config.network.name, database: shownDatabase(config.database) }, "serving");
  return {
    host: config.host,
    port,
    metricsPort,
    status: () => progress.status(),
    failed: store.writerDied.then((cause) => {
      log.error({ kind: "store" }, `alarm: nothing can be written any more: ${cause.message}`);
      return `nothing can be written any more, start the service again: ${cause.message}`;
    }),
    swapSides: () => swaps?.sides() ?? null,
    stop: stopOnce(async () => {
      stop.abort();
      // At once: nobody may keep the rest from ending by asking more. What goes wrong is told by the closers.
      closeHttp().catch(() => undefined);
      // Closing the node ends the requests that the follower may be waiting for.
      await node.close();
      await running;
      await closers.closeAll();
      log.info({}, "stopped");
    }),
  };
}

/** Pages of PostgreSQL are made by its own processes: a thread of ours would only wait for them. */
function answersOver({ database, rules }: Config, log: Log, closers: Closers): AnswerThread | null {
  return database.engine === "sqlite" ? openAnswerThread(database.file, rules, log, closers) : null;
}

/** What one client may do (H-10, H-11). */
function limitsOfClients({ trustProxy, rateLimit, rateLimitPost, maxConnections }: Config) {
  return {
    trustProxy,
    rateLimit: perMinute(rateLimit),
    rateLimitPost: perMinute(rateLimitPost),
    connections: { max: maxConnections },
  };
}

function perMinute(max: number | null): RateLimitOptions | null {
  return max === null ? null : { max, windowS: 60 };
}

/** The conditions of all parts, without what is secret in the settings. */
function conditionsOf(parts: readonly ConditionSource[], { redact }: Config): readonly Condition[] {
  return parts
    .flatMap((part) => part.conditions())
    .map(({ code, sentence }) => ({ code, sentence: redact(sentence) }));
}

function warnOfUnused({ unusedSwapSettings: settings, misspelled }: Config, log: Log): void {
  for (const sentence of misspelled) log.warn({}, sentence);
  if (settings.length > 0)
    log.warn({ settings }, "swaps are off: EVM_RPC_URLS is not set; these are not used");
}

/** The swap service; null where swaps are off. */
async function openSwaps(
  config: Config,
  foundation: Foundation,
  bodies: RecentBodies,
): Promise<ComposedSwaps | null> {
  const { swaps } = config;
  if (swaps === null) return null;
  const { swaps: store, queries } = foundation.store;
  return composeSwaps({ ...foundation, config, swaps, store, queries, bodies });
}

async function serveMetrics(metrics: PrometheusMetrics, config: Config, closers: Closers): Promise<number> {
  const server = metrics.server();
  closers.add(() => closeServer(server, () => Promise.resolve()));
  return listenOn(server, config.host, config.metricsPort ?? 0, "metrics-port");
}

/** Lets requests end, but not for ever. */
async function closeServer(server: Server, close: () => Promise<void>): Promise<void> {
  const deadline = new AbortController();
  // Fastify closes a server only where it has opened the port itself; the port here was opened by `listenOn`.
  const released = new Promise<void>((resolve) => {
    if (server.listening) server.close(() => resolve());
    else resolve();
  });
  const closed = Promise.all([released, close()]);
  server.closeIdleConnections();
  await Promise.race([closed, systemClock.sleep(DRAIN_MS, deadline.signal)]);
  server.closeAllConnections();
  deadline.abort();
  await closed;
}

function stopOnce(stop: () => Promise<void>): () => Promise<void> {
  let stopping: Promise<void> | null = null;
  return () => (stopping ??= stop());
}

/** Wipes the index and builds it again up to the node's tip, or until the signal aborts. */
export async function reindex(config: Config, signal: AbortSignal, overrides: Overrides = {}): Promise<void> {
  const { store, node, context, log, closers } = await openFoundation(config, overrides);
  await closingOnFailure(closers, async () => {
    const indexer = indexerOver(context, store);
    await node.checkIdentity();
    // The store holds its lock from here on: a running service would have been refused at opening.
    await store.wipe();
    await store.initialise(indexer.parameters);
    const progress = new IndexProgress(systemClock);
    const metrics = new PrometheusMetrics(() => progress.status(), null);
    const parts = {
      node,
      store,
      indexer,
      progress,
      feed: new CommitFeed(),
      clock: systemClock,
      log,
      metrics,
    };
    const follower = new IndexFollower(parts, { ...FOLLOWER_DEFAULTS, undoBlocks: config.undoBlocks });
    signal.addEventListener("abort", () => void node.close(), { once: true });
    await follower.run(signal, "tip");
  });
  await closers.closeAll();
}

/** Where a verification keeps its replay, so that the next run goes on with it. */
function replayFileOf(database: string): string {
  return `${database}.verify-${programVersion()}`;
}

/**
 * Checks the database against the node's blocks, also while a service writes it; `onFinding` gets one sentence each.
 * Resolves with their number. What was replayed stays beside the database until a run has come to its end.
 */
export async function verify(
  config: Config,
  onFinding: (sentence: string) => void,
  overrides: Overrides = {},
): Promise<number> {
  const { index, file } = openVerified(config.database);
  const replayFile = replayFileOf(file);
  const { store, node, context, log, closers } = await openFoundation(
    config,
    overrides,
    { engine: "sqlite", file: replayFile },
    "little",
  );
  closers.add(() => Promise.resolve(index.close()));
  return closingOnFailure(closers, async () => {
    const indexer = new BlockIndexer(context, store, randomInt(2 ** 32), VERIFY_CACHE_ROWS);
    await node.checkIdentity();
    refuseOthers(parameterDifferences(index.parameters(), indexer.parameters), file);
    let findings = 0;
    const segmentBlocks = SEGMENT_BLOCKS;
    const parts = { index, replay: store, replayFile, indexer, node, clock: systemClock, log, segmentBlocks };
    for await (const finding of verifyIndex(parts)) {
      findings += 1;
      onFinding(finding);
    }
    await closers.closeAll();
    const files = ["", "-wal", "-shm", ".lock"].map((suffix) => `${replayFile}${suffix}`);
    await Promise.all(files.map((each) => rm(each, { force: true })));
    return findings;
  });
}
