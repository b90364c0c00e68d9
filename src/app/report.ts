// What the one writer knows of both chains, as a text that readers in other processes take from the database: they ask
// no chain. It is replaced every second, and so is also the sign that there is a writer.

import { TextFormat } from "../primitives/exact-json.ts";
import type { Condition } from "../follow/conditions.ts";
import type { NodeCounts } from "../follow/ports.ts";
import type { IndexStatus } from "../follow/serving.ts";
import type { EvmStanding, PearlStanding } from "../swaps/standings.ts";
import type { EscrowFacts } from "../swaps/usecases/dependencies.ts";
import type { SharedSettings } from "./config/shared-settings.ts";

/** What a writer knows of swaps. Times of the monotonic clock are those of whoever holds the report. */
export interface SwapReport {
  readonly evm: EvmStanding;
  readonly pearl: PearlStanding;
  /** As `SwapReadiness.lastSynced`. */
  readonly lastSynced: number | null;
  /** As `SwapReadiness.isWithheld`. */
  readonly isWithheld: boolean;
  /** Null until an RPC has told what stands at the contract's address. */
  readonly escrow: EscrowFacts | null;
  /** With what it decides what it answers. */
  readonly settings: SharedSettings;
}

/** What a writer knows. */
export interface WriterReport {
  readonly status: IndexStatus;
  readonly conditions: readonly Condition[];
  readonly nodes: NodeCounts;
  /** Whether there are more unconfirmed operations than are shown (H-38). */
  readonly isMempoolTruncated: boolean;
  /** Null where swaps are off. */
  readonly swaps: SwapReport | null;
}

/** `at`: the writer's monotonic time, so that no two reports have one text. */
const FORMAT = new TextFormat<{ readonly at: number; readonly report: WriterReport }>(9, "report");

/** The text of a report that is made at this time of the writer's monotonic clock. Two reports never have one text. */
export function reportText(report: WriterReport, monotonicMs: number): string {
  const { swaps } = report;
  const told = { ...report, swaps: swaps === null ? null : moved(swaps, -monotonicMs) };
  return FORMAT.text({ at: monotonicMs, report: told });
}

/** The report of a text that came at this time of the reader's clock; null where another version of this program wrote it. */
export function readReport(text: string, monotonicMs: number): WriterReport | null {
  const report = FORMAT.read(text)?.report;
  if (report === undefined) return null;
  return { ...report, swaps: report.swaps === null ? null : moved(report.swaps, monotonicMs) };
}

/** The same with times of another clock, which shows so much more. */
function moved(swaps: SwapReport, byMs: number): SwapReport {
  const { evm, pearl } = swaps;
  const time = (ms: number | null): number | null => (ms === null ? null : ms + byMs);
  return {
    ...swaps,
    evm: {
      ...evm,
      answeredAtMonotonicMs: time(evm.answeredAtMonotonicMs),
      headChangedAtMonotonicMs: time(evm.headChangedAtMonotonicMs),
    },
    pearl: {
      ...pearl,
      fork: pearl.fork === null ? null : { ...pearl.fork, taken: null },
      answeredAtMonotonicMs: time(pearl.answeredAtMonotonicMs),
      tipChangedAtMonotonicMs: time(pearl.tipChangedAtMonotonicMs),
      lackingSinceMonotonicMs: time(pearl.lackingSinceMonotonicMs),
    },
  };
}
