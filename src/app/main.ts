// Composition, with the files beside it: here objects are built. The service as it runs in one process, the job that
// builds its database anew while it does not run (reindex), and the one that checks it at any time (verify).

import { randomInt } from "node:crypto";
import { rm } from "node:fs/promises";
import { DatabaseDamaged } from "../adapters/store-sqlite/open-fault.ts";
import type { Layout } from "../adapters/store-sqlite/sqlite-store.ts";
import { calmLog } from "../adapters/system/calm-log.ts";
import { systemClock } from "../adapters/system/clock.ts";
import { PrometheusMetrics } from "../adapters/system/metrics.ts";
import { openLog, redactedLog } from "../adapters/system/log.ts";
import { CommitFeed } from "../follow/commit-feed.ts";
import type { Log } from "../follow/ports.ts";
import { IndexProgress } from "../follow/progress.ts";
import type { AnswerThread } from "../http/answer-thread.ts";
import { FOLLOWER_DEFAULTS, IndexFollower } from "../index/follower.ts";
import { BlockIndexer } from "../index/index-block.ts";
import { chainDifferences, parameterDifferences } from "../index/parameters.ts";
import { SEGMENT_BLOCKS, verifyIndex } from "../index/verify.ts";
import { programVersion } from "./cli/help.ts";
import { sentenceOf } from "../follow/follower-errors.ts";
import { Closers, CommandRefused } from "./cli/ending.ts";
import { openAnswerThread } from "./cli/service-host.ts";
import { answeringParts, composeIndex, indexerOver, warnOfUnused } from "./compose-index.ts";
import type { Config } from "./config/config.ts";
import { closingOnFailure, type Foundation, openFoundation, refuseOthers } from "./foundation.ts";
import { openDatabase, type OpenedDatabase, openVerified, shownDatabase } from "./open-database.ts";
import type { Outside } from "./outside.ts";
import { programBuild } from "./program-build.ts";
import { type Role, startRole } from "./start-role.ts";
import { type RunningService, serve, stopOnce } from "./serve.ts";

/** Rows that a verification remembers: it has no other work that would be slowed down by a look into the database. */
const VERIFY_CACHE_ROWS = 8_000;

/** What a caller may replace. */
export interface Overrides {
  readonly log?: Log;
  /** What the service meets; absent: this machine and its network. SQLite alone. */
  readonly outside?: Outside;
}

export type { RunningService };

/** What a job on a database works with. */
interface OpenedJob extends Foundation {
  readonly store: OpenedDatabase;
}

async function openJob(
  config: Config,
  log: Log,
  database = config.database,
  layout: Layout = "served",
  outside?: Outside,
): Promise<OpenedJob> {
  const closers = new Closers();
  const store = await openDatabase(database, log, layout);
  closers.add(() => store.close());
  return { ...openFoundation(config, log, closers, outside), store };
}

function logOf(config: Config, { log }: Overrides = {}): Log {
  return calmLog(redactedLog(log ?? openLog(config.logLevel), config.redact), systemClock);
}

/**
 * Starts the service in a role: resolves when HTTP serves, also while the node is down. Throws `CommandRefused` with
 * sentences for people where the configuration, the database, the node's network or a port does not allow it.
 */
export async function startService(
  config: Config,
  overrides: Overrides = {},
  role: Role = "start",
): Promise<RunningService> {
  const { database } = config;
  if (database.engine === "postgresql") {
    const log = logOf(config, overrides);
    warnOfUnused(config, log);
    return startRole(config, database, role, log);
  }
  if (role !== "start") {
    throw new CommandRefused([
      `strand ${role} shares its database with other processes, and a SQLite file belongs to one: set DATABASE_URL to ` +
        "postgres://user:password@host:5432/database, or run `strand start`, which is both in one process",
    ]);
  }
  const job = await openJob(config, logOf(config, overrides), database, "served", overrides.outside);
  return closingOnFailure(job.closers, () => startOn(config, job));
}

async function startOn(config: Config, job: OpenedJob): Promise<RunningService> {
  const { store, node, log, closers } = job;
  warnOfUnused(config, log);
  const { index, metrics } = await composeIndex(
    config,
    job,
    store,
    (status, evm, conditions) => new PrometheusMetrics(status, evm, conditions),
  );
  const { swaps } = index;
  const parts = answeringParts(index, store.queries, answersOver(config, log, closers), log);
  const { port, metricsPort, closeHttp } = await serve(config, parts, metrics, closers);
  const stop = new AbortController();
  const running = index.run(stop.signal);
  return {
    host: config.host,
    port,
    metricsPort,
    status: index.status,
    failed: store.failed.then((cause) => {
      const isDamaged = cause instanceof DatabaseDamaged;
      const why = isDamaged ? "" : "nothing can be written any more, start the service again: ";
      log.error({ kind: "store" }, `alarm: ${why}${cause.message}`);
      return why + cause.message;
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

/** Pages are also made by a thread of their own, over the file. */
function answersOver({ database, rules }: Config, log: Log, closers: Closers): AnswerThread | null {
  return database.engine === "sqlite" ? openAnswerThread(database.file, rules, log, closers) : null;
}

/**
 * Wipes the index and builds it again up to the node's tip, or until the signal aborts. Rejects with `CommandRefused` where
 * the index is another network's, the node cannot give it again, or the writer is lost on the way.
 */
export async function reindex(config: Config, signal: AbortSignal): Promise<void> {
  const { store, node, context, log, closers, outside } = await openJob(config, logOf(config));
  await closingOnFailure(closers, async () => {
    const indexer = indexerOver(context, store, outside);
    refuseOthers(
      chainDifferences(await store.parameters(), indexer.parameters),
      shownDatabase(config.database),
    );
    await node.checkIdentity();
    await refusePruned(node, indexer.baseHeight);
    // The store holds its lock from here on: a running service would have been refused at opening.
    await store.wipe();
    await store.initialise(indexer.parameters);
    const progress = new IndexProgress(systemClock);
    const metrics = new PrometheusMetrics(
      () => progress.status(),
      null,
      () => [],
    );
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
    // A follower tries for ever, as a service has to; without its writer nothing more comes of it.
    const lost = new AbortController();
    void store.failed.then((cause) => lost.abort(cause));
    const end = AbortSignal.any([signal, lost.signal]);
    end.addEventListener("abort", () => void node.close(), { once: true });
    await follower.run(end, "tip");
    if (lost.signal.aborted)
      throw new CommandRefused([
        `nothing can be written any more: ${sentenceOf(lost.signal.reason)}; run \`strand reindex\` again`,
      ]);
  });
  await closers.closeAll();
}

/** Refuses a node that lacks the blocks which an index begins with: what is there would be lost for nothing. */
async function refusePruned(node: Foundation["node"], baseHeight: number): Promise<void> {
  for (const height of [baseHeight, baseHeight + 1]) {
    const hash = await node.blockHash(height);
    // A node that is still syncing comes to have it.
    if (hash === null) return;
    await node.rawBlock(hash).catch((cause: unknown) => {
      throw new CommandRefused([
        `the node gives no block ${height}, with which the index would begin anew: ${sentenceOf(cause)}. Nothing was ` +
          "changed. Name a node that has all blocks (not a pruned one) by PEARL_RPC_URL, or import a snapshot",
      ]);
    });
  }
}

/**
 * Checks the database against the node's blocks, also while a service writes it; `onFinding` gets one sentence each.
 * Resolves with their number. What was replayed stays until a run has come to its end, so that the next one of the same
 * build goes on with it: beside a SQLite database, for PostgreSQL in the folder where the command runs.
 */
export async function verify(config: Config, onFinding: (sentence: string) => void): Promise<number> {
  const { index, name } = await openVerified(config.database);
  // What another build has replayed is nothing to go on with: it may have decided otherwise.
  const replayFile = `${name}.verify-${programVersion()}-${programBuild()}`;
  const { store, node, context, log, closers } = await openJob(
    config,
    logOf(config),
    { engine: "sqlite", file: replayFile },
    "compared",
  );
  closers.add(() => index.close());
  return closingOnFailure(closers, async () => {
    const indexer = new BlockIndexer(context, store, randomInt(2 ** 32), VERIFY_CACHE_ROWS);
    await node.checkIdentity();
    refuseOthers(
      parameterDifferences(await index.parameters(), indexer.parameters),
      shownDatabase(config.database),
    );
    if ((await index.tip()) === null)
      throw new CommandRefused([
        `the index at ${shownDatabase(config.database)} holds no block yet, so that nothing can be said of it: check DATABASE_URL`,
      ]);
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
