// Decides whether a transaction may push others out of the mempool: replacement by fee as pearld has it (BIP125 with
// inherited signals, judged on fee rate and absolute fee).
import type { MempoolEntry } from "./mempool-entry.ts";
import { minimumFee } from "./policy.ts";
import type { NodeTx } from "./transaction.ts";

const MAX_SIGNAL_SEQUENCE = 0xfffffffd;
const MAX_EVICTIONS = 100;

type Entries = ReadonlyMap<string, MempoolEntry>;

/** Whether a waiting transaction, or one that it builds on, signals that it may be replaced. */
export function signalsReplacement(txid: string, entries: Entries): boolean {
  const entry = entries.get(txid);
  if (entry === undefined) return false;
  if (entry.tx.tx.ins.some((input) => input.sequence <= MAX_SIGNAL_SEQUENCE)) return true;
  return [...entry.parents].some((parent) => signalsReplacement(parent, entries));
}

/**
 * Why `tx`, which pays `fee`, may not replace `conflicts` (the direct ones and their descendants); undefined =
 * it may. `parents` are the waiting transactions that it spends from.
 */
export function replacementFault(
  tx: NodeTx,
  fee: bigint,
  conflicts: ReadonlySet<string>,
  entries: Entries,
  parents: ReadonlySet<string>,
): string | undefined {
  if (conflicts.size > MAX_EVICTIONS) {
    return `replacement transaction ${tx.txid} evicts more transactions than permitted: max is ${MAX_EVICTIONS}, evicts ${conflicts.size}`;
  }
  let replacedFees = 0n;
  const knownParents = new Set<string>();
  for (const txid of conflicts) {
    const entry = entries.get(txid);
    if (entry === undefined) continue;
    if (parents.has(txid)) return `replacement transaction ${tx.txid} spends parent transaction ${txid}`;
    for (const parent of entry.parents) knownParents.add(parent);
    replacedFees += entry.fee;
    // Rates are compared by cross multiplication: fee / vsize > entry.fee / entry.vsize.
    if (fee * BigInt(entry.tx.vsize) <= entry.fee * BigInt(tx.vsize)) {
      return `replacement transaction ${tx.txid} has an insufficient fee rate: it is not above that of ${txid}`;
    }
  }
  const needed = replacedFees + minimumFee(tx.vsize);
  if (fee < needed)
    return `replacement transaction ${tx.txid} has an insufficient absolute fee: needs ${needed}, has ${fee}`;
  for (const parent of parents) {
    if (!knownParents.has(parent)) {
      return `replacement transaction spends new unconfirmed input of ${parent} not found in conflicting transactions`;
    }
  }
  return undefined;
}
