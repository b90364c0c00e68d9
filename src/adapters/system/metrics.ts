// Shows the index to an operator's monitoring as Prometheus metrics, served on a port of their own.

import { createServer, type Server } from "node:http";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { BlockChanges } from "../../prc20/state.ts";
import { type Condition, CONDITIONS } from "../../follow/conditions.ts";
import type { FailureKind } from "../../follow/follower-errors.ts";
import type { IndexMetrics } from "../../index/ports.ts";
import type { EvmStatus, IndexStatus } from "../../follow/serving.ts";

/** Counts in a registry of its own, so that two services in one process do not mix. */
export class PrometheusMetrics implements IndexMetrics {
  readonly #registry = new Registry();
  readonly #blocks: Counter;
  readonly #operations: Counter<"op" | "reason">;
  readonly #rewinds: Counter;
  readonly #undone: Counter;
  readonly #failures: Counter<"kind">;
  readonly #commitSeconds: Histogram;

  /** All are asked at each scrape. `evm`: the EVM side of swaps; null where there is none. `conditions`: of /health. */
  constructor(
    status: () => IndexStatus,
    evm: (() => EvmStatus) | null,
    conditions: () => readonly Condition[],
  ) {
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    const counter = <Label extends string>(name: string, help: string, labelNames: Label[]): Counter<Label> =>
      new Counter({ name, help, labelNames, registers });
    this.#blocks = counter("strand_blocks_total", "Blocks committed.", []);
    this.#operations = counter(
      "strand_operations_total",
      "Operations recorded, by reason; valid ones have none.",
      ["op", "reason"],
    );
    this.#rewinds = counter("strand_rewinds_total", "Reorganisations followed.", []);
    this.#undone = counter("strand_undone_blocks_total", "Blocks undone by reorganisations.", []);
    this.#failures = counter("strand_failures_total", "Failed rounds of the follower, by kind.", ["kind"]);
    this.#commitSeconds = new Histogram({
      name: "strand_commit_seconds",
      help: "Duration of a commit.",
      buckets: [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3],
      registers,
    });
    const gauge = (name: string, help: string, value: (status: IndexStatus) => number): void =>
      this.#gauge(name, help, () => value(status()));
    gauge("strand_node_height", "Height of the node, the last known one.", ({ nodeHeight }) => nodeHeight);
    gauge("strand_indexed_height", "Highest committed block.", ({ indexedHeight }) => indexedHeight);
    gauge("strand_lag_blocks", "Blocks that the node has and the index has not.", ({ lag }) => lag);
    gauge("strand_stalled", "1 while the index cannot go on.", ({ indexingStatus }) =>
      indexingStatus === "stalled" ? 1 : 0,
    );
    if (evm !== null) this.#showEvm(evm);
    this.#showConditions(conditions);
  }

  /** Those that do not stand are shown, too: an alarm on a series that is not there never fires. */
  #showConditions(conditions: () => readonly Condition[]): void {
    this.#registry.registerMetric(
      new Gauge({
        name: "strand_condition",
        help: "1 while this reason of /health stands.",
        labelNames: ["code"],
        registers: [],
        collect() {
          const standing = new Set<string>(conditions().map(({ code }) => code));
          for (const code of Object.keys(CONDITIONS)) this.set({ code }, standing.has(code) ? 1 : 0);
        },
      }),
    );
  }

  #showEvm(status: () => EvmStatus): void {
    this.#gauge("strand_evm_height", "Height of the EVM chain, the last known one.", () => status().height);
    this.#gauge("strand_evm_indexed_height", "Highest indexed EVM block.", () => status().indexedHeight);
    this.#gauge("strand_evm_lag_blocks", "EVM blocks that are not indexed yet.", () => status().lag);
    this.#gauge("strand_evm_stalled", "1 while the EVM index cannot go on.", () =>
      status().indexingStatus === "stalled" ? 1 : 0,
    );
  }

  #gauge(name: string, help: string, value: () => number): void {
    // The registry keeps it and asks it.
    this.#registry.registerMetric(
      new Gauge({
        name,
        help,
        registers: [],
        collect() {
          this.set(value());
        },
      }),
    );
  }

  committed(blocks: readonly BlockChanges[], commitMs: number): void {
    this.#blocks.inc(blocks.length);
    this.#commitSeconds.observe(commitMs / 1000);
    for (const { op, reason, count } of counted(blocks)) this.#operations.inc({ op, reason }, count);
  }

  rewound(depth: number): void {
    this.#rewinds.inc();
    this.#undone.inc(depth);
  }

  failed(kind: FailureKind): void {
    this.#failures.inc({ kind });
  }

  /** The present counts, in the form of Prometheus. */
  async scrape(): Promise<{ readonly type: string; readonly text: string }> {
    return { type: this.#registry.contentType, text: await this.#registry.metrics() };
  }

  /** A server that answers `/metrics`; the caller listens. */
  server(): Server {
    return createServer((request, response) => {
      if (request.url !== "/metrics") {
        response.writeHead(404, { "content-type": "text/plain" }).end("only /metrics is here\n");
        return;
      }
      this.#registry.metrics().then(
        (text) => response.writeHead(200, { "content-type": this.#registry.contentType }).end(text),
        () => response.writeHead(500).end(),
      );
    });
  }
}

interface Counted {
  readonly op: string;
  readonly reason: string;
  count: number;
}

/** Operations grouped by the counter's labels: one call of the counter takes longer than counting a block here. */
function counted(blocks: readonly BlockChanges[]): Iterable<Counted> {
  const found = new Map<string, Counted>();
  for (const { operations } of blocks) {
    for (const operation of operations) {
      const reason = operation.reason ?? "";
      // An unknown op is any text that a stranger writes: as a label it would grow without bound.
      const op = reason === "OP_UNKNOWN" ? "unknown" : operation.op;
      const key = `${op} ${reason}`;
      const known = found.get(key);
      if (known === undefined) found.set(key, { op, reason, count: 1 });
      else known.count += 1;
    }
  }
  return found.values();
}
