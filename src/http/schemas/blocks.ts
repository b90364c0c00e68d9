// Schemas of blocks and reorganisations.

import { Type } from "typebox";
import { count, height, hex32 } from "./values.ts";

/** Row of blocks and block/{height}. */
export const BlockRowSchema = Type.Object({
  height: count("Height."),
  block_hash: hex32("Hash of the block."),
  time: count("Time of the block, unix seconds."),
  digest: hex32("D(height)."),
  operations: count("Recorded operations of the block."),
  valid_operations: count("Valid ones among them."),
});

const Tip = (description: string) =>
  Type.Object({ height: count("Height."), block_hash: hex32("Hash of the block.") }, { description });

/** Row of reorgs. */
export const ReorgRowSchema = Type.Object({
  id: Type.Integer({ minimum: 1, description: "Id of its event." }),
  chain: Type.Literal("pearl", { description: "The chain; EVM blocks have events, and no row here." }),
  fork_height: height("Height of the last block that stayed."),
  old_tip: Tip("The indexed tip before."),
  new_tip: Tip("The node's tip when the index gave its blocks up."),
  depth: count("Blocks that were undone."),
});
