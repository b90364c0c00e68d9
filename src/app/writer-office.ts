// The writer of a shared database, for as long as it is elected: it follows both chains, tells readers the present, and
// carries out what they ask. Who loses the lock, or does not get it, waits for it; nothing has to be started again.

import { ErrandDesk } from "../adapters/store-postgres/errands.ts";
import { LiveBoard } from "../adapters/store-postgres/live-rows.ts";
import { electPostgresWriter, type OpenedPostgresStore } from "../adapters/store-postgres/postgres-store.ts";
import { isSilence } from "../adapters/store-postgres/session.ts";
import { systemClock } from "../adapters/system/clock.ts";
import type { PrometheusMetrics } from "../adapters/system/metrics.ts";
import { sentenceOf } from "../follow/follower-errors.ts";
import type { Log } from "../follow/ports.ts";
import { carryOutErrand } from "../swaps/usecases/errands.ts";
import { Closers, CommandRefused } from "./cli/ending.ts";
import { type ComposedIndex, composeIndex } from "./compose-index.ts";
import type { Config } from "./config/config.ts";
import type { DatabaseTarget } from "./config/read-service.ts";
import { closingOnFailure, type Foundation, openFoundation } from "./foundation.ts";
import { presentEventFloor, refusal } from "./open-database.ts";
import { ReportPublisher } from "./publish-report.ts";
import type { SwapSides } from "./start-swaps.ts";

/** Pause before the next try to become the writer where the database is away. */
const RETRY_MS = 500;

/** One candidate. */
export class WriterOffice {
  readonly #config: Config;
  readonly #url: string;
  readonly #metrics: PrometheusMetrics;
  readonly #log: Log;
  readonly #begun = Promise.withResolvers<void>();
  #hasBegun = false;
  /** Why it could not be the writer the last time; null since it waits or writes again. */
  #trouble: string | null = null;
  #present: ComposedIndex | null = null;

  constructor(
    config: Config,
    { primaryUrl }: Extract<DatabaseTarget, { engine: "postgresql" }>,
    metrics: PrometheusMetrics,
    log: Log,
  ) {
    this.#config = config;
    this.#url = primaryUrl;
    this.#metrics = metrics;
    this.#log = log;
  }

  /** Resolves when it writes for the first time, or waits: behind another writer, or for a server that is silent. */
  get begun(): Promise<void> {
    return this.#begun.promise;
  }

  /** How swaps stand with both chains; null where swaps are off, and while it does not write. */
  swapSides(): SwapSides | null {
    return this.#present?.swaps?.sides() ?? null;
  }

  /**
   * Writes whenever it is elected, until the signal aborts. @throws CommandRefused where it cannot be the writer: before it
   * has begun for any reason but a server that says nothing, later where the node, the database or the escrow is another
   * one than the configured.
   */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#term(signal);
      } catch (error) {
        if (error instanceof CommandRefused) throw error;
        // Nothing was refused: a server that is busy or hangs for some seconds is waited for, as it is later on.
        if (isSilence(error)) this.#markBegun();
        if (!this.#hasBegun) throw refusal(error);
        this.#say(sentenceOf(error));
      }
      if (!signal.aborted) await systemClock.sleep(RETRY_MS, signal);
    }
    this.#begin();
  }

  /** It writes or waits: no trouble stands. */
  #begin(): void {
    this.#trouble = null;
    this.#markBegun();
  }

  /** From here on only what no waiting changes is refused. */
  #markBegun(): void {
    this.#hasBegun = true;
    this.#begun.resolve();
  }

  /** A database may be away for long: the same is said once. */
  #say(trouble: string): void {
    if (trouble === this.#trouble) return;
    this.#trouble = trouble;
    this.#log.warn({ error: trouble }, "this process cannot be the writer now; it tries again");
  }

  /** Waits for the lock and writes until it is lost or the signal aborts. */
  async #term(signal: AbortSignal): Promise<void> {
    const log = this.#log;
    const onStandby = (): void => {
      log.info({}, "another process writes the database: this one waits to take over");
      this.#begin();
    };
    const store = await electPostgresWriter(
      { url: this.#url, log, eventFloor: presentEventFloor },
      { signal, onStandby },
    );
    if (store === null) return;
    const closers = new Closers();
    closers.add(() => store.close());
    await closingOnFailure(closers, async () => {
      const foundation = openFoundation(this.#config, log, closers);
      const { index } = await composeIndex(this.#config, foundation, store, () => this.#metrics);
      this.#present = index;
      this.#begin();
      await this.#write(index, store, foundation, signal);
    }).finally(() => {
      this.#present = null;
    });
    await closers.closeAll();
  }

  async #write(
    index: ComposedIndex,
    store: OpenedPostgresStore,
    { node, closers }: Foundation,
    signal: AbortSignal,
  ): Promise<void> {
    const log = this.#log;
    const { swaps, mempool } = index;
    const board = new LiveBoard(this.#url, store.fence);
    closers.add(() => board.close());
    const publisher = new ReportPublisher(board, {
      report: () => ({
        status: index.status(),
        conditions: index.conditions(),
        nodes: index.nodes(),
        isMempoolTruncated: mempool.snapshot().truncated,
        swaps: swaps?.report() ?? null,
      }),
      mempool,
      ledger: swaps?.ledger ?? null,
      clock: systemClock,
      log,
    });
    const desk =
      swaps === null
        ? null
        : new ErrandDesk(this.#url, store, (question) => carryOutErrand(swaps.api, question));
    const end = new AbortController();
    const running = Promise.all([index.run(end.signal), publisher.run(end.signal)]);
    const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => stop(), { once: true });
    if (signal.aborted) stop();
    try {
      const lost = await Promise.race([stopped, store.failed, running]);
      if (lost instanceof Error)
        log.error({ error: sentenceOf(lost) }, "this process no longer writes; it waits to take over again");
    } finally {
      end.abort();
      await desk?.close();
      // Closing the node ends the requests that the follower may be waiting for.
      await node.close();
    }
    await running;
  }
}
