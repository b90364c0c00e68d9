// Finds the block of ours to which it is gone back for a log (S-08, A-103). It is one that the RPC which is read from has,
// too, never one that it alone names; and nothing final is undone by the word of one of several.

import { type EvmSource, ofRpc } from "./evm-chain.ts";
import { finalPoint, hashesAt, newestShared, pointOf } from "./evm-fork.ts";
import type { EvmPoint } from "./evm-read-range.ts";
import { unsettled } from "./evm-unavailable.ts";
import { wordsUntil } from "./evm-words.ts";
import type { ChainCheckpoint, EvmLedger } from "../ledger/ports.ts";

/** What it is found from. */
interface BackPointDependencies {
  readonly sources: readonly EvmSource[];
  readonly ledger: Pick<EvmLedger, "tips" | "checkpoints">;
  /** ESCROW_FIRST_BLOCK. */
  readonly firstBlock: number;
  /** A block of ours at or above this height: where an RPC has it, it has our chain up to there. */
  readonly anchorOf: (height: number) => { readonly number: number; readonly hash: string };
}

/**
 * Our newest checkpoint up to this height, where the RPC has it and our chain above it; else the newest one that is not
 * below the final height and that it shares. Null: before all of them. Rejects with `EvmUnavailable` where it has others.
 */
export async function backPoint(
  { sources, ledger, firstBlock, anchorOf }: BackPointDependencies,
  use: number,
  height: number,
): Promise<EvmPoint | null> {
  const source = ofRpc(sources, use);
  const checkpoints = ledger.checkpoints("evm");
  const anchor = anchorOf(height);
  const own = checkpoints.find((one) => one.height <= height);
  const [theirs, below] = await source.blocksAt([anchor.number, own?.height ?? anchor.number]);
  if (theirs?.hash === anchor.hash && (own === undefined || below?.hash === own.hash))
    return own === undefined ? null : pointOf(own);
  const shared = await newestShared(source, checkpoints, height);
  if ((shared?.number ?? firstBlock - 1) >= ledger.tips().evm.finalHeight) return shared;
  throw unsettled(source, `it has other blocks than ours at ${height} and below`);
}

/** What one RPC names as our newest block there; null: none, before all of them. */
interface BackWord {
  readonly index: number;
  readonly parent: EvmPoint | null;
}

/** A block below what counts as final, and the RPCs that name it as our newest one there. */
interface FinalBackPoint {
  readonly parent: EvmPoint | null;
  readonly by: readonly number[];
}

/**
 * Where it is gone back to for a log of a final block that these RPCs deny: our newest checkpoint up to this height, by the
 * word of two of them that have the final block; of the only one, where there is one. What we have in between may be one
 * RPC's invention, its blocks included. Where none of ours is remembered there, it is the block at this height that they
 * name: a log may be disputed for hours, and what is final below it must not go with it. Null where no two agree.
 */
export async function finalBackPoint(
  { sources, ledger, firstBlock }: Omit<BackPointDependencies, "anchorOf">,
  deniers: readonly number[],
  height: number,
): Promise<FinalBackPoint | null> {
  const checkpoints = ledger.checkpoints("evm");
  const final = finalPoint(ledger);
  const needed = sources.length === 1 ? 1 : 2;
  const { words } = await wordsUntil(
    deniers.map(async (index): Promise<BackWord> => {
      const source = ofRpc(sources, index);
      if (final !== null && (await hashesAt(source, [final.number]))[0] !== final.hash)
        throw unsettled(source, `it does not have the final block ${final.number}`);
      return { index, parent: await sharedOrOwn(source, checkpoints, height, firstBlock) };
    }),
    (some) => agreedPoint(some, needed) !== null,
  );
  return agreedPoint(words, needed);
}

/** The block that so many of these name. */
function agreedPoint(words: readonly BackWord[], needed: number): FinalBackPoint | null {
  for (const { parent } of words) {
    const by = words.filter((word) => word.parent?.hash === parent?.hash).map(({ index }) => index);
    if (by.length >= needed) return { parent, by };
  }
  return null;
}

/** The newest of these checkpoints that the RPC has; else its block at this height, null where that is before all blocks. */
async function sharedOrOwn(
  source: EvmSource,
  checkpoints: readonly ChainCheckpoint[],
  height: number,
  firstBlock: number,
): Promise<EvmPoint | null> {
  const shared = await newestShared(source, checkpoints, height);
  if (shared !== null || height < firstBlock) return shared;
  const [block] = await source.blocksAt([height]);
  if (!block) throw unsettled(source, `it has no block ${height} below its final one`);
  const { number, hash, time } = block;
  return { number, hash, time };
}
