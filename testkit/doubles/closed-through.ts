// A store of swaps whose answers about closed deals go through a function: it counts them, or cuts them short.

import type { ClosedAnswer } from "../../src/swaps/ledger/closed-port.ts";
import type { SwapStore } from "../../src/swaps/ledger/ports.ts";

/** The store with its answers about closed deals as `passed` makes them; all else is its own. */
export function closedThrough(swaps: SwapStore, passed: (answer: ClosedAnswer) => ClosedAnswer): SwapStore {
  return {
    tellsChanges: swaps.tellsChanges,
    initialise: (identity) => swaps.initialise(identity),
    load: (visit) => swaps.load(visit),
    checkpoints: (chain) => swaps.checkpoints(chain),
    commit: (transaction) => swaps.commit(transaction),
    keys: (kind) => swaps.keys(kind),
    closed: async (questions) => passed(await swaps.closed(questions)),
  };
}
