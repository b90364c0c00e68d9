// The transactions of both chains that moved a swap, from its facts: what each did, where it stands, how deep it
// is. A transaction that a reorganisation or an eviction took away is in no fact, and so in none of these rows. One row
// is one step of one transaction: a transaction may lock and accept at once, or spend several lock outputs.

import type { ChainTips, EvmPlace, HtlcOutput, OrderFacts, Chain } from "./facts.ts";
import { evmConfirmations, pearlConfirmations } from "./finality.ts";
import { isImpossible } from "./lock-outputs.ts";
import { isEventFinal } from "./order-state.ts";
import { profileOf, type EvaluationContext, type SwapRules, type SwapSubject } from "./subject.ts";

/** What a transaction can do in a swap, in the order in which a swap goes; named as `next_actions` are (S-54). */
export const TRANSACTION_ACTIONS = [
  "lock_usdc",
  "accept_bid",
  "lock_pearl",
  "claim_pearl",
  "refund_pearl",
  "claim_usdc",
  "refund_usdc",
  "cancel_bid",
  "credit_payout",
  "withdraw_credit",
] as const;

type TransactionAction = (typeof TRANSACTION_ACTIONS)[number];

/** One step of one transaction. Amounts are raw units: satoshis of PEARL, 10^-6 USDC. */
export type SwapTransactionRow = {
  readonly deal_hash: string;
  readonly chain: Chain;
  /** As its chain shows it: 0x before an EVM hash, none before a PEARL one. */
  readonly txid: string;
  readonly action: TransactionAction;
  /** What moved, for a claim of USDC what the seller was paid; null where nothing did. */
  readonly amount: string | null;
  /** Lock outputs that it made or spent; null on the EVM chain. */
  readonly outputs: number | null;
  /** Null in the mempool, like the next two. */
  readonly height: number | null;
  readonly block_hash: string | null;
  readonly time: number | null;
  readonly confirmations: number;
  /** EVM: final by S-07; PEARL: at least the K confirmations of the deal's size (S-03). */
  readonly final: boolean;
};

/** What one transaction did: its id as its chain shows it, and its steps on PEARL by `stepsOf`, none for an EVM one. */
export interface TransactionSteps {
  readonly txid: string;
  readonly pearl: readonly PearlStep[];
}

/**
 * The steps of a swap in the order of their blocks' times, those in the mempool last; of its lock outputs those that its
 * row shows (S-15). `only`: those of one transaction alone, of all its lock outputs.
 */
export function swapTransactions(
  subject: SwapSubject,
  { tips }: Pick<EvaluationContext, "tips">,
  rules: SwapRules,
  only: TransactionSteps | null,
): readonly SwapTransactionRow[] {
  const { order, terms, outputs } = subject;
  if (order === null) return [];
  const { k } = profileOf(rules, terms.usdcAmount);
  const steps = only === null ? pearlSteps(outputs.shown(terms.pearlAmountSat, tips)) : only.pearl;
  const pearl = steps.map(({ place, ...step }) => {
    const confirmations = pearlConfirmations(tips, place?.height ?? null);
    return {
      deal_hash: subject.hash,
      chain: "pearl" as const,
      txid: step.txid,
      action: step.action,
      amount: step.amountSat.toString(),
      outputs: step.outputs,
      height: place?.height ?? null,
      block_hash: place?.blockHash ?? null,
      time: place?.time ?? null,
      confirmations,
      final: confirmations >= k,
    };
  });
  const evm = evmSteps(order).map(({ action, place, amount }) => ({
    deal_hash: subject.hash,
    chain: "evm" as const,
    txid: place.txHash,
    action,
    amount: amount?.toString() ?? null,
    outputs: null,
    height: place.block,
    block_hash: place.blockHash,
    time: place.time,
    confirmations: evmConfirmations(tips, place.block),
    final: isEventFinal(order, place.block, tips),
  }));
  const rows = [...evm, ...pearl];
  return (only === null ? rows : rows.filter((row) => row.txid === only.txid)).toSorted(byTime);
}

function byTime(one: SwapTransactionRow, other: SwapTransactionRow): number {
  const apart = (one.time ?? Number.POSITIVE_INFINITY) - (other.time ?? Number.POSITIVE_INFINITY);
  // Two in the mempool are infinitely late, and their difference is no number.
  if (apart !== 0 && !Number.isNaN(apart)) return apart;
  return TRANSACTION_ACTIONS.indexOf(one.action) - TRANSACTION_ACTIONS.indexOf(other.action);
}

interface EvmStep {
  readonly action: TransactionAction;
  readonly place: EvmPlace;
  readonly amount: bigint | null;
}

const CLOSING = { cancelled: "cancel_bid", claimed: "claim_usdc", refunded: "refund_usdc" } as const;

/** What a claim pays to the seller, raw USDC: the fee, rounded down, stays in the escrow for its recipient (S-23). */
function sellerProceeds({ usdcAmount, feeBps }: OrderFacts["terms"]): bigint {
  return usdcAmount - (usdcAmount * BigInt(feeBps)) / 10_000n;
}

function evmSteps({ terms, locked, accepted, closed, credited }: OrderFacts): readonly EvmStep[] {
  const steps: EvmStep[] = [{ action: "lock_usdc", place: locked, amount: terms.usdcAmount }];
  if (accepted !== null) steps.push({ action: "accept_bid", place: accepted.place, amount: null });
  if (closed !== null) {
    const amount = closed.kind === "claimed" ? sellerProceeds(terms) : terms.usdcAmount;
    steps.push({ action: CLOSING[closed.kind], place: closed.place, amount });
  }
  if (credited === null) return steps;
  const { place, amount, withdrawn } = credited;
  steps.push({ action: "credit_payout", place, amount });
  if (withdrawn !== null) steps.push({ action: "withdraw_credit", place: withdrawn, amount });
  return steps;
}

/** One step on PEARL. */
export interface PearlStep {
  readonly txid: string;
  readonly action: TransactionAction;
  readonly place: HtlcOutput["mined"];
  readonly outputs: number;
  readonly amountSat: bigint;
}

const SPENDING = { claim: "claim_pearl", refund: "refund_pearl", other: null } as const;

/**
 * What a transaction did to lock outputs of one script, with this tip: impossible ones left out. `touched`: all that it
 * made or spends. Orders that share the script share the steps, so that a page of them works them out once.
 */
export function stepsOf(txid: string, touched: readonly HtlcOutput[], tips: ChainTips): readonly PearlStep[] {
  const possible = touched.filter((output) => !isImpossible(output, tips));
  return pearlSteps(possible).filter((step) => step.txid === txid);
}

/** What transactions did to these lock outputs, one step for all outputs to which one did the same. */
function pearlSteps(outputs: readonly HtlcOutput[]): readonly PearlStep[] {
  const steps = new Map<string, PearlStep>();
  const add = (
    by: string,
    action: TransactionAction,
    place: HtlcOutput["mined"],
    amountSat: bigint,
  ): void => {
    const { outputs: before, amountSat: sum } = steps.get(action + by) ?? { outputs: 0, amountSat: 0n };
    steps.set(action + by, { txid: by, action, place, outputs: before + 1, amountSat: sum + amountSat });
  };
  for (const { txid: made, mined, inMempool, amountSat, spend } of outputs) {
    if (mined !== null || inMempool) add(made, "lock_pearl", mined, amountSat);
    const spending = spend === null ? null : SPENDING[spend.path];
    if (spend !== null && spending !== null) add(spend.txid, spending, spend.mined, amountSat);
  }
  return [...steps.values()];
}
