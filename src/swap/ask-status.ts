// What is an ask's status? S-33: the first condition that holds, from the record, the escrow's events and *now*.

import type { Bytes32, EvmAddress } from "../primitives/brands.ts";
import type { AskRecord } from "./records.ts";
import { isDead, type AskStatus, type Moment } from "./subject.ts";

/** Ask statuses of the interface (part 3), in the order in which S-33 asks. */
export const ASK_STATUSES = [
  "ASK_TAKEN",
  "ASK_CANCELLED",
  "ASK_PAUSED",
  "ASK_OPEN",
] as const satisfies readonly AskStatus[];

/** What the escrow's indexed events say about an ask. */
export interface AskFacts {
  /** Hash of the indexed order that carries the ask's id; null where none. */
  readonly takenBy: Bytes32 | null;
  /** Lowest nonce that the seller has not revoked in any indexed block. */
  readonly minNonce: bigint;
  /** The contract's present fee; null before the first FeeSet is indexed. */
  readonly fee: { readonly feeBps: number; readonly feeRecipient: EvmAddress } | null;
}

/** The status of S-33. Without a known fee every fee is outdated. */
export function askStatus(
  record: AskRecord,
  facts: AskFacts,
  moment: Pick<Moment, "now" | "expiryNow">,
): AskStatus {
  const { terms } = record;
  if (facts.takenBy !== null) return "ASK_TAKEN";
  const isRevoked = terms.nonce < facts.minNonce;
  if (record.cancelledBySignature || isRevoked || isDead(moment, terms.expiry)) return "ASK_CANCELLED";
  const isFeePresent =
    facts.fee !== null && facts.fee.feeBps === terms.feeBps && facts.fee.feeRecipient === terms.feeRecipient;
  const isSound = record.funded && record.signatureValid && isFeePresent;
  return record.pausedBySignature || !isSound ? "ASK_PAUSED" : "ASK_OPEN";
}
