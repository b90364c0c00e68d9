// One range of logs, read so that all of it is of one chain: the end of the range and the block before it have the same
// hashes before and after the reading, each log is held against its block, and the answer against the filter in the
// header of every block that is not final yet (S-08).

import { zip } from "../../primitives/elements.ts";
import type { Bytes32 } from "../../primitives/brands.ts";
import type { Clock } from "../../follow/ports.ts";
import type { EscrowEvent } from "../../swap/facts.ts";
import type { EvmBlock, EvmLog, EvmSource, ReadEscrowLog } from "./evm-chain.ts";
import { badLogs, checkLinks, checkLogs, eventsOf, type LogQuestion, ownLogs } from "./evm-cross-check.ts";
import { escrowLogs, type EscrowLogsQuestion } from "./evm-range.ts";
import { EvmUnavailable, unsettled } from "./evm-unavailable.ts";
import type { ChainCheckpoint, EvmChange } from "../ledger/ports.ts";

/** A block that is known, as a place to go on from. */
export interface EvmPoint {
  readonly number: number;
  readonly hash: Bytes32;
  /** Unix seconds. */
  readonly time: number;
}

/** What to read. */
interface RangeQuestion extends EscrowLogsQuestion {
  readonly readLog: ReadEscrowLog;
  readonly clock: Pick<Clock, "sleep">;
  readonly from: number;
  /** The RPC's newest block, at or above `from`. */
  readonly head: EvmBlock;
  /** The block before `from` that the ledger stands on; null at the first block of all. */
  readonly before: EvmPoint | null;
  /** Final by what is known: of blocks above it every header is read. */
  readonly settled: number;
}

/** What was read. */
type RangeAnswer =
  | {
      readonly kind: "read";
      readonly events: readonly EscrowEvent[];
      /** Blocks with events, ascending, and the end. */
      readonly checkpoints: readonly ChainCheckpoint[];
      readonly end: EvmPoint;
      /** All headers of the range where they were read, ascending; else null. */
      readonly headers: readonly EvmBlock[] | null;
    }
  /** The chain does not continue the block before the range. */
  | { readonly kind: "forked" };

/** Up to this many final blocks are read with all headers, too, which must link from the block before to the end. */
const CHAINED_BLOCKS = 16;
/** Headers that are held at a time. */
const HEADERS_AT_ONCE = 1000;
/** Blocks asked for their logs at a time, where the filter says that there may be some. */
const BLOCKS_AT_ONCE = 8;

/** The block as the tip of the ledger. */
export function tipOf({ number: height, hash, time }: EvmPoint): EvmChange["tip"] {
  return { height, hash, time };
}

/** The block as a checkpoint of the ledger. */
export function checkpointOf(block: EvmPoint): ChainCheckpoint {
  return { chain: "evm", height: block.number, hash: block.hash, time: block.time };
}

async function blockAt(source: EvmSource, number: number): Promise<EvmBlock> {
  const [block] = await source.blocksAt([number]);
  if (block === null || block === undefined) throw unsettled(source, `block ${number} is gone`);
  return block;
}

/** All headers of a short range or of one that is not final; else null. Linked to each other and to the end. */
async function headersOf(question: RangeQuestion, to: number): Promise<readonly EvmBlock[] | null> {
  const { source, from, head, settled } = question;
  const count = to - from + 1;
  if (count > CHAINED_BLOCKS && to <= settled) return null;
  if (count === 1 && to === head.number) return [head];
  const numbers = Array.from({ length: count }, (_, i) => from + i);
  const blocks = await source.blocksAt(numbers);
  const headers: EvmBlock[] = [];
  for (const block of blocks) {
    if (block === null) throw unsettled(source, `a block of ${from} to ${to} is gone`);
    headers.push(block);
  }
  checkLinks(headers, source.name);
  return headers;
}

/** The blocks that the logs name; those of `known` are not asked for again. */
async function blocksOfLogs(
  source: EvmSource,
  logs: readonly EvmLog[],
  known: readonly EvmBlock[],
): Promise<ReadonlyMap<Bytes32, EvmBlock>> {
  const blocks = new Map<Bytes32, EvmBlock>();
  for (const block of known) blocks.set(block.hash, block);
  const missing = [...new Set(logs.map(({ blockHash }) => blockHash))].filter((hash) => !blocks.has(hash));
  const answers = missing.length === 0 ? [] : await source.blocksByHash(missing);
  for (const [hash, block] of zip(missing, answers)) {
    if (block === null) throw unsettled(source, `block ${hash} has logs and is unknown`);
    blocks.set(block.hash, block);
  }
  return blocks;
}

/** Some RPCs know a block before its logs: where none came and the filter may hold some, they are asked for by hash. */
async function checkNoneMissing(
  { source, escrow }: RangeQuestion,
  headers: readonly EvmBlock[],
  logs: readonly EvmLog[],
): Promise<void> {
  const shown = new Set(logs.map(({ blockHash }) => blockHash));
  const silent = headers.filter((block) => block.mayHoldLogs && !shown.has(block.hash));
  for (let at = 0; at < silent.length; at += BLOCKS_AT_ONCE) {
    const part = silent.slice(at, at + BLOCKS_AT_ONCE);
    const answers = await Promise.all(part.map(({ hash }) => source.logsOfBlock(hash)));
    for (const [block, late] of zip(part, answers)) {
      if (ownLogs(late, escrow).length > 0)
        throw unsettled(source, `block ${block.number} has logs that its range did not show`);
    }
  }
}

/** The last block to ask for: blocks that are final and blocks that are not are read apart. */
function endOf({ from, head, settled, sizer }: RangeQuestion): number {
  if (from <= settled) return Math.min(head.number, settled, from + sizer.size - 1);
  return Math.min(head.number, from + Math.min(HEADERS_AT_ONCE, sizer.size) - 1);
}

/** False where the block before the range has left the chain. Rejects where the end has. */
async function isStill(question: RangeQuestion, end: EvmBlock, isChained: boolean): Promise<boolean> {
  const { source, before } = question;
  const asksBefore = before !== null && !isChained;
  const numbers = asksBefore ? [before.number, end.number] : [end.number];
  const now = await source.blocksAt(numbers);
  if (asksBefore && now[0]?.hash !== before.hash) return false;
  if (now.at(-1)?.hash !== end.hash)
    throw unsettled(source, `block ${end.number} was replaced while it was read`);
  return true;
}

/** Reads the next range. Rejects with `EvmUnavailable` (BAD_ANSWER, UNSETTLED, …); then nothing of it may be used. */
export async function readRange(question: RangeQuestion): Promise<RangeAnswer> {
  for (;;) {
    const to = endOf(question);
    try {
      const answer = await readUpTo(question, to);
      if (answer !== null) return answer;
    } catch (error) {
      // Its blocks together are too much: fewer are not, and as many are again.
      if (error instanceof EvmUnavailable && error.code === "TOO_LARGE")
        question.sizer.refused(to - question.from + 1);
      throw error;
    }
  }
}

/** Null where fewer blocks are to be asked for. */
async function readUpTo(question: RangeQuestion, to: number): Promise<RangeAnswer | null> {
  const { source, from, head, before } = question;
  const end = to === head.number ? head : await blockAt(source, to);
  const headers = await headersOf(question, to);
  const first = headers?.[0];
  if (first !== undefined && before !== null && first.parentHash !== before.hash) return { kind: "forked" };
  if (headers !== null && headers.at(-1)?.hash !== end.hash)
    throw unsettled(source, `block ${to} was replaced while it was read`);
  const logs = await escrowLogs(question, from, end);
  return logs === null ? null : checkedRange(question, end, headers, logs);
}

async function checkedRange(
  question: RangeQuestion,
  end: EvmBlock,
  headers: readonly EvmBlock[] | null,
  logs: readonly EvmLog[],
): Promise<RangeAnswer> {
  const { source, from } = question;
  const asked: LogQuestion = { source: source.name, from, to: end.number };
  checkLogs(logs, asked);
  if (headers !== null) {
    const hashes = new Set(headers.map(({ hash }) => hash));
    const foreign = logs.find(({ blockHash }) => !hashes.has(blockHash));
    if (foreign !== undefined)
      throw badLogs(asked, `a log of ${foreign.blockHash}, which is none of these blocks`);
    await checkNoneMissing(question, headers, logs);
  }
  const blocks = await blocksOfLogs(source, logs, headers ?? [end]);
  const events = await eventsOf(logs, blocks, asked, question);
  // A chain that was replaced under the reading is no contradiction: that is asked first.
  if (!(await isStill(question, end, headers !== null))) return { kind: "forked" };
  checkEnds(
    [...new Set(logs.map(({ blockHash }) => blockHash))].flatMap((hash) => blocks.get(hash) ?? []),
    end,
    question,
  );
  const eventBlocks = new Map(events.map(({ place }) => [place.block, place]));
  eventBlocks.delete(end.number);
  const checkpoints = [...eventBlocks.values()].map(({ block, blockHash, time }) =>
    checkpointOf({ number: block, hash: blockHash, time }),
  );
  return { kind: "read", events, checkpoints: [...checkpoints, checkpointOf(end)], end, headers };
}

/** Blocks with logs link to each other, to the block before the range and to its end, wherever they are neighbours. */
function checkEnds(withLogs: readonly EvmBlock[], end: EvmBlock, question: RangeQuestion): void {
  const { source, before, from } = question;
  checkLinks(withLogs, source.name);
  const first = withLogs[0];
  if (first !== undefined && before !== null && first.number === from && first.parentHash !== before.hash)
    throw unsettled(source, `block ${first.number} does not follow ${before.hash}`);
  const last = withLogs.at(-1);
  if (last === undefined) return;
  if (last.number < end.number) checkLinks([last, end], source.name);
  else if (last.hash !== end.hash) throw unsettled(source, `block ${end.number} has two hashes`);
}
