// How much one of several EVM RPCs may show above the final block. One that is followed can invent blocks and logs
// without an end, all of which are remembered until they are final or gone: where there are too many, the next one reads all
// of them again. What RPCs that have no part in each other's reading show, too, is the chain's.

import { type EvmSource, ofRpc } from "./evm-chain.ts";
import type { FirstReadings } from "./evm-first-readings.ts";
import type { EvmFollowerOptions } from "./evm-options.ts";
import type { EvmRpcQuorum } from "./evm-rpc-quorum.ts";
import { EvmUnavailable } from "./evm-unavailable.ts";
import type { EvmLedger } from "../ledger/ports.ts";

/** What it is judged from. */
interface LeadBoundDependencies {
  readonly sources: readonly Pick<EvmSource, "name">[];
  readonly ledger: Pick<EvmLedger, "tips" | "unsettled">;
  readonly standing: Pick<EvmRpcQuorum, "final">;
  /** Who has read what. */
  readonly first: Pick<FirstReadings, "sourcesOf">;
}

type LeadBoundOptions = Pick<EvmFollowerOptions, "firstBlock" | "mostAboveFinal">;

/** RPCs that together have shown too much, up to this block. */
interface Crowd {
  readonly by: ReadonlySet<number>;
  readonly upTo: number;
}

/** The bound. */
export class LeadBound {
  readonly #deps: LeadBoundDependencies;
  readonly #options: LeadBoundOptions;
  /** The fewest RPCs that have shown too much, since it was last less; null: none, or it is not known which. */
  #crowd: Crowd | null = null;
  /** Whether others have shown as much: then it is the chain's, until there is less. */
  #isOfChain = false;
  /** The height of the highest final block that was in force; null before the first. */
  #final: number | null = null;

  constructor(deps: LeadBoundDependencies, options: LeadBoundOptions) {
    this.#deps = deps;
    this.#options = options;
  }

  /** @throws EvmUnavailable where there is too much for this RPC, which is followed, to add to it. */
  check(index: number): void {
    if (!this.#isCrowded()) {
      // There may be less only because it is being read again: how much there is then is known at the end.
      if (this.#isOfChain) this.#end();
      return;
    }
    this.#note();
    if (this.#isOfChain) return;
    const { blocks, logs } = this.#options.mostAboveFinal;
    const by = [...(this.#readers() ?? [index])].map((one) => ofRpc(this.#deps.sources, one).name);
    throw new EvmUnavailable(
      "BAD_ANSWER",
      `${by.join(" and ")} ${by.length === 1 ? "has" : "have"} shown more than ${blocks} blocks or ${logs} logs above the final block ` +
        `${this.#from() - 1}; another one is asked`,
    );
  }

  /** All that the RPC that is followed has is indexed. */
  readToHead(): void {
    if (this.#isCrowded()) this.#note();
    else this.#end();
  }

  /** Whether this RPC is to read again what was shown too much of: its own word on all of it is not known. */
  isLeftTo(index: number): boolean {
    if (this.#isOfChain || !this.#isCrowded()) return false;
    const readers = this.#readers();
    const isItsOwn = readers?.size === 1 && readers.has(index);
    return !isItsOwn && !(this.#crowd?.by.size === 1 && this.#crowd.by.has(index));
  }

  #note(): void {
    const by = this.#readers();
    // What they have shown is final by now: it says nothing of what there is today.
    if (this.#crowd !== null && this.#crowd.upTo < this.#from()) this.#crowd = null;
    if (by === null) return;
    const before = this.#crowd?.by;
    if (before !== undefined && ![...by].some((one) => before.has(one))) this.#isOfChain = true;
    else if (before === undefined || by.size < before.size)
      this.#crowd = { by, upTo: this.#deps.ledger.tips().evm.height };
  }

  #end(): void {
    this.#crowd = null;
    this.#isOfChain = false;
  }

  /** Whether there is more above the final block than one RPC of several may show. */
  #isCrowded(): boolean {
    const { sources, ledger, standing } = this.#deps;
    const final = standing.final();
    if (final !== null) this.#final = Math.max(this.#final ?? -1, final.height);
    if (sources.length === 1 || this.#final === null) return false;
    const { blocks, logs } = this.#options.mostAboveFinal;
    const [from, { height }] = [this.#from(), ledger.tips().evm];
    return height - from >= blocks || ledger.unsettled(from, height).length > logs;
  }

  /** Who has read what stands above the final block; null where that is not known of all of it. */
  #readers(): ReadonlySet<number> | null {
    return this.#deps.first.sourcesOf(this.#from(), this.#deps.ledger.tips().evm.height);
  }

  /** The first block above the final one; nothing was shown of those before the escrow's first. */
  #from(): number {
    const { finalHeight } = this.#deps.ledger.tips().evm;
    return Math.max((this.#final ?? -1) + 1, finalHeight + 1, this.#options.firstBlock);
  }
}
