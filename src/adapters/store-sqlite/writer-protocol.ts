// What do the calling thread and the writer thread say to each other? Blocks travel by structured clone: measured, it
// costs about a microsecond per operation in all, as little as any hand-made encoding.

import type { BlockChanges } from "../../prc20/state.ts";
import type { BaseBlock, RewindOrder, StoredParameters } from "../../service/ports.ts";
import type { SwapOrder } from "./swaps/swap-writer.ts";

/** What the writer thread is started with. */
export interface WriterStart {
  readonly file: string;
}

/** One order to the writer. */
export type WriterOrder =
  | { readonly kind: "initialise"; readonly parameters: StoredParameters }
  | { readonly kind: "commitBase"; readonly base: BaseBlock }
  | { readonly kind: "commit"; readonly blocks: readonly BlockChanges[]; readonly undoBlocks: number }
  | { readonly kind: "rewind"; readonly order: RewindOrder }
  | { readonly kind: "wipe" }
  | { readonly kind: "swaps"; readonly order: SwapOrder }
  | { readonly kind: "close" };

/** An order with the number that its answer carries. */
export interface NumberedOrder {
  readonly id: number;
  readonly order: WriterOrder;
}

/** Answer to an order: `error` null where it was carried out. The answer with id 0 says that the writer is open. */
export interface WriterAnswer {
  readonly id: number;
  readonly error: string | null;
}
