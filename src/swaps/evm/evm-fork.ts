// Finds where the chain left ours, and whether that has replaced a final block (S-05). The ledger's checkpoints are
// compared with the RPC's chain, newest first.

import type { Bytes32 } from "../../primitives/brands.ts";
import { hasLeft, newestSharedBlock, type TheirHashes } from "../../follow/shared-block.ts";
import { type EvmSource, headersBy, ofRpc } from "./evm-chain.ts";
import type { EvmPoint } from "./evm-read-range.ts";
import type { EvmRpcQuorum } from "./evm-rpc-quorum.ts";
import { EvmUnavailable, unsettled } from "./evm-unavailable.ts";
import { wordsUntil } from "./evm-words.ts";
import type { ChainCheckpoint, EvmLedger, FinalAlarm } from "../ledger/ports.ts";

/** A checkpoint of the ledger as a place. */
export function pointOf(checkpoint: ChainCheckpoint): EvmPoint {
  return { number: checkpoint.height, hash: checkpoint.hash as Bytes32, time: checkpoint.time };
}

/** The newest block of ours that was read twice; null where none is known. */
export function finalPoint(ledger: Pick<EvmLedger, "tips" | "checkpoints">): EvmPoint | null {
  const { finalHeight } = ledger.tips().evm;
  const found = ledger.checkpoints("evm").find(({ height }) => height <= finalHeight);
  return found === undefined ? null : pointOf(found);
}

/**
 * The highest checkpoint, not above `below`, that is on the RPC's chain; null where none is. `checkpoints`: highest
 * first, as the ledger keeps them; `below`: at most the RPC's head. Rejects where it lacks a block there.
 */
export async function newestShared(
  source: EvmSource,
  checkpoints: readonly ChainCheckpoint[],
  below: number,
): Promise<EvmPoint | null> {
  const candidates = checkpoints.filter(({ height }) => height <= below);
  const shared = await newestSharedBlock(
    (skip, count) => candidates.slice(skip, skip + count),
    hashesBelowHead(source),
  );
  return shared === null ? null : pointOf(shared);
}

/** Rejects where the RPC shows the lowest of our blocks above the shared one (null: of all) in one of several answers. */
export async function checkLeft(
  source: EvmSource,
  checkpoints: readonly ChainCheckpoint[],
  shared: EvmPoint | null,
  below: number,
): Promise<void> {
  const from = shared?.number ?? -1;
  const left = checkpoints.findLast(({ height }) => height > from && height <= below);
  if (left !== undefined && !(await hasLeft(left, hashesBelowHead(source))))
    throw unsettled(source, `it has left block ${left.height} (${left.hash}), and still shows it`);
}

function hashesBelowHead(source: EvmSource): TheirHashes {
  return async (heights) => {
    const blocks = await headersBy(heights, (part) => source.blocksAt(part));
    return blocks.map((block) => {
      if (block !== null) return block.hash;
      // Below its own head an RPC has every block: this answer does not fit the one about the head.
      throw unsettled(source, "it has no block at a height below its head");
    });
  };
}

/** What a replaced final block is judged from. */
interface FinalityDependencies {
  readonly sources: readonly EvmSource[];
  readonly ledger: Pick<EvmLedger, "tips" | "checkpoints">;
  readonly standing: Pick<EvmRpcQuorum, "ownFinalHeight" | "noteDenial">;
  /** Unix seconds. */
  readonly nowS: number;
}

/** RPCs that have to show the same other block, where there are several. */
const WORDS_NEEDED = 2;

/** The block that an RPC has at a height. */
interface HashWord {
  readonly index: number;
  readonly hash: Bytes32 | null;
}

/**
 * The alarm where undoing all above `rewindTo`, as the RPC `use` has it, replaces a final block; null where it does not.
 * Where there are several RPCs it takes two that have the same other block there, since the alarm stops all new actions until
 * an operator lifts it, and one liar could raise it while the others are silent. Their own final blocks are as high: what is
 * not final to an RPC may be of an orphaned branch, which a liar can copy. Else it rejects with `EvmUnavailable` BAD_ANSWER,
 * and nothing may be undone; where no RPC has the block any more, what stands on it is doubted.
 */
export async function replacedFinal(
  { sources, ledger, standing, nowS }: FinalityDependencies,
  use: number,
  rewindTo: number,
): Promise<FinalAlarm | null> {
  const source = ofRpc(sources, use);
  const { finalHeight } = ledger.tips().evm;
  if (rewindTo >= finalHeight) return null;
  const witness = ledger.checkpoints("evm").find(({ height }) => height <= finalHeight && height > rewindTo);
  const height = witness?.height ?? finalHeight;
  const claimed = await hashAt(source, height);
  if (witness !== undefined && sources.length > 1)
    await checkReplaced({ sources, standing }, source, witness, claimed);
  const oldHash = witness?.hash ?? "unknown";
  return {
    id: `final-${height}-${oldHash.slice(2, 10)}`,
    height,
    oldHash,
    newHash: claimed,
    forkHeight: rewindTo,
    raisedAt: nowS,
  };
}

/** Rejects where no two of these RPCs show that the block which `source` claims has replaced the witness. */
async function checkReplaced(
  { sources, standing }: Pick<FinalityDependencies, "sources" | "standing">,
  source: EvmSource,
  witness: ChainCheckpoint,
  claimed: Bytes32 | null,
): Promise<void> {
  const { height } = witness;
  const isDenied = claimed !== null && claimed !== witness.hash;
  const replacing = (words: readonly HashWord[]): number => {
    const isSame = ({ index, hash }: HashWord) =>
      hash === claimed && standing.ownFinalHeight(index) >= height;
    return isDenied ? words.filter(isSame).length : 0;
  };
  const keeperOf = (words: readonly HashWord[]) => words.find(({ hash }) => hash === witness.hash);
  const asked = sources.map(async (one, index): Promise<HashWord> => {
    return { index, hash: one === source ? claimed : await hashAt(one, height) };
  });
  const { words } = await wordsUntil(asked, (some) => {
    const most = replacing(some) + sources.length - some.length;
    return replacing(some) >= WORDS_NEEDED || (most < WORDS_NEEDED && keeperOf(some) !== undefined);
  });
  if (replacing(words) >= WORDS_NEEDED) return;
  const keeper = keeperOf(words);
  if (isDenied) standing.noteDenial(keeper !== undefined);
  throw notBelieved(source, witness, keeper === undefined ? null : ofRpc(sources, keeper.index));
}

function notBelieved(source: EvmSource, witness: ChainCheckpoint, keeper: EvmSource | null): EvmUnavailable {
  const why =
    keeper === null ? "and no two RPCs call the same one final there" : `which ${keeper.name} still has`;
  return new EvmUnavailable(
    "BAD_ANSWER",
    `the RPC at ${source.name} has another block than ${witness.hash} at the final height ${witness.height}, ${why}: ` +
      "it is not followed",
  );
}

/** The hash that the RPC has at the height, waited for as for a poll; null also where it does not answer. */
async function hashAt(source: EvmSource, height: number): Promise<Bytes32 | null> {
  const [hash] = await hashesAt(source, [height], true);
  return hash ?? null;
}

/** The hashes that the RPC has at these heights, asked for together; all null where it does not answer. */
export async function hashesAt(
  source: Pick<EvmSource, "blocksAt">,
  heights: readonly number[],
  isPoll = false,
): Promise<readonly (Bytes32 | null)[]> {
  try {
    const blocks = await source.blocksAt(heights, isPoll);
    return blocks.map((block) => block?.hash ?? null);
  } catch (error) {
    if (error instanceof EvmUnavailable) return heights.map(() => null);
    throw error;
  }
}
