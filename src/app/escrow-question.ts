// What stands at the contract's address (S-26): code, USDC and least amount. A contract that does not fit refuses the
// start; RPCs that do not answer refuse nothing, and are asked on until one does.

import { escrowAbi } from "../adapters/evm-rpc/escrow-abi.ts";
import { sentenceOf } from "../follow/follower-errors.ts";
import type { Clock, Log } from "../follow/ports.ts";
import type { EscrowInspection, EvmChain } from "../swaps/evm/evm-chain.ts";
import type { EscrowFacts } from "../swaps/usecases/dependencies.ts";
import { CommandRefused } from "./cli/ending.ts";

/** How long a start waits for an RPC to say what stands at the contract's address. */
const INSPECTION_PATIENCE_MS = 5000;
const INSPECTION_RETRY_MS = 5000;

/** Asks until an RPC answers. */
export class EscrowQuestion {
  readonly #chain: EvmChain;
  readonly #firstBlock: number;
  readonly #log: Log;
  readonly #clock: Clock;
  #facts: EscrowFacts | null = null;

  constructor(chain: EvmChain, firstBlock: number, log: Log, clock: Clock) {
    this.#chain = chain;
    this.#firstBlock = firstBlock;
    this.#log = log;
    this.#clock = clock;
  }

  /** Null until the contract is known and fits. */
  get facts(): EscrowFacts | null {
    return this.#facts;
  }

  /** Throws `CommandRefused` where the contract does not fit; an RPC that does not answer in time refuses nothing. */
  async askAtStart(): Promise<void> {
    const patience = new AbortController();
    const inspected = this.#chain.inspectEscrow().then(
      (found) => found,
      (error: unknown) => {
        this.#log.warn({ error: sentenceOf(error) }, "no EVM RPC answers yet; swaps wait for one");
        return null;
      },
    );
    const silence = this.#clock.sleep(INSPECTION_PATIENCE_MS, patience.signal).then(() => null);
    const found = await Promise.race([inspected, silence]);
    patience.abort();
    if (found === null) return;
    if (found.faults.length > 0) throw new CommandRefused(found.faults);
    this.#keep(found);
  }

  /** Asks until the contract is known and fits, or the signal aborts. */
  async settle(signal: AbortSignal): Promise<void> {
    let told = "";
    while (this.#facts === null && !signal.aborted) {
      try {
        const found = await this.#chain.inspectEscrow();
        const faults = found.faults.join("; ");
        if (faults === "") return this.#keep(found);
        // The service runs already: it serves tokens, and swaps stay unavailable until an operator acts.
        if (faults !== told) this.#log.error({ faults }, "alarm: the escrow does not fit the configuration");
        told = faults;
      } catch (error) {
        this.#log.debug({ error: sentenceOf(error) }, "no EVM RPC answers");
      }
      await this.#clock.sleep(INSPECTION_RETRY_MS, signal);
    }
  }

  #keep({ usdc, minUsdc }: EscrowInspection): void {
    if (usdc === null || minUsdc === null)
      throw new Error("an escrow without faults has usdc() and minUsdc()");
    this.#facts = { usdc, minUsdc, firstBlock: this.#firstBlock, abi: escrowAbi };
  }
}
