// Breaks of the table of next actions (S-54, S-04), row by row.

import { type Break, inFile } from "./break.ts";

/** All of them. */
export const SWAPS_ACTIONS: readonly Break[] = inFile("src/swap/next-actions.ts", [
  {
    rule: "S-54",
    find: 'if (state === "accepted" && isSecretKnown) actions.push(plain(null, "anyone", "claim_usdc", {}));',
    replace: "",
    why: "claim_usdc is never offered",
  },
  {
    rule: "S-04",
    find: 'if (state === "accepted" && isSecretKnown) actions.push(plain(null, "anyone", "claim_usdc", {}));',
    replace:
      'if (state === "accepted" && isSecretKnown) actions.push(plain(null, "anyone", "claim_usdc", { not_after: view.subject.terms.evmRefundTime }));',
    why: "claim_usdc ends at T_e",
  },
  {
    rule: "S-54",
    find: 'if (output.mined === null || !isUnspent(output)) continue;\n      actions.push(plain(buyer, "buyer", "claim_pearl"',
    replace:
      'if (output.mined === null || !isUnspent(output) || output !== view.lock) continue;\n      actions.push(plain(buyer, "buyer", "claim_pearl"',
    why: "with the secret known only the lock is claimed, not every output",
  },
  {
    rule: "S-54",
    find: 'if (spend === null || spend.path !== "claim") return false;',
    replace: "if (spend === null) return false;",
    why: "confirm_claim is offered for refunds",
  },
  {
    rule: "S-54",
    find: "return spend.mined === null || !isDeep(tips, spend.mined.height);",
    replace: "return spend.mined === null;",
    why: "a claim in a shallow block need not be confirmed",
  },
  {
    rule: "S-54",
    find: "!moment.mayAct || view.isSecretKnown || !view.live",
    replace: "view.isSecretKnown || !view.live",
    why: "the reveal is offered while an index is behind",
  },
  {
    rule: "S-54",
    find: "view.isSecretKnown || !view.live ||",
    replace: "view.isSecretKnown ||",
    why: "the reveal is offered before the escrow is final",
  },
  {
    rule: "S-54",
    find: "!view.live || view.fault !== null ||",
    replace: "!view.live ||",
    why: "the reveal is offered for wrong terms",
  },
  {
    rule: "S-54",
    find: "if (lock.spend !== null || !isGoodLock",
    replace: "if (!isGoodLock",
    why: "the reveal is offered while a spend is in the mempool",
  },
  {
    rule: "S-54",
    find: "|| !isGoodLock(lock, subject.terms.pearlAmountSat, profile.k, tips)) return;",
    replace: ") return;",
    why: "the reveal is offered for any lock",
  },
  {
    rule: "S-54",
    find: "{ optional: true, not_after: claimBy(subject.terms, profile) }",
    replace: "{ optional: true, not_after: subject.terms.pearlRefundTime }",
    why: "the reveal is offered until T_p",
  },
  {
    rule: "S-54",
    find: 'if (view.isSecretKnown && (state === "accepted" || state === "claimed")) return;',
    replace: "",
    why: "the seller is told to refund PEARL that the buyer may claim",
  },
  {
    rule: "S-54",
    find: 'if (view.isSecretKnown && (state === "accepted" || state === "claimed")) return;',
    replace: "if (view.isSecretKnown) return;",
    why: "a seller whose order was refunded is not told to save the PEARL",
  },
  {
    rule: "S-54",
    find: "const window = { not_before: subject.terms.pearlRefundTime };",
    replace: "const window = { not_before: subject.terms.evmRefundTime };",
    why: "refund_pearl stands from T_e on",
  },
  {
    rule: "S-54",
    find: "if (!isPending(output, tips)) continue;",
    replace: "if (!output.inMempool) continue;",
    why: "an evicted lock transaction need not be abandoned",
  },
  {
    rule: "S-54",
    find: "const window = { not_before: lockBy(subject.terms, profile) };",
    replace: "const window = {};",
    why: "abandon_lock stands at once",
  },
  {
    rule: "S-54",
    find: "view.live && fault === null && isUnknown && !hasFullOutput(view)",
    replace: "fault === null && isUnknown && !hasFullOutput(view)",
    why: "the seller is told to lock while the buyer can cancel",
  },
  {
    rule: "S-54",
    find: "view.live && fault === null && isUnknown && !hasFullOutput(view)",
    replace: "view.live && isUnknown && !hasFullOutput(view)",
    why: "the seller is told to lock for wrong terms",
  },
  {
    rule: "S-54",
    find: "view.live && fault === null && isUnknown && !hasFullOutput(view)",
    replace: "view.live && fault === null && !hasFullOutput(view)",
    why: "the seller is told to lock when the secret is public",
  },
  {
    rule: "S-54",
    find: "view.live && fault === null && isUnknown && !hasFullOutput(view)",
    replace: "view.live && fault === null && isUnknown",
    why: "the seller is told to lock twice",
  },
  {
    rule: "S-54",
    find: "output.amountSat >= pearlAmountSat && (output.mined !== null || output.inMempool)",
    replace: "output.mined !== null || output.inMempool",
    why: "a stranger's dust keeps the seller from locking",
  },
  {
    rule: "S-54",
    find: "{ optional: true, not_after: lockBy(terms, profile) }",
    replace: "{ optional: true, not_after: claimBy(terms, profile) }",
    why: "lock_pearl stands until T_p - M",
  },
  {
    rule: "S-54",
    find: "moment.mayAct && isBidFinal && fault === null",
    replace: 'moment.mayAct && state === "locked" && fault === null',
    why: "an unfinal bid may be accepted",
  },
  {
    rule: "S-54",
    find: "moment.mayAct && isBidFinal && fault === null",
    replace: "moment.mayAct && isBidFinal",
    why: "a bid of wrong terms may be accepted",
  },
  {
    rule: "S-54",
    find: "moment.mayAct && isBidFinal && fault === null",
    replace: "isBidFinal && fault === null",
    why: "a bid may be accepted while an index is behind",
  },
  {
    rule: "S-54",
    find: 'state === "accepted" && isUnknown && subject.outputs.every((output) => isOver(output, tips))',
    replace: 'state === "accepted" && subject.outputs.every((output) => isOver(output, tips))',
    why: "the seller gives the USDC back though the secret is known",
  },
  {
    rule: "S-54",
    find: "&& subject.outputs.every((output) => isOver(output, tips))",
    replace: "",
    why: "the seller gives the USDC back while the buyer can claim the PEARL",
  },
  {
    rule: "S-54",
    find: "lockBy(terms, profile) + 30 * 60",
    replace: "lockBy(terms, profile)",
    why: "refund_cooperative stands half an hour early",
  },
  {
    rule: "S-54",
    find: 'spend.path === "refund" && spend.mined !== null && isDeep',
    replace: "spend.mined !== null && isDeep",
    why: "a claimed output counts as back with the seller",
  },
  {
    rule: "S-54",
    find: "spend.mined !== null && isDeep(tips, spend.mined.height)\n",
    replace: "spend.mined !== null\n",
    why: "a shallow refund lets the seller give the USDC back",
  },
  {
    rule: "S-54",
    find: "if (isOpen && !wasPaid)",
    replace: "if (isOpen)",
    why: "a buyer who has the PEARL is told to refund",
  },
  {
    rule: "S-54",
    find: 'output.amountSat >= pearlAmountSat && output.spend?.path === "claim"',
    replace: 'output.spend?.path === "claim"',
    why: "a claim of dust takes the buyer's refund away",
  },
  {
    rule: "S-54",
    find: '"refund_usdc", { not_before: evmRefundTime }',
    replace: '"refund_usdc", { not_before: subject.terms.pearlRefundTime }',
    why: "refund_usdc stands from T_p on",
  },
  {
    rule: "S-54",
    find: 'state === "accepted" || state === "locked";',
    replace: 'state === "accepted";',
    why: "a bid that nobody accepted is not refunded",
  },
  {
    rule: "S-54",
    find: 'if (state === "locked") actions.push(plain(buyer, "buyer", "cancel_bid"',
    replace: 'if (state === "accepted") actions.push(plain(buyer, "buyer", "cancel_bid"',
    why: "cancel_bid is offered for accepted orders",
  },
  {
    rule: "S-54",
    find: "take === null || isDead(moment, take.expiresAt)",
    replace: "take === null",
    why: "lock_usdc is offered for a dead take",
  },
  {
    rule: "S-54",
    find: 'if (ask?.status !== "ASK_OPEN" || view',
    replace: "if (view",
    why: "lock_usdc is offered for a paused ask",
  },
  {
    rule: "S-54",
    find: "view.isSecretKnown || subject.hashlockUsedByBuyer) return;",
    replace: "view.isSecretKnown) return;",
    why: "lock_usdc is offered for a used hashlock",
  },
  {
    rule: "S-54",
    find: "view.isSecretKnown || subject.hashlockUsedByBuyer) return;",
    replace: "subject.hashlockUsedByBuyer) return;",
    why: "lock_usdc is offered when the secret is public",
  },
]);
