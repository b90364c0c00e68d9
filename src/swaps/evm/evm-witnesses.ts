// Finds the RPCs that show a log and those that lack it, by receipt, in batches: an event of several RPCs is final only
// when a second one has shown the same log in the same block (S-07).

import { elementAt, zip } from "../../primitives/elements.ts";
import type { Bytes32, EvmAddress } from "../../primitives/brands.ts";
import { isSameValue } from "../../primitives/same-value.ts";
import type { EscrowEvent } from "../../swap/facts.ts";
import { type EvmChain, type EvmHeader, type EvmLog, type EvmSource, headersBy } from "./evm-chain.ts";
import { ownLogs } from "./evm-cross-check.ts";
import { EvmUnavailable } from "./evm-unavailable.ts";

/** Transactions whose receipts, or blocks, are held at a time. */
const RECEIPTS_AT_ONCE = 500;
/** Events of these, which is at most what one more transaction has above that: a receipt has all of its transaction. */
const EVENTS_AT_ONCE = 10_000;
/** Transactions whose events all RPCs are asked about before any of these is judged. */
const ASKED_AT_ONCE = 50;

/** The time of an event whose block's header was not read. */
export const NO_TIME = 0;

/** What an event says in one place alone, of which its block knows more. */
const TIME: ReadonlySet<string> = new Set(["time"]);

/** Indices of the RPCs that show an event and of those that have its block and not the event. */
export interface Witnesses {
  readonly shows: readonly number[];
  readonly lacks: readonly number[];
}

/** What logs are read with. */
export type LogReading = Pick<EvmChain, "escrow" | "readLog">;

/** Whether the log says what the event says, at the same place. */
export function showsEvent(
  event: EscrowEvent,
  log: EvmLog,
  { readLog }: Pick<LogReading, "readLog">,
): boolean {
  const { block, blockHash, txHash, logIndex } = event.place;
  if (log.block !== block || log.blockHash !== blockHash || log.removed) return false;
  if (log.txHash !== txHash || log.logIndex !== logIndex) return false;
  const read = readLog(log, event.place);
  return read !== null && typeof read !== "string" && isSameValue(read, event, TIME);
}

/**
 * The final block in force: who has it and another block than the event's at its height lacks the event, and who does not
 * have it has no word on what is below it, since it may stand still on an orphaned branch.
 */
export type KnownFinal = { readonly height: number; readonly hash: Bytes32 | null } | null;

/** What one of the RPCs has said of events a moment ago, as `shownBy` gives it. */
interface KnownWords {
  readonly index: number;
  readonly shown: ReadonlyMap<EscrowEvent, boolean | null>;
}

/** Events to ask about, in their order. `known`: whose words on them need not be asked for again. */
export interface Doubts {
  readonly events: readonly EscrowEvent[];
  readonly known: KnownWords | null;
}

/** Transactions whose events one RPC is asked about at a time before others are. */
const DOUBTED_AT_ONCE = 500;

/** What the RPC of that index does not show of these events, or what is suspect though it does, asked for as it is taken. */
export async function* doubtsOf(
  events: readonly EscrowEvent[],
  index: number,
  ask: (part: readonly EscrowEvent[]) => ReturnType<typeof shownBy>,
  isSuspect: (event: EscrowEvent) => boolean,
): AsyncGenerator<Doubts, void, void> {
  for (const part of partsOf(events, DOUBTED_AT_ONCE)) {
    const shown = new Map(zip(part, await ask(part)));
    yield {
      events: part.filter((event) => shown.get(event) !== true || isSuspect(event)),
      known: { index, shown },
    };
  }
}

/**
 * Asks these RPCs, which are all that there are, about the events; witnesses in the order of the events. One that does not
 * answer, or may not have come to the block, is no witness of either kind.
 */
async function witnessesOf(
  { events, known }: Doubts,
  sources: readonly EvmSource[],
  reading: LogReading,
  final: KnownFinal,
): Promise<readonly Witnesses[]> {
  const answers = await Promise.all(
    sources.map(async (source, index) => ({
      index,
      shown:
        known?.index === index
          ? events.map((event) => known.shown.get(event) ?? null)
          : await askedQuietly(events, source, reading, final),
    })),
  );
  return events.map((_, i) => ({
    shows: answers.flatMap(({ index, shown }) => (wordOn(i, shown) === true ? [index] : [])),
    lacks: answers.flatMap(({ index, shown }) => (wordOn(i, shown) === false ? [index] : [])),
  }));
}

/** The events with their witnesses, in order and asked about as they are taken. */
export async function* eachWitnessed(
  { events, known }: Doubts,
  sources: readonly EvmSource[],
  reading: LogReading,
  final: KnownFinal,
): AsyncGenerator<readonly [EscrowEvent, Witnesses], void, void> {
  for (const part of partsOf(events, ASKED_AT_ONCE))
    yield* zip(part, await witnessesOf({ events: part, known }, sources, reading, final));
}

/** The RPCs that have said something of one of the events so far. */
export class HeardRpcs {
  readonly #heard = new Set<number>();

  /** Whether one of them, but for the RPC of this index, says nothing of an event with these words: its time was up. */
  lacksOne({ shows, lacks }: Witnesses, apart: number): boolean {
    const speaking = new Set([...shows, ...lacks]);
    for (const index of speaking) this.#heard.add(index);
    for (const index of this.#heard) if (index !== apart && !speaking.has(index)) return true;
    return false;
  }
}

/** What an RPC says of the event at an index; null where it has not answered. */
function wordOn(i: number, shown: readonly (boolean | null)[] | null): boolean | null {
  return shown === null ? null : elementAt(shown, i);
}

async function askedQuietly(
  events: readonly EscrowEvent[],
  source: EvmSource,
  reading: LogReading,
  final: KnownFinal,
): Promise<readonly (boolean | null)[] | null> {
  try {
    return await shownBy(events, source, reading, final);
  } catch (error) {
    if (error instanceof EvmUnavailable) return null;
    throw error;
  }
}

/**
 * Whether the RPC shows each event by receipt, in a block of the event's time; null where it is not on the chain of the
 * final block, or has neither the event's block nor another one in its place, which says nothing. Rejects with
 * `EvmUnavailable` where it does not answer.
 */
export async function shownBy(
  events: readonly EscrowEvent[],
  source: EvmSource,
  reading: LogReading,
  final: KnownFinal,
): Promise<readonly (boolean | null)[]> {
  if (events.length === 0) return [];
  const foreignUpTo = (await isOnChainOf(final, source)) ? -1 : (final?.height ?? -1);
  const shown: (boolean | null)[] = [];
  for (const part of partsOf(events, RECEIPTS_AT_ONCE)) {
    const blocks = await blocksOf(part, source);
    const logs = await logsOf(part, blocks, source, reading.escrow);
    const unknown = part.filter(({ place }) => !blocks.has(place.blockHash));
    const replaced = await replacedBlocks(unknown, source, final);
    for (const event of part) {
      const log = logs.get(placeText(event.place));
      if (event.place.block <= foreignUpTo) shown.push(null);
      else if (blocks.has(event.place.blockHash))
        shown.push(isOfItsTime(event, blocks) && log !== undefined && showsEvent(event, log, reading));
      else shown.push(replaced.has(event.place.blockHash) ? false : null);
    }
  }
  return shown;
}

/** Whether the RPC has the final block; true where none is known. */
async function isOnChainOf(final: KnownFinal, source: EvmSource): Promise<boolean> {
  if (final === null || final.hash === null) return true;
  const [theirs] = await source.blocksAt([final.height]);
  return theirs?.hash === final.hash;
}

/** Those of the events whose block the RPC does not know, or knows with another time. */
export async function ofOtherTimes(
  events: readonly EscrowEvent[],
  source: EvmSource,
): Promise<readonly EscrowEvent[]> {
  const others: EscrowEvent[] = [];
  for (const part of partsOf(events, RECEIPTS_AT_ONCE)) {
    const blocks = await blocksOf(part, source);
    for (const event of part) if (!isOfItsTime(event, blocks)) others.push(event);
  }
  return others;
}

/** The blocks of these events that the RPC knows by their hashes. */
async function blocksOf(
  events: readonly EscrowEvent[],
  source: EvmSource,
): Promise<ReadonlyMap<Bytes32, EvmHeader>> {
  const hashes = [...new Set(events.map(({ place }) => place.blockHash))];
  const blocks = await headersBy(hashes, (part) => source.blocksByHash(part));
  return new Map(blocks.flatMap((block) => (block === null ? [] : [[block.hash, block]])));
}

/**
 * Whether the event's block is among these, with the time that the event has, where it has one. A hash binds its block's
 * time, but how differs from chain to chain, so that an RPC can give a block a false one.
 */
function isOfItsTime({ place }: EscrowEvent, blocks: ReadonlyMap<Bytes32, EvmHeader>): boolean {
  const block = blocks.get(place.blockHash);
  return block !== undefined && (place.time === NO_TIME || block.time === place.time);
}

/** The events in their order, in parts of at most so many transactions, of which each may hold ten thousand events. */
function* partsOf(events: readonly EscrowEvent[], transactions: number): Generator<readonly EscrowEvent[]> {
  let part: EscrowEvent[] = [];
  const hashes = new Set<Bytes32>();
  for (const event of events) {
    const { txHash } = event.place;
    if (!hashes.has(txHash) && (hashes.size === transactions || part.length >= EVENTS_AT_ONCE)) {
      yield part;
      part = [];
      hashes.clear();
    }
    hashes.add(txHash);
    part.push(event);
  }
  if (part.length > 0) yield part;
}

/**
 * The escrow's logs of the transactions of these events, by the text of their place. By receipts: where these are longer than
 * an answer may be, or more than is held, as anybody can make them, by the logs of those blocks of theirs that are on the RPC's
 * chain, in which nobody else's stand.
 */
async function logsOf(
  events: readonly EscrowEvent[],
  blocks: ReadonlyMap<Bytes32, EvmHeader>,
  source: EvmSource,
  escrow: EvmAddress,
): Promise<ReadonlyMap<string, EvmLog>> {
  try {
    const receipts = await source.receipts([...new Set(events.map(({ place }) => place.txHash))]);
    return byPlace(
      receipts.flatMap((receipt) =>
        receipt === null ? [] : receipt.logs.filter(({ blockHash }) => blockHash === receipt.blockHash),
      ),
      escrow,
    );
  } catch (error) {
    if (!(error instanceof EvmUnavailable) || error.code !== "TOO_LARGE") throw error;
  }
  const wanted = new Set(events.map(({ place }) => placeText(place)));
  const known = [...blocks.values()];
  const onChain = await headersBy(
    known.map(({ number }) => number),
    (part) => source.blocksAt(part),
  );
  const logs: EvmLog[] = [];
  for (const [{ hash }, block] of zip(known, onChain)) {
    // Logs of blocks that have left the chain are known by their hashes, too.
    if (block?.hash !== hash) continue;
    for (const log of await source.logsOfBlock(hash)) if (wanted.has(placeText(log))) logs.push(log);
  }
  return byPlace(logs, escrow);
}

function byPlace(logs: readonly EvmLog[], escrow: EvmAddress): ReadonlyMap<string, EvmLog> {
  return new Map(ownLogs(logs, escrow).map((log) => [placeText(log), log]));
}

function placeText({
  blockHash,
  txHash,
  logIndex,
}: Pick<EvmLog, "blockHash" | "txHash" | "logIndex">): string {
  return `${blockHash}/${txHash}/${logIndex}`;
}

/** Those blocks of the events in whose place the RPC has another one, on the chain of the final block. */
async function replacedBlocks(
  events: readonly EscrowEvent[],
  source: EvmSource,
  final: KnownFinal,
): Promise<ReadonlySet<Bytes32>> {
  if (events.length === 0 || final === null || final.hash === null) return new Set();
  const places = events.map(({ place }) => place).filter(({ block }) => block <= final.height);
  // One block can have thousands of logs.
  const heights = [...new Set(places.map(({ block }) => block))];
  const [theirs, ...blocks] = await headersBy([final.height, ...heights], (part) => source.blocksAt(part));
  if (theirs?.hash !== final.hash) return new Set();
  const hashes = new Map(zip(heights, blocks).map(([height, block]) => [height, block?.hash ?? null]));
  return new Set(
    places.flatMap(({ block, blockHash }) => {
      const theirHash = hashes.get(block) ?? null;
      return theirHash === null || theirHash === blockHash ? [] : [blockHash];
    }),
  );
}

/**
 * The event as one text, whatever order its fields were written in: stored ones come from another reader. Without the
 * time, which is its block's.
 */
export function escrowEventText(event: EscrowEvent): string {
  return JSON.stringify({ ...event, place: { ...event.place, time: NO_TIME } }, (_, value: unknown) => {
    if (typeof value === "bigint") return `${value}n`;
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
}
