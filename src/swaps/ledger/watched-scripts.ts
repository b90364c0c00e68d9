// What the PEARL follower looks for: the ledger's books as it sees them, always in their present state.

import type { Bytes32, Outpoint, ScriptHex } from "../../primitives/brands.ts";
import type { OutputEntry } from "./lock-entries.ts";
import type { ScriptEntry, SwapWatch, WatchedOutput, WatchedScript } from "./ports.ts";
import type { Books } from "./books.ts";

/** Seconds after T_e for which outputs below the amount are watched (S-15). */
const DUST_WATCH_S = 30 * 86_400;

/**
 * Whether spends of this output in blocks of this time count (S-15, S-63): for ever where it is large enough for an order
 * with its script, where it belongs to none now, and else until 30 d after the last T_e.
 */
export function isStillWatched(
  books: Books,
  entry: Pick<OutputEntry, "script" | "amountSat">,
  time: number,
): boolean {
  let hasOrder = false;
  for (const hash of books.orders.byScript.of(entry.script)) {
    const terms = books.orders.entries.get(hash)?.facts.terms;
    if (terms === undefined) continue;
    hasOrder = true;
    if (entry.amountSat >= terms.pearlAmountSat || time <= terms.evmRefundTime + DUST_WATCH_S) return true;
  }
  return !hasOrder;
}

/** The watch over the books. */
export class WatchedScripts implements SwapWatch {
  readonly #present: () => Books;

  constructor(present: () => Books) {
    this.#present = present;
  }

  get #books(): Books {
    return this.#present();
  }

  get size(): number {
    return this.#books.scripts.entries.size + (this.#books.closed.isEmpty ? 0 : 1);
  }

  script(script: ScriptHex): WatchedScript | null {
    return this.#books.scripts.entries.get(script) ?? null;
  }

  lockOutput(outpoint: Outpoint): WatchedOutput | null {
    const { locks } = this.#books;
    const entry = locks.entries.get(outpoint) ?? locks.dust.get(outpoint);
    if (entry === undefined) return null;
    // On one chain the median time past never falls and is below the next block's time: no block is missed that would count.
    // By itself it is what one node says, which may make up blocks of any time until others replace them.
    const { evm, pearl } = this.#books.chains.tips;
    if (!isStillWatched(this.#books, entry, Math.min(evm.time, pearl.medianTimePast))) return null;
    const script = this.script(entry.script);
    return script === null ? null : { script, isDust: locks.dust.has(outpoint) };
  }

  isSightedInput(outpoint: Outpoint): boolean {
    return this.#books.locks.conflicts.byInput.has(outpoint);
  }

  isHashlock(hashlock: Bytes32): boolean {
    const { orders, scripts, closed } = this.#books;
    // Of a closed one whose secret is public nothing more can be learnt.
    return (
      orders.byHashlock.has(hashlock) || scripts.byHashlock.has(hashlock) || closed.unrevealed.has(hashlock)
    );
  }

  rereads(): ReadonlyMap<string, number> {
    return new Map(this.#books.chains.rereads);
  }

  uncovered(): readonly { readonly script: WatchedScript; readonly fromTime: number }[] {
    const found: { readonly script: ScriptEntry; readonly fromTime: number }[] = [];
    for (const script of this.#books.scripts.uncovered.keys()) {
      const entry = this.#books.scripts.entries.get(script);
      if (entry !== undefined) found.push({ script: entry, fromTime: entry.fromTime });
    }
    return found;
  }
}
