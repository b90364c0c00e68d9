// Does a block create or lose units (P-30)? Checked on the differences of every block that is written.

import type { BlockChanges } from "../../../prc20/state.ts";

/**
 * Throws where, for some ticker, the sum of balance and locked plus burned does not change by exactly what minted
 * changes, or minted exceeds max.
 */
export function assertConserved(block: BlockChanges): void {
  const surplus = new Map<string, bigint>();
  const add = (tick: string, amount: bigint): void => {
    if (amount !== 0n) surplus.set(tick, (surplus.get(tick) ?? 0n) + amount);
  };
  for (const { before, after } of block.balances) {
    if (after !== null) add(after.tick, after.balance + after.locked);
    if (before !== null) add(before.tick, -(before.balance + before.locked));
  }
  for (const { before, after } of block.tokens) {
    if (after !== null) add(after.tick, after.burned - after.minted);
    if (before !== null) add(before.tick, before.minted - before.burned);
    if (after !== null && after.minted > after.max) {
      throw new Error(`store: block ${block.height} mints more ${after.tick} than its max (P-30)`);
    }
  }
  for (const [tick, amount] of surplus) {
    if (amount !== 0n) {
      throw new Error(`store: block ${block.height} breaks conservation of ${tick} by ${amount} (P-30)`);
    }
  }
}
