// Whether PEARL are locked in full: anybody can pay a smaller amount to the script of a swap, which ends no step of it.

import type { SwapRow } from "./wire.ts";

/** What tells whether the lock holds the whole amount. */
export type LockFacts = Pick<SwapRow, "pearl_amount_sat" | "pearl_lock_txid" | "pearl_lock_vout"> & {
  readonly pearl_lock_outputs: readonly Pick<
    SwapRow["pearl_lock_outputs"][number],
    "txid" | "vout" | "amount_sat"
  >[];
};

/** Whether an output of the full amount is in a block or the mempool: where there is one, *the lock* is such a one (S-15). */
export function hasFullLock(swap: LockFacts): boolean {
  const lock = swap.pearl_lock_outputs.find(
    ({ txid, vout }) => txid === swap.pearl_lock_txid && vout === swap.pearl_lock_vout,
  );
  return lock !== undefined && BigInt(lock.amount_sat) >= BigInt(swap.pearl_amount_sat);
}
