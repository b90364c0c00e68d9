// Tells which transactions with lock outputs can still be mined (S-15). The inputs of each are kept once, however many
// lock outputs it has, and the lowest main-chain block that spends one of them elsewhere is kept up to date, so that no
// row has to look at the inputs.

import type { Outpoint, Txid } from "../../primitives/brands.ts";
import type { BookChange } from "./draft.ts";
import { inputsFact } from "./fact-codec.ts";
import { MultiIndex } from "./multi-index.ts";

interface LockTransaction {
  readonly inputs: readonly Outpoint[];
  /** Height of its main-chain block, or null. */
  readonly minedAt: number | null;
  readonly conflictHeight: number | null;
}

/** The main-chain transaction that spends an input of a lock transaction. */
interface InputSpend {
  readonly txid: Txid;
  readonly height: number;
}

/** Gets the lock transactions whose chances change. */
type OnChange = (txid: Txid) => void;

/** Lock transactions, what they spend, and who else spent it. */
export class LockConflicts {
  /** Lock transactions by what they spend. */
  readonly byInput = new MultiIndex<Outpoint, Txid>();
  readonly #transactions = new Map<Txid, LockTransaction>();
  readonly #spends = new Map<Outpoint, InputSpend>();

  /** As `LockOutput.conflictHeight` of its outputs while it is in no block. */
  heightOf(txid: Txid): number | null {
    return this.#transactions.get(txid)?.conflictHeight ?? null;
  }

  /** Remembers what a lock transaction spends. `minedAt`: height of its main-chain block, or null. */
  know(
    txid: Txid,
    inputs: readonly Outpoint[],
    minedAt: number | null,
    change: BookChange,
    onChange: OnChange,
  ): void {
    if (this.#transactions.has(txid)) return;
    let conflictHeight: number | null = null;
    for (const input of inputs) {
      const spent = this.#spends.get(input);
      if (spent !== undefined && spent.txid !== txid) conflictHeight = lower(conflictHeight, spent.height);
      change.link(this.byInput, input, txid);
    }
    change.set(this.#transactions, txid, { inputs, minedAt: null, conflictHeight });
    change.store(() => inputsFact(txid, inputs));
    if (minedAt !== null) this.mine(txid, minedAt, change, onChange);
  }

  /** A lock transaction is in a block: done once, however many outputs show it. */
  mine(txid: Txid, height: number, change: BookChange, onChange: OnChange): void {
    const transaction = this.#transactions.get(txid);
    if (transaction === undefined || transaction.minedAt === height) return;
    change.set(this.#transactions, txid, { ...transaction, minedAt: height });
    this.spend(transaction.inputs, { txid, height }, change, onChange);
  }

  /** A main-chain transaction spends these outpoints: other lock transactions that need them lose. */
  spend(inputs: readonly Outpoint[], spend: InputSpend, change: BookChange, onChange: OnChange): void {
    const losing = new Set<Txid>();
    for (const input of inputs) {
      change.set(this.#spends, input, spend);
      for (const rival of this.byInput.of(input)) if (rival !== spend.txid) losing.add(rival);
    }
    for (const txid of losing) {
      const transaction = this.#transactions.get(txid);
      if (transaction === undefined) continue;
      const conflictHeight = lower(transaction.conflictHeight, spend.height);
      if (conflictHeight === transaction.conflictHeight) continue;
      change.set(this.#transactions, txid, { ...transaction, conflictHeight });
      onChange(txid);
    }
  }

  /** Whether this transaction is known to spend this outpoint as a lock transaction: its own spends are no conflict. */
  isOwn(outpoint: Outpoint, txid: Txid): boolean {
    for (const one of this.byInput.of(outpoint)) if (one === txid) return true;
    return false;
  }

  /** No lock output of the transaction is kept any longer. */
  forget(txid: Txid, change: BookChange): void {
    const transaction = this.#transactions.get(txid);
    if (transaction === undefined) return;
    for (const input of transaction.inputs) change.unlink(this.byInput, input, txid);
    change.drop(this.#transactions, txid);
    change.forget("inputs", txid);
  }

  /** Takes back what blocks above this height spent. */
  rewind(toHeight: number, change: BookChange, onChange: OnChange): void {
    for (const [input, { height }] of this.#spends) {
      if (height > toHeight) change.drop(this.#spends, input);
    }
    for (const [txid, transaction] of this.#transactions) {
      const minedAt = atMost(transaction.minedAt, toHeight);
      // The lowest one goes only together with all the others.
      const conflictHeight = atMost(transaction.conflictHeight, toHeight);
      if (minedAt === transaction.minedAt && conflictHeight === transaction.conflictHeight) continue;
      change.set(this.#transactions, txid, { ...transaction, minedAt, conflictHeight });
      onChange(txid);
    }
  }
}

function lower(one: number | null, other: number): number {
  return one === null || other < one ? other : one;
}

function atMost(height: number | null, bound: number): number | null {
  return height !== null && height > bound ? null : height;
}
