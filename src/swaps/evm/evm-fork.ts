// Finds where the chain left ours, and whether that has replaced a final block (S-05). The ledger's checkpoints are
// compared with the RPC's chain, newest first.

import type { Bytes32 } from "../../primitives/brands.ts";
import { newestSharedBlock } from "../../follow/shared-block.ts";
import type { EvmSource } from "./evm-chain.ts";
import type { EvmPoint } from "./evm-read-range.ts";
import { EvmUnavailable } from "./evm-unavailable.ts";
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
    async (heights) => {
      const blocks = await source.blocksAt(heights);
      return blocks.map((block) => {
        if (block !== null) return block.hash;
        // Below its own head an RPC has every block: this answer does not fit the one about the head.
        throw new EvmUnavailable("UNSETTLED", `${source.name} has no block at a height below its head`);
      });
    },
  );
  return shared === null ? null : pointOf(shared);
}

/** What a replaced final block is judged from. */
interface FinalityDependencies {
  readonly sources: readonly EvmSource[];
  readonly ledger: Pick<EvmLedger, "tips" | "checkpoints">;
  /** Unix seconds. */
  readonly nowS: number;
}

/**
 * The alarm where undoing all above `rewindTo`, as `source` has it, replaces a final block; null where it does not.
 * Where there are several RPCs it takes two that have the same other block there, since the alarm stops all new actions until
 * an operator lifts it, and one liar could raise it while the others are silent. Another RPC that still has the
 * block is believed instead. In both cases it rejects with `EvmUnavailable` BAD_ANSWER, and nothing may be undone.
 */
export async function replacedFinal(
  { sources, ledger, nowS }: FinalityDependencies,
  source: EvmSource,
  rewindTo: number,
): Promise<FinalAlarm | null> {
  const { finalHeight } = ledger.tips().evm;
  if (rewindTo >= finalHeight) return null;
  const witness = ledger.checkpoints("evm").find(({ height }) => height <= finalHeight && height > rewindTo);
  const claimed = witness === undefined ? null : await hashAt(source, witness.height);
  let agreeing = 1;
  for (const other of sources) {
    if (other === source || witness === undefined) continue;
    const hash = await hashAt(other, witness.height);
    if (hash !== null && hash === claimed) agreeing += 1;
    if (hash === witness.hash) throw notBelieved(source, witness, `which ${other.name} still has`);
  }
  if (witness !== undefined && sources.length > 1 && agreeing < 2)
    throw notBelieved(source, witness, "and no other RPC has the same one there");
  const height = witness?.height ?? finalHeight;
  const oldHash = witness?.hash ?? "unknown";
  return {
    id: `final-${height}-${oldHash.slice(2, 10)}`,
    height,
    oldHash,
    newHash: await hashAt(source, height),
    forkHeight: rewindTo,
    raisedAt: nowS,
  };
}

function notBelieved(source: EvmSource, witness: ChainCheckpoint, why: string): EvmUnavailable {
  return new EvmUnavailable(
    "BAD_ANSWER",
    `the RPC at ${source.name} has another block than ${witness.hash} at the final height ${witness.height}, ${why}: ` +
      "it is not followed",
  );
}

/** The hash that the RPC has at the height; null also where it does not answer. */
async function hashAt(source: EvmSource, height: number): Promise<Bytes32 | null> {
  const [hash] = await hashesAt(source, [height]);
  return hash ?? null;
}

/** The hashes that the RPC has at these heights, asked for together; all null where it does not answer. */
export async function hashesAt(
  source: Pick<EvmSource, "blocksAt">,
  heights: readonly number[],
): Promise<readonly (Bytes32 | null)[]> {
  try {
    const blocks = await source.blocksAt(heights);
    return blocks.map((block) => block?.hash ?? null);
  } catch (error) {
    if (error instanceof EvmUnavailable) return heights.map(() => null);
    throw error;
  }
}
