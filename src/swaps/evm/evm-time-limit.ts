// Bounds how long one RPC of several may take to bring a range of blocks, or to say what it has of the logs in one. Each of
// its answers has a time limit, and one that uses it up with every answer, refusing several questions at once, or with
// headers that make it be asked for each block by itself, would hold the reading for hours, while the others go on. Nothing
// is believed or refused by it: the next one is asked.

import type { Bytes32 } from "../../primitives/brands.ts";
import type { Clock } from "../../follow/ports.ts";
import { isOverWithin } from "./evm-aside.ts";
import { type EvmBlock, type EvmReceipt, type EvmSource, heldCounter, ofRpc } from "./evm-chain.ts";
import type { RangeSizer } from "./evm-range.ts";
import { EvmUnavailable } from "./evm-unavailable.ts";

/** What the RPCs are asked with. */
export interface TimedSources {
  readonly sources: readonly EvmSource[];
  readonly sizers: readonly RangeSizer[];
  readonly clock: Clock;
}

/** Blocks or receipts that it is asked for at a time: what it does not answer goes on to be asked for when its time is up. */
const ASKED_AT_ONCE = 400;

/**
 * The RPC of that index, which rejects with `EvmUnavailable` TIMEOUT whatever is asked of it once it has been waited for so
 * long, and is asked for half as many blocks the next time: an honest one may be slow. The only one is given all the time.
 * `blocks`: those of the range that it is asked about; null where it brings one, which its logs make known.
 */
export function inTime(
  { sources, sizers, clock }: TimedSources,
  index: number,
  mostMs: number,
  blocks: number | null = null,
): EvmSource {
  let asked = blocks;
  const source = ofRpc(sources, index);
  if (sources.length === 1) return source;
  let [waitedMs, waiting, sinceMs] = [0, 0, 0];
  let isLate = false;
  const late = (): EvmUnavailable => {
    const sizer = sizers[index];
    // By its logs the size has grown for the next range: what is too much is what it was asked for.
    if (!isLate) sizer?.failed(asked ?? sizer.size);
    isLate = true;
    const sentence = `${source.name} has taken more than ${mostMs} ms for one range of blocks; another one is asked`;
    return new EvmUnavailable("TIMEOUT", sentence);
  };
  const leftMs = (): number => mostMs - waitedMs - (waiting > 0 ? clock.monotonicMs() - sinceMs : 0);
  const timed = <Argument extends readonly unknown[], Answer>(
    ask: (...given: Argument) => Promise<Answer>,
  ): ((...given: Argument) => Promise<Answer>) => {
    return async (...given) => {
      if (leftMs() < 0) throw late();
      if (waiting === 0) sinceMs = clock.monotonicMs();
      waiting += 1;
      try {
        // One question is about hundreds of blocks, each of which it may answer by itself.
        const asking = ask(...given);
        if (!(await isOverWithin(Math.max(1, leftMs()), asking, clock))) throw late();
        return await asking;
      } finally {
        waiting -= 1;
        if (waiting === 0) waitedMs += clock.monotonicMs() - sinceMs;
      }
    };
  };
  return {
    name: source.name,
    heads: timed(() => source.heads()),
    blocksAt: inParts(
      source,
      timed((numbers: readonly number[]) => source.blocksAt(numbers)),
    ),
    blocksByHash: inParts(
      source,
      timed((hashes: readonly Bytes32[]) => source.blocksByHash(hashes)),
    ),
    logs: timed((from: number, to: number) => {
      asked = to - from + 1;
      return source.logs(from, to);
    }),
    logsOfBlock: timed((hash: Bytes32) => source.logsOfBlock(hash)),
    receipts: inParts(
      source,
      timed((txHashes: readonly Bytes32[]) => source.receipts(txHashes)),
    ),
  };
}

/** The same question about a part of these at a time, of which no more is held together than of one question. */
function inParts<Item, Answer extends EvmBlock | EvmReceipt>(
  source: Pick<EvmSource, "name">,
  ask: (part: readonly Item[]) => Promise<readonly (Answer | null)[]>,
): (items: readonly Item[]) => Promise<readonly (Answer | null)[]> {
  return async (items) => {
    const answers: (Answer | null)[] = [];
    const hold = heldCounter(source);
    for (let at = 0; at < items.length; at += ASKED_AT_ONCE) {
      for (const answer of await ask(items.slice(at, at + ASKED_AT_ONCE))) {
        if (answer !== null) hold(answer);
        answers.push(answer);
      }
    }
    return answers;
  };
}
