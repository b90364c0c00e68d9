// Which blocks of a chain does the ledger remember, for finding forks? The newest ones, as many as the store keeps.

import type { ChainCheckpoint } from "./ports.ts";

/** At least as many are kept as any reorganisation that is survived is deep. */
const MAX_CHECKPOINTS = 2_000;

/** The remembered blocks of one chain. */
export class CheckpointList {
  /** Highest first. */
  #list: readonly ChainCheckpoint[];

  /** `list`: highest first. */
  constructor(list: readonly ChainCheckpoint[]) {
    this.#list = list;
  }

  /** Highest first. */
  get all(): readonly ChainCheckpoint[] {
    return this.#list;
  }

  /** Forgets those above `rewindTo`, where that is not null, and adds others. */
  advance(rewindTo: number | null, added: readonly ChainCheckpoint[]): void {
    if (rewindTo === null && added.length === 0) return;
    const byHeight = new Map(
      this.#list
        .filter(({ height }) => rewindTo === null || height <= rewindTo)
        .map((one) => [one.height, one]),
    );
    for (const one of added) byHeight.set(one.height, one);
    this.#list = [...byHeight.values()].toSorted((a, b) => b.height - a.height).slice(0, MAX_CHECKPOINTS);
  }
}
