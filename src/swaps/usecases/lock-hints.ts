// Which outpoints did `accept-lock` name that nobody has seen yet (S-60)? Hints live in memory only, bind nothing and
// are in no row.

import type { Bytes32, Txid } from "../../primitives/brands.ts";
import type { LockHint } from "../../swap/records.ts";

const HINT_TTL_S = 30 * 60;
const MAX_HINTS = 4;

/** The unseen outpoints of deals: at most 4 per deal, 30 min each, the fifth drops the oldest. */
export class LockHints {
  readonly #hints = new Map<Bytes32, readonly LockHint[]>();

  /** Keeps a hint; the same outpoint again becomes the newest. `now` in unix seconds. */
  add(orderHash: Bytes32, txid: Txid, vout: number, now: number): void {
    const others = this.live(orderHash, now).filter((hint) => hint.txid !== txid || hint.vout !== vout);
    const hint: LockHint = { orderHash, txid, vout, givenAt: now };
    this.#hints.delete(orderHash);
    this.#hints.set(orderHash, [...others, hint].slice(-MAX_HINTS));
    this.#sweep(now);
  }

  /** Live hints, oldest first. */
  live(orderHash: Bytes32, now: number): readonly LockHint[] {
    return (this.#hints.get(orderHash) ?? []).filter((hint) => now - hint.givenAt < HINT_TTL_S);
  }

  /** The newest live hint, or null. */
  newest(orderHash: Bytes32, now: number): LockHint | null {
    return this.live(orderHash, now).at(-1) ?? null;
  }

  /** Deals stand in the order of their newest hint: dead ones are at the front. */
  #sweep(now: number): void {
    for (const orderHash of this.#hints.keys()) {
      if (this.live(orderHash, now).length > 0) return;
      this.#hints.delete(orderHash);
    }
  }
}
