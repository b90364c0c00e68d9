// Which asks have ended for good, and which are forgotten because they ended long ago (S-34). An event ends one where it is
// final and nobody denies it: one EVM RPC of several can invent a revocation, or an order that carries the ask.

import type { Bytes32 } from "../../primitives/brands.ts";
import type { AskRecord } from "../../swap/records.ts";
import { isDead } from "../../swap/subject.ts";
import type { Books } from "./books.ts";
import type { Moment } from "./change-text.ts";
import { KEPT_S } from "./record-book.ts";

/**
 * Of these asks those that were cancelled or expired seven days ago, and that no order carries (S-34). What is forgotten
 * does not come back.
 */
export function endedAsks(
  books: Books,
  asks: Iterable<AskRecord>,
  { expiryNow }: Moment,
): readonly Bytes32[] {
  const ended: Bytes32[] = [];
  for (const { askId, terms, cancelledBySignature, updatedAt } of asks) {
    if (books.orders.byAsk.has(askId)) continue;
    const ends = [terms.expiry, revokedAt(books, terms), cancelledBySignature ? updatedAt : null];
    const endedAt = Math.min(...ends.map((end) => end ?? Number.POSITIVE_INFINITY));
    if (endedAt + KEPT_S <= expiryNow) ended.push(askId);
  }
  return ended;
}

/** As `StateReads.isAskOver`. */
export function isAskOver(
  books: Books,
  { askId, terms, cancelledBySignature }: AskRecord,
  moment: Moment,
): boolean {
  const { orders, chains, trust } = books;
  const order = orders.byAsk.get(askId);
  if (order !== undefined) {
    const locked = orders.entries.get(order)?.facts.locked.block ?? -1;
    return locked <= chains.tips.evm.finalHeight && !trust.isDisputed(order);
  }
  return cancelledBySignature || isDead(moment, terms.expiry) || revokedAt(books, terms) !== null;
}

/** When the ask was revoked for good; null where it was not. */
function revokedAt(
  { settings, chains, trust }: Books,
  { seller, nonce }: Pick<AskRecord["terms"], "seller" | "nonce">,
): number | null {
  if (trust.isRevocationDisputed(seller)) return null;
  return settings.revokedAt(seller, nonce, chains.tips.evm.finalHeight);
}
