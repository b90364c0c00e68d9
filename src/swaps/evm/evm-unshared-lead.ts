// Leaves a branch of one RPC of several of which nothing is remembered that the others could contradict. It may end
// far above their newest blocks, and the blocks that are remembered of it are the newest ones, so that none stands where
// they have one, too: who read its blocks knows their hashes, but a restart forgets them, and so do a hundred thousand
// blocks. They are left where two RPCs that have the final block do not have the lowest one that is known above it.

import type { Clock } from "../../follow/ports.ts";
import { AskedRpcs } from "./evm-aside.ts";
import { type EvmSource, ofRpc } from "./evm-chain.ts";
import { hashesAt } from "./evm-fork.ts";
import type { FinalInForce } from "./evm-rpc-quorum.ts";

/** RPCs whose chains have to end below the block. */
const RPCS_NEEDED = 2;

/** The lowest block of ours that is known above the final one, where an RPC does not have it. */
export class UnsharedLead {
  readonly #sources: readonly EvmSource[];
  readonly #clock: Clock;
  readonly #waitMs: number;
  #lacked: { readonly height: number; readonly sinceMs: number } | null = null;
  /** RPCs that have the final block, and have lacked the block at this height when they were last asked; by their indices. */
  readonly #lacking = new Map<number, number>();
  readonly #rpcs: AskedRpcs;

  /** `waitMs`: for so long those that do not have the block are waited for, since they may be about to get it. */
  constructor({ sources, clock }: { sources: readonly EvmSource[]; clock: Clock }, waitMs: number) {
    this.#rpcs = new AskedRpcs({ sources, clock });
    this.#sources = sources;
    this.#clock = clock;
    this.#waitMs = waitMs;
  }

  /** Whether what is indexed is left, an RPC that has the final block having no block at this height. */
  async isLeft(height: number, final: FinalInForce): Promise<boolean> {
    const nowMs = this.#clock.monotonicMs();
    if (this.#lacked?.height !== height) {
      this.#lacked = { height, sinceMs: nowMs };
      this.#lacking.clear();
    }
    if (this.#sources.length < RPCS_NEEDED || nowMs - this.#lacked.sinceMs < this.#waitMs) return false;
    for (const index of this.#sources.keys()) this.#rpcs.ask(index, () => this.#ask(index, height, final));
    const isEnough = (): boolean =>
      [...this.#lacking.values()].filter((one) => one === height).length >= RPCS_NEEDED;
    await this.#rpcs.heard(null, isEnough);
    if (!isEnough()) return false;
    this.#lacked = null;
    return true;
  }

  /** Resolves when nobody is asked any more. */
  async settled(): Promise<void> {
    await this.#rpcs.settled();
  }

  async #ask(index: number, height: number, final: FinalInForce): Promise<void> {
    const [theirs, block] = await hashesAt(ofRpc(this.#sources, index), [final.height, height]);
    if (theirs === final.hash && block === null) this.#lacking.set(index, height);
    else this.#lacking.delete(index);
  }
}
