// The verifications of S-60 and S-61 as lists of (reason, condition) in the text's order.

import { outputName, spentInBlock, type PlainOutput, type Words } from "./plain.ts";

/** A transaction as the node answers it. */
export interface PlainFound {
  readonly outputs: readonly { readonly amountSat: string; readonly script: string }[];
  readonly inputs: readonly string[];
  readonly coinbase: boolean;
  readonly height: number | null;
}

/** "txid:vout" of a body or a hint; null where none. */
export interface PlainAsked {
  readonly named: string | null;
  readonly hint: string | null;
}

type Case = readonly [reason: string, holds: () => boolean];

function firstReason(cases: readonly Case[]): string | null {
  return cases.find(([, holds]) => holds())?.[0] ?? null;
}

/** Reason of verify-lock, null where verified. `lookUp`: what the node knows of a txid. */
export function verifyLock(
  words: Words,
  asked: PlainAsked,
  lookUp: (txid: string) => PlainFound | null,
): string | null {
  const { subject, world, profile } = words;
  const { terms } = subject;
  const outpoint = asked.named ?? (words.lock ? outputName(words.lock) : asked.hint);
  const [txid = "", vout = ""] = (outpoint ?? "").split(":");
  const known = subject.outputs.find((output) => outputName(output) === outpoint);
  const found = known ? null : lookUp(txid);
  const output = found?.outputs[Number(vout)];
  const script = known ? subject.script : output?.script;
  // What the index has not read is unconfirmed for it.
  const depth = known?.mined ? words.depth(known.mined.height) : 0;
  return firstReason([
    ["EVM_ESCROW_NOT_FOUND", () => words.escrow === "None"],
    ["EVM_ESCROW_CLOSED", () => ["Claimed", "Refunded", "Cancelled"].includes(words.escrow)],
    ["EVM_ESCROW_CANCELLABLE", () => words.escrow === "Locked"],
    ["EVM_ESCROW_UNFINALIZED", () => !words.acceptedAndFinal],
    ["PUBKEY_INVALID", () => !subject.keysValid],
    ["LOCK_NOT_SUBMITTED", () => outpoint === null],
    ["LOCK_TX_NOT_FOUND", () => (known ? known.mined === null && !known.inMempool : found === null)],
    ["LOCK_VOUT_OUT_OF_RANGE", () => !known && output === undefined],
    ["LOCK_IS_COINBASE", () => known?.coinbase ?? found?.coinbase ?? false],
    ["TAPROOT_COMMITMENT_MISMATCH", () => script !== subject.script],
    [
      "LOCK_AMOUNT_TOO_LOW",
      () => BigInt(known?.amountSat ?? output?.amountSat ?? "0") < BigInt(terms.pearlAmountSat),
    ],
    ["LOCK_OUTPUT_SPENT", () => known !== undefined && known.spend !== null],
    ["LOCK_UNCONFIRMED", () => depth < 1],
    ["LOCK_CONFIRMATIONS_INSUFFICIENT", () => depth < profile.k],
    ["PEARL_NODE_UNAVAILABLE", () => !words.secondNodeHas(known?.mined?.height ?? 0)],
    ["REFUND_TIME_TOO_CLOSE", () => world.now + profile.revealMarginS > terms.pearlRefundTime],
    ["TIMELOCK_MARGIN_TOO_SMALL", () => terms.pearlRefundTime + world.deltaS > terms.evmRefundTime],
  ]);
}

/** Reason of verify-refund, null where verified. */
export function verifyRefund(
  words: Words,
  txid: string | null,
  lookUp: (txid: string) => PlainFound | null,
): string | null {
  const { subject } = words;
  const bySpend = subject.outputs.filter((output) => txid !== null && output.spend?.txid === txid);
  const found = txid === null || bySpend.length > 0 ? null : lookUp(txid);
  const judged = txid === null ? lockToJudge(words) : namedSpend(words, bySpend, found);
  const spend = judged?.spend && (txid === null || judged.spend.txid === txid) ? judged.spend : null;
  const depth = spend?.mined ? words.depth(spend.mined.height) : 0;
  return firstReason([
    ["REFUND_NOT_FOUND", () => words.escrow === "None"],
    ["REFUND_TX_NOT_FOUND", () => txid !== null && bySpend.length === 0 && found === null],
    ["REFUND_DOES_NOT_SPEND_LOCK", () => txid !== null && judged === null],
    ["REFUND_NOT_FOUND", () => txid === null && spend === null],
    ["REFUND_IS_CLAIM_PATH", () => spend !== null && spend.path !== "refund"],
    ["REFUND_UNCONFIRMED", () => depth < words.profile.k],
  ]);
}

function lockToJudge(words: Words): PlainOutput | null {
  const open = words.rows.filter(
    (output) =>
      output.mined && words.full(output) && !(spentInBlock(output) && output.spend?.path === "refund"),
  );
  return open[0] ?? words.lock;
}

const isHere = (output: PlainOutput): boolean => output.mined !== null || output.inMempool;

/** Dust counts only where nothing of the full amount is there; a claim before a refund. */
function namedSpend(
  words: Words,
  bySpend: readonly PlainOutput[],
  found: PlainFound | null,
): PlainOutput | null {
  const isDustIdle = words.rows.some((output) => words.full(output) && isHere(output));
  const touched = words.rows.filter((output) =>
    bySpend.length > 0 ? bySpend.includes(output) : (found?.inputs.includes(outputName(output)) ?? false),
  );
  const counted = touched.filter((output) => !isDustIdle || (words.full(output) && isHere(output)));
  return counted.find((output) => output.spend?.path === "claim") ?? counted[0] ?? null;
}

/** `details.credited` of verify-evm-refund: the payout was credited and is not yet withdrawn (S-54). */
export function isCredited(words: Words): boolean {
  return words.owed !== null;
}

/** Reason of verify-evm-refund, null where verified. */
export function verifyEvmRefund(words: Words): string | null {
  const closedIn = words.subject.order?.closed?.place.block ?? 0;
  return firstReason([
    ["EVM_REFUND_NOT_FOUND", () => words.escrow === "None"],
    ["EVM_ALREADY_CLAIMED", () => words.escrow === "Claimed"],
    ["EVM_ORDER_CANCELLED", () => words.escrow === "Cancelled"],
    ["EVM_ESCROW_STILL_LOCKED", () => ["Locked", "Accepted"].includes(words.escrow)],
    ["EVM_REFUND_UNFINALIZED", () => !words.finalBlock(closedIn)],
  ]);
}
