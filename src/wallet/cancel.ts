// Lets an owner take listings back by spending their anchors (P-63). The anchors are the last inputs and everything
// goes to one output at index 0, so that no anchor has a same-index output that could be taken for the buyer's payment.

import { equalBytes } from "@scure/btc-signer/utils.js";
import type { SigningKey } from "./keys.ts";
import { balancePlan, type BuildFailure, failure, type Funding, type SignedTx, signPlan } from "./plan.ts";
import type { Coin, TxOutput } from "./transaction.ts";

/** A listing to be taken back. */
export interface CancelPart {
  readonly anchor: Coin;
  /** The owner's key: the anchor's output key. */
  readonly key: SigningKey;
  /** The payment that the listing asked for. */
  readonly seller: TxOutput;
}

/**
 * Spends the anchors by key path; what is not fee goes to the change script. The coins of `funding` are ALL spent,
 * in front of the anchors (a first one keeps the anchors away from output 0). Fails as `balancePlan`, and with
 * CANCEL_PAYS_SELLER where there is no coin in front and the only output would equal the seller's payment: then
 * hand in a coin or another change script.
 */
export function buildCancel(parts: readonly CancelPart[], funding: Funding): SignedTx | BuildFailure {
  const own = [...funding.coins, ...parts.map(({ anchor, key }) => ({ coin: anchor, key }))];
  const inputs = own.map(({ coin, key }) => ({ coin, spend: { kind: "key" as const, key } }));
  const balanced = balancePlan({ inputs, outputs: [] }, { ...funding, coins: [] });
  if (!balanced.ok) return balanced;
  const first = funding.coins.length === 0 ? parts[0] : undefined;
  const output = balanced.plan.outputs[0];
  if (
    first &&
    output &&
    equalBytes(output.script, first.seller.script) &&
    output.amount >= first.seller.amount
  ) {
    return failure("CANCEL_PAYS_SELLER", "the change would stand where the seller's payment belongs");
  }
  return signPlan(balanced.plan);
}
