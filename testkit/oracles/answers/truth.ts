// Says what the service must know after given blocks: the reference implementation's snapshot, and the few facts that
// its rows leave out (block hashes and times, places of transactions, outputs), read from the blocks with
// bitcoinjs-lib.

import { Transaction } from "bitcoinjs-lib";
import type { MadeBlock } from "../../builders/chain-maker/index.ts";
import {
  type LedgerRow,
  ReferenceIndex,
  type ReferenceParams,
  type ReferenceSnapshot,
} from "../prc20/index.ts";

/** Where an input stands in the chain: height, index of the transaction, index of the input. */
export type ChainPlace = readonly [height: number, txIndex: number, input: number];

/** A block that the index holds. */
export interface BlockFact {
  readonly height: number;
  readonly hash: string;
  readonly time: number;
  /** D(height), 64 hex digits. */
  readonly digest: string;
}

/** Everything that answers are made from, as of one block. */
export interface Truth {
  readonly params: ReferenceParams;
  readonly snapshot: ReferenceSnapshot;
  /** Every change of what an address holds, in chain order. */
  readonly ledger: readonly LedgerRow[];
  /** From the base block on, ascending; never empty. */
  readonly blocks: readonly BlockFact[];
  /** Height and index of a transaction by its id. */
  readonly transactions: ReadonlyMap<string, { readonly height: number; readonly txIndex: number }>;
  /** Outputs by "txid:vout"; scripts in hex. */
  readonly outputs: ReadonlyMap<string, { readonly value: bigint; readonly script: string }>;
}

/** The block before the start height. */
export interface Base {
  readonly height: number;
  readonly hash: string;
  readonly time: number;
}

/** Replays one branch block by block. */
export class Replay {
  readonly #params: ReferenceParams;
  readonly #reference: ReferenceIndex;
  readonly #blocks: BlockFact[];
  readonly #transactions = new Map<string, { height: number; txIndex: number }>();
  readonly #outputs = new Map<string, { value: bigint; script: string }>();

  constructor(params: ReferenceParams, base: Base) {
    this.#params = params;
    this.#reference = new ReferenceIndex(params);
    this.#blocks = [{ ...base, digest: this.#reference.digest() }];
  }

  apply(block: MadeBlock): void {
    const { height, hash, time } = block;
    this.#reference.apply({ height, hash, time, transactions: [...block.transactions] });
    this.#blocks.push({ height, hash, time, digest: this.#reference.digest() });
    for (const [txIndex, raw] of block.transactions.entries()) {
      const transaction = Transaction.fromBuffer(raw);
      const txid = transaction.getId();
      this.#transactions.set(txid, { height, txIndex });
      for (const [vout, { value, script }] of transaction.outs.entries()) {
        this.#outputs.set(`${txid}:${vout}`, { value, script: Buffer.from(script).toString("hex") });
      }
    }
  }

  /** The state after the blocks applied so far. */
  truth(): Truth {
    return {
      params: this.#params,
      snapshot: this.#reference.snapshot(),
      ledger: this.#reference.ledger(),
      blocks: [...this.#blocks],
      transactions: this.#transactions,
      outputs: this.#outputs,
    };
  }
}

/** The truth after all blocks of a branch from the start height on. */
export function truthOf(params: ReferenceParams, base: Base, blocks: readonly MadeBlock[]): Truth {
  return truthsOf(params, base, blocks, blocks.length)[0] ?? new Replay(params, base).truth();
}

/** The truths after the first `from` blocks of a branch and after each further one. */
export function truthsOf(
  params: ReferenceParams,
  base: Base,
  blocks: readonly MadeBlock[],
  from: number,
): Truth[] {
  const replay = new Replay(params, base);
  const truths: Truth[] = from === 0 ? [replay.truth()] : [];
  for (const [index, block] of blocks.entries()) {
    replay.apply(block);
    if (index + 1 >= from) truths.push(replay.truth());
  }
  return truths;
}

/** The last block. */
export function tipOf(truth: Truth): BlockFact {
  const tip = truth.blocks.at(-1);
  if (tip === undefined) throw new Error("a truth has at least the base block");
  return tip;
}

/** The block at a height. */
export function blockAt(truth: Truth, height: number): BlockFact {
  const block = truth.blocks.find((one) => one.height === height);
  if (block === undefined) throw new Error(`no block ${height}`);
  return block;
}

/** Where an input stands. */
export function placeOf(truth: Truth, txid: string, input: number): ChainPlace {
  const found = truth.transactions.get(txid);
  if (found === undefined) throw new Error(`no transaction ${txid}`);
  return [found.height, found.txIndex, input];
}

/** Chain order. */
export function comparePlaces(one: ChainPlace, other: ChainPlace): number {
  return one[0] - other[0] || one[1] - other[1] || one[2] - other[2];
}

/** `value` / 10^digits with exactly so many fractional digits. */
export function withPoint(value: bigint, digits: number): string {
  let text = String(value < 0n ? -value : value);
  while (text.length <= digits) text = `0${text}`;
  const sign = value < 0n ? "-" : "";
  return `${sign}${text.slice(0, text.length - digits)}.${text.slice(text.length - digits)}`;
}

/** Part of a whole in percent, truncated to 4 digits. */
export function percent(part: bigint, whole: bigint): string {
  return whole === 0n ? "0.0000" : withPoint((part * 100n * 10_000n) / whole, 4);
}
