// One range of final blocks read again and compared with what is indexed of it (S-08). The RPC must first show that it
// stands on the same chain: the final block in force, and a block of ours at or above the range. What it calls the end of
// the range is remembered as final, so that it may not be its word alone, nor that of whoever has read it first: this may
// have been the same RPC.

import type { Clock } from "../../follow/ports.ts";
import type { EscrowEvent } from "../../swap/facts.ts";
import type { EvmBlock, EvmLog, EvmSource } from "./evm-chain.ts";
import { badLogs, checkLogs, isBreath, type LogQuestion } from "./evm-cross-check.ts";
import { hashesAt } from "./evm-fork.ts";
import { escrowLogs, type EscrowLogsQuestion } from "./evm-range.ts";
import type { EvmPoint } from "./evm-read-range.ts";
import type { FinalInForce } from "./evm-rpc-quorum.ts";
import { unsettled } from "./evm-unavailable.ts";
import { type LogReading, NO_TIME, ofOtherTimes, showsEvent } from "./evm-witnesses.ts";
import { eventKey } from "../ledger/fact-kinds.ts";

/** What to compare. */
interface ComparedQuestion extends Omit<EscrowLogsQuestion, "escrow"> {
  readonly reading: LogReading;
  readonly clock: Pick<Clock, "sleep">;
  readonly from: number;
  /** Last block that may be read; the sizer says how many are read together. */
  readonly limit: number;
  readonly final: FinalInForce;
  /** What is indexed of these blocks, ascending. */
  readonly indexed: (from: number, to: number) => readonly EscrowEvent[];
  /** A block of ours at or above this height: where an RPC has it, it has our chain up to there. */
  readonly anchorOf: (height: number) => { readonly number: number; readonly hash: string };
}

/** What another reading shows. */
export interface Compared {
  readonly end: EvmPoint;
  /** How many there are up to the end. */
  readonly blocks: number;
  /** What is indexed. */
  readonly events: readonly EscrowEvent[];
  /** Indexed and not shown, or shown otherwise. */
  readonly absent: readonly EscrowEvent[];
  /** Shown where nothing is indexed; their places have no time. */
  readonly extra: readonly EscrowEvent[];
}

/** What is indexed is not on the chain of the final block: at this height at the latest. */
export interface Elsewhere {
  readonly elsewhere: number;
}

/** The RPC's chain, which has the final block, ends below this height, at which a block of ours is the next that is known. */
export interface Beyond {
  readonly beyond: number;
}

/**
 * The comparison; null where the RPC does not have the range or the final block in force, and so cannot tell; `Elsewhere`
 * where it has, and what is indexed is not on that chain. Rejects with `EvmUnavailable`.
 */
export async function compareRange(
  question: ComparedQuestion,
): Promise<Compared | Elsewhere | Beyond | null> {
  const { source, from, limit, final, anchorOf, reading, sizer } = question;
  for (;;) {
    const to = Math.min(limit, from + sizer.size - 1);
    const anchor = anchorOf(to);
    const [end, ours, theirs] = await source.blocksAt([to, anchor.number, final.height]);
    if (!end || !theirs || theirs.hash !== final.hash) return null;
    if (!ours) return anchor.number > final.height ? { beyond: anchor.number } : null;
    if (ours.hash !== anchor.hash) return anchor.number > final.height ? null : { elsewhere: anchor.number };
    checkOneChain([end, ours, theirs], source);
    const logs = await escrowLogs({ ...question, escrow: reading.escrow }, from, end);
    if (logs === null) continue;
    const found = await difference(logs, { source: source.name, from, to }, question);
    return { end, blocks: to - from + 1, ...found };
  }
}

/** An RPC that is asked for the same height several times at once has one block there. */
function checkOneChain(blocks: readonly EvmBlock[], source: EvmSource): void {
  const hashes = new Map<number, string>();
  for (const { number, hash } of blocks) {
    if ((hashes.get(number) ?? hash) !== hash) throw unsettled(source, `it has two blocks ${number}`);
    hashes.set(number, hash);
  }
}

async function difference(
  logs: readonly EvmLog[],
  asked: LogQuestion,
  { reading, clock, indexed }: ComparedQuestion,
): Promise<Pick<Compared, "events" | "absent" | "extra">> {
  checkLogs(logs, asked);
  const events = indexed(asked.from, asked.to);
  const shown = new Set<EscrowEvent>();
  const extra: EscrowEvent[] = [];
  let at = 0;
  for (const [i, log] of logs.entries()) {
    if (isBreath(i)) await clock.sleep(0);
    // Both ascend. One RPC can have hundreds of thousands of events indexed, for which there is no time to make keys.
    while (at < events.length && isBefore(events[at], log)) at += 1;
    const event = events[at];
    if (event !== undefined && event.place.block === log.block && event.place.logIndex === log.logIndex) {
      // Another log at the place of an indexed one contradicts that one, and is not taken in beside it.
      if (showsEvent(event, log, reading)) shown.add(event);
      continue;
    }
    const { block, blockHash, txHash, logIndex } = log;
    const read = reading.readLog(log, { block, blockHash, time: NO_TIME, txHash, logIndex });
    if (typeof read === "string") throw badLogs(asked, read);
    if (read !== null) extra.push(read);
  }
  return { events, absent: events.filter((event) => !shown.has(event)), extra };
}

function isBefore(event: EscrowEvent | undefined, log: EvmLog): boolean {
  if (event === undefined) return false;
  const { block, logIndex } = event.place;
  return block < log.block || (block === log.block && logIndex < log.logIndex);
}

/**
 * Whether the end is more than its RPC's own word: it is the final block in force, or one of the others, which has that
 * one, has it, too. One without it may stand still on an orphaned branch.
 */
export async function isEndShown(
  { end }: Pick<Compared, "end">,
  final: FinalInForce,
  others: readonly Pick<EvmSource, "blocksAt">[],
): Promise<boolean> {
  if (end.hash === final.hash) return true;
  for (const other of others) {
    const [theirEnd, theirFinal] = await hashesAt(other, [end.number, final.height]);
    if (theirEnd === end.hash && theirFinal === final.hash) return true;
  }
  return false;
}

/** All that an RPC shows of the compared blocks, ascending. */
export function shownEvents({ events, absent, extra }: Compared): readonly EscrowEvent[] {
  const lacking = new Set(absent);
  const shown = [...events.filter((event) => !lacking.has(event)), ...extra];
  return shown.toSorted((a, b) => a.place.block - b.place.block || a.place.logIndex - b.place.logIndex);
}

/** Keys of the indexed events that this reading does not show, or that its RPC has in a block of another time. */
export async function unshown({ events, absent }: Compared, source: EvmSource): Promise<readonly string[]> {
  return [...absent, ...(await ofOtherTimes(events, source))].map(eventKey);
}
