// Confirmations of both chains, finality of EVM blocks (S-05), and the depth at which the PEARL side counts something
// as over.

import type { ChainTips, ChainWitness } from "./facts.ts";

/** "13 deep" (S-15, S-54): confirmations after which a spend or a conflict counts as over. */
export const DEEP = 13;

/** tip - block + 1 of an EVM block; never below 0. */
export function evmConfirmations(tips: ChainTips, block: number): number {
  return Math.max(0, tips.evm.height - block + 1);
}

/** tip - height + 1 of a main-chain PEARL block; 0 for null (the mempool). Never below 0. */
export function pearlConfirmations(tips: ChainTips, height: number | null): number {
  return height === null ? 0 : Math.max(0, tips.pearl.height - height + 1);
}

/**
 * Whether an EVM block is final (S-05, S-08): at or below the highest block that was final by S-07 and read twice. How
 * many blocks stand above it says nothing, also where `EVM_CONFIRMATIONS` is a number.
 */
export function isFinal(tips: ChainTips, block: number): boolean {
  return block <= tips.evm.finalHeight;
}

/**
 * Whether the word of a second PEARL node lets a lock in the block of this height count `k` confirmations (S-09): one
 * that has the same block there and whose tip is at most one block short of them. Always where none is configured.
 */
export function isWitnessed(
  { witnesses }: { readonly witnesses: readonly ChainWitness[] | null },
  height: number,
  k: number,
): boolean {
  if (witnesses === null) return true;
  return witnesses.some(
    ({ sharedHeight, tipHeight }) => sharedHeight >= height && tipHeight >= height + k - 2,
  );
}

/** Newest blocks that a second node may not have yet: it is asked every few seconds, and hears of them when it does. */
const NEWEST_BLOCKS = 2;

/**
 * Whether a second PEARL node has the indexed chain but for its two newest blocks (S-09, A-146): then what is deep in it,
 * or in none of its blocks, is so on a chain that two show. Always where no further node is configured.
 */
export function isChainWitnessed({
  tips,
  witnesses,
}: {
  readonly tips: ChainTips;
  readonly witnesses: readonly ChainWitness[] | null;
}): boolean {
  if (witnesses === null) return true;
  return witnesses.some(({ sharedHeight }) => sharedHeight >= tips.pearl.height - NEWEST_BLOCKS);
}

/** Whether what a main-chain PEARL block shows is 13 deep. */
export function isDeep(tips: ChainTips, height: number): boolean {
  return pearlConfirmations(tips, height) >= DEEP;
}
