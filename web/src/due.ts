// Whether a step of a swap is due, by the clock and by whether the service is heard. While it is silent nobody knows
// what has happened since, so that a step that may be left is called for by nothing: a claim shows the secret, and a lock
// commits money.

import type { NextAction } from "./wire.ts";

/** How a step stands. "unknown": the service is silent, and the step is not needed by whoever wants to lose nothing. */
export type Due = "late" | "early" | "unknown" | "may" | "must";

/** How a step stands at `now`, unix seconds. The bounds belong to the window (S-05). */
export function dueOf(
  { optional, not_before: from, not_after: until }: Pick<NextAction, "optional" | "not_before" | "not_after">,
  now: number,
  isHeard: boolean,
): Due {
  if (until !== null && now > until) return "late";
  if (from !== null && now < from) return "early";
  if (!optional) return "must";
  return isHeard ? "may" : "unknown";
}

/** What a swap's page says while the service is silent. */
export const SILENT_WORDS =
  "The service does not answer, and both chains go on: what stands here may have changed. Do not lock money, do not accept " +
  "and do not show the secret by it. Deadlines stay as they are, and claims and refunds that were due are due.";
