// What transactions of the mempool show about swaps, the picture that all of them make (S-15), and marks by which those are
// found again that may spend an output: a number for each input instead of its outpoint, since a mempool has millions of them.

import type { WholeTransaction } from "../../chain/watch-transaction.ts";
import type { Bytes32, Outpoint, Txid } from "../../primitives/brands.ts";
import type { LockSpend, OutputSpend } from "../../swap/facts.ts";
import { isSameSpend } from "../ledger/mempool-picture.ts";
import type { MempoolLocks } from "../ledger/ports.ts";
import type { MatchedOutput } from "./pearl-matcher.ts";

/** What a transaction of the present mempool shows about swaps; most show nothing. */
export interface Shown {
  readonly locks: readonly MatchedOutput[];
  readonly spends: readonly LockSpend[];
  /** Hashlocks whose secrets were told. */
  readonly secrets: ReadonlySet<Bytes32>;
  /** The ledger was told that it has lock outputs, by the process before or by blocks that are undone. */
  readonly isToldLock: boolean;
}

/** Of most transactions. */
export const NOTHING: Shown = { locks: [], spends: [], secrets: new Set(), isToldLock: false };

/** The picture that these make. */
export function pictureOf(all: ReadonlyMap<Txid, Shown>): MempoolLocks {
  const present = new Set<Txid>();
  const spends = new Map<Outpoint, OutputSpend>();
  for (const [txid, shown] of all) {
    if (shown.isToldLock || shown.locks.some(({ isDust }) => !isDust)) present.add(txid);
    for (const { outpoint, ...spend } of shown.spends) spends.set(outpoint, spend);
  }
  return { present, spends };
}

/** What a picture has of those transactions that are wanted. */
export function shownIn(
  { present, spends }: MempoolLocks,
  isWanted: (txid: Txid) => boolean,
): ReadonlyMap<Txid, Shown> {
  const found = new Map<Txid, Shown>();
  for (const txid of present) if (isWanted(txid)) found.set(txid, { ...NOTHING, isToldLock: true });
  for (const [outpoint, spend] of spends) {
    if (!isWanted(spend.txid)) continue;
    const before = found.get(spend.txid) ?? NOTHING;
    found.set(spend.txid, { ...before, spends: [...before.spends, { outpoint, ...spend }] });
  }
  return found;
}

/** Whether both are the same spends. */
export function isSameSpends(one: readonly LockSpend[], other: readonly LockSpend[]): boolean {
  return (
    one.length === other.length &&
    one.every((spend, at) => spend.outpoint === other[at]?.outpoint && isSameSpend(other[at], spend))
  );
}

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
