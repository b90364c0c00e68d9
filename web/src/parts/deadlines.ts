// The moments of a swap that still mean something: the end of a take says nothing of a swap whose USDC are locked, and a
// bid that is accepted has nobody to wait for. A passed one that is told as one to come makes people hurry.

import type { SwapRow } from "../wire.ts";

/** A moment of a swap, and what it brings. */
export interface SwapMoment {
  readonly name: string;
  /** Unix seconds. */
  readonly at: number;
  readonly brings: string;
}

/** What tells which moments are left. */
type Facts = Pick<SwapRow, "deadlines"> & {
  readonly evm_leg: Pick<SwapRow["evm_leg"], "state" | "final">;
  readonly pearl_leg: Pick<SwapRow["pearl_leg"], "state">;
};

/** The moments in the order in which they come. A side that is over for good has none. */
export function momentsOf({
  deadlines,
  evm_leg: { state, final },
  pearl_leg: pearl,
}: Facts): readonly SwapMoment[] {
  const isEvmOver = final && (state === "claimed" || state === "refunded" || state === "cancelled");
  const isLockOpen = pearl.state !== "none" && pearl.state !== "claimed" && pearl.state !== "refunded";
  const isPearlOver = isEvmOver && !isLockOpen;
  const all: readonly (readonly [name: string, at: number | null, brings: string])[] = [
    [
      "The take ends",
      state === "none" ? deadlines.take_expires_at : null,
      "Without locked USDC the ask is open to others again.",
    ],
    [
      "Last moment to accept the bid",
      state === "none" || state === "locked" ? deadlines.accept_bid_by : null,
      "After it there is too little time to lock PEARL safely.",
    ],
    [
      "Last moment to lock PEARL",
      isEvmOver ? null : deadlines.lock_pearl_by,
      "PEARL locked later may not be deep enough in time.",
    ],
    [
      "Last moment to show the secret",
      isPearlOver ? null : deadlines.claim_pearl_by,
      "A claim begun later may lose against the refund.",
    ],
    [
      "PEARL refund",
      isPearlOver ? null : deadlines.pearl_refund_time,
      `From then on the seller may take unclaimed PEARL back. ${MEDIAN_TIME_WORDS}`,
    ],
    [
      "USDC refund",
      isEvmOver ? null : deadlines.evm_refund_time,
      "From then on the buyer may take unclaimed USDC back.",
    ],
  ];
  return all.flatMap(([name, at, brings]) => (at === null ? [] : [{ name, at, brings }]));
}

/** What a page says of a swap of which nothing is to be done: over for good is only one that no moment is left of. */
export function nothingWords(swap: Facts): string {
  return momentsOf(swap).length === 0
    ? "Nothing more: the swap is over."
    : "Nothing at the moment. What comes next shows here by itself.";
}

/** A PEARL refund is minable when the median time past is greater than its time (S-05). */
const MEDIAN_TIME_WORDS =
  "Pearl nodes take it when the median time of the newest eleven blocks is past it, which may be an hour later.";
