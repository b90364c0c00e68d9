// Refuses what cannot be true of an RPC by itself, so that it counts as no answer, and nothing of it is used. Every block that
// comes in passes here: a final block above the RPC's own latest, and a block of the far future, which would move *now* and
// with it every expiry (S-07). Every log that an RPC shows is held against the block that it names (S-05).

import type { Bytes32, EvmAddress } from "../../primitives/brands.ts";
import type { Clock } from "../../follow/ports.ts";
import type { EscrowEvent } from "../../swap/facts.ts";
import type { EvmBlock, EvmLog, EvmSource, ReadEscrowLog } from "./evm-chain.ts";
import { EvmUnavailable } from "./evm-unavailable.ts";

/** Seconds that a block's time may be ahead of the service's clock (S-07); a PEARL block's, too. */
export const MAX_AHEAD_S = 900;

/**
 * The source, whose impossible answers reject with `EvmUnavailable` BAD_ANSWER. `maxAheadS` null: block times are not
 * compared with the clock (simnet and regtest, where tests move the time).
 */
export function checkedSource(source: EvmSource, clock: Clock, maxAheadS: number | null): EvmSource {
  const check = (block: EvmBlock): void => {
    const ahead = block.time - Math.floor(clock.nowMs() / 1000);
    if (maxAheadS === null || ahead <= maxAheadS) return;
    throw new EvmUnavailable(
      "BAD_ANSWER",
      `block ${block.number} (${block.hash}) at ${source.name} has a time ${ahead} s ahead of this machine's clock: ` +
        "the RPC is wrong, or the clock is",
    );
  };
  const checkAll = (blocks: readonly (EvmBlock | null)[]): readonly (EvmBlock | null)[] => {
    for (const block of blocks) if (block !== null) check(block);
    return blocks;
  };
  return {
    name: source.name,
    heads: async () => {
      const heads = await source.heads();
      check(heads.head);
      if (heads.final !== null && heads.final.number > heads.head.number) {
        throw new EvmUnavailable(
          "BAD_ANSWER",
          `${source.name} calls block ${heads.final.number} final, and its latest block is ${heads.head.number}`,
        );
      }
      return heads;
    },
    blocksAt: async (numbers, isPoll) => checkAll(await source.blocksAt(numbers, isPoll)),
    blocksByHash: async (hashes) => checkAll(await source.blocksByHash(hashes)),
    logs: (from, to) => source.logs(from, to),
    logsOfBlock: (hash) => source.logsOfBlock(hash),
    receipts: (txHashes) => source.receipts(txHashes),
  };
}

/** What was asked. */
export interface LogQuestion {
  /** The RPC, for messages. */
  readonly source: string;
  readonly from: number;
  readonly to: number;
}

/** A log that cannot be true. The message names RPC and request. */
export function badLogs(question: LogQuestion, what: string): EvmUnavailable {
  const { source, from, to } = question;
  return new EvmUnavailable("BAD_ANSWER", `eth_getLogs of blocks ${from} to ${to} at ${source}: ${what}`);
}

/** The logs of the escrow: those of other contracts in an answer say nothing, and are dropped (S-08). */
export function ownLogs(logs: readonly EvmLog[], escrow: EvmAddress): readonly EvmLog[] {
  return logs.filter(({ address }) => address === escrow);
}

/** What is wrong with the log by itself and after the one before it, or null. */
function logFault(log: EvmLog, before: EvmLog | undefined, question: LogQuestion): string | null {
  const { from, to } = question;
  if (log.block < from || log.block > to) return `a log of block ${log.block}`;
  if (log.removed) return `log ${log.logIndex} of block ${log.block} is marked as removed`;
  if (log.topics.length === 0) return `log ${log.logIndex} of block ${log.block} has no topics`;
  if (before === undefined) return null;
  if (log.block < before.block) return `block ${log.block} after block ${before.block}`;
  if (log.block > before.block) return null;
  if (log.blockHash !== before.blockHash)
    return `block ${log.block} with two hashes, ${before.blockHash} and ${log.blockHash}`;
  if (log.logIndex <= before.logIndex)
    return `log ${log.logIndex} after log ${before.logIndex} in block ${log.block}`;
  if (log.txIndex < before.txIndex)
    return `transaction ${log.txIndex} after ${before.txIndex} in block ${log.block}`;
  return null;
}

/**
 * Checks range, order and duplicates of the escrow's logs, without the blocks.
 * @throws EvmUnavailable BAD_ANSWER.
 */
export function checkLogs(logs: readonly EvmLog[], question: LogQuestion): void {
  for (let i = 0; i < logs.length; i += 1) {
    const log = logs[i];
    const fault = log === undefined ? null : logFault(log, logs[i - 1], question);
    if (fault !== null) throw badLogs(question, fault);
  }
}

function blockFault(log: EvmLog, block: EvmBlock): string | null {
  if (block.hash !== log.blockHash || block.number !== log.block)
    return `log ${log.logIndex} of block ${log.block} (${log.blockHash}), which is block ${block.number} (${block.hash})`;
  if (block.transactions[log.txIndex] !== log.txHash)
    return `log ${log.logIndex} of block ${log.block} names transaction ${log.txIndex} ${log.txHash}, which the block does not have there`;
  return null;
}

/**
 * Checks that blocks of consecutive numbers name each other as parents; `blocks` ascending by number.
 * @throws EvmUnavailable UNSETTLED: blocks of two branches.
 */
export function checkLinks(blocks: readonly EvmBlock[], source: string): void {
  for (let i = 1; i < blocks.length; i += 1) {
    const parent = blocks[i - 1];
    const block = blocks[i];
    if (parent === undefined || block === undefined || block.number !== parent.number + 1) continue;
    if (block.time < parent.time)
      throw new EvmUnavailable(
        "BAD_ANSWER",
        `block ${block.number} (${block.hash}) at ${source} is older than its parent`,
      );
    if (block.parentHash === parent.hash) continue;
    throw new EvmUnavailable(
      "UNSETTLED",
      `block ${block.number} (${block.hash}) at ${source} names another parent than block ${parent.number} ` +
        `(${parent.hash}) at the same RPC`,
    );
  }
}

/** Logs that are taken apart between two breaths of the event loop: some milliseconds. A block may have 250,000. */
const LOGS_AT_ONCE = 1000;

/** Whether others go on before the log at this index is taken apart. */
export function isBreath(at: number): boolean {
  return at % LOGS_AT_ONCE === LOGS_AT_ONCE - 1;
}

/**
 * The events of the logs, each with the place where its block really stands. `blocks`: those that the logs name, by
 * hash. Rejects with `EvmUnavailable` BAD_ANSWER.
 */
export async function eventsOf(
  logs: readonly EvmLog[],
  blocks: ReadonlyMap<Bytes32, EvmBlock>,
  question: LogQuestion,
  { readLog, clock }: { readonly readLog: ReadEscrowLog; readonly clock: Pick<Clock, "sleep"> },
): Promise<readonly EscrowEvent[]> {
  const events: EscrowEvent[] = [];
  for (const [at, log] of logs.entries()) {
    if (isBreath(at)) await clock.sleep(0);
    const block = blocks.get(log.blockHash);
    const fault = block === undefined ? `no block ${log.blockHash}` : blockFault(log, block);
    if (block === undefined || fault !== null) throw badLogs(question, fault ?? "");
    const { txHash, logIndex } = log;
    const place = { block: block.number, blockHash: block.hash, time: block.time, txHash, logIndex };
    const event = readLog(log, place);
    if (typeof event === "string") throw badLogs(question, event);
    if (event !== null) events.push(event);
  }
  return events;
}
