// The PEARL chain of a world without branches: a miner takes what is sent, in blocks that come when the world says so.

import { PearlCore } from "../../doubles/pearl-node/core.ts";
import { SIMNET } from "../../doubles/pearl-node/network.ts";
import { PearlPort, viewOfCore } from "../../doubles/pearl-port.ts";
import type { SwapNode } from "../../../src/follow/ports.ts";
import type { Coin } from "../../../src/wallet/index.ts";
import { PearlPool } from "../service/pearl-pool.ts";

/** Seconds between two blocks on average. */
const PEARL_BLOCK_S = 194;

/** The chain. */
export class PearlWorld {
  readonly pool: PearlPool;
  #now: number;

  /** `owners`: one coinbase each to these scripts, in turns, all spendable at `startTime`. */
  constructor(owners: readonly Uint8Array[], coinsEach: number, miner: Uint8Array, startTime: number) {
    const blocks = owners.length * coinsEach + 101;
    this.#now = startTime - blocks * PEARL_BLOCK_S;
    const clock = (): number => this.#now;
    const core = new PearlCore({
      network: SIMNET,
      clock,
      miningScript: miner,
      policy: "simnet",
      folder: undefined,
    });
    this.pool = new PearlPool(core, clock);
    for (let i = 0; i < blocks; i += 1) {
      this.#now += PEARL_BLOCK_S;
      const owner = owners[i % owners.length] ?? miner;
      core.generate(1, { miningScript: i < owners.length * coinsEach ? owner : miner });
    }
  }

  /** The node as a service is given it: an honest one. */
  node(): SwapNode {
    return new PearlPort(viewOfCore(this.pool.core));
  }

  /** Mines a block with these transactions (hex). @throws Error where one is not valid. */
  mine(now: number, transactions: readonly string[] = []): void {
    this.#now = Math.max(this.#now, now);
    this.pool.core.generate(1, { transactions: this.pool.chosen(transactions, () => false) });
  }

  /** Unspent outputs of these scripts (hex). */
  unspent(scripts: ReadonlySet<string>): Coin[] {
    return this.pool.unspent(scripts);
  }
}
