// Which asks are forgotten because they ended long ago (S-34).

import type { Bytes32 } from "../../primitives/brands.ts";
import type { AskRecord } from "../../swap/records.ts";
import type { Books } from "./books.ts";
import type { Moment } from "./change-text.ts";
import { KEPT_S } from "./record-book.ts";

/**
 * Of these asks those that were cancelled or expired seven days ago, and that no order carries (S-34). What is forgotten
 * does not come back: a revocation counts where it is final and nobody denies it.
 */
export function endedAsks(
  { orders, settings, chains, trust }: Books,
  asks: Iterable<AskRecord>,
  { expiryNow }: Moment,
): readonly Bytes32[] {
  const { finalHeight } = chains.tips.evm;
  const denied = new Set(
    trust.disputes.flatMap((event) => (event.kind === "AsksRevoked" ? [event.seller] : [])),
  );
  const ended: Bytes32[] = [];
  for (const { askId, terms, cancelledBySignature, updatedAt } of asks) {
    if (orders.byAsk.has(askId)) continue;
    const ends = [
      terms.expiry,
      denied.has(terms.seller) ? null : settings.revokedAt(terms.seller, terms.nonce, finalHeight),
      cancelledBySignature ? updatedAt : null,
    ];
    const endedAt = Math.min(...ends.map((end) => end ?? Number.POSITIVE_INFINITY));
    if (endedAt + KEPT_S <= expiryNow) ended.push(askId);
  }
  return ended;
}
