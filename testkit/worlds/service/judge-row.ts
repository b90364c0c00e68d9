// What a row says of its order stands on the honest chain (S-07, S-08), whatever RPCs tell the service.

import type { EscrowOrder } from "../../oracles/escrow.ts";
import type { SwapRow } from "./people/society.ts";

/** Actions that stand on a final order alone (S-54). */
const MARKED = new Set(["lock_pearl", "accept_bid"]);

/** Honest states in which a leg may be told as final: the state itself, and what comes after it. */
const FITTING: Readonly<Record<string, readonly string[]>> = {
  locked: ["Locked", "Accepted", "Claimed", "Refunded", "Cancelled"],
  accepted: ["Accepted", "Claimed", "Refunded"],
  claimed: ["Claimed"],
  refunded: ["Refunded"],
  cancelled: ["Cancelled"],
};

/**
 * What a row calls final, and what it offers because of that, is carried by the honest chain's final blocks. `carried`: the
 * order as these have it. @throws Error where it is not.
 */
export function judgeRow(row: SwapRow, carried: EscrowOrder | null, note: (what: string) => void): void {
  const { state, final } = row.evm_leg;
  const named = `order ${row.order_hash}`;
  if (final && state !== "none") {
    note(`final ${state}`);
    const honest = carried?.state ?? "None";
    if (!(FITTING[state] ?? []).includes(honest))
      throw new Error(`${named} is told as finally ${state}; the honest chain says ${honest}`);
    mustHaveTerms(row, carried);
  }
  for (const { action, optional } of row.next_actions) {
    // The claim that is not optional needs no order: its secret is public.
    if (!MARKED.has(action) && !(action === "claim_pearl" && optional)) continue;
    note(`offered ${action}`);
    if (action === "accept_bid") mustBeCarried(carried, `${named} may be accepted`);
    else mustBeAccepted(carried, `${action} is offered for ${named}`);
    mustHaveTerms(row, carried);
  }
}

function mustHaveTerms(row: SwapRow, carried: EscrowOrder | null): void {
  if (carried !== null && row.usdc_amount !== carried.terms.usdcAmount.toString())
    throw new Error(
      `order ${row.order_hash} shows ${row.usdc_amount} USDC, it has ${carried.terms.usdcAmount}`,
    );
}

function mustBeCarried(carried: EscrowOrder | null, what: string): asserts carried is EscrowOrder {
  if (carried === null) throw new Error(`${what}, and the honest chain has no such final order`);
}

/** @throws Error where the honest chain has no such final order, or one that nobody has accepted. */
export function mustBeAccepted(carried: EscrowOrder | null, what: string): void {
  mustBeCarried(carried, what);
  if (carried.state === "Locked" || carried.state === "Cancelled")
    throw new Error(`${what}, and on the honest chain it is ${carried.state}`);
}
