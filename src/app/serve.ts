// HTTP and metrics of a service: the ports that it has, and how they are given back.

import type { Server } from "node:http";
import { systemClock } from "../adapters/system/clock.ts";
import type { PrometheusMetrics } from "../adapters/system/metrics.ts";
import type { Clock, Log } from "../follow/ports.ts";
import type { IndexStatus } from "../follow/serving.ts";
import { fillTemplatePsbt } from "../wallet/fill-psbt.ts";
import type { AnsweringParts, HttpDependencies, RateLimitOptions } from "../http/dependencies.ts";
import { programVersion } from "./cli/help.ts";
import type { Closers } from "./cli/ending.ts";
import { connectionsWithin, openFilesLimit } from "./cli/open-files.ts";
import { listenOn, pageAddress, serverOver } from "./cli/service-host.ts";
import type { Config } from "./config/config.ts";
import { shownDatabase } from "./open-database.ts";
import type { SwapSides } from "./start-swaps.ts";

/** How long requests under way may take when the service stops. */
const DRAIN_MS = 1500;

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

/** A service that answers. */
export interface Served {
  readonly port: number;
  readonly metricsPort: number | null;
  /** Takes no more requests; resolves when those under way are answered or cut. */
  readonly closeHttp: () => Promise<void>;
}

/** Serves HTTP, and metrics where they have a port. @throws CommandRefused where a port cannot be had. */
export async function serve(
  config: Config,
  parts: AnsweringParts,
  metrics: PrometheusMetrics,
  closers: Closers,
): Promise<Served> {
  const { log } = parts;
  const app = await serverOver({
    ...interfaceOf(config, parts, systemClock),
    connections: { max: possibleConnections(config, log) },
    ...(parts.serves === "health" ? { metrics: () => metrics.scrape() } : {}),
  });
  const closeHttp = stopOnce(() => closeServer(app.server, () => app.close()));
  closers.add(closeHttp);
  const port = await listenOn(app.server, config.host, config.port, "port");
  const metricsPort = config.metricsPort === null ? null : await serveMetrics(metrics, config, closers);
  const page = parts.serves === "health" ? {} : { page: pageAddress(config.host, port) };
  const where = { host: config.host, port, ...page };
  log.info({ ...where, network: config.network.name, database: shownDatabase(config.database) }, "serving");
  return { port, metricsPort, closeHttp };
}

/** The HTTP interface over the parts of a service, as it is configured. */
export function interfaceOf(config: Config, parts: AnsweringParts, clock: Clock): HttpDependencies {
  return {
    ...parts,
    rules: config.rules,
    network: config.network.name,
    version: programVersion(),
    clock,
    syncedLag: config.syncedLag,
    fillPsbt: fillTemplatePsbt,
    trustProxy: config.trustProxy,
    rateLimit: perMinute(config.rateLimit),
    rateLimitPost: perMinute(config.rateLimitPost),
    logRequests: config.logLevel === "debug",
  };
}

/** As many connections as are configured, or as the system lets this process have, which is then said. */
function possibleConnections({ maxConnections }: Config, log: Log): number {
  const files = openFilesLimit();
  const connections = connectionsWithin(maxConnections, files);
  if (connections < maxConnections)
    log.warn(
      { connections },
      `MAX_CONNECTIONS is ${maxConnections}, and this process may have ${files} files open, of which it needs some itself: ` +
        `there may be ${connections} connections. Raise the limit (LimitNOFILE= of systemd, ulimit -n) or lower MAX_CONNECTIONS`,
    );
  return connections;
}

function perMinute(max: number | null): RateLimitOptions | null {
  return max === null ? null : { max, windowS: 60 };
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

/** Runs a stop once, however often it is asked for. */
export function stopOnce(stop: () => Promise<void>): () => Promise<void> {
  let stopping: Promise<void> | null = null;
  return () => (stopping ??= stop());
}
