// What a look at the second reading comes to: see evm-second-reading.ts.

import type { EscrowEvent } from "../../swap/facts.ts";
import type { EvmPoint } from "./evm-read-range.ts";

/** What is to be done next. */
export type ReadingStep =
  /** Blocks up to this one are final but for the disputed events. */
  | { readonly kind: "raise"; readonly final: EvmPoint; readonly disputed: readonly EscrowEvent[] }
  /** Two RPCs show these events that were disputed. */
  | { readonly kind: "resolve"; readonly events: readonly EscrowEvent[] }
  /**
   * All above the block (null: all) is to be read again, from the RPC `use`; with `isBranch` because the blocks
   * themselves are others.
   */
  | {
      readonly kind: "back";
      readonly parent: EvmPoint | null;
      readonly use: number;
      readonly isBranch: boolean;
      readonly why: string;
    }
  /** A part was done; there is more. */
  | { readonly kind: "more" }
  /** Only time or other answers bring it further. */
  | { readonly kind: "waiting" }
  /** All that can be final is. */
  | { readonly kind: "done" };

/** A step back. */
export type BackStep = Extract<ReadingStep, { kind: "back" }>;

/** Back to the parent (null: before all) because of this event, to read again from the RPC `use`. */
export function backStep(
  parent: EvmPoint | null,
  { place }: EscrowEvent,
  use: number,
  why: string,
): BackStep {
  const where = `log ${place.logIndex} of block ${place.block}`;
  const sentence = `EVM: ${why} (${where}): read again from block ${place.block - 1} on`;
  return { kind: "back", parent, use, isBranch: false, why: sentence };
}
