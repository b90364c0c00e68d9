// Makes decided blocks durable: they are written in order, in batches, by at most one commit at a time, while the next
// blocks are being decided. A failed commit stops the queue, since only the store knows what it left behind. What has
// become durable is logged: a line per block at the tip, a line per batch while syncing (the blocks' own lines are then
// at level debug).

import type { BlockChanges } from "../prc20/state.ts";
import { StoreWriteError } from "../follow/follower-errors.ts";
import type { FollowedStore } from "./ports.ts";
import type { Log } from "../follow/ports.ts";

/** What happens after a batch has become durable. */
export type OnDurable<Block> = (blocks: readonly Block[], durationMs: number) => void;

/** Settings of a queue. */
export interface CommitQueueOptions<Block> {
  /** Newest blocks whose before-images are kept once these are written. */
  readonly undoBlocks: (batch: readonly Block[]) => number;
  /** Batches that may wait or be written at a time; deciding waits beyond that. */
  readonly maxQueued: number;
  readonly monotonicMs: () => number;
  /** What of a block the store writes. */
  readonly changesOf: (block: Block) => BlockChanges;
  readonly onDurable: OnDurable<Block>;
}

/** Writes batches of blocks one after the other. */
export class CommitQueue<Block> {
  readonly #store: FollowedStore;
  readonly #options: CommitQueueOptions<Block>;
  #running: Promise<void>[] = [];
  #failure: StoreWriteError | null = null;

  constructor(store: FollowedStore, options: CommitQueueOptions<Block>) {
    this.#store = store;
    this.#options = options;
  }

  /** Queues a batch of consecutive blocks; resolves when there is room for another. Throws `StoreWriteError`. */
  async submit(blocks: readonly Block[]): Promise<void> {
    if (blocks.length === 0) return;
    this.#throwFailure();
    const before = this.#running.at(-1) ?? Promise.resolve();
    const write = before.then(() => this.#write(blocks));
    this.#running.push(write);
    while (this.#running.length > this.#options.maxQueued) await this.#oldest();
    this.#throwFailure();
  }

  /** Resolves when everything queued is durable. Throws `StoreWriteError`. */
  async flush(): Promise<void> {
    await this.settle();
    this.#throwFailure();
  }

  /** Resolves when no write is under way, whether the writes succeeded or failed. */
  async settle(): Promise<void> {
    while (this.#running.length > 0) await this.#oldest();
  }

  /** Starts anew after a failure, when the store's tip has been read again. Nothing may be queued. */
  reset(): void {
    this.#failure = null;
  }

  async #oldest(): Promise<void> {
    await this.#running[0];
    this.#running = this.#running.slice(1);
  }

  async #write(blocks: readonly Block[]): Promise<void> {
    // What follows a failed batch would not link to the store's tip.
    if (this.#failure !== null) return;
    const started = this.#options.monotonicMs();
    try {
      const { changesOf, undoBlocks } = this.#options;
      await this.#store.commit(blocks.map(changesOf), undoBlocks(blocks));
    } catch (cause) {
      this.#failure = new StoreWriteError("a commit", { cause });
      return;
    }
    this.#options.onDurable(blocks, this.#options.monotonicMs() - started);
  }

  #throwFailure(): void {
    if (this.#failure !== null) throw this.#failure;
  }
}

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
