// A block between its decision and its report, and the report: a line per block at the tip, a line per batch while
// syncing (the blocks' own lines are then at level debug).

import type { BlockChanges } from "../prc20/state.ts";
import type { Log } from "../follow/ports.ts";

/** A block on its way into the store. */
export interface DecidedBlock {
  readonly changes: BlockChanges;
  /** Monotonic time at which its bytes were there. */
  readonly startedMs: number;
  readonly isSyncing: boolean;
}

/** Logs blocks that have become durable. */
export function decidedReport(blocks: readonly DecidedBlock[], nowMs: number, log: Log): void {
  const first = blocks[0];
  const last = blocks.at(-1);
  if (first === undefined || last === undefined) return;
  for (const block of blocks) {
    const { changes } = block;
    const message = `block ${changes.height}: ${countOf(changes.operations.length)}`;
    if (block.isSyncing) log.debug(fieldsOf(block, nowMs), message);
    else log.info(fieldsOf(block, nowMs), message);
  }
  if (!first.isSyncing) return;
  const operations = blocks.reduce((sum, { changes }) => sum + changes.operations.length, 0);
  log.info(
    {
      from: first.changes.height,
      to: last.changes.height,
      hash: last.changes.hash,
      ops: operations,
      ms: round(nowMs - first.startedMs),
      digest: last.changes.digest,
    },
    `blocks ${first.changes.height} to ${last.changes.height}: ${countOf(operations)}`,
  );
}

function fieldsOf({ changes, startedMs }: DecidedBlock, nowMs: number): Record<string, unknown> {
  const reasons: Record<string, number> = {};
  let valid = 0;
  for (const { reason } of changes.operations) {
    if (reason === null) valid += 1;
    else reasons[reason] = (reasons[reason] ?? 0) + 1;
  }
  const { height, hash, operations, digest } = changes;
  const fields = { height, hash, ops: operations.length, valid, ms: round(nowMs - startedMs), digest };
  return Object.keys(reasons).length === 0 ? fields : { ...fields, reasons };
}

function countOf(operations: number): string {
  return operations === 1 ? "1 operation" : `${operations} operations`;
}

function round(ms: number): number {
  return Math.round(ms * 10) / 10;
}
