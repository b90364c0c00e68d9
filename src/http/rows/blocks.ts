// Blocks and reorganisations as wire rows. (A-113, H-39)

import type { Static } from "typebox";
import type { EventGroup } from "../../index/event-groups.ts";
import type { BlockView } from "../../index/views.ts";
import type { BlockRowSchema, ReorgRowSchema } from "../schemas/blocks.ts";

/** Row of blocks and block/{height}. */
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

/** The row of a `reorg` event. */
export function reorgEventRow(reorg: Extract<EventGroup, { kind: "reorg" }>) {
  const tip = ({ height, hash }: typeof reorg.oldTip) => ({ height, block_hash: hash });
  return {
    chain: "pearl" as const,
    fork_height: reorg.forkHeight,
    old_tip: tip(reorg.oldTip),
    new_tip: tip(reorg.newTip),
  };
}

/** Row of reorgs: the event's with its id and how many blocks were undone. */
export function reorgRow(reorg: Extract<EventGroup, { kind: "reorg" }>): Static<typeof ReorgRowSchema> {
  const depth = Math.max(0, reorg.oldTip.height - reorg.forkHeight);
  return { id: reorg.lastId, ...reorgEventRow(reorg), depth };
}
