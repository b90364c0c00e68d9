// Takes a block back. Its changes hold every touched row as it was: turned around they restore the state before the
// block exactly, whatever the rules did (P-90).

import type { BlockChanges, Change } from "./state.ts";

/** The changed rows of a block, without its operations, digest and totals. */
export type RowChanges = Pick<BlockChanges, "tokens" | "balances" | "listings">;

/** The changes that lead back: before and after exchanged, in reverse order. Inverting twice gives the same. */
export function invertChanges(changes: RowChanges): RowChanges {
  return {
    tokens: inverted(changes.tokens),
    balances: inverted(changes.balances),
    listings: inverted(changes.listings),
  };
}

function inverted<Row>(changes: readonly Change<Row>[]): Change<Row>[] {
  return changes.map(({ before, after }) => ({ before: after, after: before })).toReversed();
}
