// Checks that a transaction's inputs are mature and worth enough, and that its scripts accept. The checks are the same
// for a block's transactions and for the mempool.
import type { Coin } from "./coins.ts";
import { COINBASE_MATURITY, MAX_GRAINS } from "./network.ts";
import { spendFault } from "./spend.ts";
import type { NodeTx } from "./transaction.ts";
import { accept, refuse, type Verdict } from "./verdict.ts";

const REMEMBERED = 100_000;

/** Remembers which transactions have passed their scripts: the witness id and the outpoints say all that counts. */
export class VerifiedScripts {
  readonly #passed = new Set<string>();

  /** Why a transaction's inputs do not satisfy the coins they spend (in input order); undefined = they do. */
  fault(tx: NodeTx, coins: readonly Coin[]): string | undefined {
    if (this.#passed.has(tx.wtxid)) return undefined;
    const scripts = coins.map((coin) => coin.script);
    const values = coins.map((coin) => coin.value);
    for (const index of tx.tx.ins.keys()) {
      const fault = spendFault({ tx: tx.tx, index, scripts, values });
      if (fault !== undefined) {
        return `failed to validate input ${tx.txid}:${index} which references output ${tx.spends[index]} - ${fault}`;
      }
    }
    if (this.#passed.size >= REMEMBERED) this.#passed.clear();
    this.#passed.add(tx.wtxid);
    return undefined;
  }
}

/** Checks maturity and amounts of a transaction that would be in block `height`; returns its fee in grains. */
export function feeOf(tx: NodeTx, coins: readonly Coin[], height: number): Verdict<bigint> {
  let inputs = 0n;
  for (const [index, coin] of coins.entries()) {
    if (coin.coinbase && height - coin.height < COINBASE_MATURITY) {
      return refuse(
        "consensus",
        `tried to spend coinbase transaction output ${tx.spends[index]} from height ${coin.height} at height ` +
          `${height} before required maturity of ${COINBASE_MATURITY} blocks`,
      );
    }
    inputs += coin.value;
    if (inputs > MAX_GRAINS) {
      return refuse(
        "consensus",
        `total value of all transaction inputs is ${inputs} which is higher than max ${MAX_GRAINS}`,
      );
    }
  }
  const outputs = tx.tx.outs.reduce((sum, out) => sum + out.value, 0n);
  if (inputs < outputs) {
    return refuse(
      "consensus",
      `total value of all transaction inputs for transaction ${tx.txid} is ${inputs} which is less than the amount spent of ${outputs}`,
    );
  }
  return accept(inputs - outputs);
}
