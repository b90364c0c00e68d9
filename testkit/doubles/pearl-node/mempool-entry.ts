// Describes what the memory pool keeps of a transaction.
import type { Coin } from "./coins.ts";
import type { NodeTx } from "./transaction.ts";

/** A waiting transaction. `fee` in grains, `time` in unix seconds, `height` of the tip when it came in. */
export interface MempoolEntry {
  readonly tx: NodeTx;
  readonly fee: bigint;
  readonly time: number;
  readonly height: number;
  /** The outputs it spends, in input order. */
  readonly coins: readonly Coin[];
  /** Txids of waiting transactions that it spends from. */
  readonly parents: ReadonlySet<string>;
}
