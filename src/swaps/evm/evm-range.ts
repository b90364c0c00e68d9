// The number of blocks that are asked for at once. RPCs limit ranges, numbers of logs and times in their own ways and
// words, so the size is found by trying: it grows while answers come, and halves where one does not.

import type { EvmAddress } from "../../primitives/brands.ts";
import { type EvmBlock, type EvmLog, type EvmSource, type LogsAnswer, MOST_HELD } from "./evm-chain.ts";
import { ownLogs } from "./evm-cross-check.ts";
import { EvmUnavailable, unsettled } from "./evm-unavailable.ts";

/** Bounds of the search. */
export interface RangeBounds {
  /** First size tried, in blocks. */
  readonly first: number;
  readonly most: number;
  /** Logs in one answer above which the range does not grow, and shrinks at twice as many. */
  readonly manyLogs: number;
}

/** Bounds that suit public RPCs and dev nodes alike. */
export const RANGE_DEFAULTS: RangeBounds = { first: 1000, most: 50_000, manyLogs: 8000 };

/** Answers after which a size that once failed is tried again: a limit by number of logs passes with the logs. */
const FORGIVE_AFTER = 32;

/** The present size of a range. */
export class RangeSizer {
  readonly #bounds: RangeBounds;
  #size: number;
  #ceiling: number;
  #successes = 0;

  constructor(bounds: RangeBounds) {
    this.#bounds = bounds;
    this.#size = Math.min(bounds.first, bounds.most);
    this.#ceiling = bounds.most;
  }

  /** Blocks to ask for next, 1 or more. */
  get size(): number {
    return this.#size;
  }

  /** An answer for `blocks` blocks came, with `logs` logs. A short last range tells nothing about larger ones. */
  answered(blocks: number, logs: number): void {
    this.#successes += 1;
    if (this.#successes >= FORGIVE_AFTER) {
      this.#successes = 0;
      this.#ceiling = Math.min(this.#bounds.most, this.#ceiling * 2);
    }
    if (logs > 2 * this.#bounds.manyLogs) this.#size = Math.max(1, Math.floor(this.#size / 2));
    else if (logs <= this.#bounds.manyLogs && blocks >= this.#size) {
      this.#size = Math.min(this.#ceiling, this.#size * 2);
    }
  }

  /** No answer for `blocks`, because they are too many; false where fewer cannot be asked for. */
  refused(blocks: number): boolean {
    if (blocks <= 1) return false;
    this.#ceiling = Math.max(1, Math.floor(blocks / 2));
    this.#size = this.#ceiling;
    this.#successes = 0;
    return true;
  }

  /**
   * No answer for `blocks`, for whatever reason: less is asked for next. Where it was not their number, twice as many
   * are with each answer again, so that an RPC that limits requests in time is not asked for small ranges only.
   */
  failed(blocks: number): void {
    this.#size = Math.max(1, Math.min(this.#size, Math.floor(blocks / 2)));
  }
}

/** Receipts that are asked for at a time, where a block's logs are read by them. */
const RECEIPTS_AT_ONCE = 50;

/** Whose logs are asked for, and how. */
export interface EscrowLogsQuestion {
  readonly source: EvmSource;
  /** The same RPC with the time that it is given for the receipts of all transactions of a block. */
  readonly byReceipts: (block: EvmBlock) => EvmSource;
  readonly sizer: RangeSizer;
  readonly escrow: EvmAddress;
}

/**
 * The escrow's logs of the blocks from `from` to `end`; null where an RPC refuses so many blocks at once, and fewer of
 * them are to be asked for. Rejects with `EvmUnavailable`.
 */
export async function escrowLogs(
  { source, byReceipts, sizer, escrow }: EscrowLogsQuestion,
  from: number,
  end: EvmBlock,
): Promise<readonly EvmLog[] | null> {
  const count = end.number - from + 1;
  const answer = await logsOfRange(source, sizer, from, end.number);
  if (answer.kind === "logs") {
    sizer.answered(count, answer.logs.length);
    return ownLogs(answer.logs, escrow);
  }
  return sizer.refused(count) ? null : logsByReceipts(byReceipts(end), end, escrow, answer.why);
}

/**
 * The logs of a range. An answer that never comes, as behind a gateway that waits too short, is one that is too large.
 */
async function logsOfRange(
  source: Pick<EvmSource, "logs">,
  sizer: RangeSizer,
  from: number,
  to: number,
): Promise<LogsAnswer> {
  try {
    return await source.logs(from, to);
  } catch (error) {
    sizer.failed(to - from + 1);
    throw error;
  }
}

/**
 * The escrow's logs of one block whose logs an RPC refuses to give at once, by the receipts of its transactions.
 * Anybody can make more logs in one block than providers give in one answer, and a block that cannot be read would stop
 * the index for ever. A block whose filter shows none is refused for another reason. `why`: the RPC's words. Rejects
 * with `EvmUnavailable`: TOO_LARGE where the receipts are refused too.
 */
async function logsByReceipts(
  source: EvmSource,
  block: EvmBlock,
  escrow: EvmAddress,
  why: string,
): Promise<readonly EvmLog[]> {
  const refused = (receipts: string): EvmUnavailable =>
    new EvmUnavailable(
      "TOO_LARGE",
      `the logs of the single block ${block.number} are refused: ${why}${receipts}; this RPC cannot show that block, and where ` +
        "none can nothing above it is read: add one with larger limits to EVM_RPC_URLS, as a node of your own has them",
    );
  if (!block.mayHoldLogs) throw refused("");
  const logs: EvmLog[] = [];
  for (let at = 0; at < block.transactions.length; at += RECEIPTS_AT_ONCE) {
    const hashes = block.transactions.slice(at, at + RECEIPTS_AT_ONCE);
    const receipts = await source.receipts(hashes).catch((error: unknown) => {
      throw error instanceof EvmUnavailable ? refused(`, and so are its receipts: ${error.message}`) : error;
    });
    for (const receipt of receipts) {
      if (receipt === null || receipt.blockHash !== block.hash)
        throw unsettled(source, `block ${block.number} and its receipts`);
      for (const log of ownLogs(receipt.logs, escrow)) logs.push(log);
    }
    // More than any block has room for, and one RPC of several may make up any number.
    if (logs.length > MOST_HELD.logs) throw refused(`, and its receipts have more than ${MOST_HELD.logs}`);
  }
  return logs;
}
