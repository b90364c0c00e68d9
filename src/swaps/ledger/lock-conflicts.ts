// Tells which transactions with lock outputs can still be mined (S-15). The inputs of each are kept once, however many
// lock outputs it has, and the lowest main-chain block that spends one of them elsewhere is kept up to date, so that no
// row has to look at the inputs.

import type { Outpoint, Txid } from "../../primitives/brands.ts";
import type { PearlPlace } from "../../swap/facts.ts";
import type { BookChange } from "./book-change.ts";
import { BLOCK_FACTS, INPUTS } from "./fact-kinds.ts";
import type { Layer, LayeredIndex, LayeredMap } from "./layers.ts";

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
  readonly byInput: LayeredIndex<Outpoint, Txid>;
  readonly #transactions: LayeredMap<Txid, LockTransaction>;
  readonly #spends: LayeredMap<Outpoint, InputSpend>;

  constructor(layer: Layer<LockConflicts>) {
    this.byInput = layer.index((under) => under.byInput);
    this.#transactions = layer.map((under) => under.#transactions);
    this.#spends = layer.map((under) => under.#spends);
  }

  /** As `HtlcOutput.conflictHeight` of its outputs while it is in no block. */
  heightOf(txid: Txid): number | null {
    return this.#transactions.get(txid)?.conflictHeight ?? null;
  }

  /** Whether it is remembered what the lock transaction spends. */
  isKnown(txid: Txid): boolean {
    return this.#transactions.has(txid);
  }

  /** Remembers what a lock transaction spends. `minedAt`: height of its main-chain block, or null. */
  know(
    txid: Txid,
    inputs: readonly Outpoint[],
    minedAt: number | null,
    change: BookChange,
    onChange: OnChange,
  ): void {
    if (this.isKnown(txid)) return;
    let conflictHeight: number | null = null;
    for (const input of inputs) {
      const spent = this.#spends.get(input);
      if (spent !== undefined && spent.txid !== txid) conflictHeight = lower(conflictHeight, spent.height);
      this.byInput.add(input, txid);
    }
    this.#transactions.set(txid, { inputs, minedAt: null, conflictHeight });
    change.store(INPUTS, { txid, inputs });
    if (minedAt !== null) this.mine(txid, minedAt, onChange);
  }

  /** A lock transaction is in a block: done once, however many outputs show it. */
  mine(txid: Txid, height: number, onChange: OnChange): void {
    const transaction = this.#transactions.get(txid);
    if (transaction === undefined || (transaction.minedAt !== null && transaction.minedAt <= height)) return;
    this.#transactions.set(txid, { ...transaction, minedAt: height });
    this.spend(transaction.inputs, { txid, height }, onChange);
  }

  /** A main-chain transaction spends these outpoints: other lock transactions that need them lose. */
  spend(inputs: readonly Outpoint[], spend: InputSpend, onChange: OnChange): void {
    const losing = new Set<Txid>();
    for (const input of inputs) {
      // Spent in a lower block of the chain already: only a lie has it spent again.
      if ((this.#spends.get(input)?.height ?? Infinity) > spend.height) this.#spends.set(input, spend);
      for (const rival of this.byInput.of(input)) if (rival !== spend.txid) losing.add(rival);
    }
    for (const txid of losing) {
      const transaction = this.#transactions.get(txid);
      if (transaction === undefined) continue;
      const conflictHeight = lower(transaction.conflictHeight, spend.height);
      if (conflictHeight === transaction.conflictHeight) continue;
      this.#transactions.set(txid, { ...transaction, conflictHeight });
      onChange(txid);
    }
  }

  /**
   * A lock transaction is about to be forgotten and its block is not: what it took from others stands by itself from
   * now on.
   */
  outlive(txid: Txid, place: PearlPlace | null, change: BookChange): void {
    if (place === null) return;
    for (const outpoint of this.inputsOf(txid)) {
      if (this.byInput.count(outpoint) > 1)
        change.store(BLOCK_FACTS.inputSpend, { kind: "inputSpend", place, outpoint, txid });
    }
  }

  /** No lock output of the transaction is kept any longer. */
  forget(txid: Txid, change: BookChange): void {
    const transaction = this.#transactions.get(txid);
    if (transaction === undefined) return;
    for (const input of transaction.inputs) this.byInput.delete(input, txid);
    this.#transactions.delete(txid);
    change.forget(INPUTS, txid);
  }

  /** What a lock transaction spends; nothing where it is not known. */
  inputsOf(txid: Txid): readonly Outpoint[] {
    return this.#transactions.get(txid)?.inputs ?? [];
  }

  /** Heights of the blocks that spend inputs of a lock transaction. */
  *heightsOfInputs(txid: Txid): Generator<number> {
    for (const input of this.inputsOf(txid)) {
      const spent = this.#spends.get(input);
      if (spent !== undefined) yield spent.height;
    }
  }

  /** Takes a lock transaction out, with who spent its inputs where no other one needs them. */
  leave(txid: Txid): void {
    const inputs = this.inputsOf(txid);
    for (const input of inputs) {
      this.byInput.delete(input, txid);
      if (!this.byInput.has(input)) this.#spends.delete(input);
    }
    this.#transactions.delete(txid);
  }

  /** Takes back what blocks above this height spent. */
  rewind(toHeight: number, onChange: OnChange): void {
    for (const [input, { height }] of this.#spends) {
      if (height > toHeight) this.#spends.delete(input);
    }
    for (const [txid, transaction] of this.#transactions) {
      const minedAt = atMost(transaction.minedAt, toHeight);
      // The lowest one goes only together with all the others.
      const conflictHeight = atMost(transaction.conflictHeight, toHeight);
      if (minedAt === transaction.minedAt && conflictHeight === transaction.conflictHeight) continue;
      this.#transactions.set(txid, { ...transaction, minedAt, conflictHeight });
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
