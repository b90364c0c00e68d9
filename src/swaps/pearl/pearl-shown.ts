// What transactions of the mempool show about swaps, the picture that all of them make (S-15), and marks by which those are
// found again that may spend an output: a number for each input instead of its outpoint, since a mempool has millions of them.

import type { WholeTransaction } from "../../chain/watch-transaction.ts";
import type { Bytes32, Outpoint, Txid } from "../../primitives/brands.ts";
import type { MempoolLocks, SeenSpend } from "../ledger/ports.ts";
import type { LockSpend, MatchedOutput } from "./pearl-matcher.ts";

/** A spend of a lock output. Of one that was told before it may be unknown what it pays. */
type ShownSpend = Omit<SeenSpend, "txid"> & Pick<LockSpend, "outpoint">;

/** What a transaction of the present mempool shows about swaps; most show nothing. */
export interface Shown {
  readonly locks: readonly MatchedOutput[];
  readonly spends: readonly ShownSpend[];
  /** Hashlocks whose secrets were told. */
  readonly secrets: ReadonlySet<Bytes32>;
  /** The ledger was told that it has lock outputs, by the process before or by blocks that are undone. */
  readonly isToldLock?: true;
}

/** Of most transactions. */
export const NOTHING: Shown = { locks: [], spends: [], secrets: new Set() };

/** The picture that these make. */
export function pictureOf(all: ReadonlyMap<Txid, Shown>): MempoolLocks {
  const present = new Set<Txid>();
  const spends = new Map<Outpoint, SeenSpend>();
  for (const [txid, shown] of all) {
    if (shown.isToldLock === true || shown.locks.some(({ isDust }) => !isDust)) present.add(txid);
    for (const { outpoint, ...spend } of shown.spends) spends.set(outpoint, { txid, ...spend });
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
  for (const [outpoint, { txid, ...spend }] of spends) {
    if (!isWanted(txid)) continue;
    const before = found.get(txid) ?? NOTHING;
    found.set(txid, { ...before, spends: [...before.spends, { outpoint, ...spend }] });
  }
  return found;
}

/** Whether both are the same spends, and as much is known of what they pay. */
export function isSameSpends(one: readonly ShownSpend[], other: readonly ShownSpend[]): boolean {
  return (
    one.length === other.length &&
    one.every(({ outpoint, path, outputScripts }, at) => {
      const same = other[at];
      return (
        outpoint === same?.outpoint &&
        path === same.path &&
        outputScripts?.join() === same.outputScripts?.join()
      );
    })
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
