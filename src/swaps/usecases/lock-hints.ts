// Hints about lock outputs that nobody has seen yet (S-60). They live in memory only, bind nothing and are in no row.

import type { Bytes32, ScriptHex, Txid } from "../../primitives/brands.ts";
import type { LockHint } from "../../swap/records.ts";

const HINT_TTL_S = 30 * 60;
const MAX_HINTS = 4;

/**
 * The unseen outpoints of deals: at most 4 per deal, 30 min each, the fifth drops the oldest; and how far back blocks
 * were read for them.
 */
export class LockHints {
  readonly #hints = new Map<Bytes32, readonly LockHint[]>();
  /** From which height blocks were last read again for a lock script, and when: in the order of time. */
  readonly #readAgain = new Map<ScriptHex, { readonly height: number; readonly at: number }>();

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

  /**
   * Whether blocks from this height on are to be read again for the script; notes that they are. Not so where that
   * was done within 30 min: what they show is known or was turned away, and a hint costs nothing.
   */
  isReadingDue(script: ScriptHex, height: number, now: number): boolean {
    for (const [earlier, { at }] of this.#readAgain) {
      if (now - at < HINT_TTL_S) break;
      this.#readAgain.delete(earlier);
    }
    const last = this.#readAgain.get(script);
    if (last !== undefined && height >= last.height) return false;
    this.#readAgain.delete(script);
    this.#readAgain.set(script, { height, at: now });
    return true;
  }

  /** The reading that was noted last for the script cannot be: it stays due. */
  forgetReading(script: ScriptHex): void {
    this.#readAgain.delete(script);
  }

  /** Deals stand in the order of their newest hint: dead ones are at the front. */
  #sweep(now: number): void {
    for (const orderHash of this.#hints.keys()) {
      if (this.live(orderHash, now).length > 0) return;
      this.#hints.delete(orderHash);
    }
  }
}
