// The messages between the calling thread and the writer thread. Small orders travel as they are, by structured clone;
// blocks are packed, see packed-commit.ts.

import type { BaseBlock, RewindOrder, StoredParameters } from "../../../index/ports.ts";
import type { NodeTip } from "../../../follow/ports.ts";
import type { PageMemory } from "../connection.ts";
import type { PackedCommit } from "./packed-commit.ts";
import type { SwapOrder } from "../swaps/swap-writer.ts";

/** What the writer thread is started with. */
export interface WriterStart {
  readonly file: string;
  readonly memory: PageMemory;
  /** Default "served". */
  readonly layout?: Layout;
  /** Event ids of this writer are above it (`eventFloor`); default 0. */
  readonly eventFloor?: number;
}

/** What a database is for: to answer, or to be compared with one that does (`audit/replay-layout.ts`). */
export type Layout = "served" | "compared";

/** One order to the writer. */
export type WriterOrder =
  | { readonly kind: "initialise"; readonly parameters: StoredParameters }
  | { readonly kind: "commitBase"; readonly base: BaseBlock }
  | { readonly kind: "commit"; readonly commit: PackedCommit; readonly undoBlocks: number }
  | { readonly kind: "rewind"; readonly order: RewindOrder }
  | { readonly kind: "replaceBase"; readonly base: BaseBlock; readonly newTip: NodeTip }
  | { readonly kind: "wipe" }
  | { readonly kind: "swaps"; readonly order: SwapOrder }
  | { readonly kind: "close" };

/** Who carries out orders, one after the other. */
export interface Writer {
  /** Resolves with the reason when the writer ends before `close`; else never. */
  readonly died: Promise<Error>;
  /** Whether it has ended before `close`. */
  readonly hasDied: boolean;
  /** Resolves when the order is carried out. `buffers` in it may change owners instead of being copied. */
  send(order: WriterOrder, buffers?: readonly ArrayBufferLike[]): Promise<void>;
  /** Closes the database. */
  close(): Promise<void>;
}

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
