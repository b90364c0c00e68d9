// Marks by which those are found again that may spend an output: a number for each input instead of its outpoint, since a
// mempool has millions of them.

import type { WholeTransaction } from "../../chain/watch-transaction.ts";

/** The first 28 bits of an id: what is found by them alone is compared again, so that equal ones cost a look. */
export function markOf(txid: string): number {
  return Number.parseInt(txid.slice(0, 7), 16);
}

/** Marks of the transactions whose outputs this one spends. */
export function marksOf(transaction: WholeTransaction): number | readonly number[] {
  const marks = new Set<number>();
  for (let index = 0; index < transaction.inputCount; index += 1) {
    marks.add(markOf(transaction.outpoint(index) ?? ""));
  }
  const [first, ...others] = marks;
  return others.length === 0 && first !== undefined ? first : [...marks];
}
