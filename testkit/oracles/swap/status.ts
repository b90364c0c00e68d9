// Statuses and legs as the text of S-51 and S-52 has them: lists of (name, condition), the first that holds.

import { spentInBlock, type Words } from "./plain.ts";

function firstOf(cases: readonly (readonly [name: string, holds: boolean])[]): string {
  return cases.find(([, holds]) => holds)?.[0] ?? "";
}

/** S-51. */
export function dealStatus(words: Words): string {
  const { subject, lock, escrow } = words;
  const fullMined = subject.outputs.filter((output) => output.mined && words.full(output));
  const refundedInBlock = fullMined.filter(
    (output) => spentInBlock(output) && output.spend?.path === "refund",
  );
  const isDeepEnough = lock?.mined ? words.depth(lock.mined.height) >= words.profile.k : false;
  return firstOf([
    ["SETTLED", escrow === "Claimed"],
    ["USDC_REFUNDED", escrow === "Refunded"],
    ["USDC_CLAIMABLE", escrow === "Accepted" && words.known],
    ["PEARL_REFUNDED", fullMined.length > 0 && refundedInBlock.length === fullMined.length],
    [
      "PEARL_LOCKED",
      words.acceptedAndFinal &&
        lock !== null &&
        words.full(lock) &&
        !lock.coinbase &&
        isDeepEnough &&
        !spentInBlock(lock),
    ],
    [
      "LOCK_SUBMITTED",
      words.acceptedAndFinal && subject.outputs.some((output) => output.mined || output.inMempool),
    ],
    ["USDC_LOCKED", words.acceptedAndFinal],
    ["DEAL_OPEN", true],
  ]);
}

/** S-52; null without an order. */
export function bidStatus(words: Words): string | null {
  const { order } = words.subject;
  if (!order) return null;
  return firstOf([
    ["SETTLED", words.escrow === "Claimed"],
    ["USDC_REFUNDED", words.escrow === "Refunded"],
    ["BID_CANCELLED", words.escrow === "Cancelled"],
    ["BID_ACCEPTED", order.accepted !== null],
    ["BID_OPEN", words.finalBlock(order.locked.block)],
    ["BID_CREATED", true],
  ]);
}

/** `evm_leg`. */
export function evmLeg(words: Words): object {
  const { order } = words.subject;
  let final = false;
  if (order?.closed) final = words.finalBlock(order.closed.place.block);
  else if (order?.accepted) final = words.acceptedAndFinal;
  else if (order) final = words.finalBlock(order.locked.block);
  return { state: words.escrow.toLowerCase(), final };
}

/** `pearl_leg`. */
export function pearlLeg(words: Words): object {
  const { lock } = words;
  if (!lock) return { state: "none", confirmations: 0 };
  const names: Record<string, readonly [seen: string, done: string]> = {
    claim: ["claim_seen", "claimed"],
    refund: ["refund_seen", "refunded"],
  };
  const pair = names[lock.spend?.path ?? ""];
  const own = lock.mined ? "confirmed" : "mempool";
  const state = pair === undefined ? own : pair[spentInBlock(lock) ? 1 : 0];
  return { state, confirmations: lock.mined ? words.depth(lock.mined.height) : 0 };
}

/** `pearl_release_verified`, `pearl_release_verify_error` (S-61). */
export function release(words: Words): readonly [boolean | null, string | null] {
  const { lock, subject } = words;
  if (!subject.outputs.some((output) => output.mined)) return [null, null];
  const spend = lock ? lock.spend : null;
  const right = subject.takeScript === null ? subject.buyerScripts : [subject.takeScript];
  const paid = spend?.outputScripts ?? null;
  const isPaid = paid === null || right.some((script) => paid.includes(script));
  const depth = spend?.mined ? words.depth(spend.mined.height) : 0;
  const fault = firstOf([
    ["RELEASE_NOT_FOUND", spend === null],
    ["RELEASE_IS_REFUND_PATH", spend?.path === "refund"],
    ["SECRET_NOT_FOUND", !words.known || spend?.path !== "claim"],
    ["RELEASE_DESTINATION_MISMATCH", !isPaid],
    ["RELEASE_UNCONFIRMED", depth < words.profile.k],
  ]);
  return fault === "" ? [true, null] : [false, fault];
}
