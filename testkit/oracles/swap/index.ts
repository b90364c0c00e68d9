// The second model of the swap rules in one call: what a row says about a plain subject (S-15, S-50 to S-55, S-61).

import { nextActions } from "./actions.ts";
import { outputName, Words, type PlainOutput, type PlainSubject, type PlainWorld } from "./plain.ts";
import { bidStatus, dealStatus, evmLeg, pearlLeg, release } from "./status.ts";

export { isCredited, verifyEvmRefund, verifyLock, verifyRefund, type PlainFound } from "./verify.ts";
export { Words, type PlainSubject, type PlainWorld } from "./plain.ts";

/** The computed fields of bid and deal rows, with both statuses. */
export function project(subject: PlainSubject, world: PlainWorld): Record<string, unknown> {
  const words = new Words(subject, world);
  const { terms, order, take } = subject;
  const { profile, lock, rows } = words;
  const later = order ? Math.max(order.locked.block, order.accepted?.place.block ?? 0) : null;
  const lockBy = terms.pearlRefundTime - profile.lockMarginS;
  const [verified, error] = release(words);
  const spendOf = (path: string): string | null =>
    [...(lock ? [lock] : []), ...rows].find((output) => output.spend?.path === path)?.spend?.txid ?? null;
  return {
    deal_exists: take !== null || (order?.accepted ?? null) !== null,
    deal_status: dealStatus(words),
    bid_status: bidStatus(words),
    terms_error: words.termsError,
    evm_leg: evmLeg(words),
    evm_credit: words.owed,
    pearl_leg: pearlLeg(words),
    lock: lock === null ? null : outputName(lock),
    pearl_lock_outputs: words.shown.map(shown),
    pearl_lock_outputs_total: rows.length,
    pearl_claim_txid: spendOf("claim"),
    pearl_refund_txid: spendOf("refund"),
    pearl_release_verified: verified,
    pearl_release_verify_error: error,
    next_actions: nextActions(words),
    deadlines: {
      take_expires_at: take ? take.expiresAt : null,
      accept_bid_by: /^0x0+$/.test(terms.askId)
        ? Math.min(lockBy - 1800, terms.pearlRefundTime - 7800)
        : null,
      lock_pearl_by: lockBy,
      claim_pearl_by: terms.pearlRefundTime - profile.revealMarginS,
      pearl_refund_time: terms.pearlRefundTime,
      evm_refund_time: terms.evmRefundTime,
    },
    confirmations: {
      evm: {
        have: later === null ? 0 : world.tips.evm.height - later + 1,
        need: world.tips.evm.need,
        final: later !== null && words.finalBlock(later),
      },
      pearl: { have: lock?.mined ? words.depth(lock.mined.height) : 0, need: profile.k },
    },
    expired: order === null && take !== null && world.now >= take.expiresAt,
    created_at: order ? order.locked.time : (take?.createdAt ?? 0),
  };
}

function shown(output: PlainOutput): object {
  return {
    txid: output.txid,
    vout: output.vout,
    amount_sat: output.amountSat,
    height: output.mined ? output.mined.height : null,
    spend_txid: output.spend ? output.spend.txid : null,
    spend_path: output.spend && output.spend.path !== "other" ? output.spend.path : null,
    spend_height: output.spend?.mined ? output.spend.mined.height : null,
  };
}
