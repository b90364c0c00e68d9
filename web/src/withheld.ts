// Steps of a swap that its row calls for and that the service does not offer: while it does not see both chains well
// enough it leaves out the steps that commit money or show the secret (S-54, S-05, S-09), and neither the row nor
// /health says so in a field. Deadlines do not wait for it, so that a page must not call that nothing to do.

import { evmTrouble, type IndexHealth } from "./contact.ts";
import { hasFullLock, type LockFacts } from "./full-lock.ts";
import type { Health, NextAction, SwapRow } from "./wire.ts";
import { ACTION_WORDS } from "./words.ts";

/** A step that is left out, and the last moment for it. */
export interface WithheldStep {
  readonly action: "claim_pearl" | "lock_pearl" | "accept_bid" | "lock_usdc";
  readonly role: "buyer" | "seller";
  readonly until: number;
}

/** What a row is judged by. */
export type SwapFacts = LockFacts &
  Pick<SwapRow, "status" | "evm_leg" | "pearl_leg" | "secret_hex" | "terms_error" | "expired"> & {
    readonly deadlines: Pick<
      SwapRow["deadlines"],
      "take_expires_at" | "accept_bid_by" | "lock_pearl_by" | "claim_pearl_by"
    >;
    readonly next_actions: readonly Pick<NextAction, "action">[];
  };

/** What is left out, and why as far as /health tells. */
export interface Withheld {
  /** The steps that the row calls for; empty where an index is behind, so that the row does not tell which they are. */
  readonly steps: readonly WithheldStep[];
  /** Whole sentences; empty where /health tells nothing of it. */
  readonly why: string;
}

/** The steps that are left out, wherever they commit money or show the secret. */
const COMMITTING: ReadonlySet<NextAction["action"]> = new Set<WithheldStep["action"]>([
  "claim_pearl",
  "lock_pearl",
  "accept_bid",
  "lock_usdc",
]);

/** Null where nothing is left out. `now`: unix seconds; `health`: null before its first answer. */
export function withheldOf(
  swap: SwapFacts,
  now: number,
  health: (IndexHealth & Pick<Health, "reasons">) | null,
): Withheld | null {
  if (swap.secret_hex !== null || swap.terms_error !== null || isOver(swap)) return null;
  const mayBePaused = health === null || health.reasons.includes("ESCROW_PAUSED");
  const steps = calledFor(swap, mayBePaused).filter(
    ({ action, until }) => now <= until && !swap.next_actions.some((offered) => offered.action === action),
  );
  const why = health === null ? "" : troubleOf(health);
  if (steps.length > 0) return { steps, why };
  // The service may see enough of both chains all the same: /health tells of the index of tokens.
  const isOffered = swap.next_actions.some(({ action }) => COMMITTING.has(action));
  return why === "" || isOffered ? null : { steps, why };
}

function isOver({ evm_leg: { state }, expired }: SwapFacts): boolean {
  return expired || state === "claimed" || state === "refunded" || state === "cancelled";
}

/** The steps of the table of S-54 that wait for a synced index, by what a row shows of their conditions. */
function calledFor(swap: SwapFacts, mayBePaused: boolean): readonly WithheldStep[] {
  const { evm_leg: evm, deadlines } = swap;
  const { take_expires_at: takeBy, accept_bid_by: acceptBy } = deadlines;
  if (evm.state === "none")
    return takeBy === null || mayBePaused ? [] : [{ action: "lock_usdc", role: "buyer", until: takeBy }];
  if (!evm.final) return [];
  if (evm.state === "locked")
    return acceptBy === null || mayBePaused
      ? []
      : [{ action: "accept_bid", role: "seller", until: acceptBy }];
  if (!hasFullLock(swap)) return [{ action: "lock_pearl", role: "seller", until: deadlines.lock_pearl_by }];
  return swap.status === "PEARL_LOCKED" && swap.pearl_leg.state === "confirmed"
    ? [{ action: "claim_pearl", role: "buyer", until: deadlines.claim_pearl_by }]
    : [];
}

/** What /health tells of indexes that are not synced. */
function troubleOf({ indexing_status: status, evm }: IndexHealth): string {
  const pearl = {
    synced: null,
    syncing: "The Pearl index is behind its chain.",
    stalled: "The Pearl index stands still.",
  }[status];
  return [pearl, evmTrouble(evm)].filter((words) => words !== null).join(" ");
}

/** What a page says of it. */
export function withheldWords({ steps, why }: Withheld): string {
  const what = steps.map(({ action, role }) => {
    const whether = `whether the ${role} can ${ACTION_WORDS[action].what}`;
    return `At the moment it is not said ${whether}.`;
  });
  const because = steps.some(({ action }) => action === "lock_usdc")
    ? `${ASK_MAY_BE_CLOSED} ${UNSEEN}`
    : UNSEEN;
  return [
    ...(what.length === 0
      ? ["Steps that commit money or show the secret are not shown at the moment."]
      : what),
    why === "" ? because : why,
    "Such a step is safe only while it is shown here, and it shows again by itself when it is. Deadlines go on meanwhile.",
  ].join(" ");
}

const ASK_MAY_BE_CLOSED = "The ask may not be open any more, or its hashlock be in use.";
const UNSEEN =
  "The service may not see both chains well enough: a newest block is too old, the EVM RPCs do not agree, the Pearl node " +
  "has too few connections, Pearl blocks come too slowly or have yet to be read for this swap, or no second node shows " +
  "the lock.";
