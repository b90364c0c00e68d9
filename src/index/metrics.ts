// The port through which the indexer counts; the adapter turns the numbers into Prometheus metrics.

import type { FailureKind } from "../follow/follower-errors.ts";
import type { BlockChanges } from "../prc20/state.ts";

/** Counters and gauges of the index. */
export interface IndexMetrics {
  /** Blocks have become durable in one transaction that took `commitMs`. */
  committed(blocks: readonly BlockChanges[], commitMs: number): void;
  /** `depth` blocks have been undone. */
  rewound(depth: number): void;
  /** A round has failed. */
  failed(kind: FailureKind): void;
}
