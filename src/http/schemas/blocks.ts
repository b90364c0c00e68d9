// Schemas of blocks and reorganisations.

import { Type } from "typebox";
import { bytes32, count, height, hex32 } from "./values.ts";

/** Row of blocks and block/{block}. */
export const BlockRowSchema = Type.Object({
  height: count("Height."),
  block_hash: hex32("Hash of the block."),
  time: count("Time of the block, unix seconds."),
  digest: hex32("D(height)."),
  operations: count("Recorded operations of the block."),
  valid_operations: count("Valid ones among them."),
});

const Tip = (description: string) =>
  Type.Object(
    { height: count("Height."), block_hash: Type.Union([hex32("PEARL block."), bytes32("EVM block.")]) },
    { description },
  );

/** Row of reorgs. */
export const ReorgRowSchema = Type.Object({
  id: Type.Integer({ minimum: 1, description: "Id of its event." }),
  chain: Type.Enum(["pearl", "evm"], { description: "The chain whose blocks were replaced." }),
  fork_height: height("Height of the last block that stayed."),
  old_tip: Tip("The indexed tip before."),
  new_tip: Tip("PEARL: the node's tip when the index gave its blocks up; EVM: the indexed tip after."),
  depth: count("Blocks that were undone."),
});
