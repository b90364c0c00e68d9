// When what the node has ceased to list is gone from the mempool: else a lock would be nowhere for a moment, its deal would
// go back, and the seller would be told to lock once more (S-51, S-54). A block may have taken it that is not applied yet
// and behind one URL there may be nodes that have not heard of it yet.

import type { Txid } from "../../primitives/brands.ts";
import type { Clock, PearlNode } from "../../follow/ports.ts";
import type { PearlWatch } from "./pearl-watch.ts";

/** What is needed to tell. */
export interface LeavingDependencies {
  readonly node: Pick<PearlNode, "tip">;
  readonly watch: Pick<PearlWatch, "appliedTip" | "rewinds" | "stuckSinceMs">;
  readonly clock: Clock;
}

/**
 * For how long blocks are waited for while none is applied: ten seconds after the index counts as not synced for that reason,
 * which it does until it has all of them, since readers in other processes hear of it later.
 */
const LEAVING_MS = 40_000;

/** Keeps since when it is missing. */
export class LeavingTransactions {
  readonly #deps: LeavingDependencies;
  readonly #missingMs: number;
  #since: ReadonlyMap<Txid, number> = new Map();
  /** `rewinds` when that was noted: what a block had taken is missing from when that block is undone. */
  #rewinds = 0;

  /** `missingMs`: for so long no look may have listed what is to be gone. */
  constructor(deps: LeavingDependencies, missingMs: number) {
    this.#deps = deps;
    this.#missingMs = missingMs;
  }

  /** A look did not list these, and no others: those of them that may be gone. */
  due(missing: readonly Txid[]): readonly Txid[] {
    const { watch, clock } = this.#deps;
    const nowMs = clock.monotonicMs();
    const before = watch.rewinds === this.#rewinds ? this.#since : new Map<Txid, number>();
    const since = new Map(missing.map((txid) => [txid, before.get(txid) ?? nowMs]));
    this.#since = since;
    this.#rewinds = watch.rewinds;
    return missing.filter((txid) => nowMs - (since.get(txid) ?? nowMs) >= this.#missingMs);
  }

  /** Whether every block is applied that may have taken what the node no longer lists. */
  async isApplied(): Promise<boolean> {
    const { node, watch } = this.#deps;
    const tip = await node.tip().catch(() => null);
    return tip !== null && tip.hash === watch.appliedTip();
  }

  /** Where blocks cannot be read, they are not waited for any longer; where they are, they take as long as they take. */
  isLate(): boolean {
    const { watch, clock } = this.#deps;
    const since = watch.stuckSinceMs;
    return since !== null && clock.monotonicMs() - since >= LEAVING_MS;
  }
}
