// What blocks that are undone showed of locks: the node puts their transactions back into its mempool, and nobody has
// looked there since. Shown nowhere until then, a deal would go back, and its seller be told to lock once more.

import type { Outpoint, Txid } from "../../primitives/brands.ts";
import { type OutputEntry, txidOf } from "./lock-entries.ts";
import type { OutputSpend } from "../../swap/facts.ts";
import type { PictureStep } from "./mempool-picture.ts";
import type { MempoolLocks } from "./ports.ts";

/** The books after the blocks of the branch. */
interface BooksAfter {
  readonly mempool: MempoolLocks;
  readonly entries: { get(outpoint: Outpoint): OutputEntry | undefined };
  readonly conflicts: { heightOf(txid: Txid): number | null };
}

/** Outputs and spends whose blocks are undone. */
export class UndoneLocks {
  readonly #made = new Set<Outpoint>();
  readonly #spends = new Map<Outpoint, OutputSpend>();

  /** Takes in what an undone block showed of this output. No coinbase comes back without its block. */
  add(outpoint: Outpoint, entry: OutputEntry, { mined, spend }: Pick<OutputEntry, "mined" | "spend">): void {
    if (entry.mined !== null && mined === null && !entry.coinbase) this.#made.add(outpoint);
    if (entry.spend === null || spend !== null) return;
    const { mined: _, ...was } = entry.spend;
    this.#spends.set(outpoint, was);
  }

  /** The step to the mempool's picture that has what no block of the branch has or rules out; null where there is nothing. */
  stepIn({ mempool, entries, conflicts }: BooksAfter): PictureStep | null {
    const present = new Set<Txid>();
    for (const outpoint of this.#made) {
      const txid = txidOf(outpoint);
      const isUnmined = entries.get(outpoint)?.mined === null;
      if (isUnmined && !mempool.present.has(txid) && conflicts.heightOf(txid) === null) present.add(txid);
    }
    const spends = new Map<Outpoint, OutputSpend>();
    for (const [outpoint, spend] of this.#spends) {
      const known = entries.get(outpoint);
      const [txid, isMined] = [txidOf(outpoint), known !== undefined && known.mined !== null];
      const isThere = isMined || present.has(txid) || mempool.present.has(txid);
      if (known?.spend === null && isThere) spends.set(outpoint, spend);
    }
    if (present.size + spends.size === 0) return null;
    return { came: { present, spends }, gone: { present: [], spends: [] } };
  }
}
