// A service that shares its PostgreSQL with others: whoever is elected writes, everybody else reads. What answers is a
// reader in all roles, also beside the writer in one process, so that every answer takes the same way.

import { openPostgresReader } from "../adapters/store-postgres/postgres-reader.ts";
import { systemClock } from "../adapters/system/clock.ts";
import { PrometheusMetrics } from "../adapters/system/metrics.ts";
import { CommitFeed } from "../follow/commit-feed.ts";
import { sentenceOf } from "../follow/follower-errors.ts";
import type { Log } from "../follow/ports.ts";
import type { StoredParameters } from "../index/ports.ts";
import { parameterDifferences, parametersOf } from "../index/parameters.ts";
import type { AnsweringParts } from "../http/dependencies.ts";
import { Closers } from "./cli/ending.ts";
import type { Config } from "./config/config.ts";
import type { DatabaseTarget } from "./config/read-service.ts";
import { sharedSettings } from "./config/shared-settings.ts";
import { WriterFollower } from "./follow-writer.ts";
import { closingOnFailure, refuseOthers } from "./foundation.ts";
import { shownDatabase } from "./open-database.ts";
import { type RunningService, serve, stopOnce } from "./serve.ts";
import { SwapReplica } from "./swap-replica.ts";
import { ToldPresent } from "./told-present.ts";
import { WriterOffice } from "./writer-office.ts";

/** "start": writes where it is elected, and answers. "index": writes where it is elected. "serve": answers. */
export type Role = "start" | "index" | "serve";

type Shared = Extract<DatabaseTarget, { engine: "postgresql" }>;

/** Starts a role on a shared database. Refuses as `startService` does. */
export function startRole(config: Config, database: Shared, role: Role, log: Log): Promise<RunningService> {
  const closers = new Closers();
  return closingOnFailure(closers, async () => {
    const answering = await openAnswering(config, database, role, log, closers);
    const { metrics } = answering;
    const { port, metricsPort, closeHttp } = await serve(config, answering.parts, metrics, closers);
    const stop = new AbortController();
    const office = role === "serve" ? null : new WriterOffice(config, database, metrics, log);
    const loops = [answering.run(stop.signal)];
    if (office !== null) {
      loops.push(office.run(stop.signal));
      // Refused at once where it cannot be: the node is another chain's, or the server does not let us in.
      await Promise.race([
        office.begun,
        ...loops.map((loop) => loop.then(() => new Promise<void>(() => {}))),
      ]);
    }
    const { promise: failed, resolve: fail } = Promise.withResolvers<string>();
    const running = Promise.all(
      loops.map((loop) =>
        loop.catch((error: unknown) => {
          log.error({ error }, "alarm: the service cannot go on");
          fail(sentenceOf(error));
        }),
      ),
    );
    return {
      host: config.host,
      port,
      metricsPort,
      status: () => answering.parts.status(),
      failed,
      swapSides: () => office?.swapSides() ?? null,
      stop: stopOnce(async () => {
        stop.abort();
        // As in one process: nobody may keep the rest from ending.
        closeHttp().catch(() => undefined);
        await running;
        await closers.closeAll();
        log.info({}, "stopped");
      }),
    };
  });
}

/** What answers requests, and follows the writer. */
interface Answering {
  readonly parts: AnsweringParts;
  readonly metrics: PrometheusMetrics;
  run(signal: AbortSignal): Promise<void>;
}

async function openAnswering(
  config: Config,
  { url, primaryUrl }: Shared,
  role: Role,
  log: Log,
  closers: Closers,
): Promise<Answering> {
  const present = new ToldPresent(systemClock, config.swaps === null ? null : sharedSettings(config.swaps));
  const feed = new CommitFeed();
  let follower: WriterFollower | null = null;
  const reader = openPostgresReader({ url, primaryUrl, onNotice: () => follower?.lookSoon() });
  closers.add(() => reader.close());
  const { queries } = reader;
  const caughtUp = async (): Promise<void> => {
    for (let isBehind = true; isBehind; ) isBehind = (await follower?.look()) ?? false;
  };
  const replica =
    role === "index" || config.swaps === null
      ? null
      : await SwapReplica.open({
          clock: systemClock,
          config,
          swaps: config.swaps,
          reader,
          queries,
          present,
          caughtUp,
          log,
        });
  const wanted = parametersOf(config.network.name, config.rules);
  const admits = (stored: StoredParameters | null): boolean => {
    refuseOthers(parameterDifferences(stored, wanted), shownDatabase(config.database));
    return stored !== null;
  };
  const followed = { reader, present, swaps: replica, feed, admits };
  const following = new WriterFollower({ ...followed, clock: systemClock, log });
  follower = following;
  const evm = config.swaps === null ? null : () => present.evmStatus();
  const conditions = () => [
    ...following.conditions(),
    ...present.conditions(),
    ...(replica?.conditions() ?? []),
  ];
  return {
    metrics: new PrometheusMetrics(() => present.status(), evm, conditions),
    parts: {
      queries,
      answers: null,
      status: () => present.status(),
      conditions,
      nodes: () => present.nodes(),
      swaps: replica?.service ?? null,
      mempool: present,
      feed,
      log,
      isOpen: () => following.isOpen,
      followedEvent: () => following.followedEvent,
      showsEvent: async (id) => {
        if (following.followedEvent < id) await caughtUp();
      },
      ...(role === "index" ? { serves: "health" } : {}),
    },
    run: async (signal) => {
      await Promise.all([following.run(signal), replica?.run(signal)]);
    },
  };
}
