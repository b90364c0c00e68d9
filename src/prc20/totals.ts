// The running counts of everything so far that the stats endpoint shows (H-37), kept block by block.

import type { Totals } from "./state.ts";

/** Totals while a block is read. */
export type WorkingTotals = { -readonly [Field in keyof Totals]: Totals[Field] };

/** The totals before the first block. */
export const ZERO_TOTALS: Totals = {
  eventsTotal: 0,
  eventsValid: 0,
  tokensDeployed: 0,
  listsOpen: 0,
  listsFilled: 0,
  listsCancelled: 0,
  listsInvalidSpent: 0,
  feePaidSat: 0n,
  sellerPaidSat: 0n,
  nextPlace: 0,
};
