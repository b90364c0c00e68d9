// Blocks and reorganisations as wire rows. (A-113, H-39)

import type { Static } from "typebox";
import type { EventGroup } from "../../index/event-groups.ts";
import type { BlockView, ReorgView } from "../../index/views.ts";
import type { BlockRowSchema, ReorgRowSchema } from "../schemas/blocks.ts";

/** Row of blocks and block/{block}. */
export function blockRow(block: BlockView): Static<typeof BlockRowSchema> {
  return {
    height: block.height,
    block_hash: block.hash,
    time: block.time,
    digest: block.digest,
    operations: block.operations,
    valid_operations: block.validOperations,
  };
}

/** The row of a `reorg` event of PEARL; that of the EVM chain is told by the ledger of swaps. */
export function reorgEventRow(reorg: Extract<EventGroup, { kind: "reorg" }>) {
  return { chain: "pearl" as const, ...forkOf(reorg) };
}

/** Row of reorgs: as the event's of either chain, with its id and how many blocks were undone. */
export function reorgRow(reorg: ReorgView): Static<typeof ReorgRowSchema> {
  const depth = Math.max(0, reorg.oldTip.height - reorg.forkHeight);
  return { id: reorg.id, chain: reorg.chain, ...forkOf(reorg), depth };
}

function forkOf({ forkHeight, oldTip, newTip }: Pick<ReorgView, "forkHeight" | "oldTip" | "newTip">) {
  return { fork_height: forkHeight, old_tip: tipOf(oldTip), new_tip: tipOf(newTip) };
}

function tipOf({ height, hash }: ReorgView["oldTip"]) {
  return { height, block_hash: hash };
}
