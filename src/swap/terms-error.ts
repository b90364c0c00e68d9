// Are an indexed order's terms ones that a swap can be finished with? Orders are indexed as they are; what is wrong
// with them is shown and leaves only the ways out (S-50).

import type { SecretFact, SecretShower } from "./facts.ts";
import { outpointOf } from "./lock-choice.ts";
import type { SwapRules, SwapSubject } from "./subject.ts";

/** In the order in which they are looked for (S-50). */
export const TERMS_ERRORS = ["PUBKEY_INVALID", "TIMELOCK_MARGIN_TOO_SMALL", "HASHLOCK_REUSED"] as const;
/** What is wrong with an order's terms. */
export type TermsError = (typeof TERMS_ERRORS)[number];

/**
 * The first of: a key of the order is no point; T_e - T_p < the margin in force (S-02); the secret is known, and
 * neither this order's OrderClaimed nor a spend of one of its lock outputs has shown it. Null where nothing is wrong.
 */
export function termsError(subject: SwapSubject, rules: SwapRules): TermsError | null {
  if (!subject.keysValid) return "PUBKEY_INVALID";
  if (isMarginTooSmall(subject, rules)) return "TIMELOCK_MARGIN_TOO_SMALL";
  const { secret } = subject;
  return secret !== null && !wasShownByOrder(subject, secret) ? "HASHLOCK_REUSED" : null;
}

/** Whether T_e - T_p is below the margin in force (S-02). */
export function isMarginTooSmall(subject: SwapSubject, rules: SwapRules): boolean {
  return subject.terms.evmRefundTime - subject.terms.pearlRefundTime < rules.deltaS;
}

function wasShownByOrder(subject: SwapSubject, secret: SecretFact): boolean {
  const own = new Set<string>(subject.outputs.map(outpointOf));
  const isOwn = (shower: SecretShower): boolean =>
    shower.by === "claim"
      ? shower.orderHash === subject.hash
      : shower.script === undefined
        ? own.has(shower.outpoint)
        : shower.script === subject.script;
  return secret.shownBy.some(isOwn);
}
