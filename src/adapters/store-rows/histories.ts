// Which operations are in the histories of which addresses (H-36).

import { kindOf } from "./kinds.ts";
import type { Participants } from "./ledger-effects.ts";

/** Scope of the history rows that stand for every ticker. */
export const ANY_TICK = "*";

const MOVING: ReadonlySet<number> = new Set(["mint", "transfer", "send"].map((op) => kindOf(op, true)));
const DEPLOYED = kindOf("deploy", true);

/**
 * The addresses whose histories an operation of a kind is in, each once: its sender, its recipient where it received
 * something, and the owner of the listing that it filled. `hasAmount`: whether it moved or minted more than 0.
 */
export function partiesOf(
  kind: number,
  hasAmount: boolean,
  { from, to, owner }: Participants,
): readonly number[] {
  const parties = [from];
  const receives = MOVING.has(kind) || (kind === DEPLOYED && hasAmount);
  if (to !== null && receives && to !== from) parties.push(to);
  if (owner !== null && !parties.includes(owner)) parties.push(owner);
  return parties;
}
